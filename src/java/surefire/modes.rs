//! Which modes the frameworks of a suite have.

use std::collections::{BTreeSet, HashSet};

use crate::build::{Discovery, ModuleSuite};
use crate::engine::{Capabilities, Instrumentation, Isolation, Mode, ModeSupport, Support};
use crate::maven::KnownTest;
use crate::suite::Granularity;

/// JUnit 4 learnt to run in parallel in this version, Jupiter and Vintage in those.
const JUNIT: [u32; 2] = [4, 7];
const JUPITER: [u32; 2] = [5, 3];
const VINTAGE: [u32; 2] = [5, 12];
/// The first Surefire that does not pass over `classesAndMethods`.
const BOTH: [u32; 2] = [2, 16];

/// Surefire selects by name: one occurrence among several is beyond it.
pub fn capabilities(suites: &[ModuleSuite]) -> Capabilities {
    with_modes(|mode| combined(suites, mode))
}

/// Of a suite that nobody has run: what a mode reaches is seen when it runs.
pub fn unknown() -> Capabilities {
    with_modes(|_| Support::Full)
}

fn with_modes(support: impl Fn(Mode) -> Support) -> Capabilities {
    let modes = Mode::ALL.into_iter().map(|mode| ModeSupport { mode, support: support(mode) }).collect();
    Capabilities {
        selection: Granularity::Name,
        modes,
        imposes_order: false,
        isolations: vec![Isolation::Fresh],
        limits_tests: false,
        enlarges_limits: false,
        modules_at_once: true,
        watches: Instrumentation::default(),
    }
}

/// The modules whose tests can be selected by class only. JUnit 3's own provider takes nothing else. Vintage takes
/// methods, but with JUnit 3 suites among the classes it runs too little or breaks down; such suites show in tests that
/// they gather from other classes, and in names that repeat without parameters.
pub fn selected_by_class(discovery: &Discovery) -> BTreeSet<String> {
    let gathered = |test: &&KnownTest| test.root.as_ref().is_some_and(|root| *root != test.id.class);
    let gathering: HashSet<&str> =
        discovery.tests.iter().filter(gathered).map(|test| test.id.module.as_str()).collect();
    let repeated = |test: &&KnownTest| test.id.occurrence > 1 && test.display.is_none();
    let repeating: HashSet<&str> =
        discovery.tests.iter().filter(repeated).map(|test| test.id.module.as_str()).collect();
    let by_class = |suite: &&ModuleSuite| {
        let module = suite.module.as_str();
        let junit3_suites = gathering.contains(module) || repeating.contains(module);
        suite.providers.iter().any(|provider| provider == "surefire-junit3")
            || (suite.frameworks.contains_key("vintage") && junit3_suites)
    };
    discovery.suites.iter().filter(by_class).map(|suite| suite.module.clone()).collect()
}

fn combined(suites: &[ModuleSuite], mode: Mode) -> Support {
    if matches!(mode, Mode::Sequential | Mode::Project) {
        return Support::Full;
    }
    let mut supports: Vec<Support> = suites.iter().flat_map(|suite| module_supports(suite, mode)).collect();
    let reached = supports.iter().any(|support| !matches!(support, Support::None(_)));
    supports.retain(|support| *support != Support::Full);
    let mut reasons: Vec<String> = supports.into_iter().filter_map(reason).collect();
    reasons.sort();
    reasons.dedup();
    match (reached, reasons.is_empty()) {
        (true, true) => Support::Full,
        (true, false) => Support::Partial(reasons.join("; ")),
        (false, true) => Support::None("the suite has no tests".to_owned()),
        (false, false) => Support::None(reasons.join("; ")),
    }
}

fn reason(support: Support) -> Option<String> {
    match support {
        Support::Full => None,
        Support::Partial(why) | Support::None(why) => Some(why),
    }
}

fn module_supports(suite: &ModuleSuite, mode: Mode) -> Vec<Support> {
    suite.providers.iter().map(|provider| provider_support(suite, provider, mode)).collect()
}

fn provider_support(suite: &ModuleSuite, provider: &str, mode: Mode) -> Support {
    // All providers of a module get the same parameter, and this value breaks TestNG's.
    if mode == Mode::ClassesAndMethods && suite.providers.iter().any(|own| own == "surefire-testng") {
        return Support::None("TestNG has no mode `classesAndMethods`".to_owned());
    }
    match provider {
        "surefire-junit4" | "surefire-junit47"
            if mode == Mode::ClassesAndMethods && major_minor(&suite.surefire) < BOTH =>
        {
            Support::None(format!(
                "Surefire {} has no mode `classesAndMethods`; it needs 2.16 or later",
                suite.surefire
            ))
        }
        "surefire-junit4" | "surefire-junit47" => since(suite, "junit", "JUnit", JUNIT),
        "surefire-testng" => Support::Full,
        "surefire-junit-platform" => platform_support(suite),
        "surefire-junit3" => Support::None("JUnit 3 has no parallel modes".to_owned()),
        other => Support::None(format!("{other} has no known parallel modes")),
    }
}

