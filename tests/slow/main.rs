//! The integration tests that start Maven or pytest, or take minutes. Without `PARADE_SLOW_TESTS=1` they only say that they
//! are skipped. `PARADE_SLOW_TESTS=1 cargo test --test slow detect::` runs those of one module.

mod assess;
#[path = "../common/mod.rs"]
mod common;
mod detect;
mod direct;
mod hardening;
mod history;
mod order;
mod pytest;
mod subjects;
mod support;
mod test_command;
mod turn;
