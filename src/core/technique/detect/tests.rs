use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::stand_in::StandIn;
use super::*;
use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{Isolation, Selection};
use crate::suite::Outcome;

/// Every kind of dependency, across classes, with bystanders between.
const PLANTED: &str = "
startup = 0.1
[[test]]
id = 'A#setter'
[[test]]
id = 'A#brittle'
needs = ['A#setter']
[[test]]
id = 'A#victim'
polluted_by = ['B#polluter', 'C#polluter']
[[test]]
id = 'A#bystander'
[[test]]
id = 'B#both'
needs = ['A#setter']
polluted_by = ['B#polluter']
[[test]]
id = 'B#cleaned'
polluted_by = ['C#polluter']
cleaned_by = ['A#bystander', 'C#cleaner']
[[test]]
id = 'B#polluter'
[[test]]
id = 'B#chain'
needs = ['B#both']
[[test]]
id = 'C#group'
needs = ['A#setter', 'B#chain']
[[test]]
id = 'C#polluter'
[[test]]
id = 'C#cleaner'
[[test]]
id = 'C#bystander'
[[test]]
id = 'D#always'
flaky = 1
[[test]]
id = 'D#broken'
polluted_by = ['A#victim']
";

pub(super) fn plan(strategies: Option<Vec<Strategy>>) -> Plan {
    Plan {
        strategies,
        settings: Settings { rounds: 5, k: 2, seed: 1 },
        budget: Duration::from_secs(600),
        baseline: 3,
        resources: Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
    }
}

pub(super) fn detected(session: &mut dyn Session, plan: &Plan, memory: &mut dyn Memory) -> Detection {
    let roster = TestRoster::by_module(session.tests());
    let company = SearchContext { memory, hear: &mut |_| {}, stop: &|| false };
    detect(session, roster, plan, company).unwrap_or_else(|halt| panic!("{halt:?}"))
}

fn of_model(toml: &str, strategies: Option<Vec<Strategy>>) -> Detection {
    let mut session = ModelSession::new(ModelSuite::parse(toml).unwrap(), 1);
    detected(&mut session, &plan(strategies), &mut Forgetful)
}

