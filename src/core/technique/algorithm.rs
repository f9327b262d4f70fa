//! The regression testing algorithms by the labels that the study of dependent-test-aware techniques gives them, and P3.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::suite::Unit;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Algorithm {
    T1,
    T2,
    T3,
    T4,
    S1,
    S2,
    S3,
    S4,
    S5,
    S6,
    P1,
    P2,
    P3,
}

/// What an algorithm does, in the words of the study's Tables 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// All tests, reordered.
    Prioritization(Unit, Ranking),
    /// The tests that a change concerns, in the original order or reordered.
    Selection(Unit, Option<Ranking>),
    Parallelization,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranking {
    Total,
    Additional,
}

impl Algorithm {
    pub const ALL: [Algorithm; 13] = [
        Algorithm::T1,
        Algorithm::T2,
        Algorithm::T3,
        Algorithm::T4,
        Algorithm::S1,
        Algorithm::S2,
        Algorithm::S3,
        Algorithm::S4,
        Algorithm::S5,
        Algorithm::S6,
        Algorithm::P1,
        Algorithm::P2,
        Algorithm::P3,
    ];

    pub fn family(self) -> Family {
        use Family::{Parallelization, Prioritization, Selection};
        use Ranking::{Additional, Total};
        match self {
            Algorithm::T1 => Prioritization(Unit::Statement, Total),
            Algorithm::T2 => Prioritization(Unit::Statement, Additional),
            Algorithm::T3 => Prioritization(Unit::Method, Total),
            Algorithm::T4 => Prioritization(Unit::Method, Additional),
            Algorithm::S1 => Selection(Unit::Statement, None),
            Algorithm::S2 => Selection(Unit::Statement, Some(Total)),
            Algorithm::S3 => Selection(Unit::Statement, Some(Additional)),
            Algorithm::S4 => Selection(Unit::Method, None),
            Algorithm::S5 => Selection(Unit::Method, Some(Total)),
            Algorithm::S6 => Selection(Unit::Method, Some(Additional)),
            Algorithm::P1 | Algorithm::P2 | Algorithm::P3 => Parallelization,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::T1 => "T1",
            Algorithm::T2 => "T2",
            Algorithm::T3 => "T3",
            Algorithm::T4 => "T4",
            Algorithm::S1 => "S1",
            Algorithm::S2 => "S2",
            Algorithm::S3 => "S3",
            Algorithm::S4 => "S4",
            Algorithm::S5 => "S5",
            Algorithm::S6 => "S6",
            Algorithm::P1 => "P1",
            Algorithm::P2 => "P2",
            Algorithm::P3 => "P3",
        }
    }

    /// One line for wherever its label is printed.
    pub fn explained(self) -> &'static str {
        match self {
            Algorithm::T1 => "all tests, those that cover most statements first",
            Algorithm::T2 => "all tests, each time the one that covers most statements not covered yet",
            Algorithm::T3 => "all tests, those that cover most methods first",
            Algorithm::T4 => "all tests, each time the one that covers most methods not covered yet",
            Algorithm::S1 => "tests that cover changed statements, in the original order",
            Algorithm::S2 => "tests that cover changed statements, ordered as by T1",
            Algorithm::S3 => "tests that cover changed statements, ordered as by T2",
            Algorithm::S4 => "tests that cover changed methods, in the original order",
            Algorithm::S5 => "tests that cover changed methods, ordered as by T3",
            Algorithm::S6 => "tests that cover changed methods, ordered as by T4",
            Algorithm::P1 => "tests distributed over machines in turn",
            Algorithm::P2 => "tests distributed over machines by their durations",
            Algorithm::P3 => {
                "tests distributed over machines by their durations, each together with the tests that it depends on"
            }
        }
    }

    /// Does it have to know what tests cover?
    pub fn needs_coverage(self) -> bool {
        self.family() != Family::Parallelization
    }

    /// Does it have to know what has changed?
    pub fn needs_change(self) -> bool {
        matches!(self.family(), Family::Selection(..))
    }

    /// Does it have to know what tests take?
    pub fn needs_times(self) -> bool {
        matches!(self, Algorithm::P2 | Algorithm::P3)
    }

    /// Does it spread tests over machines?
    pub fn is_parallel(self) -> bool {
        self.family() == Family::Parallelization
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
