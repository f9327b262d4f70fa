//! Which platform ran the tests of a configuration, by the engines of its trials.

use crate::engine::EngineKind;

/// What ran a configuration's tests. It decides which words explain the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestPlatform {
    Java,
    Pytest,
    Model,
    Mixed,
}

impl TestPlatform {
    /// Of the engines of all trials; those of Maven projects where there is none yet.
    pub fn of(engines: impl Iterator<Item = EngineKind>) -> Self {
        let platform = |engine| match engine {
            EngineKind::Surefire | EngineKind::Direct => TestPlatform::Java,
            EngineKind::Pytest => TestPlatform::Pytest,
            EngineKind::Model => TestPlatform::Model,
        };
        let join = |a, b| if a == b { a } else { TestPlatform::Mixed };
        engines.map(platform).reduce(join).unwrap_or(TestPlatform::Java)
    }

    pub fn may_be_java(self) -> bool {
        matches!(self, TestPlatform::Java | TestPlatform::Mixed)
    }
}
