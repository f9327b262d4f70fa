//! Every algorithm on one small suite, by hand.

use super::*;
use crate::suite::{Dependency, Element, MethodLines};
use Algorithm::{P1, P2, P3, S1, S2, S3, S4, S5, S6, T1, T2, T3, T4};

/// | test | lines    | methods | seconds |
/// |------|----------|---------|---------|
/// | a    | 1 2      | m       | 3       |
/// | b    | 1 2 11   | m n     | 1       |
/// | c    | 11 12 21 | n o     | 2       |
/// | d    | 21 31    | o p     | 2       |
/// | e    |          |         | 2       |
/// | f    | 1        | m       | 3       |
const SUITE: [(&str, &[u32], f64); 6] = [
    ("a", &[1, 2], 3.0),
    ("b", &[1, 2, 11], 1.0),
    ("c", &[11, 12, 21], 2.0),
    ("d", &[21, 31], 2.0),
    ("e", &[], 2.0),
    ("f", &[1], 3.0),
];
const METHODS: [(&str, u32, u32); 4] = [("m", 1, 4), ("n", 11, 14), ("o", 21, 22), ("p", 31, 31)];

fn id(name: &str) -> TestId {
    TestId::new("", "C", name, 1)
}

fn line(number: u32) -> Element {
    Element::Lines { file: "B.java".to_owned(), first: number, last: number }
}

fn coverage() -> Coverage {
    let method = |&(name, first, last): &(&str, u32, u32)| MethodLines {
        name: format!("B#{name}()"),
        file: "B.java".to_owned(),
        first,
        last,
    };
    let methods: Vec<MethodLines> = METHODS.iter().map(method).collect();
    let tests = SUITE.iter().map(|(test, lines, _)| (id(test), lines.iter().copied().map(line).collect()));
    Coverage::new(&methods, tests).unwrap()
}

/// Line 22 is new: nobody covered it, but its method.
fn change() -> Change {
    Change { new: vec![line(22)], deleted: vec![line(31)], modified: vec![line(1)] }
}

/// `d` passes only after `a`, and `a` fails after `c`.
fn dependencies() -> DependencyGraph {
    let blank = |test| Dependency { test: id(test), after: vec![], not_after: vec![], cleaners: vec![] };
    let positive = Dependency { after: vec![vec![id("a")]], ..blank("d") };
    let negative = Dependency { not_after: vec![vec![id("c")]], ..blank("a") };
    DependencyGraph::new(vec![positive, negative], &SUITE.map(|(test, ..)| id(test))).unwrap()
}

fn arranged_for(algorithm: Algorithm, machines: usize, enhanced: bool, change: &Change) -> Arrangement {
    let (suite, seconds) = (SUITE.map(|(test, ..)| id(test)), SUITE.map(|(.., seconds)| seconds));
    let (coverage, dependencies) = (coverage(), dependencies());
    let material = Material {
        suite: &suite,
        coverage: Some(&coverage),
        change: Some(change),
        seconds: Some(&seconds),
        dependencies: enhanced.then_some(&dependencies),
        machines,
    };
    arrange(algorithm, &material).unwrap()
}

fn shown(machines: &[Vec<TestId>]) -> String {
    let names = |queue: &Vec<TestId>| queue.iter().map(|test| test.name.as_str()).collect::<Vec<_>>().join(" ");
    machines.iter().map(names).collect::<Vec<_>>().join(" | ")
}

fn order(algorithm: Algorithm, enhanced: bool) -> String {
    shown(&arranged_for(algorithm, 2, enhanced, &change()).machines)
}

