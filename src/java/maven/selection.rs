//! A selection of tests in the syntax of Surefire's `test` parameter, as finely as that syntax can tell tests apart.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::engine::Selection;
use crate::suite::{ClassId, Finding, FindingKind, Granularity, Outcome, TestId};

/// A test as it was seen at discovery.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct KnownTest {
    pub id: TestId,
    /// What the framework showed: JUnit 4 filters by it.
    pub display: Option<String>,
    /// The class that was run for it, where that is known.
    pub root: Option<String>,
    /// Which of the suites it ran in, by position.
    pub suite: usize,
    /// The occurrence as its framework counted it: within a process, or within the root.
    pub local: u32,
    /// How it ended.
    pub outcome: Outcome,
}

#[cfg(test)]
impl KnownTest {
    /// One that ran in the first suite, as its id says, and passed.
    pub fn passed(id: &str) -> Self {
        let id: TestId = id.parse().unwrap();
        KnownTest { local: id.occurrence, id, display: None, root: None, suite: 0, outcome: Outcome::Passed }
    }
}

/// Some tests of a module, for the goals that are to run them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Picked {
    pub module: String,
    /// `plugin:goal@execution`; `None` for every one of the module.
    pub goal: Option<String>,
    /// In Surefire's syntax.
    pub tests: String,
}

/// What Surefire is told, and what it will therefore run.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// `None` for the whole suite.
    pub patterns: Option<Vec<Picked>>,
    pub granularity: Granularity,
    pub findings: Vec<Finding>,
}

/// How one class of a selection is written.
enum ClassPattern {
    Whole,
    Names(Vec<String>),
}

/// What was seen of a suite, as far as its selection depends on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownSuite {
    pub tests: Vec<KnownTest>,
    /// Modules whose provider takes no methods, or breaks on them.
    pub by_class: BTreeSet<String>,
    /// Classes whose tests run only with others, and those.
    roots: HashMap<ClassId, BTreeSet<String>>,
    /// The goals that ran a class, where its module has several. Asked for a class of another goal's, a goal would run it.
    goals: HashMap<ClassId, BTreeSet<String>>,
}

impl KnownSuite {
    /// `goals` are those of the suites that the tests ran in: module and `plugin:goal@execution`.
    pub fn new(tests: Vec<KnownTest>, by_class: BTreeSet<String>, goals: &[(&str, &str)]) -> Self {
        let mut roots: HashMap<ClassId, BTreeSet<String>> = HashMap::new();
        for test in &tests {
            if let Some(root) = &test.root {
                roots.entry(test.id.class_id()).or_default().insert(root.clone());
            }
        }
        roots.retain(|class, roots| roots.len() > 1 || !roots.contains(&class.class));
        let goals = goals_of_classes(&tests, goals);
        KnownSuite { tests, by_class, roots, goals }
    }
}

fn goals_of_classes(tests: &[KnownTest], goals: &[(&str, &str)]) -> HashMap<ClassId, BTreeSet<String>> {
    let several = |module: &str| goals.iter().filter(|(of, _)| *of == module).count() > 1;
    let mut found: HashMap<ClassId, BTreeSet<String>> = HashMap::new();
    for test in tests {
        let Some((module, goal)) = goals.get(test.suite).filter(|(module, _)| several(module)) else { continue };
        for class in [Some(&test.id.class), test.root.as_ref()].into_iter().flatten() {
            let class = ClassId { module: (*module).to_owned(), class: class.clone() };
            found.entry(class).or_default().insert((*goal).to_owned());
        }
    }
    found
}

pub fn select(selection: &Selection, known: &KnownSuite) -> Selected {
    match selection {
        Selection::All => Selected { patterns: None, granularity: Granularity::Occurrence, findings: Vec::new() },
        Selection::Classes(classes) => {
            let patterns = unique(classes.iter().flat_map(|class| known.classes_to_run(class)).collect());
            Selected { patterns: Some(patterns), granularity: Granularity::Class, findings: Vec::new() }
        }
        Selection::Tests(tests) => select_tests(tests, known),
    }
}

fn select_tests(tests: &[TestId], known: &KnownSuite) -> Selected {
    let wanted: HashSet<&TestId> = tests.iter().collect();
    let mut members_of: HashMap<ClassId, Vec<&KnownTest>> = HashMap::new();
    for test in &known.tests {
        members_of.entry(test.id.class_id()).or_default().push(test);
    }
    let mut names_of: HashMap<ClassId, Vec<&TestId>> = HashMap::new();
    for test in tests {
        names_of.entry(test.class_id()).or_default().push(test);
    }
    let mut patterns = Vec::new();
    let mut granularity = Granularity::Occurrence;
    let mut coarse: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for class in unique(tests.iter().map(TestId::class_id).collect()) {
        let members = members_of.get(&class).map_or(&[][..], Vec::as_slice);
        let pattern = known.pattern(&class, &names_of[&class], members);
        let more = members.iter().filter(|test| runs(&pattern, &test.id) && !wanted.contains(&test.id)).count();
        let (reached, why) = match &pattern {
            ClassPattern::Whole => (Granularity::Class, "class"),
            ClassPattern::Names(_) => (Granularity::Name, "name"),
        };
        if more > 0 || matches!(pattern, ClassPattern::Whole) {
            granularity = granularity.max(reached);
        }
        if more > 0 {
            coarse.entry(why).or_default().push(format!("{class} ({more} more)"));
        }
        match pattern {
            ClassPattern::Whole => patterns.extend(known.classes_to_run(&class)),
            ClassPattern::Names(bases) => {
                let pattern = written(&class.class, &bases, members);
                patterns.extend(known.picked(&class, &pattern));
            }
        }
    }
    Selected {
        patterns: Some(unique(patterns)),
        granularity,
        findings: coarse.into_iter().map(coarse_finding).collect(),
    }
}

