use super::*;
use crate::report::render::comparison;
use crate::report::sample;
use crate::store::record::{Phase, TrialRecord, Verdict};

fn compared(name: &str, run: RunData) -> Compared {
    let experiment_text = "[experiment]\nname = 'sample'\n".to_owned();
    Compared { name: name.to_owned(), run, experiment_text, doubts: Vec::new() }
}

/// The sample with all times multiplied.
fn slowed(factor: f64) -> RunData {
    let mut run = sample::study();
    run.trials.iter_mut().for_each(|trial| trial.cost.wall_seconds *= factor);
    run
}

fn of(first: RunData, second: RunData) -> Comparison {
    Comparison::of(&compared("first", first), &compared("second", second)).unwrap()
}

fn cell<'a>(comparison: &'a Comparison, subject: &str, configuration: &str) -> &'a CellRow {
    comparison.cells.iter().find(|row| row.subject == subject && row.configuration == configuration).unwrap()
}

#[test]
fn a_run_beside_itself_shows_no_difference() {
    let comparison = of(sample::study(), sample::study());
    for row in &comparison.cells {
        assert!(row.p_holm.is_none_or(|p| p > 0.9), "{row:?}");
        assert!(row.ratio.is_none_or(|ratio| ratio == 1.0), "{row:?}");
        assert!(row.speedup_difference.is_none_or(|difference| difference == 0.0), "{row:?}");
        assert!(row.same_settings);
    }
    assert!(comparison.only_in_one.is_empty() && comparison.settings.is_empty());
    assert!(comparison.facts.iter().all(|fact| !fact.differs));
}

#[test]
fn a_faster_run_is_found_by_every_number() {
    let comparison = of(sample::study(), slowed(0.5));
    let row = cell(&comparison, "clean-gain", "classes");
    assert!((row.ratio.unwrap() - 2.0).abs() < 1e-12);
    assert!(row.ci_low.unwrap() > 1.5 && row.ci_high.unwrap() < 2.5, "{row:?}");
    // Five against five that do not overlap: 2 of 252 arrangements are as extreme.
    assert!((row.p.unwrap() - 2.0 / 252.0).abs() < 1e-12);
    assert_eq!((row.smallest_p, row.a12), (row.p, Some(1.0)));
    assert!(row.p_holm.unwrap() > row.p.unwrap());
    assert_eq!(row.first_speedup, row.second_speedup);
}

/// With Holm's correction over all cells, five trials in each run rarely reach 0.05. The judgement goes by the interval.
#[test]
fn the_judgement_is_by_the_interval_and_not_by_p() {
    use crate::stats::speed_judgement::{Design, SpeedJudgement};
    let comparison = of(sample::study(), slowed(0.5));
    let enough = |row: &&CellRow| row.first_clean.min(row.second_clean) >= 5;
    let judged: Vec<&CellRow> = comparison.cells.iter().filter(enough).collect();
    assert!(judged.iter().any(|row| row.p_holm.unwrap() > 0.05), "p alone would not do");
    for row in judged {
        assert_eq!((row.judgement, row.design), (SpeedJudgement::Faster, Some(Design::Unpaired)), "{row:?}");
    }
    let text = comparison::terminal(&comparison, crate::report::render::terminal::Style { width: 200, colour: false });
    assert!(text.contains("(unpaired t)") && text.contains("The runs are not paired"), "{text}");
}

#[test]
fn holms_correction_is_over_all_cells() {
    let comparison = of(sample::study(), slowed(0.5));
    let tested = comparison.cells.iter().filter(|row| row.p.is_some()).count();
    let row = cell(&comparison, "clean-gain", "classes");
    assert!((row.p_holm.unwrap() - (row.p.unwrap() * tested as f64).min(1.0)).abs() < 1e-12);
}

