//! What `parade detect` found, as its run folder has it: rows for a table, and the answer in a sentence.

use serde::{Deserialize, Serialize};

use crate::store::record::{CommandKind, RunData};
use crate::suite::TestId;
use crate::wording::{counted, plural};

/// One test that does not always end in the same way.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DetectedRow {
    pub subject: String,
    pub test: String,
    /// `victim`, `brittle`, `both`, `flaky`, or `suspect` where the budget ended before it was confirmed.
    pub kind: String,
    /// Groups of tests: any one of them, all of it, makes the test fail.
    pub fails_after: String,
    /// Groups of tests: any one of them, all of it, lets the test pass.
    pub passes_only_after: String,
    pub cleaned_by: String,
    pub fails_in_original_order: bool,
    /// Was every other test tried as a cause?
    pub all_causes_tried: bool,
}

/// Of the answer, what is shown.
#[derive(Debug, Deserialize)]
struct Answer {
    tests: Vec<TestId>,
    order_dependent: Vec<Dependent>,
    flaky: Vec<Flaky>,
    unexplained: Vec<TestId>,
    seconds: f64,
    budget_ended: bool,
}

#[derive(Debug, Deserialize)]
struct Dependent {
    test: TestId,
    kind: String,
    polluter_groups: Vec<Vec<TestId>>,
    state_setter_groups: Vec<Vec<TestId>>,
    cleaners: Vec<TestId>,
    complete: bool,
    fails_originally: bool,
}

#[derive(Debug, Deserialize)]
struct Flaky {
    test: TestId,
}

/// What a run of `parade detect` has to tell; nothing for other runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DetectionTables {
    pub rows: Vec<DetectedRow>,
    pub sentence: Option<String>,
    /// How many tests there are, and how many of them depend on the order.
    pub tests: usize,
    pub order_dependent: usize,
}

pub(super) fn tables(run: &RunData) -> DetectionTables {
    if run.manifest.command != Some(CommandKind::Detect) {
        return DetectionTables::default();
    }
    let Some(answer) = run.answer::<Answer>(CommandKind::Detect) else {
        let sentence = "The detection has not ended. The same `parade detect` command resumes it.".to_owned();
        return DetectionTables { sentence: Some(sentence), ..DetectionTables::default() };
    };
    let subject = run.subjects.first().map(|subject| subject.subject.clone()).unwrap_or_default();
    let bare = |test: &TestId, kind: &str| DetectedRow {
        subject: subject.clone(),
        test: test.to_string(),
        kind: kind.to_owned(),
        ..DetectedRow::default()
    };
    let mut rows: Vec<DetectedRow> = Vec::new();
    for test in &answer.order_dependent {
        rows.push(DetectedRow {
            fails_after: groups(&test.polluter_groups),
            passes_only_after: groups(&test.state_setter_groups),
            cleaned_by: test.cleaners.iter().map(TestId::to_string).collect::<Vec<_>>().join(" or "),
            fails_in_original_order: test.fails_originally,
            all_causes_tried: test.complete,
            ..bare(&test.test, &test.kind)
        });
    }
    rows.extend(answer.unexplained.iter().map(|test| bare(test, "suspect")));
    rows.extend(answer.flaky.iter().map(|flaky| bare(&flaky.test, "flaky")));
    let sentence = Some(sentence(&answer, is_model(run)));
    DetectionTables { rows, sentence, tests: answer.tests.len(), order_dependent: answer.order_dependent.len() }
}

fn groups(groups: &[Vec<TestId>]) -> String {
    let group = |tests: &Vec<TestId>| tests.iter().map(TestId::to_string).collect::<Vec<_>>().join(" with ");
    groups.iter().map(group).collect::<Vec<_>>().join(" or ")
}

fn is_model(run: &RunData) -> bool {
    run.subjects.iter().all(|subject| subject.frameworks == ["model"])
}

fn sentence(answer: &Answer, is_model: bool) -> String {
    let found = answer.order_dependent.len();
    let of = plural(answer.tests.len(), "test");
    let depend = if found == 1 { "depends" } else { "depend" };
    let mut text = format!("{found} of {of} {depend} on the order of tests");
    if !answer.unexplained.is_empty() {
        text += &format!(", and {} more may", answer.unexplained.len());
    }
    if !answer.flaky.is_empty() {
        text += &format!("; {} flaky in any order", counted(answer.flaky.len(), "test is", "tests are"));
    }
    let of_what = if is_model { " of the virtual time of a model suite" } else { "" };
    text += &format!(". The search took {}{of_what}", crate::shown_text::duration(answer.seconds));
    text + if answer.budget_ended { " and ended with its budget." } else { "." }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::report::{Analysis, RunReport};
    use crate::store::record::{StepKind, StepRecord};

    fn run(answer: Option<serde_json::Value>) -> RunData {
        let mut run = sample::empty();
        run.manifest.command = Some(CommandKind::Detect);
        run.subjects[0].subject = "shop".to_owned();
        (run.manifest.configurations, run.manifest.trials) = (Vec::new(), Vec::new());
        let answer = answer.map(|answer| StepRecord::new("answer.1", StepKind::Answer, "shop", &answer).unwrap());
        run.steps.extend(answer);
        run
    }

    #[test]
    fn what_was_found_is_a_table_and_the_first_sentence() {
        let answer = serde_json::json!({
            "tests": ["C#a", "C#b", "C#c", "C#d"],
            "order_dependent": [{
                "test": "C#b", "kind": "victim", "polluter_groups": [["C#a"], ["C#c", "C#d"]],
                "state_setter_groups": [], "cleaners": ["C#d"], "complete": true, "fails_originally": false,
            }],
            "flaky": [{ "test": "C#c", "seen": "" }], "unexplained": ["C#d"], "seconds": 61.0, "budget_ended": true,
        });
        let analysis = Analysis::of(&run(Some(answer)));
        let sentences: Vec<&String> = analysis.headline.sentences().collect();
        assert_eq!(
            sentences,
            ["1 of 4 tests depends on the order of tests, and 1 more may; 1 test is flaky in any order. \
              The search took 1m01s and ended with its budget."]
        );
        let rows = &analysis.detection.rows;
        assert_eq!(rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(), ["victim", "suspect", "flaky"]);
        assert_eq!(rows[0].fails_after, "C#a~1 or C#c~1 with C#d~1".replace("~1", ""));
        let report = RunReport::new(&analysis);
        let table = crate::report::TableDefinition::find("detected").unwrap();
        assert_eq!(report.data(table).unwrap().rows.len(), 3);
    }

    #[test]
    fn an_unfinished_detection_says_so() {
        let analysis = Analysis::of(&run(None));
        assert!(analysis.headline.sentences().next().unwrap().contains("has not ended"));
        assert_eq!(Analysis::of(&sample::study()).detection, DetectionTables::default());
    }
}
