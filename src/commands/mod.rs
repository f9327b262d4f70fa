//! One file per subcommand: each takes its options and tells the exit code.

pub mod check;
