//! A sequential run on a single core, taken apart: what more cores make shorter, and what they do not.
//!
//! A JVM compiles, and collects, beside the program that it runs. On one core the program waits for that; on two it does not.
//! How much of that there was is measured in the processes themselves, before the first test and from there on.

use super::Observed;
use crate::suite::JvmWork;

/// Of a start-up, where no process told what it computed beside its program: others told this much.
const BESIDE_STARTUP: f64 = 0.5;
/// What one more process computes before its first test, as a part of a start-up, where none told.
const PROCESS_STARTUP: f64 = 0.2;

/// Seconds on a single core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    /// Before the first test and after the last one.
    pub startup: f64,
    /// What of it need not be waited for once there is a second core.
    pub startup_beside: f64,
    /// From the first test to the last.
    pub tests: f64,
    /// What tests compute, all told.
    pub computing: f64,
    /// What of it JVMs compute beside them, Maven's included.
    pub compiling: f64,
    /// What of that a test process compiles: every further one does it again.
    pub warming: f64,
    /// What one more process computes before its first test.
    pub process: f64,
}

impl Parts {
    pub fn of(observed: &Observed) -> Self {
        let tests = observed.test_seconds.max(0.0);
        let startup = (observed.wall_seconds - tests).max(0.0);
        let told = observed.jvm.unwrap_or_else(|| assumed(observed, startup));
        let of_tests = told.tests.clamp(0.0, tests);
        // Processes count until they exit, which can be after the last test: then a part of it was in the tests.
        let in_tests = if told.tests > tests { tests / told.tests } else { 1.0 };
        // A core cannot have computed more before the first test than it had time for: the rest was Maven's, while tests ran.
        let of_maven = (observed.cpu_seconds - startup - told.tests).clamp(0.0, tests - of_tests);
        let maven_beside = if told.processes > 1 {
            // Maven worked between processes, which then started: that is start-up, with compilers as in the first.
            of_maven * (told.beside_startup / (startup + of_maven)).min(1.0)
        } else {
            // Maven does nothing but wait for the tests, while its compilers finish what they have begun.
            of_maven
        };
        let warming = (told.beside_tests * in_tests).clamp(0.0, of_tests);
        Parts {
            startup,
            startup_beside: (told.beside_startup - maven_beside).clamp(0.0, startup / 2.0),
            tests,
            computing: of_tests + of_maven,
            compiling: warming + maven_beside,
            warming,
            process: told.process_startup / told.processes.max(1) as f64,
        }
    }

    /// On a number of cores, one test after the other.
    pub fn startup_on(&self, cores: usize) -> f64 {
        if cores > 1 { self.startup - self.startup_beside } else { self.startup }
    }

    /// What a test takes where nothing keeps it waiting, as a part of what it took on one core. Compilers are in the way of
    /// what computes, not of what waits.
    pub fn unhindered(&self) -> f64 {
        let program = self.computing - self.compiling;
        let unhindered = program + (self.tests - self.computing);
        if self.tests <= 0.0 || unhindered <= 0.0 {
            return 1.0;
        }
        1.0 - self.compiling * (program / unhindered) / self.tests
    }
}

/// On a single core, starting up is nothing but computing.
fn assumed(observed: &Observed, startup: f64) -> JvmWork {
    JvmWork {
        beside_startup: BESIDE_STARTUP * startup,
        beside_tests: 0.0,
        process_startup: PROCESS_STARTUP * startup,
        tests: observed.cpu_seconds - startup,
        processes: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Suite;
    use super::*;

    fn observed(jvm: Option<JvmWork>) -> Observed {
        let suite = Suite::of(Vec::new(), 10.0);
        Observed { wall_seconds: 14.0, cpu_seconds: 12.0, test_seconds: 10.0, jvm, suite }
    }

    #[test]
    fn what_compilers_took_from_tests_comes_back_with_a_second_core() {
        let told = JvmWork { beside_startup: 1.5, beside_tests: 4.0, process_startup: 2.0, tests: 10.0, processes: 2 };
        let parts = Parts::of(&observed(Some(told)));
        assert_eq!((parts.startup_on(1), parts.startup_on(2), parts.startup_on(8)), (4.0, 2.5, 2.5));
        assert!((parts.unhindered() - 0.6).abs() < 1e-9 && parts.process == 1.0);
    }

    #[test]
    fn compilers_take_nothing_from_tests_that_wait() {
        let told = JvmWork { beside_startup: 1.5, beside_tests: 0.2, process_startup: 2.0, tests: 0.5, processes: 1 };
        let waiting = Parts::of(&Observed { cpu_seconds: 4.5, ..observed(Some(told)) });
        assert!(waiting.unhindered() > 0.999, "there is time enough while they wait: {waiting:?}");
        let half = JvmWork { beside_tests: 2.0, tests: 6.0, ..told };
        let half = Parts::of(&Observed { cpu_seconds: 10.0, ..observed(Some(half)) });
        assert!((half.unhindered() - 0.9).abs() < 1e-9, "half of the time compilers are in the way: {half:?}");
    }

    #[test]
    fn what_maven_compiles_while_tests_run_is_in_their_way_and_not_in_that_of_the_start_up() {
        let told = JvmWork { beside_startup: 2.0, beside_tests: 3.0, process_startup: 0.5, tests: 8.0, processes: 1 };
        let parts = Parts::of(&Observed { cpu_seconds: 13.5, ..observed(Some(told)) });
        assert!((parts.computing - 9.5).abs() < 1e-9 && (parts.compiling - 4.5).abs() < 1e-9, "{parts:?}");
        assert!((parts.startup_on(2) - 3.5).abs() < 1e-9, "{parts:?}");
        let several = JvmWork { processes: 3, ..told };
        let several = Parts::of(&Observed { cpu_seconds: 13.5, ..observed(Some(several)) });
        assert_eq!(several.computing, parts.computing);
        assert!(several.compiling < parts.compiling, "between processes Maven works itself: {several:?}");
    }

    #[test]
    fn what_a_process_computes_after_its_tests_is_not_theirs() {
        let told = JvmWork { beside_startup: 0.0, beside_tests: 10.0, process_startup: 0.0, tests: 20.0, processes: 1 };
        assert!((Parts::of(&observed(Some(told))).unhindered() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn where_nobody_told_only_the_start_up_gains() {
        let parts = Parts::of(&observed(None));
        assert_eq!((parts.computing, parts.unhindered()), (8.0, 1.0));
        assert!(parts.startup_on(2) < 4.0 && parts.process > 0.0);
    }

    #[test]
    fn nonsense_stays_within_the_run() {
        let told =
            JvmWork { beside_startup: 99.0, beside_tests: 99.0, process_startup: 0.0, tests: 99.0, processes: 0 };
        let parts = Parts::of(&observed(Some(told)));
        assert!(parts.startup_on(2) >= 2.0 && (0.0..=1.0).contains(&parts.unhindered()), "{parts:?}");
    }
}
