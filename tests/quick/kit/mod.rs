//! `parade merge`, `parade compare` and `parade artifact` on model suites, by the real program. No Maven, no Java.

mod artifact;
mod compare;
mod merge;
pub mod yard;