impl KnownSuite {
    fn classes_to_run(&self, class: &ClassId) -> Vec<Picked> {
        let whole = |root: &String| {
            let root = ClassId { module: class.module.clone(), class: root.clone() };
            self.picked(&root, &root.class)
        };
        match self.roots.get(class) {
            Some(roots) => roots.iter().flat_map(whole).collect(),
            None => self.picked(class, &class.class),
        }
    }

    fn picked(&self, class: &ClassId, tests: &str) -> Vec<Picked> {
        let by = |goal: Option<&String>| Picked {
            module: class.module.clone(),
            goal: goal.cloned(),
            tests: tests.to_owned(),
        };
        match self.goals.get(class) {
            Some(goals) => goals.iter().map(|goal| by(Some(goal))).collect(),
            None => vec![by(None)],
        }
    }

    fn pattern(&self, class: &ClassId, names: &[&TestId], members: &[&KnownTest]) -> ClassPattern {
        if self.by_class.contains(&class.module) || self.roots.contains_key(class) {
            return ClassPattern::Whole;
        }
        class_pattern(names, members)
    }
}

fn coarse_finding((why, classes): (&str, Vec<String>)) -> Finding {
    const LISTED: usize = 5;
    let rest = classes.len().saturating_sub(LISTED);
    let mut list = classes.into_iter().take(LISTED).collect::<Vec<_>>().join(", ");
    if rest > 0 {
        list.push_str(&format!(" and {rest} classes more"));
    }
    Finding::new(
        FindingKind::CoarseSelection,
        format!("Surefire can select only by {why}, so more tests ran than requested: {list}"),
    )
}

fn class_pattern(names: &[&TestId], members: &[&KnownTest]) -> ClassPattern {
    let mut bases: Vec<String> = Vec::new();
    for test in names {
        let is_known = members.iter().any(|member| member.id.name == test.name);
        match method(&test.name) {
            Some(base) if is_known => {
                if !bases.iter().any(|known| known == base) {
                    bases.push(base.to_owned());
                }
            }
            _ => return ClassPattern::Whole,
        }
    }
    ClassPattern::Names(bases)
}

fn runs(pattern: &ClassPattern, test: &TestId) -> bool {
    match pattern {
        ClassPattern::Whole => true,
        ClassPattern::Names(bases) => method(&test.name).is_some_and(|base| bases.iter().any(|own| own == base)),
    }
}

fn written(class: &str, bases: &[String], members: &[&KnownTest]) -> String {
    let mut methods = Vec::new();
    for base in bases {
        methods.push(base.clone());
        // JUnit 4 filters by the full name with its parameters, which can contain slashes: Surefire reads a path.
        for bracket in ['[', '('] {
            let parameterized = members.iter().any(|member| {
                let full = member.display.as_deref().unwrap_or_default();
                full.strip_prefix(base.as_str())
                    .is_some_and(|rest| rest != "()" && rest.trim_start().starts_with(bracket))
            });
            if parameterized {
                methods.push(format!("{base}*{bracket}*/**"));
            }
        }
    }
    format!("{class}#{}", methods.join("+"))
}

/// The method's name as a pattern; `None` where Surefire's syntax has no way to write it.
fn method(name: &str) -> Option<&str> {
    let base = name.split(['(', '/']).next().unwrap_or(name);
    let writable = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | ' ' | '\'' | '"' | '=' | ';');
    (!base.is_empty() && base.trim() == base && base.chars().all(writable)).then_some(base)
}

