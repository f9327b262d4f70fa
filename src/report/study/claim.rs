//! What a document states, and when a number agrees with it.

use serde::Serialize;

use super::expression::{Names, Node, Span, Truth, Value};
use super::printed::{self, Printed};
use super::range::Range;

#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub id: String,
    /// Where in the document.
    pub place: String,
    /// In our words.
    pub claim: String,
    pub stated: Stated,
    pub unit: Option<String>,
    pub compute: Computation,
    pub relation: Relation,
    pub rounding: Rounding,
    pub note: Option<String>,
    pub kind: ClaimKind,
    /// The same from the tables of a run.
    pub own: Option<Formula>,
    /// What means no effect.
    pub neutral: Option<f64>,
}

/// How it follows, or why it cannot.
#[derive(Debug, Clone, PartialEq)]
pub enum Computation {
    From(Formula),
    Impossible(String),
}

/// An expression, with its place in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    pub text: String,
    pub tree: Node,
    /// Of the text's first byte in the file; nothing where the file writes it with escapes.
    pub start: Option<usize>,
    pub span: Span,
}

impl Formula {
    /// A place in the expression as a place in the file.
    pub fn in_file(&self, span: &Span) -> Span {
        place_in_file(self.start, &self.span, span)
    }
}

pub fn place_in_file(start: Option<usize>, whole: &Span, part: &Span) -> Span {
    start.map_or_else(|| whole.clone(), |start| start + part.start..start + part.end.max(part.start + 1))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// A number that follows from rows.
    Derived,
    /// Two places of one document.
    Contradiction,
    /// What one document says that another says.
    Citation,
    /// Another way to read what a claim beside it is about.
    Reading,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    Equal,
    AtLeast,
    AtMost,
    MoreThan,
    LessThan,
    /// Within this share of the stated value.
    About(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    Nearest,
    /// Digits were cut off.
    Down,
    Up,
}

/// As it is printed, and what that says.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated {
    pub text: String,
    pub meaning: Meaning,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// One more in the last digit is worth `step`.
    Number {
        value: f64,
        step: f64,
        has_decimals: bool,
    },
    Truth(bool),
    Names(Vec<String>),
}

impl Stated {
    /// `step`: what the number is rounded to, if its digits do not tell.
    pub fn read(text: &str, step: Option<f64>) -> Stated {
        let meaning = match text.trim() {
            "yes" => Meaning::Truth(true),
            "no" => Meaning::Truth(false),
            trimmed => match (printed::number(trimmed), printed::seconds(trimmed)) {
                (Some(Printed { value, step: last, decimals, .. }), _) => {
                    Meaning::Number { value, step: step.unwrap_or(last), has_decimals: decimals > 0 }
                }
                (None, Some(time)) => Meaning::Number {
                    value: time.value,
                    step: step.unwrap_or(time.high - time.low),
                    has_decimals: true,
                },
                (None, None) => Meaning::Names(names(trimmed)),
            },
        };
        Stated { text: text.to_owned(), meaning }
    }

    pub fn number(&self) -> Option<f64> {
        if let Meaning::Number { value, .. } = self.meaning { Some(value) } else { None }
    }

    /// As `stated("id")` gives it.
    pub fn value(&self) -> Value {
        meant(&self.meaning)
    }
}

pub fn meant(meaning: &Meaning) -> Value {
    match meaning {
        Meaning::Number { value, step, has_decimals: true } => Value::Number(Range::around(*value, step / 2.0)),
        Meaning::Number { value, .. } => Value::Number(Range::exact(*value)),
        Meaning::Truth(value) => Value::Truth(Truth::sure(*value)),
        Meaning::Names(names) => {
            Value::Names(Names { listed: names.clone(), certain: names.clone(), possible: names.clone() })
        }
    }
}