fn names(tests: &[TestId]) -> String {
    tests.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// By test: its kind, polluters, cleaners and state-setters.
pub(super) fn summary(detection: &Detection) -> BTreeMap<String, [String; 4]> {
    let of = |test: &OrderDependent| {
        let lists = [&test.polluters, &test.cleaners, &test.state_setters].map(|tests| names(tests));
        let [polluters, cleaners, setters] = lists;
        (test.test.to_string(), [test.kind.name().to_owned(), polluters, cleaners, setters])
    };
    detection.order_dependent.iter().map(of).collect()
}

pub(super) fn expected(rows: &[(&str, [&str; 4])]) -> BTreeMap<String, [String; 4]> {
    rows.iter().map(|(test, row)| ((*test).to_owned(), row.map(str::to_owned))).collect()
}

fn planted() -> BTreeMap<String, [String; 4]> {
    expected(&[
        ("A#brittle", ["brittle", "", "", "A#setter"]),
        ("A#victim", ["victim", "B#polluter C#polluter", "", ""]),
        ("B#both", ["both", "B#polluter", "", "A#setter"]),
        ("B#cleaned", ["victim", "C#polluter", "A#bystander C#cleaner", ""]),
        ("B#chain", ["brittle", "", "", "B#both"]),
        ("C#group", ["brittle", "", "", "A#setter B#chain"]),
        ("D#broken", ["victim", "A#victim", "", ""]),
    ])
}

#[test]
fn everything_planted_is_found_and_nothing_else() {
    let detection = of_model(PLANTED, None);
    assert_eq!(summary(&detection), planted());
    assert!(detection.order_dependent.iter().all(|test| test.complete));
    assert!(detection.flaky.is_empty() && detection.unconfirmed.is_empty() && detection.unexplained.is_empty());
    let broken = detection.order_dependent.iter().find(|test| test.test.name == "broken").unwrap();
    assert!(broken.fails_originally);
    let group = detection.order_dependent.iter().find(|test| test.test.name == "group").unwrap();
    assert_eq!(group.state_setter_groups.len(), 1);
    assert_eq!((detection.coverage.consecutive_share, detection.coverage.any_distance_share), (1.0, 1.0));
}

#[test]
fn each_strategy_finds_what_it_can() {
    // What it goes by is not planted here; it has tests of its own.
    for strategy in Strategy::ALL.into_iter().filter(|strategy| *strategy != Strategy::DependenceAware) {
        let detection = of_model(PLANTED, Some(vec![strategy]));
        let (found, planted) = (summary(&detection), planted());
        for (test, row) in &found {
            // A test that is both may have shown only one of its sides.
            assert_eq!(row[0], planted[test][0], "{strategy}: {test}");
        }
        let least = if strategy == Strategy::Isolation { 4 } else { 1 };
        assert!(found.len() >= least, "{strategy}: {found:?}");
    }
}

#[test]
fn flaky_tests_are_set_aside_or_not_confirmed() {
    let toml: String = (0..30).map(|n| format!("[[test]]\nid='C#t{n}'\nflaky=0.{}\n", 1 + n % 5)).collect();
    for strategies in [None, Some(vec![Strategy::RandomInterleaved])] {
        let detection = of_model(&toml, strategies);
        assert_eq!(detection.order_dependent, []);
        assert!(detection.flaky.len() > 15, "{}", detection.flaky.len());
    }
}

#[test]
fn what_is_reported_agrees_with_every_run_that_was_made() {
    // Much is run, so that a test that fails in one run of five looks now and then as if something made it fail.
    let of = |n: usize| if n.is_multiple_of(3) { "flaky=0.2\n" } else { "" };
    let toml: String = (0..36).map(|n| format!("[[test]]\nid='C{}#t{n}'\n{}", n / 6, of(n))).collect();
    for seed in 0..60 {
        let settings = Settings { rounds: 20, k: 2, seed };
        let plan = Plan { settings, budget: Duration::from_secs(36_000), ..plan(None) };
        let mut session = ModelSession::new(ModelSuite::parse(&toml).unwrap(), seed);
        let detection = detected(&mut session, &plan, &mut Forgetful);
        assert_eq!(detection.order_dependent, [], "seed {seed}");
    }
}

#[test]
fn what_a_test_needs_is_not_called_its_polluter() {
    let toml = "[[test]]\nid='A#cleaner'\n\
                [[test]]\nid='A#other'\npolluted_by=['C#both', 'A#cleaner']\n\
                [[test]]\nid='B#setter'\n\
                [[test]]\nid='C#both'\nneeds=['B#setter']\npolluted_by=['B#setter', 'A#other']\ncleaned_by=['A#cleaner']\n";
    let found = of_model(toml, None).order_dependent;
    let both = found.iter().find(|found| found.test.to_string() == "C#both").expect("it depends on the order");
    assert_eq!(names(&both.polluters), "A#other");
    assert_eq!(names(&both.state_setters), "A#cleaner B#setter");
}

#[test]
fn tests_that_hang_or_exit_in_one_order_are_said_and_the_rest_goes_on() {
    for (how, outcome) in [("hanging", Outcome::TimedOut), ("exiting", Outcome::Crashed)] {
        let toml = format!(
            "[[test]]\nid='A#breaks'\nseconds=0.1\npolluted_by=['B#p']\nfails_by='{how}'\n[[test]]\nid='A#v'\nseconds=0.1\npolluted_by=['B#p']\n[[test]]\nid='B#p'\nseconds=0.1\n"
        );
        let detection = of_model(&toml, None);
        let rows = [("A#breaks", ["victim", "B#p", "", ""]), ("A#v", ["victim", "B#p", "", ""])];
        assert_eq!(summary(&detection), expected(&rows), "{how}");
        assert!(
            detection.accidents.iter().any(|accident| accident.test.name == "breaks" && accident.outcome == outcome)
        );
        assert_eq!(names(&[detection.left_out[0].test.clone()]), "A#breaks");
    }
}

#[test]
fn tests_that_always_hang_or_exit_are_left_out() {
    let toml = "[[test]]\nid='A#hangs'\nhangs_after=1\n[[test]]\nid='A#v'\npolluted_by=['B#p']\n[[test]]\nid='A#exits'\nexits_after=1\n[[test]]\nid='B#p'\n";
    let detection = of_model(toml, None);
    assert_eq!(summary(&detection), expected(&[("A#v", ["victim", "B#p", "", ""])]));
    let left: Vec<&str> = detection.left_out.iter().map(|test| test.test.name.as_str()).collect();
    assert_eq!(left, ["hangs", "exits"]);
}

#[test]
fn modules_are_not_mixed() {
    let toml = "[[test]]\nid='m:A#v'\npolluted_by=['n:A#p']\n[[test]]\nid='n:A#p'\n";
    let detection = of_model(toml, None);
    assert_eq!((detection.order_dependent.len(), detection.coverage.pairs), (0, 0));
}

#[test]
fn five_thousand_tests_are_no_obstacle() {
    let mut toml: String = (0..5_000)
        .map(|n| {
            let extra = match n {
                7 => "polluted_by=['C80#t4000']\n",
                1_000 => "needs=['C4#t203']\n",
                2_500 => "polluted_by=['C99#t4999', 'C51#t2551']\ncleaned_by=['C20#t1003']\n",
                _ => "",
            };
            format!("[[test]]\nid='C{}#t{n}'\nseconds=0.001\n{extra}", n / 50)
        })
        .collect();
    toml.insert_str(0, "startup=0.2\n");
    let detection = of_model(&toml, None);
    let rows = [
        ("C0#t7", ["victim", "C80#t4000", "", ""]),
        ("C20#t1000", ["brittle", "", "", "C4#t203"]),
        ("C50#t2500", ["victim", "C51#t2551 C99#t4999", "C20#t1003", ""]),
    ];
    assert_eq!(summary(&detection), expected(&rows));
}

#[test]
fn a_small_budget_says_what_it_left_undone() {
    let mut session =
        ModelSession::new(ModelSuite::parse(&PLANTED.replace("startup = 0.1", "startup = 10")).unwrap(), 1);
    let short = Plan { budget: Duration::from_secs(300), ..plan(None) };
    let detection = detected(&mut session, &short, &mut Forgetful);
    assert!(detection.budget_ended);
    assert!(detection.strategies.iter().any(|tried| tried.orders < tried.planned));
    let undone = detection.order_dependent.iter().any(|test| !test.complete) || !detection.unexplained.is_empty();
    assert!(undone, "{detection:?}");
    let planted = planted();
    assert!(summary(&detection).keys().all(|test| planted.contains_key(test)));
}

/// What a killed sitting leaves behind.
#[derive(Default)]
struct Notes {
    kept: HashMap<String, Observation>,
    recalled: usize,
    left: usize,
}

impl Memory for Notes {
    fn recall(&mut self, key: &str) -> Option<Observation> {
        let found = self.kept.get(key).cloned();
        self.recalled += usize::from(found.is_some());
        found
    }

    fn keep(&mut self, key: &str, observation: &Observation) -> miette::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| miette::miette!("killed"))?;
        self.kept.insert(key.to_owned(), observation.clone());
        Ok(())
    }
}

