//! libFuzzer on one of parade's readers, named by `PARADE_FUZZ_TARGET`. One program for all: linking one per reader would take
//! longer than fuzzing them.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use parade::fuzzing::{TARGETS, Target};

static TARGET: OnceLock<Target> = OnceLock::new();

/// The list for scripts, or the reader that was asked for.
fn chosen() -> Target {
    let name = std::env::var("PARADE_FUZZ_TARGET").unwrap_or_default();
    TARGETS.into_iter().find(|target| target.name == name).unwrap_or_else(|| {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        std::process::exit(if name.is_empty() { 0 } else { 2 });
    })
}

fuzz_target!(init: { TARGET.get_or_init(chosen); }, |bytes: &[u8]| {
    (TARGET.get_or_init(chosen).run)(bytes);
});
