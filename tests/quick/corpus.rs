//! Replays everything that the fuzzer ever found worth keeping. A reader that panics on any of it fails here, without a fuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use parade::fuzzing::TARGETS;

/// The corpus is to stay small: it is cloned by everyone.
const MOST_BYTES: u64 = 1 << 20;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

fn inputs(target: &str) -> Vec<PathBuf> {
    let folder = corpus().join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn no_input_that_was_ever_found_breaks_a_reader() {
    for target in TARGETS {
        for input in inputs(target.name) {
            let bytes = fs::read(&input).unwrap();
            let read = std::panic::catch_unwind(|| (target.run)(&bytes));
            assert!(read.is_ok(), "{} breaks on {}", target.name, input.display());
        }
    }
}

#[test]
fn every_input_cut_short_is_read_too() {
    for target in TARGETS {
        for input in inputs(target.name).iter().filter(|input| input.to_string_lossy().contains("seed-")) {
            let bytes = fs::read(input).unwrap();
            let step = (bytes.len() / 40).max(1);
            (0..bytes.len()).step_by(step).for_each(|length| (target.run)(&bytes[..length]));
        }
    }
}

#[test]
fn the_corpus_is_small_and_has_seeds_for_every_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    let folders: BTreeSet<String> =
        fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, names);
    let bytes: u64 =
        TARGETS.iter().flat_map(|target| inputs(target.name)).map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
    for target in TARGETS {
        assert!(inputs(target.name).iter().any(|path| path.to_string_lossy().contains("seed-")), "{}", target.name);
    }
}