#[test]
fn what_makes_it_weak_is_said() {
    let mut second = sample::study();
    second.environment.hostname = "elsewhere".to_owned();
    second.environment.cpu_model = "Another CPU".to_owned();
    second.subjects[0].revision = Some("1234".to_owned());
    second.subjects.iter_mut().for_each(|subject| subject.jdk = Some("21".to_owned()));
    second.trials.retain(|trial| trial.repetition <= 2);
    let comparison = of(sample::study(), second);
    let caveats = comparison.caveats.join("\n");
    for expected in [
        "host, processor",
        "JDK 1.8.0_462 and 21",
        "The code differs in 1 subject",
        "Few repetitions",
        "The second run has",
    ] {
        assert!(caveats.contains(expected), "{expected}: {caveats}");
    }
}

#[test]
fn runs_at_the_same_time_on_one_machine_disturb_each_other() {
    let itself = of(sample::study(), sample::study()).caveats;
    assert!(itself[0].contains("are the same run"), "{itself:?}");
    assert!(!itself.join("\n").contains("at the same time"), "{itself:?}");
    let mut beside = sample::study();
    beside.trials.iter_mut().for_each(|trial| trial.started_at += jiff::SignedDuration::from_millis(1));
    let at_once = of(sample::study(), beside).caveats.join("\n");
    assert!(at_once.contains("at the same time") && !at_once.contains("the same run"), "{at_once}");
    let mut later = sample::study();
    let day = jiff::SignedDuration::from_hours(24);
    later.trials.iter_mut().for_each(|trial| trial.started_at += day);
    assert!(!of(sample::study(), later).caveats.join("\n").contains("at the same time"));
}

#[test]
fn other_settings_are_seen_in_the_ids_of_trials() {
    let mut second = sample::study();
    for trial in second.trials.iter_mut().filter(|trial| trial.configuration == "classes") {
        trial.trial = trial.trial.replace("-00000000", "-11111111");
    }
    let comparison = of(sample::study(), second);
    assert!(!cell(&comparison, "clean-gain", "classes").same_settings);
    assert!(cell(&comparison, "clean-gain", "methods").same_settings);
    assert!(comparison.caveats.iter().any(|caveat| caveat.contains("other settings")));
}

#[test]
fn failures_are_compared_too() {
    let mut second = sample::study();
    for trial in second.trials.iter_mut().filter(|t| t.subject == "clean-gain" && t.configuration == "classes") {
        trial.verdict = Verdict::Failing;
        trial.tally.failed = 3;
    }
    let comparison = of(sample::study(), second);
    let row = cell(&comparison, "clean-gain", "classes");
    assert_eq!((row.first_state.as_str(), row.second_state.as_str()), ("clean", "failing"));
    assert_eq!((row.first_failures, row.second_failures), (Some(0.0), Some(3.0)));
    assert!((row.clean_p.unwrap() - 2.0 / 252.0).abs() < 1e-9);
    assert_eq!((row.p, row.second_seconds, row.second_speedup), (None, None, None));
    assert!(row.second_speedup_reason.as_deref().unwrap().contains("failing"));
}

#[test]
fn only_what_is_shared_is_compared_and_the_rest_is_named() {
    let mut second = sample::study();
    second.manifest.trials.retain(|trial| trial.subject != "clean-gain" && trial.configuration != "plain");
    second.manifest.subjects.retain(|name| name != "clean-gain");
    second.trials.retain(|trial| trial.phase == Phase::Measured && trial.subject != "clean-gain");
    let comparison = of(sample::study(), second);
    assert!(comparison.cells.iter().all(|row| row.subject != "clean-gain" && row.configuration != "plain"));
    let named: Vec<(&str, &str)> =
        comparison.only_in_one.iter().map(|row| (row.what.as_str(), row.name.as_str())).collect();
    assert_eq!(named, [("subject", "clean-gain"), ("configuration", "plain")]);
}

#[test]
fn nothing_shared_is_refused_with_what_each_has() {
    let error = Comparison::of(&compared("a", sample::study()), &compared("b", sample::hostile())).unwrap_err();
    assert!(error.to_string().starts_with("these runs share nothing: a has `sequential`"), "{error}");
}