/// Separated by `; `.
pub fn names(text: &str) -> Vec<String> {
    text.split(';').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Whether a value agrees with a stated number.
pub fn agrees(value: f64, stated: f64, step: f64, has_decimals: bool, relation: Relation, rounding: Rounding) -> bool {
    // Sums of decimal fractions miss the exact ones by a little.
    let room = 1e-9 * value.abs().max(stated.abs()) + 1e-12;
    let half = if has_decimals { step / 2.0 } else { 0.0 };
    match relation {
        Relation::Equal => rounds_to(value, stated, step, rounding, room),
        Relation::AtLeast => value >= stated - half - room,
        Relation::AtMost => value <= stated + half + room,
        Relation::MoreThan => value > stated + room,
        Relation::LessThan => value < stated - room,
        Relation::About(tolerance) => (value - stated).abs() <= tolerance * stated.abs() + room,
    }
}

/// Halves may have gone either way. Cutting goes towards zero.
fn rounds_to(value: f64, stated: f64, step: f64, rounding: Rounding, room: f64) -> bool {
    let beyond = if value < 0.0 || stated < 0.0 { stated - value } else { value - stated };
    match rounding {
        Rounding::Nearest => (value - stated).abs() <= step / 2.0 + room,
        Rounding::Down => beyond >= -room && beyond < step - room,
        Rounding::Up => beyond <= room && beyond > room - step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(value: f64, stated: &str, rounding: Rounding) -> bool {
        let Meaning::Number { value: number, step, has_decimals } = Stated::read(stated, None).meaning else {
            panic!("{stated}")
        };
        agrees(value, number, step, has_decimals, Relation::Equal, rounding)
    }

    fn related(value: f64, stated: &str, relation: Relation) -> bool {
        let Meaning::Number { value: number, step, has_decimals } = Stated::read(stated, None).meaning else {
            panic!("{stated}")
        };
        agrees(value, number, step, has_decimals, relation, Rounding::Nearest)
    }

    #[test]
    fn a_value_is_rounded_to_what_is_stated() {
        assert!(equal(1.5949, "1.59", Rounding::Nearest) && !equal(1.5951, "1.59", Rounding::Nearest));
        assert!(equal(0.125, "0.12", Rounding::Nearest) && equal(0.125, "0.13", Rounding::Nearest));
        assert!(equal(16.0, "16", Rounding::Nearest) && !equal(16.6, "16", Rounding::Nearest));
        assert!(equal(0.1 + 0.2, "0.3", Rounding::Nearest) && equal(-13.914, "−13.91", Rounding::Nearest));
    }

    #[test]
    fn digits_can_have_been_cut_off() {
        assert!(
            equal(1.599, "1.59", Rounding::Down)
                && !equal(1.6, "1.59", Rounding::Down)
                && equal(1.59, "1.59", Rounding::Down)
        );
        assert!(equal(1.581, "1.59", Rounding::Up) && !equal(1.591, "1.59", Rounding::Up));
        assert!(equal(-1.599, "-1.59", Rounding::Down) && !equal(-1.589, "-1.59", Rounding::Down));
    }

    #[test]
    fn relations_are_as_they_read() {
        assert!(related(50.4, "50", Relation::MoreThan) && !related(50.0, "50", Relation::MoreThan));
        assert!(related(49.9, "50", Relation::LessThan) && !related(50.0, "50", Relation::LessThan));
        assert!(related(50.0, "50", Relation::AtLeast) && !related(49.6, "50", Relation::AtLeast));
        assert!(related(5.196, "5.20", Relation::AtLeast) && !related(5.19, "5.20", Relation::AtLeast));
        assert!(related(5.204, "5.20", Relation::AtMost) && !related(5.21, "5.20", Relation::AtMost));
        assert!(related(109.0, "100", Relation::About(0.1)) && !related(111.0, "100", Relation::About(0.1)));
    }

    #[test]
    fn what_is_stated_is_a_number_an_answer_or_names() {
        assert_eq!(Stated::read("yes", None).meaning, Meaning::Truth(true));
        assert_eq!(Stated::read("a; b ;", None).meaning, Meaning::Names(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(
            Stated::read("1h 2m", None).meaning,
            Meaning::Number { value: 3720.0, step: 60.0, has_decimals: true }
        );
        assert_eq!(
            Stated::read("1,500", Some(100.0)).meaning,
            Meaning::Number { value: 1500.0, step: 100.0, has_decimals: false }
        );
    }
}
