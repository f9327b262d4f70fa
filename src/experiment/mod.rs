//! What to run: the experiment file's types, its validation with positions, and its expansion into a plan.

mod spec;

pub use spec::{Configuration, Experiment, Machine, Origin, Plan, Subject, SurefireVersion, TechniqueKind, Trial};
