//! TOML files that people write, read so that every mistake is found at once and named with its line: the text becomes a
//! tree with positions ([`document`]), a [`reader`] takes typed values out of it, and a log collects every [`Mistake`].
//!
//! What a file means is not known here.

pub mod document;
pub mod mistake;
pub mod names;
pub mod other_kind;
mod quantity;
pub mod reader;

pub use mistake::{Mistake, Mistakes};
pub use names::{did_you_mean, nearest, quoted, safe_name, suggestion};
pub use quantity::{MAX_DURATION, format_duration, format_size, parse_duration, parse_size};
