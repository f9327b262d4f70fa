//! toolchain
use std::path::PathBuf;

use miette::{Result, miette};

/// The JDK and the Maven that subjects are built and run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    pub java_home: PathBuf,
    pub java_version: String,
    pub java_major: u32,
    pub mvn: PathBuf,
    pub maven_version: String,
}

/// Finds the JDK (`JAVA_HOME`, else `javac` on the path) and Maven (`MAVEN_HOME`, `M2_HOME`, else `mvn` on the path).
pub fn toolchain() -> Result<Toolchain> {
    Err(miette!("not yet"))
}
