//! Configurations whose technique is an algorithm that orders tests: which of its kind it is, and what does not go with it.

use super::Context;
use crate::engine::{EngineKind, Isolation};
use crate::experiment::raw::{RawConfiguration, Written};
use crate::technique::TechniqueKind;
use crate::technique::{Harness, Ordering};

/// The smallest number that the study tries.
const USUAL_MACHINES: u32 = 2;
const MAX_MACHINES: u64 = 10_000;
/// Keys that only such configurations have.
const OWN_KEYS: [&str; 2] = ["enhanced", "machines"];
/// An order is one test after the other.
const PARALLEL_KEYS: [&str; 6] = ["parallel", "threads", "threads_per_core", "forks", "reuse_forks", "modules"];

/// `None` for techniques that are no such algorithm.
pub(super) fn ordering(raw: &RawConfiguration, technique: TechniqueKind, context: &Context<'_>) -> Option<Ordering> {
    let Some(algorithm) = technique.algorithm() else {
        check_own_keys(&raw.written, technique, context);
        return None;
    };
    let machines = if algorithm.is_parallel() { machines(raw, context) } else { 1 };
    if let (Some(span), false) = (raw.written.get("machines"), algorithm.is_parallel()) {
        let message = format!("`{algorithm}` gives one order for one machine");
        context.log.add(span, message, "remove `machines`, or use P1, P2 or P3, which distribute tests over machines");
    }
    let enhanced = raw.enhanced.as_ref().is_some_and(|flag| flag.value);
    Some(Ordering { algorithm, enhanced, machines })
}

fn machines(raw: &RawConfiguration, context: &Context<'_>) -> u32 {
    let Some(written) = &raw.machines else { return USUAL_MACHINES };
    if !(1..=MAX_MACHINES).contains(&written.value) {
        let help = format!("write a number from 1 to {MAX_MACHINES}, e.g. `machines = 4`");
        context.log.add(&written.span, format!("`machines` cannot be {}", written.value), help);
    }
    u32::try_from(written.value).unwrap_or(USUAL_MACHINES)
}

fn check_own_keys(written: &Written, technique: TechniqueKind, context: &Context<'_>) {
    for (key, span) in OWN_KEYS.iter().filter_map(|key| written.get_key_value(key)) {
        let message = format!("`{key}` has no meaning for the technique `{technique}`");
        context.log.add(span, message, "remove it, or write an algorithm that orders tests, e.g. `technique = \"P2\"`");
    }
}

pub(super) fn check_harness(raw: &RawConfiguration, harness: Harness, context: &Context<'_>) {
    for (key, span) in PARALLEL_KEYS.iter().filter_map(|key| raw.written.get_key_value(key)) {
        let message = format!("`{key}` has no meaning for an order: its tests run one after the other");
        context.log.add(span, message, "remove it; P1, P2 and P3 distribute tests over `machines`");
    }
    if let (EngineKind::Surefire, Some(written)) = (harness.engine, &raw.harness.engine) {
        let help = "remove the line, or write `engine = \"direct\"`";
        context.log.add(&written.span, "the engine `surefire` cannot impose an order of tests", help);
    }
    if let (Isolation::Warm, Some(written)) = (harness.isolation, &raw.harness.isolation) {
        let message = "an order is evaluated in fresh JVMs";
        context.log.add(&written.span, message, "remove the line, or write `isolation = \"fresh\"`");
    }
}
