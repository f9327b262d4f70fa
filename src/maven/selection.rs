//! A selection of tests in the syntax of Surefire's `test` parameter, as finely as that syntax can tell tests apart.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::engine::Selection;
use crate::suite::{ClassId, Finding, FindingKind, Granularity, TestId};

/// A test as it was seen at discovery.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct KnownTest {
    pub id: TestId,
    /// What the framework showed: JUnit 4 filters by it.
    pub display: Option<String>,
}

/// What Surefire is told, and what it will therefore run.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// Module and pattern; `None` for the whole suite.
    pub patterns: Option<Vec<(String, String)>>,
    pub granularity: Granularity,
    pub findings: Vec<Finding>,
}

/// How one class of a selection is written.
enum ClassPattern {
    Whole,
    Names(Vec<String>),
}

pub fn select(selection: &Selection, known: &[KnownTest]) -> Selected {
    match selection {
        Selection::All => Selected { patterns: None, granularity: Granularity::Occurrence, findings: Vec::new() },
        Selection::Classes(classes) => {
            let patterns = unique(classes).into_iter().map(|class| (class.module.clone(), class.class.clone()));
            Selected { patterns: Some(patterns.collect()), granularity: Granularity::Class, findings: Vec::new() }
        }
        Selection::Tests(tests) => select_tests(tests, known),
    }
}

fn select_tests(tests: &[TestId], known: &[KnownTest]) -> Selected {
    let wanted: HashSet<&TestId> = tests.iter().collect();
    let mut by_class: HashMap<ClassId, Vec<&KnownTest>> = HashMap::new();
    for test in known {
        by_class.entry(test.id.class_id()).or_default().push(test);
    }
    let mut patterns = Vec::new();
    let mut granularity = Granularity::Occurrence;
    let mut coarse: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let classes: Vec<ClassId> = tests.iter().map(TestId::class_id).collect();
    for class in unique(&classes) {
        let members = by_class.get(class).map_or(&[][..], Vec::as_slice);
        let names: Vec<&TestId> =
            tests.iter().filter(|test| test.class == class.class && test.module == class.module).collect();
        let pattern = class_pattern(&names, members);
        let more = members.iter().filter(|test| runs(&pattern, &test.id) && !wanted.contains(&test.id)).count();
        let (reached, why) = match &pattern {
            ClassPattern::Whole => (Granularity::Class, "class"),
            ClassPattern::Names(_) => (Granularity::Name, "name"),
        };
        if more > 0 || matches!(pattern, ClassPattern::Whole) {
            granularity = granularity.max(reached);
            coarse.entry(why).or_default().push(format!("{class} ({more} more)"));
        }
        patterns.push((class.module.clone(), written(&class.class, &pattern, members)));
    }
    Selected { patterns: Some(patterns), granularity, findings: coarse.into_iter().map(coarse_finding).collect() }
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
        format!("Surefire selects by {why} only, so more tests ran than asked for: {list}"),
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

fn written(class: &str, pattern: &ClassPattern, members: &[&KnownTest]) -> String {
    let ClassPattern::Names(bases) = pattern else { return class.to_owned() };
    let mut methods = Vec::new();
    for base in bases {
        methods.push(base.clone());
        // JUnit 4 filters by the full name with its parameters, which can contain slashes: Surefire reads a path.
        for bracket in ['[', '('] {
            let parameterized = members.iter().any(|member| {
                let full = member.display.as_deref().unwrap_or_default();
                full.strip_prefix(base.as_str()).is_some_and(|rest| rest.trim_start().starts_with(bracket))
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

fn unique(classes: &[ClassId]) -> Vec<&ClassId> {
    let mut seen = HashSet::new();
    classes.iter().filter(|class| seen.insert(*class)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(ids: &[(&str, Option<&str>)]) -> Vec<KnownTest> {
        let make = |(id, display): &(&str, Option<&str>)| KnownTest {
            id: id.parse().unwrap(),
            display: display.map(str::to_owned),
        };
        ids.iter().map(make).collect()
    }

    fn selected(ids: &[&str], known: &[KnownTest]) -> (Vec<String>, Granularity, usize) {
        let tests = ids.iter().map(|id| id.parse().unwrap()).collect();
        let selected = select(&Selection::Tests(tests), known);
        let patterns = selected.patterns.unwrap().into_iter().map(|(module, pattern)| format!("{module}:{pattern}"));
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
    fn classes_are_selected_whole_and_once() {
        let class = |name: &str| ClassId { module: "m".into(), class: name.into() };
        let selected = select(&Selection::Classes(vec![class("a.B"), class("a.C"), class("a.B")]), &[]);
        assert_eq!(selected.patterns, Some(vec![("m".into(), "a.B".into()), ("m".into(), "a.C".into())]));
        assert_eq!(selected.granularity, Granularity::Class);
    }
}
