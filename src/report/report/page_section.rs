//! The sections of a report's page: the questions that tables and figures answer.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSection {
    Speed,
    /// Folded below [`PageSection::Speed`]: the same for the study's own selection of subjects.
    SpeedAsPublished,
    /// What `parade detect` found.
    Detection,
    /// Orders of regression testing algorithms.
    Orders,
    Study,
    Failures,
    Runs,
    Timeline,
    Subjects,
    Findings,
}

impl PageSection {
    /// Those below the answer to the main question, in their order.
    pub const AFTER_SPEED: [PageSection; 5] =
        [PageSection::Failures, PageSection::Runs, PageSection::Timeline, PageSection::Subjects, PageSection::Findings];

    /// The anchor of the section.
    pub fn id(self) -> &'static str {
        match self {
            PageSection::Speed => "speed",
            PageSection::SpeedAsPublished => "as-printed",
            PageSection::Detection => "detected",
            PageSection::Orders => "orders",
            PageSection::Study => "study",
            PageSection::Failures => "failures",
            PageSection::Runs => "runs",
            PageSection::Timeline => "timeline",
            PageSection::Subjects => "subjects",
            PageSection::Findings => "findings",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            PageSection::Speed => "Does it save time?",
            PageSection::SpeedAsPublished => "As in the study: only subjects that gained",
            PageSection::Detection => "Which tests depend on the order of tests?",
            PageSection::Orders => "How do orders of algorithms affect order-dependent tests?",
            PageSection::Study => "How do the results compare with the published numbers?",
            PageSection::Failures => "Do the tests still pass?",
            PageSection::Runs => "How long did the runs take?",
            PageSection::Timeline => "What ran where and when?",
            PageSection::Subjects => "What was run?",
            PageSection::Findings => "What else was noticed?",
        }
    }
}
