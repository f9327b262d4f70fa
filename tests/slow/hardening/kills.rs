//! kill -9 at random moments: of parade, of its keeper, of Maven, of the worker that runs the tests. `scripts/campaigns/kills`
//! does a hundred; the suite does a few.

use std::collections::BTreeMap;
use std::fs;
use std::process::Child;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rustix::process::{Pid, Signal, kill_process};

use super::yard::{Yard, becomes_true, stderr};

const TEST: &str = "@Test public void waits() throws Exception { Thread.sleep(300); }\n@Test public void passes() {}";

/// How long a victim is waited for.
const APPEARANCE: Duration = Duration::from_secs(20);

const PARALLEL: &str = "[[configuration]]\nname = 'classes'\ntechnique = 'paste'\nparallel = 'classes'\nthreads = 2\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    Parade,
    Keeper,
    Maven,
    Worker,
}

impl Victim {
    const ALL: [Victim; 4] = [Victim::Parade, Victim::Keeper, Victim::Maven, Victim::Worker];

    /// About how long it lives on a machine with nothing else to do; a random moment of that is hit.
    fn lifetime_millis(self) -> u64 {
        match self {
            Victim::Parade => 4000,
            Victim::Keeper | Victim::Maven => 1500,
            Victim::Worker => 500,
        }
    }

    fn find(self, yard: &Yard, parade: &Child) -> Option<u32> {
        let running = |part: &str| yard.processes().into_iter().find(|found| found.command.contains(part));
        match self {
            Victim::Parade => Some(parade.id()),
            Victim::Keeper => keeper_of(parade.id()),
            Victim::Maven => running("classworlds").map(|found| found.pid),
            Victim::Worker => running("surefirebooter").map(|found| found.pid),
        }
    }
}

fn keeper_of(parade: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{parade}/task/{parade}/children")).ok()?;
    children.split_whitespace().find_map(|pid| {
        let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        command.contains("keeper").then(|| pid.parse().ok())?
    })
}

fn kill(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

/// A run that is killed again and again.
struct Campaign {
    yard: Yard,
    random: rand_chacha::ChaCha8Rng,
    kept: String,
    killed: BTreeMap<Victim, usize>,
}

impl Campaign {
    /// A kill may be followed by another before parade is started anew; a victim that is not there is no kill.
    fn sitting(&mut self, kills: usize) {
        let mut parade = self.yard.start(&["--retry"]);
        loop {
            let victim = Victim::ALL[self.random.random_range(0..Victim::ALL.len())];
            becomes_true(APPEARANCE, || {
                victim.find(&self.yard, &parade).is_some() || parade.try_wait().unwrap().is_some()
            });
            std::thread::sleep(Duration::from_millis(self.random.random_range(0..victim.lifetime_millis())));
            if parade.try_wait().unwrap().is_some() || self.count() >= kills {
                break;
            }
            if victim.find(&self.yard, &parade).is_some_and(kill) {
                *self.killed.entry(victim).or_default() += 1;
            }
            if victim == Victim::Parade {
                break;
            }
        }
        let _ = parade.kill();
        parade.wait().unwrap();
        self.yard.assert_nothing_left("a killed run");
        self.check_journal();
    }

    fn count(&self) -> usize {
        self.killed.values().sum()
    }

    /// What was on record stays so, byte by byte.
    fn check_journal(&mut self) {
        let now = self.yard.journal();
        let whole = &now[..now.rfind('\n').map_or(0, |end| end + 1)];
        assert!(whole.starts_with(&self.kept), "the journal lost what it had");
        assert!(whole.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "a line is damaged");
        self.kept = whole.to_owned();
    }

    /// Every planned trial has one record that counts, and its executions.
    fn check_end(&self, planned: usize) {
        let mut counting: BTreeMap<String, usize> = BTreeMap::new();
        for trial in self.yard.trials() {
            let completed = !matches!(trial["verdict"].as_str(), Some("build_failed" | "harness_error"));
            *counting.entry(trial["trial"].as_str().unwrap().to_owned()).or_default() += usize::from(completed);
        }
        assert_eq!(counting.len(), planned, "trials are missing");
        assert!(counting.values().all(|count| *count == 1), "lost or doubled: {counting:#?}");
        for trial in counting.keys() {
            assert!(self.yard.latest().join(format!("tests/{trial}.parquet")).is_file(), "{trial} has no executions");
        }
        let rows = csv::Reader::from_path(self.yard.latest().join("trials.csv")).unwrap().into_records().count();
        assert_eq!(rows, planned);
    }
}

/// So many as `PARADE_KILLS` says.
fn wanted() -> usize {
    std::env::var("PARADE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

#[test]
fn killed_at_random_nothing_recorded_is_lost_or_doubled_and_no_process_stays() {
    let kills = wanted();
    let Some(yard) = Yard::new(&[("OneTest", TEST.to_owned()), ("TwoTest", TEST.to_owned())]) else { return };
    let repetitions = u32::try_from(kills).unwrap().max(3);
    yard.experiment(repetitions, "timeout = '60s'", PARALLEL);
    let seed = std::env::var("PARADE_KILLS_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let mut campaign = Campaign {
        yard,
        random: rand_chacha::ChaCha8Rng::seed_from_u64(seed),
        kept: String::new(),
        killed: BTreeMap::new(),
    };
    // The first kills may hit the build; most are to hit trials.
    let mut first = campaign.yard.start(&[]);
    becomes_true(Duration::from_secs(300), || {
        !campaign.yard.trials().is_empty() || first.try_wait().unwrap().is_some()
    });
    first.kill().unwrap();
    first.wait().unwrap();
    let mut sittings = 0;
    while campaign.count() < kills && sittings < 3 * kills {
        campaign.sitting(kills);
        sittings += 1;
    }
    let killed = campaign.count();
    let output = campaign.yard.run(&["--retry"]);
    assert!(output.status.success(), "{}", stderr(&output));
    campaign.check_end(usize::try_from(2 * repetitions).unwrap());
    println!("{killed} kills in {sittings} sittings: {:?}", campaign.killed);
    assert!(killed >= kills.min(3), "only {killed} kills found their victim");
}
