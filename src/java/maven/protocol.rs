//! The kinds of lines in the files through which parade and its Java helper talk.
//!
//! `jvm/protocol.txt` lists every kind with its fields and an example. Tests of both sides read that file.

/// What the lines of one file can be about.
pub trait LineKind: Copy + 'static {
    const ALL: &[Self];

    /// The first field of the line.
    fn word(self) -> &'static str;

    fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }
}

/// Declares an enum of the kinds of lines in one file, each with the word that begins it.
macro_rules! line_kinds {
    ($(#[$about:meta])* $name:ident { $($kind:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($kind),* }

        impl LineKind for $name {
            const ALL: &[Self] = &[$($name::$kind),*];

            fn word(self) -> &'static str {
                match self { $($name::$kind => $word),* }
            }
        }
    };
}

line_kinds! {
    /// Of the event file of a test process.
    EventKind {
        Process = "P",
        Started = "S",
        Finished = "F",
        TimedOut = "T",
        Computed = "C",
        Begun = "B",
        Done = "D",
        Refused = "X",
        Listed = "L",
        Unlisted = "E",
        Named = "N",
        Initialised = "I",
        Accessed = "A",
    }
}

line_kinds! {
    /// Of the control file of the direct engine's runner.
    ControlKind {
        Property = "property",
        Folder = "folder",
        Accesses = "accesses",
        Trace = "trace",
        List = "list",
        Root = "root",
        Order = "order",
        Test = "test",
        Go = "go",
    }
}

line_kinds! {
    /// Of the handshake of the Maven extension.
    HandshakeKind {
        Hello = "hello",
        Module = "module",
        Deviation = "deviation",
        Reached = "reached",
        Goal = "goal",
        Framework = "framework",
        Counted = "counted",
        Unrevealed = "unrevealed",
        Launch = "launch",
        Path = "path",
        Program = "program",
        Property = "property",
        Environment = "environment",
        Without = "without",
        Scanned = "scanned",
        Note = "note",
        Unfetched = "unfetched",
        Failure = "failure",
        Background = "background",
        End = "end",
    }
}

line_kinds! {
    /// Of the question to the analysis of coverage.
    QuestionKind {
        Folder = "folder",
        Hits = "hits",
    }
}

line_kinds! {
    /// Of the answer of the analysis of coverage.
    AnswerKind {
        Class = "class",
        Method = "method",
        Probe = "probe",
        Unread = "unread",
        End = "end",
    }
}

/// The table of the protocol, for tests.
#[cfg(test)]
pub mod table {
    const TEXT: &str = include_str!("../../../jvm/protocol.txt");

    /// A kind of line, as the table has it.
    #[derive(Debug)]
    pub struct TableEntry {
        pub file: &'static str,
        pub kind: &'static str,
        pub fields: Vec<&'static str>,
        /// Whole lines, without their ends.
        pub examples: Vec<String>,
    }

    impl TableEntry {
        /// All values that a field can have, where the table names them.
        pub fn values(&self, field: &str) -> Vec<&'static str> {
            let named = |declared: &&'static str| declared.split_once('=').filter(|(name, _)| *name == field);
            self.fields.iter().find_map(named).map(|(_, values)| values.split('|').collect()).unwrap_or_default()
        }
    }

    pub fn entries() -> Vec<TableEntry> {
        let mut entries: Vec<TableEntry> = Vec::new();
        let mut file = "";
        for line in TEXT.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                file = name.trim_end_matches(']');
            } else if let Some(example) = line.strip_prefix("    ") {
                let entry = entries.last_mut().expect("an example follows its kind");
                entry.examples.push(example.replace("<TAB>", "\t"));
            } else {
                let mut words = line.split(' ');
                let kind = words.next().unwrap_or_default();
                entries.push(TableEntry { file, kind, fields: words.collect(), examples: Vec::new() });
            }
        }
        entries
    }

    pub fn entries_of(file: &str) -> Vec<TableEntry> {
        let entries: Vec<_> = entries().into_iter().filter(|entry| entry.file == file).collect();
        assert!(!entries.is_empty(), "the table has no file {file}");
        entries
    }

    pub fn entry(file: &str, kind: &str) -> TableEntry {
        let found = entries_of(file).into_iter().find(|entry| entry.kind == kind);
        found.unwrap_or_else(|| panic!("the table has no {kind} in {file}"))
    }

    /// All examples of a file, as lines.
    pub fn lines(file: &str) -> String {
        let entries = entries_of(file);
        entries.iter().flat_map(|entry| &entry.examples).map(|line| format!("{line}\n")).collect()
    }

    /// The examples of one kind, as lines.
    pub fn lines_of(file: &str, kind: &str) -> String {
        entry(file, kind).examples.iter().map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::table::{entries, entries_of};
    use super::*;
    use crate::maven::line::Line;

    fn words<K: LineKind>() -> Vec<&'static str> {
        K::ALL.iter().map(|kind| kind.word()).collect()
    }

    fn kinds_in(file: &str) -> Vec<&'static str> {
        entries_of(file).iter().map(|entry| entry.kind).collect()
    }

    #[test]
    fn the_table_has_every_kind_and_no_other() {
        assert_eq!(words::<EventKind>(), kinds_in("events"));
        assert_eq!(words::<ControlKind>(), kinds_in("control"));
        assert_eq!(words::<HandshakeKind>(), kinds_in("handshake"));
        assert_eq!(words::<QuestionKind>(), kinds_in("question"));
        assert_eq!(words::<AnswerKind>(), kinds_in("answer"));
    }

    #[test]
    fn a_word_leads_back_to_its_kind() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::of(kind.word()), Some(*kind));
        }
        for kind in HandshakeKind::ALL {
            assert_eq!(HandshakeKind::of(kind.word()), Some(*kind));
        }
        assert_eq!((EventKind::of("Q"), AnswerKind::of("hits")), (None, None));
    }

    /// Files that no test above covers have a test beside their reader or writer.
    #[test]
    fn the_table_has_these_files() {
        let mut files: Vec<_> = entries().iter().map(|entry| entry.file).collect();
        files.dedup();
        let known = ["seal", "events", "control", "handshake", "settings", "selection", "question", "answer", "traces"];
        assert_eq!(files, known);
    }

    #[test]
    fn every_kind_has_an_example_with_the_fields_that_it_declares() {
        for entry in entries() {
            assert!(!entry.examples.is_empty(), "{} in {}", entry.kind, entry.file);
            if matches!(entry.file, "seal" | "settings" | "selection" | "traces") {
                continue;
            }
            let most = entry.fields.len();
            let least = entry.fields.iter().filter(|field| !field.ends_with('?')).count();
            for example in &entry.examples {
                let line = Line::parse(example).unwrap();
                let count = example.split('\t').count() - 1;
                assert_eq!(line.kind, entry.kind, "{example}");
                assert!((least..=most).contains(&count), "{example} has {count} fields");
                for (index, field) in entry.fields.iter().enumerate() {
                    let Some((_, values)) = field.split_once('=') else { continue };
                    let value = line.text(index).unwrap();
                    assert!(values.split('|').any(|known| known == value), "{value} in {example}");
                }
            }
        }
    }
}
