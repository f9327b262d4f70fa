//! The integration tests that start neither Maven nor pytest. `cargo test --test quick assess::` runs those of one module.

mod architecture;
mod assess;
mod audit;
#[path = "../common/mod.rs"]
#[expect(dead_code, reason = "what only slow tests use")]
mod common;
mod corpus;
mod detect;
mod docs;
mod git;
mod history;
mod kit;
mod lab;
mod order;
mod process;
mod pytest;
mod records;
mod regression;
mod report;
mod run;
mod simulate;
mod stats;
mod test_command;
