//! What an enhanced order does not keep, and what is not known of the dependencies that it keeps.

use std::collections::HashSet;

use parade::suite::{DependencyGraph, TestId};
use parade::technique::arrange::{Arrangement, Breach};
use parade::wording::counted;

/// Tests, and conflicts, that are named.
const NAMED: usize = 5;

pub fn of_dependencies(graph: &DependencyGraph, arrangement: &Arrangement) -> Vec<String> {
    let run: HashSet<&TestId> = arrangement.machines.iter().flatten().collect();
    let of_order = |tests: &mut dyn Iterator<Item = &TestId>| -> Vec<String> {
        tests.filter(|test| run.contains(test)).map(|test| format!("`{test}`")).collect()
    };
    let mut notes = conflicts(arrangement);
    let disordered = of_order(&mut graph.disordered().iter());
    if !disordered.is_empty() {
        notes.push(format!(
            "the dependencies of {} contradict other dependencies, so their order is not kept: {}",
            counted(disordered.len(), "test", "tests"),
            listed(&disordered)
        ));
    }
    let incomplete = of_order(&mut graph.incomplete().iter());
    if !incomplete.is_empty() {
        notes.push(format!(
            "the dependencies of {} are only partly known, because the budget of a detection ended: {}",
            counted(incomplete.len(), "test", "tests"),
            listed(&incomplete)
        ));
    }
    notes
}

fn conflicts(arrangement: &Arrangement) -> Vec<String> {
    let of_many = arrangement.machines.len() > 1;
    let told = |breach: &Breach| {
        let polluters: Vec<String> = breach.polluters.iter().map(|test| format!("`{test}`")).collect();
        let machine = if of_many { format!("machine {}: ", breach.machine + 1) } else { String::new() };
        format!(
            "{machine}`{}` runs after {} without a cleaner in between and is likely to fail",
            breach.test,
            listed(&polluters)
        )
    };
    let mut notes: Vec<String> = arrangement.breaches.iter().take(NAMED).map(told).collect();
    if let Some(more @ 1..) = arrangement.breaches.len().checked_sub(NAMED) {
        notes.push(format!("{} not avoided", counted(more, "more conflict is", "more conflicts are")));
    }
    notes
}

fn listed(names: &[String]) -> String {
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!("{named} and {more} more"),
        _ => named,
    }
}
