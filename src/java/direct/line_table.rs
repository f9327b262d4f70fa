//! Which lines and methods stand behind JaCoCo's probes, as `parade.cover.Analysis` in the helper wrote it down.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::BufRead;

use super::traces::Pattern;
use crate::maven::line::{Line, each_line};
use crate::maven::protocol::{AnswerKind, LineKind};
use crate::suite::{Element, MethodLines, Program};

/// Class files count lines no further.
const LAST_LINE: u32 = 65_535;

/// The program's classes, by the identity that JaCoCo gives to their content.
#[derive(Debug, Default)]
pub struct LineTable {
    classes: HashMap<u64, ClassTable>,
    /// By name, for those that ran in another shape than the one in the program's folders.
    names: HashMap<String, u64>,
    /// Class files that could not be understood, with the reason.
    pub unread: Vec<(String, String)>,
    complete: bool,
    latest: Option<u64>,
}

#[derive(Debug, Default)]
struct ClassTable {
    /// `None` where the class file names none.
    file: Option<String>,
    methods: Vec<Method>,
    probes: HashMap<u32, Proof>,
}

#[derive(Debug)]
struct Method {
    name: String,
    lines: Lines,
    /// Is it what the compiler made of a lambda? Then its lines are also those of the method around it.
    lambda: bool,
}

/// What ran if a probe was hit.
#[derive(Debug)]
struct Proof {
    method: usize,
    lines: Lines,
}

/// Runs of lines, ascending.
type Lines = Vec<(u32, u32)>;

/// What a test covers, while it is put together.
#[derive(Debug, Default)]
pub struct Cover {
    lines: BTreeMap<String, BTreeSet<u32>>,
    methods: BTreeSet<String>,
}

impl LineTable {
    /// `None` where the analysis did not end.
    pub fn read(text: impl BufRead) -> std::io::Result<Option<Self>> {
        let mut table = LineTable::default();
        each_line(text, |line| table.take(line).is_some())?;
        Ok(table.complete.then_some(table))
    }

    fn take(&mut self, line: &Line) -> Option<()> {
        let text = |at| line.text(at).map(str::to_owned);
        match AnswerKind::of(&line.kind)? {
            AnswerKind::Class => {
                let id = u64::from_str_radix(line.text(0)?, 16).ok()?;
                let file = text(1).filter(|file| !file.is_empty());
                self.names.insert(text(2)?, id);
                self.classes.insert(id, ClassTable { file, ..ClassTable::default() });
                self.latest = Some(id);
            }
            AnswerKind::Method => {
                let method = Method { name: text(1)?, lines: lines(line.text(2)?)?, lambda: line.text(3)? == "lambda" };
                self.current()?.methods.push(method);
            }
            AnswerKind::Probe => {
                let proof = Proof { method: line.number(1)?, lines: lines(line.text(2)?)? };
                let probe = line.number(0)?;
                self.current()?.probes.insert(probe, proof);
            }
            AnswerKind::Unread => self.unread.push((text(0)?, text(1)?)),
            AnswerKind::End => self.complete = true,
        }
        Some(())
    }

    fn current(&mut self) -> Option<&mut ClassTable> {
        self.classes.get_mut(&self.latest?)
    }

    /// Is there a class of this name, but with other content?
    pub fn has_another(&self, name: &str, id: u64) -> bool {
        !self.classes.contains_key(&id) && self.names.contains_key(&name.replace('/', "."))
    }

    /// Classes that say nothing of their lines.
    pub fn without_lines(&self) -> usize {
        let bare = |class: &&ClassTable| class.file.is_none() || class.methods.iter().all(|m| m.lines.is_empty());
        self.classes.values().filter(bare).count()
    }

    /// All that can be covered.
    pub fn program(&self) -> Program {
        let mut files: BTreeMap<&str, Vec<&Method>> = BTreeMap::new();
        for class in self.classes.values() {
            if let Some(file) = &class.file {
                files.entry(file).or_default().extend(class.methods.iter().filter(|method| !method.lambda));
            }
        }
        let mut program = Program::default();
        for (file, mut methods) in files {
            methods.sort_by(|a, b| (&a.lines, &a.name).cmp(&(&b.lines, &b.name)));
            outline(file, &methods, &mut program);
        }
        program
    }

    /// What one pattern of hits proves.
    pub fn cover(&self, class: u64, pattern: &Pattern) -> Cover {
        let mut cover = Cover::default();
        let Some(table) = self.classes.get(&class) else { return cover };
        for proof in pattern.hits().filter_map(|probe| table.probes.get(&probe)) {
            cover.methods.extend(table.methods.get(proof.method).map(|method| method.name.clone()));
            if let Some(file) = &table.file {
                cover.lines.entry(file.clone()).or_default().extend(each(&proof.lines));
            }
        }
        cover
    }
}

impl Cover {
    pub fn add(&mut self, other: &Cover) {
        for (file, lines) in &other.lines {
            match self.lines.get_mut(file) {
                Some(known) => known.extend(lines),
                None => drop(self.lines.insert(file.clone(), lines.clone())),
            }
        }
        self.methods.extend(other.methods.iter().cloned());
    }

    pub fn elements(self) -> Vec<Element> {
        let lines = self.lines.iter().flat_map(|(file, lines)| runs(file, lines));
        let mut elements: Vec<Element> = lines.collect();
        elements.extend(self.methods.into_iter().map(Element::Method));
        elements
    }
}