#[test]
fn a_killed_detection_goes_on_and_ends_alike() {
    let toml = format!("{PLANTED}[[test]]\nid='D#flaky'\nflaky=0.3\n");
    let whole = of_model(&toml, None);
    let mut notes = Notes::default();
    let mut sittings = 0;
    let resumed = loop {
        sittings += 1;
        notes.left = 40;
        let mut session = ModelSession::new(ModelSuite::parse(&toml).unwrap(), 1);
        let roster = TestRoster::by_module(session.tests());
        let company = SearchContext { memory: &mut notes, hear: &mut |_| {}, stop: &|| false };
        match detect(&mut session, roster, &plan(None), company) {
            Ok(detection) => break detection,
            Err(SearchStop::Broken(_)) => {}
            Err(halt) => panic!("{halt:?}"),
        }
    };
    assert!(sittings > 2 && notes.recalled > 80, "{sittings} sittings, {} recalled", notes.recalled);
    assert_eq!(resumed, whole);
}

/// A suite whose outcomes a function decides, by what ran before a test and whether in a warm process, which is misled.
pub(super) fn scripted(names: &[&str], fails: impl Fn(&[&str], &str, bool) -> bool) -> impl Session {
    let tests: String = names.iter().map(|name| format!("[[test]]\nid='{name}'\nseconds=0.01\n")).collect();
    // Tests that took longer than a start would get a fresh process each time.
    StandIn::new(&format!("startup = 0.5\n{tests}"), move |request, run| {
        let Selection::Tests(asked) = &request.selection else { return };
        let names: Vec<String> = asked.iter().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let warm = request.policy.isolation == Isolation::Warm;
        for (place, execution) in run.executions.iter_mut().enumerate() {
            if fails(&names[..place], names[place], warm) {
                execution.outcome = Outcome::Failed;
            }
        }
    })
}

const TEN: [&str; 10] = ["A#a", "A#b", "A#c", "B#d", "B#e", "B#f", "C#g", "C#h", "C#i", "C#j"];

#[test]
fn what_only_a_warm_process_shows_is_not_reported() {
    let mut session = scripted(&TEN, |before, test, warm| warm && test == "A#a" && before.contains(&"C#j"));
    let detection = detected(&mut session, &plan(None), &mut Forgetful);
    assert_eq!(detection.order_dependent, []);
    assert_eq!(names(&detection.unconfirmed), "A#a");
}

#[test]
fn polluters_that_work_only_together_are_a_group() {
    let together = |before: &[&str], test: &str, _: bool| {
        test == "A#a" && ["B#e", "C#i"].iter().all(|polluter| before.contains(polluter))
    };
    let mut session = scripted(&TEN, together);
    let detection = detected(&mut session, &plan(None), &mut Forgetful);
    assert_eq!(summary(&detection), expected(&[("A#a", ["victim", "B#e C#i", "", ""])]));
    assert_eq!(detection.order_dependent[0].polluter_groups.len(), 1);
}

