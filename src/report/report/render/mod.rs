//! One file per form. A renderer writes down what the tables hold and decides nothing.

pub mod assessment;
pub mod comparison;
pub mod csv;
pub mod html;
pub mod json;
pub mod latex;
pub mod markdown;
pub mod numbers;
pub mod terminal;

/// What every form says of a run that must not be published.
pub const NOT_FOR_PUBLICATION: &str = "quick run, not for publication";
