//! `parade merge`, `parade compare` and `parade artifact` on model suites, by the real program. No Maven, no Java.

#[path = "kit/artifact.rs"]
mod artifact;
#[path = "kit/compare.rs"]
mod compare;
#[path = "run/lab.rs"]
#[expect(dead_code, reason = "the laboratory has more than these tests need")]
mod lab;
#[path = "kit/merge.rs"]
mod merge;
#[path = "kit/yard.rs"]
mod yard;
