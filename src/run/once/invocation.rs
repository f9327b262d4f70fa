//! Tests as people know them: an invocation of a parameterized or repeated test has its index, and what the framework calls it.
//! Nothing is looked up by that; ids do not change.

use std::collections::HashSet;

use super::outcome::TestStory;
use crate::suite::TestId;

/// Knows which tests have several invocations.
#[derive(Debug)]
pub struct Invocations<'a> {
    repeated: HashSet<(&'a str, &'a str, &'a str)>,
}

/// One invocation of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// From 1 on, whatever the framework begins with.
    pub index: u32,
    /// The framework's own name of it, e.g. `[2] 3, 9`.
    pub display: Option<String>,
}

impl Invocation {
    /// JUnit 4 adds the parameters to the method's name, and so does Surefire when it selects tests.
    pub fn is_part_of_the_name(&self, test: &TestId) -> bool {
        let rest = self.display.as_deref().and_then(|display| display.strip_prefix(test.name.as_str()));
        rest.is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'))
    }
}

impl<'a> Invocations<'a> {
    pub fn among(stories: &'a [TestStory]) -> Self {
        let later = stories.iter().map(|story| &story.test).filter(|test| test.occurrence > 1);
        Invocations { repeated: later.map(key).collect() }
    }

    /// What a test is an invocation of; nothing for one that runs once.
    pub fn of(&self, story: &TestStory) -> Option<Invocation> {
        let display = story.attempts.iter().rev().find_map(|attempt| attempt.display.clone());
        let index = story.test.occurrence;
        let invocation = Invocation { index, display: display.filter(|text| !text.trim().is_empty()) };
        let is_numbered = || invocation.display.as_deref().is_some_and(|text| text.starts_with(&format!("[{index}]")));
        let is_one =
            self.repeated.contains(&key(&story.test)) || is_numbered() || invocation.is_part_of_the_name(&story.test);
        (is_one && !story.test.is_whole_class()).then_some(invocation)
    }

    /// `shop.TillTest#adds(int)[2] “[2] 7”`; of other tests the id.
    pub fn name_of(&self, story: &TestStory) -> String {
        let Some(Invocation { index, display }) = self.of(story) else { return story.test.to_string() };
        let test = TestId { occurrence: 1, ..story.test.clone() };
        let display = display.map(|display| format!(" “{display}”")).unwrap_or_default();
        format!("{test}[{index}]{display}")
    }
}

fn key(test: &TestId) -> (&str, &str, &str) {
    (&test.module, &test.class, &test.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::once::outcome::Attempt;
    use crate::suite::Outcome;

    fn story(id: &str, display: Option<&str>) -> TestStory {
        let display = display.map(str::to_owned);
        let attempt = Attempt { stage: 1, outcome: Outcome::Failed, seconds: 0.0, message: None, display };
        TestStory { test: id.parse().unwrap(), attempts: vec![attempt] }
    }

    #[test]
    fn an_invocation_has_its_index_and_its_display_name() {
        let stories = [
            story("a.B#adds(int)", Some("[1] 3")),
            story("a.B#adds(int)~2", Some("[2] 7")),
            story("a.B#once(int)", Some("[1] 3")),
            story("a.B#plain", Some("plain()")),
            story("m:a.C#holds", Some("holds[steel]")),
            story("a.D#provided", None),
            story("a.D#provided~2", None),
            story("a.E#<class>", Some("a.E")),
        ];
        let invocations = Invocations::among(&stories);
        let names: Vec<String> = stories.iter().map(|story| invocations.name_of(story)).collect();
        assert_eq!(
            names,
            [
                "a.B#adds(int)[1] “[1] 3”",
                "a.B#adds(int)[2] “[2] 7”",
                "a.B#once(int)[1] “[1] 3”",
                "a.B#plain",
                "m:a.C#holds[1] “holds[steel]”",
                "a.D#provided[1]",
                "a.D#provided[2]",
                "a.E#<class>",
            ]
        );
        let junit4 = invocations.of(&stories[4]).unwrap();
        assert!(junit4.is_part_of_the_name(&stories[4].test));
        assert!(!invocations.of(&stories[1]).unwrap().is_part_of_the_name(&stories[1].test));
    }
}