/// The executable lines of a file, and where its methods are. Constructors also run what fields begin with, wherever that
/// stands: they get a piece for each stretch of lines. A line of several methods is a piece of each of them.
fn outline(file: &str, methods: &[&Method], program: &mut Program) {
    let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
    for line in methods.iter().flat_map(|method| each(&method.lines)) {
        *owners.entry(line).or_default() += 1;
    }
    program.executable.extend(runs(file, &owners.keys().copied().collect()));
    for method in methods {
        let own: Vec<u32> = each(&method.lines).collect();
        let scattered = method.name.contains("#<init>(") || method.name.contains("#<clinit>(");
        let near = |a: &u32, b: &u32| !scattered || owners.range(a + 1..*b).next().is_none();
        let pieces = own.chunk_by(near).map(|piece| (piece[0], piece[piece.len() - 1]));
        let shared = own.iter().filter(|line| owners[line] > 1).map(|line| (*line, *line));
        let all: BTreeSet<(u32, u32)> = pieces.chain(shared).collect();
        let named = |(first, last)| MethodLines { name: method.name.clone(), file: file.to_owned(), first, last };
        program.methods.extend(all.into_iter().map(named));
    }
}

fn runs(file: &str, lines: &BTreeSet<u32>) -> Vec<Element> {
    let lines: Vec<u32> = lines.iter().copied().collect();
    let run = |run: &[u32]| Element::Lines { file: file.to_owned(), first: run[0], last: run[run.len() - 1] };
    lines.chunk_by(|a, b| a + 1 == *b).map(run).collect()
}

fn each(lines: &Lines) -> impl Iterator<Item = u32> {
    lines.iter().flat_map(|(first, last)| *first..=*last)
}

/// `3,7-9`.
fn lines(text: &str) -> Option<Lines> {
    let run = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (1 <= first && first <= last && last <= LAST_LINE).then_some((first, last))
    };
    text.split(',').filter(|part| !part.is_empty()).map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::protocol;

    /// A class with a field's value (5) and two constructors (8, 10), a method around an anonymous class, and a lambda.
    const TABLE: &str = "class\tff\ta/B.java\ta.B\n\
        method\t0\ta.B#<init>()\t5,8-9\town\n\
        method\t1\ta.B#<init>(int)\t5,10\town\n\
        method\t2\ta.B#m()\t20-22,26\town\n\
        method\t3\ta.B#lambda$m$0()\t22\tlambda\n\
        probe\t0\t0\t5,8-9\n\
        probe\t3\t2\t22\n\
        class\tee\ta/B.java\ta.B$1\n\
        method\t0\ta.B$1#run()\t22-24\town\n\
        end\n";

    fn table(text: &str) -> LineTable {
        LineTable::read(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn methods_have_the_lines_that_are_theirs() {
        let program = table(TABLE).program();
        let executable: Vec<_> = program.executable.iter().map(Element::to_string).collect();
        assert_eq!(executable, ["a/B.java:5", "a/B.java:8-10", "a/B.java:20-24", "a/B.java:26"]);
        let spans = |name: &str| -> Vec<(u32, u32)> {
            let of = program.methods.iter().filter(|method| method.name == name);
            of.map(|method| (method.first, method.last)).collect()
        };
        assert_eq!(spans("a.B#<init>()"), [(5, 5), (5, 9)]);
        assert_eq!(spans("a.B#<init>(int)"), [(5, 5), (10, 10)]);
        assert_eq!(spans("a.B#m()"), [(20, 26), (22, 22)]);
        assert_eq!(spans("a.B$1#run()"), [(22, 22), (22, 24)]);
        assert!(spans("a.B#lambda$m$0()").is_empty());
    }

    #[test]
    fn the_examples_of_the_protocol_are_understood() {
        let mut table = LineTable::default();
        for text in protocol::table::lines("answer").lines() {
            assert!(table.take(&Line::parse(text).unwrap()).is_some(), "{text}");
        }
        assert!(table.complete);
        assert_eq!(table.unread, [("a/C.class".to_owned(), "java.io.IOException: no class file".to_owned())]);
        assert_eq!(table.names, HashMap::from([("a.B".to_owned(), 0xff)]));
        let class = &table.classes[&0xff];
        assert_eq!(class.file.as_deref(), Some("a/B.java"));
        let method = &class.methods[0];
        assert_eq!((method.name.as_str(), &method.lines), ("a.B#m(int,java.lang.String)", &vec![(3, 3), (7, 9)]));
        assert!(!method.lambda);
        let proof = &class.probes[&3];
        assert_eq!((proof.method, &proof.lines), (0, &vec![(7, 8)]));
    }

    #[test]
    fn an_analysis_that_broke_off_is_none() {
        assert!(LineTable::read("class\tff\ta/B.java\ta.B\n".as_bytes()).unwrap().is_none());
        assert!(LineTable::read("probe\t0\t0\t5\nmethod\nend\n".as_bytes()).unwrap().is_some());
    }

    #[test]
    fn a_class_can_run_in_another_shape_than_the_program_has() {
        let table = table(TABLE);
        assert!(table.has_another("a/B", 1) && !table.has_another("a/B", 0xff) && !table.has_another("a/C", 1));
        assert_eq!(table.without_lines(), 0);
    }

    #[test]
    fn lines_are_read_as_runs() {
        assert_eq!(lines("3,7-9"), Some(vec![(3, 3), (7, 9)]));
        assert_eq!(lines(""), Some(vec![]));
        assert_eq!([lines("0"), lines("4-3"), lines("x"), lines("1-70000")], [None, None, None, None]);
    }
}