/// The engines on the class path stand for the tests: which engine runs what, Maven does not tell.
fn platform_support(suite: &ModuleSuite) -> Support {
    let engines: Vec<Support> = [("jupiter", "JUnit Jupiter", JUPITER), ("vintage", "JUnit Vintage", VINTAGE)]
        .into_iter()
        .filter(|(key, ..)| suite.frameworks.contains_key(*key))
        .map(|(key, name, first)| since(suite, key, name, first))
        .collect();
    let reached = engines.contains(&Support::Full);
    let reasons: Vec<String> = engines.into_iter().filter_map(reason).collect();
    match (reached, reasons.is_empty()) {
        (true, true) => Support::Full,
        (true, false) => Support::Partial(reasons.join("; ")),
        (false, true) => Support::None(
            "no engine of this suite on the JUnit Platform has known parallel \
            modes"
                .to_owned(),
        ),
        (false, false) => Support::None(reasons.join("; ")),
    }
}

fn since(suite: &ModuleSuite, key: &str, name: &str, first: [u32; 2]) -> Support {
    let version = suite.frameworks.get(key).map_or("", String::as_str);
    if major_minor(version) >= first {
        Support::Full
    } else {
        let [major, minor] = first;
        Support::None(format!("{name} {version} has no parallel modes; they need {major}.{minor} or later"))
    }
}

fn major_minor(version: &str) -> [u32; 2] {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse().unwrap_or(0));
    [numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(providers: &[&str], frameworks: &[(&str, &str)]) -> ModuleSuite {
        ModuleSuite {
            module: String::new(),
            goal: String::new(),
            surefire: "3.5.6".to_owned(),
            providers: providers.iter().map(|&p| p.to_owned()).collect(),
            frameworks: frameworks.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            launch: None,
            unrevealed: None,
        }
    }

    fn support(suites: &[ModuleSuite], mode: Mode) -> &'static str {
        match capabilities(suites).support(mode) {
            Support::Full => "full",
            Support::Partial(_) => "partial",
            Support::None(_) => "none",
        }
    }

    #[test]
    fn every_suite_runs_sequentially_and_as_the_project_does() {
        let old = [suite(&["surefire-junit3"], &[("junit", "3.8.1")])];
        let found = Mode::ALL.map(|mode| support(&old, mode));
        assert_eq!(found, ["full", "full", "none", "none", "none"]);
    }

    #[test]
    fn junit_4_has_parallel_modes_from_4_7_on() {
        for (version, expected) in [("4.5", "none"), ("4.6.1", "none"), ("4.7", "full"), ("4.13-beta-3", "full")] {
            let suites = [suite(&["surefire-junit4"], &[("junit", version)])];
            assert_eq!(support(&suites, Mode::Methods), expected, "{version}");
        }
    }

    #[test]
    fn old_surefire_passes_over_classes_and_methods() {
        let mut old = suite(&["surefire-junit47"], &[("junit", "4.12")]);
        old.surefire = "2.15".to_owned();
        assert_eq!(support(std::slice::from_ref(&old), Mode::ClassesAndMethods), "none");
        assert_eq!(support(&[old], Mode::Classes), "full");
    }

    #[test]
    fn testng_has_no_classes_and_methods() {
        let testng = suite(&["surefire-testng"], &[("testng", "7.5")]);
        assert_eq!(support(std::slice::from_ref(&testng), Mode::Classes), "full");
        assert_eq!(support(std::slice::from_ref(&testng), Mode::ClassesAndMethods), "none");
        let mixed = [testng, suite(&["surefire-junit4"], &[("junit", "4.12")])];
        assert_eq!(support(&mixed, Mode::ClassesAndMethods), "partial");
    }

    #[test]
    fn old_vintage_stays_sequential() {
        let platform = |frameworks| [suite(&["surefire-junit-platform"], frameworks)];
        assert_eq!(support(&platform(&[("vintage", "5.11.4"), ("junit", "4.13")]), Mode::Classes), "none");
        assert_eq!(support(&platform(&[("vintage", "5.11.4"), ("jupiter", "5.11.4")]), Mode::Classes), "partial");
        assert_eq!(support(&platform(&[("vintage", "5.12.0")]), Mode::Classes), "full");
        assert_eq!(support(&platform(&[("vintage", "6.0.1"), ("jupiter", "6.0.1")]), Mode::Methods), "full");
        assert_eq!(support(&platform(&[("jupiter", "5.2.0")]), Mode::Methods), "none");
    }

    #[test]
    fn junit_3_suites_under_vintage_are_selected_by_class() {
        let test =
            |id: &str, display: Option<&str>| KnownTest { display: display.map(Into::into), ..KnownTest::passed(id) };
        let mut vintage = suite(&["surefire-junit-platform"], &[("vintage", "5.7.1")]);
        vintage.module = "m".to_owned();
        let discovery = |tests| Discovery { tests, suites: vec![vintage.clone()], ..Discovery::default() };
        let repeated = discovery(vec![test("m:a.B#x", None), test("m:a.B#x~2", None)]);
        assert_eq!(selected_by_class(&repeated), BTreeSet::from(["m".to_owned()]));
        let parameterized = discovery(vec![test("m:a.B#x", Some("x[0]")), test("m:a.B#x~2", Some("x[1]"))]);
        assert!(selected_by_class(&parameterized).is_empty());
    }

    #[test]
    fn a_suite_without_tests_has_no_modes() {
        assert_eq!(support(&[], Mode::Classes), "none");
    }
}
