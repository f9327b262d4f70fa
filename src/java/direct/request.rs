//! What a test process is told: the lines of its control file.
//!
//! The runner in `jvm/src/main/java/parade/direct` reads them. `jvm/protocol.txt` has every kind of line.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::roots::{Framework, TestLocation};
use crate::engine::{Isolation, Mode};
use crate::maven::protocol::{ControlKind, LineKind};
use crate::suite::TestId;

/// How the tests of an order run inside one process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manner {
    pub mode: Mode,
    pub threads: u32,
    pub limit: Option<Duration>,
    pub isolation: Isolation,
}

impl Manner {
    /// The same, one test after the other.
    pub fn one_by_one(self) -> Self {
        Manner { mode: Mode::Sequential, threads: 1, ..self }
    }
}

/// A test as it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// By which the answer refers to it.
    pub number: usize,
    pub id: &'a TestId,
    pub place: &'a TestLocation,
    pub display: Option<&'a str>,
}

/// Has a process with our agent tell what tests share.
pub fn accesses() -> String {
    let mut text = String::new();
    line(&mut text, ControlKind::Accesses, &[]);
    text
}

/// What comes before all orders.
pub fn preamble<'a>(
    properties: impl IntoIterator<Item = &'a (String, String)>,
    folders: impl IntoIterator<Item = &'a Path>,
) -> String {
    let mut text = String::new();
    for (key, value) in properties {
        line(&mut text, ControlKind::Property, &[key, value]);
    }
    for folder in folders {
        line(&mut text, ControlKind::Folder, &[&folder.to_string_lossy()]);
    }
    text
}

/// Asks for a record of what each test runs into.
pub fn trace(file: &Path) -> String {
    let mut text = String::new();
    line(&mut text, ControlKind::Trace, &[&file.to_string_lossy()]);
    text
}

pub fn order<'a>(id: u64, manner: Manner, tests: impl IntoIterator<Item = Asked<'a>>) -> String {
    let isolation = match manner.isolation {
        Isolation::Fresh => "fresh",
        Isolation::Warm => "warm",
    };
    let limit = manner.limit.map_or(0, |limit| limit.as_millis().max(1));
    let mut text = String::new();
    let fields = [&id.to_string(), isolation, &manner.threads.to_string(), manner.mode.name(), &limit.to_string()];
    line(&mut text, ControlKind::Order, &fields);
    for test in tests {
        test.write(&mut text);
    }
    line(&mut text, ControlKind::Go, &[]);
    text
}

/// Asks for the tests of some classes, without running any.
pub fn listing<'a>(id: u64, framework: Framework, roots: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    line(&mut text, ControlKind::List, &[&id.to_string(), framework.name()]);
    for root in roots {
        line(&mut text, ControlKind::Root, &[root]);
    }
    line(&mut text, ControlKind::Go, &[]);
    text
}

impl Asked<'_> {
    fn write(&self, text: &mut String) {
        let number = self.number.to_string();
        let occurrence = self.place.occurrence.to_string();
        let display = self.display.unwrap_or_default();
        let fields = [
            &number,
            self.place.framework.name(),
            &self.place.root,
            &self.id.class,
            &self.id.name,
            &occurrence,
            display,
        ];
        line(text, ControlKind::Test, &fields);
    }
}

pub fn line(text: &mut String, kind: impl LineKind, fields: &[&str]) {
    text.push_str(kind.word());
    for field in fields {
        text.push('\t');
        escape(text, field);
    }
    text.push('\n');
}

