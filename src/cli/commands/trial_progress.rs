//! How far a trial is: from what Surefire says in Maven's output when a class has ended, and from the events that the direct
//! engine has read. Only looked at, on a terminal, once a second: nothing of the run depends on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::ProgressBar;
use parade::java::direct::ended_tests;
use parade::java::maven::LiveLog;

const PAUSE: Duration = Duration::from_secs(1);
/// Of a log, at a time.
const CHUNK: u64 = 1 << 20;

/// Watches until it is dropped.
pub struct TrialProgress {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TrialProgress {
    pub fn watch(bar: ProgressBar, tests: Option<usize>) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            let mut reader = CountReader::new(ended_tests);
            while !stop.load(Ordering::Relaxed) {
                std::thread::park_timeout(PAUSE);
                let count = reader.count(LiveLog::current());
                if count > 0 && !stop.load(Ordering::Relaxed) {
                    bar.set_prefix(shown(count, tests));
                }
            }
        });
        TrialProgress { ended, thread: Some(thread) }
    }
}

impl Drop for TrialProgress {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It only draws; that it failed concerns nobody.
            let _ = thread.join();
        }
    }
}

/// A later stage runs tests again, so that there can be more than all.
fn shown(count: usize, tests: Option<usize>) -> String {
    match tests {
        Some(all) if count <= all => format!("{count} of {all} tests "),
        _ => format!("{count} tests "),
    }
}

/// Counts the tests of a trial, whichever engine runs them.
struct CountReader<L> {
    log: LogReader<L>,
    /// How many tests the direct engine has seen end, and how many before the trial.
    direct: fn() -> usize,
    before: usize,
}

impl<L: GrowingLog> CountReader<L> {
    fn new(direct: fn() -> usize) -> Self {
        CountReader { log: LogReader::default(), direct, before: direct() }
    }

    fn count(&mut self, current: Option<L>) -> usize {
        self.log.count(current) + (self.direct)().saturating_sub(self.before)
    }
}

/// What can be read on as it grows.
trait GrowingLog: PartialEq {
    fn read_from(&self, position: u64, most: u64) -> Vec<u8>;
}

impl GrowingLog for LiveLog {
    fn read_from(&self, position: u64, most: u64) -> Vec<u8> {
        LiveLog::read_from(self, position, most)
    }
}

/// Reads the logs of a trial on as they grow, one per stage.
struct LogReader<L> {
    log: Option<L>,
    position: u64,
    rest: String,
    count: usize,
}

impl<L> Default for LogReader<L> {
    fn default() -> Self {
        LogReader { log: None, position: 0, rest: String::new(), count: 0 }
    }
}

impl<L: GrowingLog> LogReader<L> {
    /// Tests that have ended so far, in all stages.
    fn count(&mut self, current: Option<L>) -> usize {
        if current != self.log {
            self.log = current;
            self.position = 0;
            self.rest.clear();
        }
        let Some(log) = &self.log else { return self.count };
        let bytes = log.read_from(self.position, CHUNK);
        self.position += bytes.len() as u64;
        self.rest.push_str(&String::from_utf8_lossy(&bytes));
        let complete = self.rest.rfind('\n').map_or(0, |end| end + 1);
        self.count += self.rest.get(..complete).unwrap_or_default().lines().filter_map(tests_of_class).sum::<usize>();
        self.rest.drain(..complete);
        self.count
    }
}

/// What a line says of a class that has ended; the sums at the end of a build have no time.
fn tests_of_class(line: &str) -> Option<usize> {
    let (_, after) = line.split_once("Tests run: ")?;
    let (count, rest) = after.split_once(',')?;
    rest.contains("Time elapsed: ").then(|| count.trim().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    const CLASS: &str = "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in a.B\n";

    #[test]
    fn classes_that_ended_are_counted_and_sums_are_not() {
        assert_eq!(tests_of_class(CLASS), Some(5));
        assert_eq!(
            tests_of_class("Tests run: 12, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1.2 sec - in a.B"),
            Some(12)
        );
        assert_eq!(tests_of_class("[INFO] Tests run: 576, Failures: 0, Errors: 0, Skipped: 0"), None);
        assert_eq!(tests_of_class("[INFO] Running a.B"), None);
    }

    /// The number of a stage, and what was said so far.
    struct Said(usize, String);

    impl PartialEq for Said {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }

    impl GrowingLog for Said {
        fn read_from(&self, position: u64, _most: u64) -> Vec<u8> {
            self.1.as_bytes()[usize::try_from(position).unwrap()..].to_vec()
        }
    }

    #[test]
    fn tests_of_both_engines_add_up() {
        static ENDED: AtomicUsize = AtomicUsize::new(100);
        let mut reader = CountReader::new(|| ENDED.load(Ordering::Relaxed));
        assert_eq!(reader.count(None), 0, "what ended before the trial is not its own");
        ENDED.store(103, Ordering::Relaxed);
        assert_eq!(reader.count(None), 3);
        assert_eq!(reader.count(Some(Said(1, CLASS.to_owned()))), 8);
    }

    #[test]
    fn a_log_is_read_on_as_it_grows_and_stages_add_up() {
        let mut reader = LogReader::default();
        assert_eq!(reader.count(None), 0);
        assert_eq!(reader.count(Some(Said(1, format!("{CLASS}{}", &CLASS[..30])))), 5);
        reader.log = Some(Said(1, CLASS.repeat(2)));
        assert_eq!((reader.count(Some(Said(1, String::new()))), reader.count(Some(Said(1, String::new())))), (10, 10));
        assert_eq!(reader.count(None), 10);
        assert_eq!(reader.count(Some(Said(2, CLASS.to_owned()))), 15);
        assert_eq!((shown(10, Some(20)), shown(25, Some(20))), ("10 of 20 tests ".to_owned(), "25 tests ".to_owned()));
    }
}
