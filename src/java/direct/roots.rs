//! Which class is handed to which framework for a test, and which of its tests it then is.
//!
//! Most tests belong to the class that is run for them. A JUnit 3 suite or an enclosing JUnit 4 runner gathers tests of
//! other classes, and the listeners of JUnit 3 and 4 do not say for whom a test ran: there the frameworks are asked which
//! tests each class has, and the k-th of a name that ran is the k-th of that name that they list.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::events::Leaf;
use crate::build::{Discovery, ModuleSuite};
use crate::maven::KnownTest;

/// What runs a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Framework {
    JUnit3,
    JUnit4,
    Platform,
    TestNg,
}

impl Framework {
    /// As the protocol has it.
    pub fn name(self) -> &'static str {
        match self {
            Framework::JUnit3 => "junit3",
            Framework::JUnit4 => "junit4",
            Framework::Platform => "platform",
            Framework::TestNg => "testng",
        }
    }

    fn of_provider(provider: &str) -> Option<Framework> {
        match provider {
            "surefire-junit3" => Some(Framework::JUnit3),
            "surefire-junit4" | "surefire-junit47" => Some(Framework::JUnit4),
            "surefire-junit-platform" => Some(Framework::Platform),
            "surefire-testng" => Some(Framework::TestNg),
            _ => None,
        }
    }
}

/// Where a test is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestLocation {
    pub framework: Framework,
    /// The class that is handed to the framework.
    pub root: String,
    /// Among the tests of its class and name that the root has.
    pub occurrence: u32,
}

/// The tests that the scanned classes of a suite have, by one framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    pub suite: usize,
    pub framework: Framework,
    pub leaves: Vec<Leaf>,
}

/// The frameworks of a suite, in the order in which Surefire runs them; none where one of its providers is not known.
pub fn frameworks(suite: &ModuleSuite) -> Option<Vec<Framework>> {
    let mut found = Vec::new();
    for provider in &suite.providers {
        let framework = Framework::of_provider(provider)?;
        if !found.contains(&framework) {
            found.push(framework);
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

/// What has to be listed before every test has its place.
pub fn wanted(discovery: &Discovery) -> Vec<(usize, Framework)> {
    let mut wanted = Vec::new();
    for (index, suite) in discovery.suites.iter().enumerate() {
        let tests: Vec<&KnownTest> = discovery.tests.iter().filter(|test| test.suite == index).collect();
        match frameworks(suite).as_deref() {
            None | Some([]) => {}
            Some([one]) if !needs_listing(*one, suite, &tests) => {}
            Some(_) if tests.is_empty() => {}
            Some(several) => wanted.extend(several.iter().map(|framework| (index, *framework))),
        }
    }
    wanted
}

fn needs_listing(framework: Framework, suite: &ModuleSuite, tests: &[&KnownTest]) -> bool {
    let scanned = scanned(suite);
    let mut names = HashSet::new();
    matches!(framework, Framework::JUnit3 | Framework::JUnit4)
        && tests.iter().any(|test| {
            let is_first = names.insert((&test.id.class, &test.id.name));
            let is_clear = is_first && scanned.contains(test.id.class.as_str());
            !(is_clear || test.id.is_whole_class())
        })
}

/// One place for each test, in the order of the tests.
pub fn places(discovery: &Discovery, listings: &[Listing]) -> Vec<TestLocation> {
    let listed = Listed::new(listings);
    let scanned: Vec<HashSet<&str>> = discovery.suites.iter().map(scanned).collect();
    let frameworks: Vec<Vec<Framework>> =
        discovery.suites.iter().map(|suite| frameworks(suite).unwrap_or_default()).collect();
    let mut ran: HashMap<(usize, &str, &str), usize> = HashMap::new();
    let mut places = Vec::with_capacity(discovery.tests.len());
    for test in &discovery.tests {
        let (class, name) = (test.id.class.as_str(), test.id.name.as_str());
        let own = frameworks.get(test.suite).map_or(&[][..], Vec::as_slice);
        let framework = listed.framework(own, test);
        let k = ran.entry((test.suite, class, name)).or_default();
        *k += 1;
        places.push(match framework {
            Framework::JUnit3 | Framework::JUnit4 => listed.place(framework, test, *k),
            Framework::TestNg => TestLocation { framework, root: class.to_owned(), occurrence: test.local },
            Framework::Platform => {
                let outermost = || outermost(class, scanned.get(test.suite)).to_owned();
                TestLocation { framework, root: test.root.clone().unwrap_or_else(outermost), occurrence: test.local }
            }
        });
    }
    places
}

fn scanned(suite: &ModuleSuite) -> HashSet<&str> {
    suite.launch.iter().flat_map(|launch| &launch.scanned).map(String::as_str).collect()
}

/// Jupiter runs nested classes with the one around them.
fn outermost<'a>(class: &'a str, scanned: Option<&HashSet<&str>>) -> &'a str {
    let is_scanned = |name: &str| scanned.is_some_and(|scanned| scanned.contains(name));
    let mut enclosing = class.match_indices('$').map(|(at, _)| &class[..at]).filter(|name| !name.ends_with('.'));
    let first = enclosing.clone().next();
    if is_scanned(class) { class } else { enclosing.find(|name| is_scanned(name)).or(first).unwrap_or(class) }
}

/// Leaves by where they were asked for.
struct Listed<'a> {
    leaves: HashMap<(usize, Framework, &'a str, &'a str), Vec<&'a Leaf>>,
}