#[test]
fn a_state_setter_that_also_cleans_is_a_cleaner() {
    let toml = "[[test]]\nid='A#s'\n[[test]]\nid='A#b'\nneeds=['A#s']\npolluted_by=['A#p']\ncleaned_by=['A#s']\n[[test]]\nid='A#p'\n";
    let rows = expected(&[("A#b", ["both", "A#p", "A#s", "A#s"])]);
    assert_eq!(summary(&of_model(toml, None)), rows);
    let cleans = |before: &[&str], test: &str, _: bool| {
        let last = |name: &str| before.iter().rposition(|test| *test == name);
        test == "A#b" && (last("A#a").is_none() || last("C#j") > last("A#a"))
    };
    let mut session = scripted(&TEN, cleans);
    let detection = detected(&mut session, &plan(None), &mut Forgetful);
    assert_eq!(summary(&detection), expected(&[("A#b", ["both", "C#j", "A#a", "A#a"])]));
}

#[test]
fn a_test_that_pollution_cannot_reach_twice_has_all_its_polluters_found() {
    // Once it has run, nothing harms it any more: a chain of candidates would be deaf.
    let immune = |before: &[&str], test: &str, _: bool| {
        test == "A#a" && !before.contains(&"A#a") && ["B#e", "C#i"].iter().any(|polluter| before.contains(polluter))
    };
    let mut session = scripted(&TEN, immune);
    let detection = detected(&mut session, &plan(None), &mut Forgetful);
    assert_eq!(summary(&detection), expected(&[("A#a", ["victim", "B#e C#i", "", ""])]));
    assert!(detection.order_dependent[0].complete);
}

#[test]
fn what_stays_in_a_library_neither_hides_nor_invents_anything() {
    // Until the process ends: what one test leaves breaks a second, spares a third what it needs, and age breaks a fourth.
    let (left, set, orders) = (Cell::new(false), Cell::new(false), Cell::new(0));
    let sticky = |before: &[&str], test: &str, warm: bool| {
        orders.set(orders.get() + usize::from(warm && before.is_empty()));
        left.set(left.get() || warm && test == "C#j");
        set.set(set.get() || warm && test == "A#b");
        match test {
            "A#a" => before.contains(&"C#j") || warm && left.get(),
            "C#g" => !(before.contains(&"A#b") || warm && set.get()),
            "B#d" => warm && orders.get() > 2,
            _ => false,
        }
    };
    let mut session = scripted(&TEN, sticky);
    let detection = detected(&mut session, &plan(None), &mut Forgetful);
    let rows = [("A#a", ["victim", "C#j", "", ""]), ("C#g", ["brittle", "", "", "A#b"])];
    assert_eq!(summary(&detection), expected(&rows));
    assert!(detection.order_dependent.iter().all(|test| test.complete));
    assert!(detection.fresh_only >= 2 && detection.unconfirmed.is_empty(), "{detection:?}");
}

#[test]
fn victims_that_nobody_had_time_to_explain_are_reported_all_the_same() {
    let mut toml = "startup=5\n".to_owned();
    for n in 0..300 {
        let extra = match n {
            0 => "needs=['C9#t299']\n",
            1..200 => "polluted_by=['C9#t299']\n",
            _ => "",
        };
        toml.push_str(&format!("[[test]]\nid='C{}#t{n}'\nseconds=0.01\n{extra}", n / 30));
    }
    let mut session = ModelSession::new(ModelSuite::parse(&toml).unwrap(), 1);
    let short = Plan { budget: Duration::from_secs(1_500), ..plan(None) };
    let detection = detected(&mut session, &short, &mut Forgetful);
    assert!(detection.budget_ended && detection.unexplained.is_empty(), "{:?}", detection.unexplained);
    assert_eq!(detection.order_dependent.len(), 200);
    let open: Vec<&OrderDependent> = detection
        .order_dependent
        .iter()
        .filter(|test| test.polluters.is_empty() && test.state_setters.is_empty())
        .collect();
    assert!(open.len() > 50 && open.iter().all(|test| !test.complete), "{}", open.len());
}

/// The terminal and the JSON tell the runs by process and by purpose: both are the same runs.
#[test]
fn runs_add_up_by_process_and_by_purpose() {
    for strategies in [None, Some(vec![Strategy::Reverse]), Some(vec![Strategy::Isolation, Strategy::Pairs])] {
        let Detection { runs, baseline, strategies, .. } = of_model(PLANTED, strategies);
        assert_eq!(runs.total, runs.warm + runs.fresh, "{runs:?}");
        assert_eq!(runs.total, runs.original + runs.orders + runs.causes, "{runs:?}");
        let tried: usize = strategies.iter().map(|tried| tried.orders + tried.fresh).sum();
        assert!(runs.original >= baseline && runs.orders >= tried && runs.causes > 0, "{runs:?} {strategies:?}");
    }
}
