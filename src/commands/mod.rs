//! One file per subcommand. Each takes plain options and tells its story in `run`.

pub mod check;
pub mod doctor;
mod output;
mod progress;
pub mod report;
pub mod run;