/// As `parade.Line` in the helper does.
fn escape(text: &mut String, field: &str) {
    for c in field.chars() {
        if c < ' ' || c == '\u{7f}' || c == '%' {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{:02x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::line::Line;
    use crate::maven::protocol::table;
    use proptest::prelude::*;

    const MANNER: Manner =
        Manner { mode: Mode::ClassesAndMethods, threads: 4, limit: None, isolation: Isolation::Warm };

    #[test]
    fn an_order_names_its_tests_in_the_order_to_run() {
        let place = |root: &str| TestLocation { framework: Framework::JUnit4, root: root.into(), occurrence: 2 };
        let (all, own) = (place("a.All"), place("a.B"));
        let ids = [TestId::new("m", "a.B", "x\ty", 7), TestId::new("m", "a.B", "z", 1)];
        let tests = [
            Asked { number: 5, id: &ids[0], place: &all, display: Some("x[1]") },
            Asked { number: 3, id: &ids[1], place: &own, display: None },
        ];
        assert_eq!(
            order(9, MANNER, tests),
            "order\t9\twarm\t4\tclassesAndMethods\t0\ntest\t5\tjunit4\ta.All\ta.B\tx%09y\t2\tx[1]\n\
             test\t3\tjunit4\ta.B\ta.B\tz\t2\t\ngo\n"
        );
    }

    #[test]
    fn the_examples_of_the_protocol_are_written() {
        let place = |root: &str| TestLocation { framework: Framework::JUnit4, root: root.into(), occurrence: 2 };
        let (all, own) = (place("a.All"), place("a.B"));
        let ids = [TestId::new("m", "a.B", "x\ty", 7), TestId::new("m", "a.B", "z", 1)];
        let tests = [
            Asked { number: 5, id: &ids[0], place: &all, display: Some("x[1]") },
            Asked { number: 3, id: &ids[1], place: &own, display: None },
        ];
        let manner = Manner { limit: Some(Duration::from_millis(1500)), ..MANNER };
        let property = ("basedir".to_owned(), "/w/100%".to_owned());
        let written = preamble([&property], [Path::new("/w/target/classes")])
            + &accesses()
            + &trace(Path::new("/t/trace"))
            + &listing(1, Framework::TestNg, ["a.B"])
            + &order(9, manner, tests);
        let kinds = ["property", "folder", "accesses", "trace", "list", "root", "go", "order", "test", "go"];
        assert_eq!(written, kinds.map(|kind| table::lines_of("control", kind)).concat());
    }

    #[test]
    fn the_values_of_the_protocol_are_those_that_are_written() {
        let frameworks = [Framework::JUnit3, Framework::JUnit4, Framework::Platform, Framework::TestNg];
        for kind in ["list", "test"] {
            assert_eq!(table::entry("control", kind).values("framework"), frameworks.map(Framework::name));
        }
        // How a project's own settings run tests is known to Maven only.
        let modes = Mode::ALL.iter().filter(|mode| **mode != Mode::Project).map(|mode| mode.name());
        assert_eq!(table::entry("control", "order").values("mode"), modes.collect::<Vec<_>>());
        let isolations = [Isolation::Fresh, Isolation::Warm].map(|isolation| {
            let text = order(1, Manner { isolation, ..MANNER }, []);
            text.split('\t').nth(2).unwrap().to_owned()
        });
        assert_eq!(table::entry("control", "order").values("isolation"), isolations);
    }

    #[test]
    fn a_limit_below_a_millisecond_is_still_one() {
        let manner = Manner { limit: Some(Duration::from_nanos(1)), ..MANNER };
        assert!(order(1, manner, []).starts_with("order\t1\twarm\t4\tclassesAndMethods\t1\n"));
    }

    #[test]
    fn a_listing_names_its_roots() {
        assert_eq!(listing(1, Framework::TestNg, ["a.B", "c.D"]), "list\t1\ttestng\nroot\ta.B\nroot\tc.D\ngo\n");
    }

    proptest! {
        #[test]
        fn any_text_survives(key in ".*", value in ".*") {
            let text = preamble(&[(key.clone(), value.clone())], []);
            prop_assert_eq!(text.matches('\n').count(), 1);
            let line = Line::parse(text.trim_end_matches('\n')).unwrap();
            prop_assert_eq!((line.text(0), line.text(1)), (Some(key.as_str()), Some(value.as_str())));
        }
    }
}