fn unique<T: Clone + Eq + std::hash::Hash>(mut items: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(item.clone()));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(ids: &[(&str, Option<&str>)]) -> KnownSuite {
        let make = |(id, display): &(&str, Option<&str>)| KnownTest {
            display: display.map(str::to_owned),
            ..KnownTest::passed(id)
        };
        KnownSuite::new(ids.iter().map(make).collect(), BTreeSet::from(["old".to_owned()]), &[])
    }

    fn selected(ids: &[&str], known: &KnownSuite) -> (Vec<String>, Granularity, usize) {
        let tests = ids.iter().map(|id| id.parse().unwrap()).collect();
        let selected = select(&Selection::Tests(tests), known);
        let patterns = selected.patterns.unwrap().into_iter().map(|one| format!("{}:{}", one.module, one.tests));
        (patterns.collect(), selected.granularity, selected.findings.len())
    }

    #[test]
    fn methods_of_a_class_share_a_pattern() {
        let suite = known(&[("m:a.B#x", None), ("m:a.B#y", None), ("m:a.B#z", None), ("a.C$D#x", None)]);
        let (patterns, granularity, findings) = selected(&["m:a.B#x", "a.C$D#x", "m:a.B#y"], &suite);
        assert_eq!(patterns, ["m:a.B#x+y", ":a.C$D#x"]);
        assert_eq!((granularity, findings), (Granularity::Occurrence, 0));
    }

    #[test]
    fn one_of_several_occurrences_is_selected_by_name() {
        let suite = known(&[("a.B#x", Some("x[0: a/b]")), ("a.B#x~2", Some("x[1: c]")), ("a.B#xy", None)]);
        let (patterns, granularity, findings) = selected(&["a.B#x~2"], &suite);
        assert_eq!(patterns, [":a.B#x+x*[*/**"]);
        assert_eq!((granularity, findings), (Granularity::Name, 1));
        assert_eq!(selected(&["a.B#x~2", "a.B#x"], &suite).1, Granularity::Occurrence);
    }

    #[test]
    fn overloads_share_a_name() {
        let suite = known(&[("a.B#x", None), ("a.B#x(int)", None), ("a.B#x(int)/1~2", None)]);
        let (patterns, granularity, _) = selected(&["a.B#x(int)"], &suite);
        assert_eq!((patterns, granularity), (vec![":a.B#x".to_owned()], Granularity::Name));
    }

    #[test]
    fn what_cannot_be_written_selects_the_class() {
        let suite = known(&[("a.B#x", None), ("a.B#a, b+c", None), ("a.B#<class>", None)]);
        for id in ["a.B#a, b+c", "a.B#<class>", "a.B#neverSeen"] {
            let (patterns, granularity, findings) = selected(&[id], &suite);
            assert_eq!((patterns, granularity, findings), (vec![":a.B".to_owned()], Granularity::Class, 1), "{id}");
        }
    }

    #[test]
    fn a_provider_without_methods_gets_classes() {
        let suite = known(&[("old:a.B#x", None), ("old:a.B#y", None)]);
        let (patterns, granularity, _) = selected(&["old:a.B#x"], &suite);
        assert_eq!((patterns, granularity), (vec!["old:a.B".to_owned()], Granularity::Class));
    }

    #[test]
    fn tests_that_a_suite_gathered_need_the_suite() {
        let class = ClassId { module: String::new(), class: "a.B$Inner".into() };
        let test = |id: &str, root: &str| KnownTest { root: Some(root.into()), ..KnownTest::passed(id) };
        let tests = vec![test("a.B$Inner#x", "a.AllTests"), test("a.B$Inner#x~2", "a.MoreTests")];
        let suite = KnownSuite::new(tests, BTreeSet::new(), &[]);
        let (patterns, granularity, _) = selected(&["a.B$Inner#x"], &suite);
        assert_eq!(
            (patterns, granularity),
            (vec![":a.AllTests".to_owned(), ":a.MoreTests".into()], Granularity::Class)
        );
        let classes = select(&Selection::Classes(vec![class]), &suite).patterns.unwrap();
        assert_eq!(classes.len(), 2);
    }

    #[test]
    fn classes_are_selected_whole_and_once() {
        let class = |name: &str| ClassId { module: "m".into(), class: name.into() };
        let selected =
            select(&Selection::Classes(vec![class("a.B"), class("a.C"), class("a.B")]), &KnownSuite::default());
        let picked = |tests: &str| Picked { module: "m".into(), goal: None, tests: tests.into() };
        assert_eq!(selected.patterns, Some(vec![picked("a.B"), picked("a.C")]));
        assert_eq!(selected.granularity, Granularity::Class);
    }

    #[test]
    fn a_goal_is_not_asked_for_the_classes_of_another() {
        let goals = [("m", "surefire:test@a"), ("m", "failsafe:integration-test@b"), ("n", "surefire:test@a")];
        let test = |id: &str, suite| KnownTest { suite, ..KnownTest::passed(id) };
        let tests = vec![test("m:a.B#x", 0), test("m:a.BIT#x", 1), test("m:a.Both#x", 0), test("m:a.Both#x~2", 1)];
        let known = KnownSuite::new([tests, vec![test("n:a.B#x", 2)]].concat(), BTreeSet::new(), &goals);
        let goals_for = |id: &str| {
            let selected = select(&Selection::Tests(vec![id.parse().unwrap()]), &known);
            selected.patterns.unwrap().into_iter().map(|one| one.goal.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(goals_for("m:a.BIT#x"), ["failsafe:integration-test@b"]);
        assert_eq!(goals_for("m:a.B#x"), ["surefire:test@a"]);
        assert_eq!(goals_for("m:a.Both#x").len(), 2);
        assert_eq!(goals_for("n:a.B#x"), [""], "there is no other");
    }
}
