//! Java projects that Maven builds: the only room that knows Maven, a JDK, Surefire or a Java test framework.
//!
//! [`MavenPlatform`] is what the rest of parade sees. Behind it: the machine's JDKs and the choice among them, the build, our
//! extension in Maven, and two engines. `surefire` runs tests in the subject's own build, `direct` in JVMs of our own.

pub use parade_run::{
    bad_usage, draft, engine, file_content, file_error, folder_handle, folders, home, junit_report, process, project,
    redaction, run_clock, spec, subject, suite, toml_file, whole_file, wording,
};

mod adoption;
mod artifact_id;
pub mod build;
pub mod changes;
mod choice;
mod declared_order;
pub mod direct;
pub mod generated;
pub mod jdks;
pub mod maven;
mod platform;
mod reactor;
mod sealed_repository;
pub mod surefire;
mod toolchain;
mod wrapper;

pub use jdks::{Jdk, Jdks, MavenJdk, Version, asked_jdk, jdks, maven_jdk};
pub use platform::{MavenPlatform, prepare};
pub use sealed_repository::SealedRepository;
pub use toolchain::{MavenOrigin, Toolchain, Tools, maven_at, toolchain, tools, tools_with};