#[test]
fn the_twelve_algorithms_by_hand() {
    for (algorithm, expected) in [
        (T1, "b c a d f e"),
        // c and d add two each to b; d then adds one; then anew with a; then anew with f.
        (T2, "b c d a f e"),
        (T3, "b c d a f e"),
        // d adds o and p to b; then anew: c with n and o, a adds m; then anew with f.
        (T4, "b d c a f e"),
        (S1, "a b d f"),
        (S2, "b a d f"),
        (S3, "b d a f"),
        (S4, "a b c d f"),
        (S5, "b c d a f"),
        (S6, "b d c a f"),
        (P1, "a c e | b d f"),
        (P2, "a c e | f d b"),
    ] {
        assert_eq!(order(algorithm, false), expected, "{algorithm}");
    }
}

#[test]
fn the_twelve_enhanced_algorithms_by_hand() {
    for (algorithm, expected) in [
        (T1, "b a c d f e"),
        (T2, "b a c d f e"),
        (T3, "b a c d f e"),
        (T4, "b a d c f e"),
        (S1, "a b d f"),
        (S2, "b a d f"),
        (S3, "b a d f"),
        (S4, "a b c d f"),
        (S5, "b a c d f"),
        (S6, "b a d c f"),
        (P1, "a c e | b a d f"),
        (P2, "a c e | f a d b"),
    ] {
        assert_eq!(order(algorithm, true), expected, "{algorithm}");
    }
}

#[test]
fn what_is_added_is_told() {
    let only_d = Change { modified: vec![line(31)], ..Change::default() };
    for algorithm in [S1, S2, S3, S4, S5, S6] {
        let plain = arranged_for(algorithm, 1, false, &only_d);
        assert_eq!((shown(&plain.machines), shown(&plain.added), plain.enhanced), ("d".into(), "".into(), false));
        let enhanced = arranged_for(algorithm, 1, true, &only_d);
        assert_eq!(
            (shown(&enhanced.machines), shown(&enhanced.added), enhanced.enhanced),
            ("a d".into(), "a".into(), true)
        );
        assert_eq!(enhanced.forecast, None);
    }
    assert_eq!(shown(&arranged_for(P1, 2, true, &change()).added), " | a");
}

#[test]
fn forecasts_count_what_is_repeated() {
    let forecast = |algorithm, enhanced| arranged_for(algorithm, 2, enhanced, &change()).forecast.unwrap();
    assert_eq!(forecast(P2, false), Forecast { makespan: 7.0, lower_bound: 6.5 });
    assert_eq!(forecast(P2, true), Forecast { makespan: 9.0, lower_bound: 6.5 });
    assert_eq!(forecast(P3, true), Forecast { makespan: 7.0, lower_bound: 6.5 });
    assert_eq!(shown(&arranged_for(P3, 2, true, &change()).added), " | ");
}

#[test]
fn machines_without_tests_are_there_all_the_same() {
    assert_eq!(shown(&arranged_for(P1, 8, false, &change()).machines), "a | b | c | d | e | f |  | ");
}

#[test]
fn what_an_algorithm_lacks_is_named() {
    let suite = [id("a")];
    let nothing =
        Material { suite: &suite, coverage: None, change: None, seconds: None, dependencies: None, machines: 2 };
    for (algorithm, what) in
        [(T1, "coverage"), (T4, "coverage"), (S1, "coverage"), (P2, "durations"), (P3, "durations")]
    {
        let error = arrange(algorithm, &nothing).unwrap_err().to_string();
        assert!(error.contains(algorithm.name()) && error.contains(what), "{error}");
    }
    assert!(arrange(P1, &nothing).is_ok());
    let coverage = coverage();
    let covered = Material { coverage: Some(&coverage), ..nothing };
    assert!(arrange(S4, &covered).unwrap_err().to_string().contains("needs the changes"));
    let methods = Change { modified: vec!["B#m()".parse().unwrap()], ..Change::default() };
    let changed = Material { change: Some(&methods), ..covered };
    assert!(arrange(S1, &changed).unwrap_err().help().unwrap().to_string().contains("S4"));
    assert_eq!(shown(&arrange(S4, &changed).unwrap().machines), "a");
}
