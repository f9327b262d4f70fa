//! What this machine lets parade control and measure: tried, not guessed.

use serde::{Deserialize, Serialize};

/// One thing that a machine may or may not offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ability {
    /// A stable name, such as `memory_limit`.
    pub name: String,
    pub present: bool,
    /// How it is done here; when it is missing, why.
    pub how: String,
    /// What its absence means for a measurement.
    pub consequence: Option<String>,
    /// What would bring it.
    pub fix: Option<String>,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    pub abilities: Vec<Ability>,
}

pub fn probe() -> Support {
    Support::default()
}