#[test]
fn names_with_markup_are_shown_as_text_in_every_form() {
    let hostile = || compared("<img src=x onerror=alert(1)>|\u{202e}", sample::hostile());
    let comparison = Comparison::of(&hostile(), &hostile()).unwrap();
    let page = comparison::html(&comparison).unwrap();
    assert!(!page.contains("<img") && !page.contains("<script>alert"));
    let shown = page.split("<script").next().unwrap();
    assert!(!shown.contains('\u{202e}'), "only the raw data has names as they are");
    assert_eq!(page.matches("<script").count(), 2, "the data and our own script");
    for outside in ["src=\"", "@import", "url(", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let text = comparison::markdown(&comparison);
    assert!(!text.contains("<img") && !text.contains('\u{202e}'));
    let csv = comparison::csv(&comparison).unwrap();
    assert_eq!(csv::Reader::from_reader(csv.as_bytes()).records().count(), comparison.cells.len());
}

#[test]
fn cells_with_other_outcomes_are_not_compared() {
    use crate::stats::speed_judgement::SpeedJudgement;
    let with_hash = |mut run: RunData, hash: &str| {
        let is_other = |trial: &TrialRecord| trial.subject == "clean-gain" && trial.configuration == "classes";
        for trial in run.trials.iter_mut() {
            trial.outcomes_hash = Some(if is_other(trial) { hash } else { "same" }.to_owned());
        }
        run
    };
    let comparison = of(with_hash(sample::study(), "40 tests"), with_hash(slowed(0.5), "39 tests"));
    let row = cell(&comparison, "clean-gain", "classes");
    assert_eq!((row.judgement, row.same_outcomes), (SpeedJudgement::NotCompared, Some(false)));
    assert_eq!((row.ratio, row.p_holm, row.speedup_difference), (None, None, None));
    assert_eq!(cell(&comparison, "clean-gain", "methods").judgement, SpeedJudgement::Faster);
    let told = comparison.summary.join(" ");
    assert!(told.contains("1 cell has other tests or outcomes in one of the runs"), "{told}");
    let page = comparison::html(&comparison).unwrap();
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words} is missing"));
    assert!(place("different tests passed or were skipped") < place("<h1>"));
    assert_eq!(page.matches("class=\"caution\"").count(), 1);
}

/// Runs that took no time have clean times, but no ratio.
#[test]
fn times_of_zero_are_not_called_missing() {
    let zero = |mut run: crate::store::record::RunData| {
        run.trials.iter_mut().for_each(|trial| trial.cost.wall_seconds = 0.0);
        run
    };
    let first = compared("first", zero(sample::study()));
    let comparison = Comparison::of(&first, &compared("second", zero(sample::study()))).unwrap();
    let told = comparison.summary.join(" ");
    assert!(told.contains("times of 0 s, which have no ratio"), "{told}");
    let clean = comparison.cells.iter().filter(|cell| cell.first_clean > 0).count();
    assert!(told.contains(&format!("{clean} cells have times of 0 s")), "{told}");
}

/// Without the configuration, a row of a part says nothing.
#[test]
fn every_part_of_a_narrow_table_names_its_cells() {
    let (first, second) = (compared("first", sample::study()), compared("second", sample::study()));
    let comparison = Comparison::of(&first, &second).unwrap();
    let text = comparison::terminal(&comparison, crate::report::render::terminal::Style { width: 80, colour: false });
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("subject")).collect();
    assert!(heads.len() > 3, "{text}");
    assert!(heads.iter().all(|line| line.contains("configuration") && line.contains("cores")), "{text}");
}

#[test]
fn a_changed_record_and_virtual_times_come_before_all_else() {
    let mut model = sample::study();
    model.trials.iter_mut().for_each(|trial| trial.engine = Some(crate::engine::EngineKind::Model));
    let altered = "the record was changed after it was written: line 3".to_owned();
    let first = Compared { doubts: vec![altered.clone()], ..compared("first", sample::study()) };
    let comparison = Comparison::of(&first, &compared("second", model)).unwrap();
    assert_eq!(comparison.caveats[0], format!("first: {altered}."));
    assert!(comparison.caveats[1].contains("nothing was measured"), "{:?}", comparison.caveats);
    let text = comparison::terminal(&comparison, crate::report::render::terminal::Style { width: 120, colour: false });
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
    assert!(place("the record was changed") < place("Times"), "{text}");
}
