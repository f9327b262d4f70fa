//! Whose turn it is. Tests that run Maven, or take minutes, run only where they are asked for. They run side by side, except
//! for two kinds: what is measured must not be disturbed, and a bundled subject is built in one place.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Ordinary tests share the machine, and who measures has it for itself.
static MACHINE: RwLock<()> = RwLock::new(());

static SUBJECTS: Mutex<BTreeMap<String, &'static Mutex<()>>> = Mutex::new(BTreeMap::new());

/// Ends when it is dropped.
pub struct Turn {
    _machine: Share,
    _subject: Option<MutexGuard<'static, ()>>,
}

#[expect(dead_code, reason = "what is held is never looked at")]
enum Share {
    Part(RwLockReadGuard<'static, ()>),
    Whole(RwLockWriteGuard<'static, ()>),
}

/// With other tests at the same time. `None`, said aloud, where slow tests are not wanted.
pub fn beside_others(what: &str) -> Option<Turn> {
    is_wanted(what).then(|| Turn { _machine: part(), _subject: None })
}

/// With other tests, but not with those of the same bundled subject: two would use one worktree, or see each other's processes.
pub fn of_subject(subject: &str) -> Option<Turn> {
    is_wanted(subject).then(|| {
        let subject = held(subject);
        Turn { _machine: part(), _subject: Some(subject) }
    })
}

/// Without any other test: for what measures times.
pub fn alone(what: &str) -> Option<Turn> {
    let whole = || Share::Whole(MACHINE.write().unwrap_or_else(PoisonError::into_inner));
    is_wanted(what).then(|| Turn { _machine: whole(), _subject: None })
}

fn is_wanted(what: &str) -> bool {
    let wanted = std::env::var("PARADE_SLOW_TESTS").is_ok_and(|value| value == "1");
    if !wanted {
        println!("{what}: skipped, as it is slow; set PARADE_SLOW_TESTS=1");
    }
    wanted
}

fn part() -> Share {
    Share::Part(MACHINE.read().unwrap_or_else(PoisonError::into_inner))
}

fn held(subject: &str) -> MutexGuard<'static, ()> {
    let mut subjects = SUBJECTS.lock().unwrap_or_else(PoisonError::into_inner);
    let lock: &'static Mutex<()> = subjects.entry(subject.to_owned()).or_insert_with(|| Box::leak(Box::default()));
    drop(subjects);
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