impl<'a> Listed<'a> {
    fn new(listings: &'a [Listing]) -> Self {
        let mut leaves: HashMap<_, Vec<&Leaf>> = HashMap::new();
        for listing in listings {
            for leaf in &listing.leaves {
                let key = (listing.suite, listing.framework, leaf.class.as_str(), leaf.name.as_str());
                leaves.entry(key).or_default().push(leaf);
            }
        }
        Listed { leaves }
    }

    fn of<'s>(&'s self, framework: Framework, test: &'s KnownTest) -> &'s [&'a Leaf] {
        let key = (test.suite, framework, test.id.class.as_str(), test.id.name.as_str());
        self.leaves.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The first that knows the test.
    fn framework(&self, own: &[Framework], test: &KnownTest) -> Framework {
        let knows = |framework: &&Framework| !self.of(**framework, test).is_empty();
        own.iter().find(knows).or(own.first()).copied().unwrap_or(Framework::JUnit4)
    }

    /// Of the k-th test of its class and name that ran.
    fn place(&self, framework: Framework, test: &KnownTest, k: usize) -> TestLocation {
        match self.of(framework, test).get(k - 1) {
            Some(leaf) => TestLocation { framework, root: leaf.root.clone(), occurrence: leaf.occurrence },
            None => {
                let root = test.root.clone().unwrap_or_else(|| test.id.class.clone());
                TestLocation { framework, root, occurrence: u32::try_from(k).unwrap_or(u32::MAX) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::Launch;
    use std::collections::BTreeMap;

    fn suite(providers: &[&str], scanned: &[&str]) -> ModuleSuite {
        let launch = Launch { scanned: scanned.iter().map(|&name| name.to_owned()).collect(), ..Launch::default() };
        ModuleSuite {
            module: String::new(),
            goal: String::new(),
            surefire: "3.5.6".to_owned(),
            providers: providers.iter().map(|&name| name.to_owned()).collect(),
            frameworks: BTreeMap::new(),
            launch: Some(launch),
            unrevealed: None,
        }
    }

    fn discovery(suites: Vec<ModuleSuite>, ids: &[&str]) -> Discovery {
        let tests = ids.iter().map(|id| KnownTest::passed(id)).collect();
        Discovery { tests, suites, ..Discovery::default() }
    }

    fn listing(framework: Framework, leaves: &[(&str, &str, &str, u32)]) -> Listing {
        let leaf = |&(root, class, name, occurrence): &(&str, &str, &str, u32)| Leaf {
            root: root.to_owned(),
            class: class.to_owned(),
            name: name.to_owned(),
            occurrence,
        };
        Listing { suite: 0, framework, leaves: leaves.iter().map(leaf).collect() }
    }

    fn roots(discovery: &Discovery, listings: &[Listing]) -> Vec<(String, u32)> {
        places(discovery, listings).into_iter().map(|place| (place.root, place.occurrence)).collect()
    }

    fn pairs(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
        expected.iter().map(|&(root, number)| (root.to_owned(), number)).collect()
    }

    #[test]
    fn tests_of_the_class_that_ran_need_no_listing() {
        let plain = discovery(vec![suite(&["surefire-junit4"], &["a.B", "a.C"])], &["a.B#x", "a.C#x", "a.C#<class>"]);
        assert!(wanted(&plain).is_empty());
        assert_eq!(roots(&plain, &[]), pairs(&[("a.B", 1), ("a.C", 1), ("a.C", 1)]));
    }

    #[test]
    fn gathered_and_repeated_tests_are_asked_about() {
        let gathered = discovery(vec![suite(&["surefire-junit3"], &["a.All"])], &["a.B#x"]);
        assert_eq!(wanted(&gathered), [(0, Framework::JUnit3)]);
        let repeated = discovery(vec![suite(&["surefire-junit47"], &["a.B"])], &["a.B#x", "a.B#x~2"]);
        assert_eq!(wanted(&repeated), [(0, Framework::JUnit4)]);
        let jupiter = discovery(vec![suite(&["surefire-junit-platform"], &["a.B"])], &["a.B#x", "a.B#x~2", "a.B$C#y"]);
        assert!(wanted(&jupiter).is_empty());
    }

    #[test]
    fn the_kth_that_ran_is_the_kth_that_is_listed() {
        let suite = suite(&["surefire-junit4"], &["a.B", "a.All"]);
        let discovery = discovery(vec![suite], &["a.B#x", "a.B#x~2", "a.B#x~3", "a.In#y", "a.B#x~4"]);
        let leaves =
            [("a.B", "a.B", "x", 1), ("a.All", "a.B", "x", 1), ("a.All", "a.B", "x", 2), ("a.All", "a.In", "y", 1)];
        let found = roots(&discovery, &[listing(Framework::JUnit4, &leaves)]);
        assert_eq!(found, pairs(&[("a.B", 1), ("a.All", 1), ("a.All", 2), ("a.All", 1), ("a.B", 4)]));
    }

    #[test]
    fn nested_jupiter_classes_run_with_the_outermost() {
        let suite = suite(&["surefire-junit-platform"], &["a.B", "a.O$wn"]);
        let mut discovery =
            discovery(vec![suite], &["a.B$In$Deep#x~3", "a.O$wn#y", "a.O$wn$In#z", "a.X$Y#v", "a.V#w~2"]);
        discovery.tests[4].root = Some("a.All".to_owned());
        let expected = [("a.B", 3), ("a.O$wn", 1), ("a.O$wn", 1), ("a.X", 1), ("a.All", 2)];
        assert_eq!(roots(&discovery, &[]), pairs(&expected));
    }

    #[test]
    fn where_several_frameworks_run_the_one_that_lists_the_test_has_it() {
        let suite = suite(&["surefire-junit47", "surefire-testng"], &["a.B", "a.N"]);
        let discovery = discovery(vec![suite], &["a.B#x", "a.N#y~5"]);
        assert_eq!(wanted(&discovery), [(0, Framework::JUnit4), (0, Framework::TestNg)]);
        let listings = [
            listing(Framework::JUnit4, &[("a.B", "a.B", "x", 1)]),
            listing(Framework::TestNg, &[("a.N", "a.N", "y", 1)]),
        ];
        let found: Vec<_> = places(&discovery, &listings).into_iter().map(|place| place.framework).collect();
        assert_eq!(found, [Framework::JUnit4, Framework::TestNg]);
        assert_eq!(roots(&discovery, &listings), pairs(&[("a.B", 1), ("a.N", 5)]));
    }

    #[test]
    fn a_second_goal_counts_for_itself() {
        let suites = vec![suite(&["surefire-junit4"], &["a.B"]), suite(&["surefire-junit4"], &["a.B"])];
        let mut discovery = discovery(suites, &["a.B#x", "a.B#x~2"]);
        discovery.tests[1].suite = 1;
        assert!(wanted(&discovery).is_empty());
        assert_eq!(roots(&discovery, &[]), pairs(&[("a.B", 1), ("a.B", 1)]));
    }

    #[test]
    fn an_unknown_provider_is_not_guessed_at() {
        assert_eq!(frameworks(&suite(&["surefire-junit4", "my-provider"], &[])), None);
        assert_eq!(frameworks(&suite(&[], &[])), None);
    }
}
