//! What tests share, as a process with our agent tells it: which lines concern it, and whose what ran between two tests is.
//!
//! What ran since the last test of another class is the class's: its fixtures come before any test of it. What ran since the
//! last test of the same class belongs to the test. What somebody knows to have come after a test is the test's where another
//! one of its class follows, and else the class's. The agent is in `jvm/src/main/java/parade/agent`, and
//! `jvm/protocol.txt` has every kind of line.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::miette;

use crate::maven::Helper;
use crate::maven::line::Line;
use crate::suite::{Accesses, ClassId, TestId};

/// Accesses that are kept of one process; tests beyond count as unknown.
const KEPT: usize = 20_000_000;

/// The agent on a command line, for a project; or for another task that it knows by a word.
pub fn option(helper: &Helper, project: &Path) -> miette::Result<OsString> {
    let mut option = OsString::from("-javaagent:");
    option.push(helper.agent());
    option.push("=");
    option.push(project);
    for jar in helper.weaver() {
        option.push(":");
        option.push(jar);
    }
    let separators = |path: &Path| path.to_string_lossy().contains([':', '=']);
    match [project, helper.agent().as_path()].into_iter().find(|path| separators(path)) {
        None => Ok(option),
        Some(path) => Err(miette!(
            help = "set PARADE_HOME to a folder without these characters",
            "parade's agent cannot be used, because {} contains a `:` or `=`",
            path.display()
        )),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    In,
    After,
}

/// What was touched in one piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// The number of the test that was asked for.
    asked: usize,
    part: Part,
    sets: Sets,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Sets {
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    uses: Uses,
}

/// Classes, with what they read when they were initialised.
type Uses = BTreeMap<String, Arc<BTreeSet<String>>>;

impl Sets {
    /// What is read after it was written depends on nothing earlier.
    fn then(&mut self, next: Sets) {
        let new = next.reads.into_iter().filter(|name| !self.writes.contains(name));
        self.reads.extend(new.collect::<Vec<_>>());
        self.writes.extend(next.writes);
        self.uses.extend(next.uses);
    }

    /// Who uses a class depends on what it read at first, whenever that was; classes in `known` had been initialised before.
    /// For those who write what it reads, and expect it to take notice, it matters whether it was initialised already.
    fn settled(mut self, known: &Uses) -> Self {
        for (class, initial) in std::mem::take(&mut self.uses) {
            if known.contains_key(&class) {
                continue;
            }
            if !self.writes.is_disjoint(&initial) {
                self.reads.insert(class.clone());
            }
            self.reads.extend(initial.iter().cloned());
            self.writes.insert(class);
        }
        self
    }
}

/// Reads the lines of one process.
#[derive(Debug, Default)]
pub struct Ledger {
    names: HashMap<u32, String>,
    /// What classes read when they were initialised.
    initial: HashMap<u32, Arc<BTreeSet<String>>>,
    /// The test that started last, and the one that ended last: the number of the event, and what it answers.
    started: Option<(u32, usize)>,
    ended: Option<(u32, usize)>,
    kept: usize,
}

impl Ledger {
    /// A test begins.
    pub fn start(&mut self, line: &Line) {
        self.started = line.number(0).zip(line.number(9));
    }

    pub fn name(&mut self, line: &Line) -> Option<()> {
        self.names.insert(line.number(0)?, line.text(1)?.to_owned());
        Some(())
    }

    /// What a class read when it was initialised.
    pub fn introduce(&mut self, line: &Line) -> Option<()> {
        let reads = self.named(line.text(1)?)?;
        self.initial.insert(line.number(0)?, Arc::new(reads));
        Some(())
    }

    /// `None` for what is not understood, and for what nobody asked for.
    pub fn take(&mut self, line: &Line) -> Option<Touched> {
        let number: u32 = line.number(0)?;
        let part = match line.text(1)? {
            "before" => Part::Before,
            "in" => Part::In,
            "after" => Part::After,
            _ => return None,
        };
        let test = if part == Part::After { self.ended } else { self.started };
        let (_, asked) = test.filter(|(known, _)| *known == number)?;
        if part == Part::In {
            self.ended = test;
        }
        let (reads, writes) = (self.named(line.text(2)?)?, self.named(line.text(3)?)?);
        let sets = Sets { reads, writes, uses: self.used(line.text(4)?)? };
        self.kept += sets.reads.len() + sets.writes.len() + sets.uses.len();
        (self.kept <= KEPT).then_some(Touched { asked, part, sets })
    }

    fn named(&self, numbers: &str) -> Option<BTreeSet<String>> {
        each(numbers).map(|number| self.names.get(&number?).cloned()).collect()
    }

    fn used(&self, numbers: &str) -> Option<Uses> {
        let class =
            |number: Option<u32>| Some((self.names.get(&number?)?.clone(), self.initial.get(&number?)?.clone()));
        each(numbers).map(class).collect()
    }
}

fn each(numbers: &str) -> impl Iterator<Item = Option<u32>> {
    numbers.split(' ').filter(|number| !number.is_empty()).map(|number| number.parse().ok())
}

/// Where files lie that tests can have in common.
#[derive(Debug)]
pub struct Places {
    pub project: PathBuf,
    pub temporary: PathBuf,
}

impl Places {
    /// Those of the project by their path in it; those of the machine, temporary ones apart, do not count.
    fn shared(&self, name: String) -> Option<String> {
        let Some(path) = name.strip_prefix("file:") else { return Some(name) };
        let folder = if path.ends_with('/') { "/" } else { "" };
        match Path::new(path).strip_prefix(&self.project) {
            Ok(inside) if inside.as_os_str().is_empty() => Some(format!("file:.{folder}")),
            Ok(inside) => Some(format!("file:{}{folder}", inside.display())),
            Err(_) => Path::new(path).starts_with(&self.temporary).then_some(name),
        }
    }

    fn accesses(&self, test: TestId, sets: Sets) -> Accesses {
        Accesses { test, reads: self.listed(sets.reads), writes: self.listed(sets.writes) }
    }

    fn listed(&self, names: BTreeSet<String>) -> Vec<String> {
        let kept: BTreeSet<String> = names.into_iter().filter_map(|name| self.shared(name)).collect();
        kept.into_iter().collect()
    }
}

/// Gathers what the processes of a run told.
#[derive(Debug, Default)]
struct Gathered {
    /// In the order in which they ran.
    tests: Vec<(TestId, Sets)>,
    /// What comes before the tests of a class, and what comes after.
    set_up: BTreeMap<ClassId, Sets>,
    aftermath: BTreeMap<ClassId, Sets>,
    /// Of the test that is next, and what came after the last one.
    own: Sets,
    after: Sets,
}

impl Gathered {
    fn add(&mut self, part: Part, test: TestId, sets: Sets) {
        let same_class = self.tests.last().is_some_and(|(last, _)| last.class_id() == test.class_id());
        if part != Part::After {
            self.settle(same_class);
        }
        match part {
            Part::Before if same_class => self.own = sets,
            Part::Before => self.set_up.entry(test.class_id()).or_default().then(sets),
            Part::In => {
                let mut own = std::mem::take(&mut self.own);
                own.then(sets);
                self.tests.push((test, own));
            }
            Part::After => self.after.then(sets),
        }
    }

    /// What came after the last test: the test's own, or its class's?
    fn settle(&mut self, goes_on: bool) {
        let after = std::mem::take(&mut self.after);
        match self.tests.last_mut() {
            Some((_, sets)) if goes_on => sets.then(after),
            Some((last, _)) => self.aftermath.entry(last.class_id()).or_default().then(after),
            None => {}
        }
    }

    fn finish(mut self, places: &Places) -> Vec<Accesses> {
        self.settle(false);
        let (nothing, mut told, mut all) = (Uses::new(), BTreeSet::new(), Vec::new());
        for (test, sets) in std::mem::take(&mut self.tests) {
            let class = test.class_id();
            let whole = |number| TestId::new(&test.module, &test.class, TestId::WHOLE_CLASS, number);
            let known = self.set_up.get(&class).map_or(&nothing, |set_up| &set_up.uses);
            let after = self.aftermath.remove(&class).map(|sets| (whole(2), sets.settled(known)));
            let own = (test.clone(), sets.settled(known));
            let first = told.insert(class.clone());
            let before = self.set_up.get(&class).filter(|_| first);
            let before = before.map(|sets| (whole(1), sets.clone().settled(&nothing)));
            all.extend(
                [before, after, Some(own)].into_iter().flatten().map(|(test, sets)| places.accesses(test, sets)),
            );
        }
        all.retain(|one| !one.test.is_whole_class() || !one.reads.is_empty() || !one.writes.is_empty());
        all
    }
}

/// By test and class; `id` says which test a number is.
pub fn accesses(touched: Vec<Touched>, id: impl Fn(usize) -> TestId, places: &Places) -> Vec<Accesses> {
    let mut gathered = Gathered::default();
    for Touched { asked, part, sets } in touched {
        gathered.add(part, id(asked), sets);
    }
    gathered.finish(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::protocol::table;

    fn told(lines: &str) -> Vec<Touched> {
        let mut ledger = Ledger::default();
        let mut touched = Vec::new();
        for line in lines.lines().filter_map(Line::parse) {
            match line.kind.as_str() {
                "S" => ledger.start(&line),
                "N" => ledger.name(&line).unwrap(),
                "I" => ledger.introduce(&line).unwrap(),
                _ => touched.extend(ledger.take(&line)),
            }
        }
        touched
    }

    #[test]
    fn the_examples_of_the_protocol_are_understood() {
        let lines = ["S", "N", "I", "A"].map(|kind| table::lines_of("events", kind)).concat();
        let names = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        let initial = Arc::new(names(&["a.B.count", "file:/w/a%b"]));
        let sets = Sets {
            reads: names(&["a.B.count", "file:/w/a%b"]),
            writes: names(&["a.B.count"]),
            uses: Uses::from([("a.B.<clinit>".to_owned(), initial)]),
        };
        assert_eq!(told(&lines), [Touched { asked: 7, part: Part::In, sets }]);
    }

    #[test]
    fn every_part_of_the_protocol_is_understood() {
        let parts = table::entry("events", "A").values("part");
        let lines: String = ["in", "before", "after"]
            .iter()
            .filter(|part| parts.contains(part))
            .map(|part| format!("A\t1\t{part}\t\t\t\n"))
            .collect();
        let read: Vec<Part> = told(&(start(1, "0") + &lines)).iter().map(|touched| touched.part).collect();
        assert_eq!(read, [Part::In, Part::Before, Part::After]);
        assert_eq!(read.len(), parts.len());
    }

    fn start(number: u32, asked: &str) -> String {
        format!("S\t{number}\t0\t0\tmain\ta.B\tt\t1\t\t\t{asked}\n")
    }

    fn seen(lines: &str, ids: &[&str]) -> Vec<(String, String, String)> {
        let places = Places { project: "/w".into(), temporary: "/tmp".into() };
        let id = |number: usize| ids[number].parse::<TestId>().unwrap();
        accesses(told(lines), id, &places)
            .into_iter()
            .map(|one| (one.test.to_string(), one.reads.join(" "), one.writes.join(" ")))
            .collect()
    }

    fn row(test: &str, reads: &str, writes: &str) -> (String, String, String) {
        (test.to_owned(), reads.to_owned(), writes.to_owned())
    }

    #[test]
    fn what_runs_between_tests_is_the_class_s_or_the_next_test_s() {
        let lines = [
            "N\t1\tx\nN\t2\ty\nN\t3\tz\n",
            &start(1, "0"),
            "A\t1\tbefore\t\t1\t\nA\t1\tin\t2\t\t\nA\t1\tafter\t\t3\t\n",
            &start(2, "1"),
            "A\t2\tbefore\t\t2\t\nA\t2\tin\t2 3\t\t\nA\t2\tafter\t\t3\t\n",
            &start(3, "2"),
            "A\t3\tin\t\t\t\n",
        ]
        .concat();
        let expected = [
            row("A#<class>", "", "x"),
            row("A#<class>~2", "", "z"),
            row("A#a", "y", "z"),
            row("A#b", "z", "y"),
            row("B#c", "", ""),
        ];
        assert_eq!(seen(&lines, &["A#a", "A#b", "B#c"]), expected, "b wrote y itself before it read it");
    }

    #[test]
    fn what_a_class_read_at_first_matters_to_all_who_use_it() {
        let lines = [
            "N\t1\tproperty:p\nN\t2\tC.<clinit>\nI\t2\t1\n",
            &start(1, "0"),
            "A\t1\tin\t\t\t2\n",
            &start(2, "1"),
            "A\t2\tin\t\t1\t2\n",
            &start(3, "2"),
            "A\t3\tbefore\t\t\t2\nA\t3\tin\t\t\t2\n",
        ]
        .concat();
        let expected = [
            row("A#uses", "property:p", "C.<clinit>"),
            row("A#expects", "C.<clinit> property:p", "C.<clinit> property:p"),
            row("B#<class>", "property:p", "C.<clinit>"),
            row("B#late", "", ""),
        ];
        assert_eq!(seen(&lines, &["A#uses", "A#expects", "B#late"]), expected);
    }

    #[test]
    fn files_count_below_the_project_and_among_temporary_ones() {
        let lines = [
            "N\t1\tfile:/w/a \
             b\nN\t2\tfile:/w/\nN\t3\tfile:/etc/hosts\nN\t4\tfile:/tmp/x\nN\t5\tfile:/wide\nN\t6\tproperty:p\n",
            &start(1, "0"),
            "A\t1\tin\t1 2 3 4 5 6\t\t\n",
        ]
        .concat();
        assert_eq!(seen(&lines, &["A#a"]), [row("A#a", "file:./ file:/tmp/x file:a b property:p", "")]);
    }

    #[test]
    fn what_is_not_ours_is_passed_over() {
        let lines =
            [&start(1, ""), "A\t1\tin\t\t\t\n", &start(2, "0"), "A\t9\tin\t\t\t\nA\t2\tin\t7\t\t\nA\t2\twhen\t\t\t\n"]
                .concat();
        assert_eq!(seen(&lines, &["A#a"]), [], "nobody asked, another test, a name that never came, no such part");
    }
}
