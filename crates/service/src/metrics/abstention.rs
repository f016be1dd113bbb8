//! Why a question was not answered, as figures count it.

use vouch_engine::{decide::RefusalReason, words};

words! {
    /// A reason not to answer; several of the engine's are one here.
    pub(super) enum Abstention {
        /// Nothing was found.
        NoResults = "no_results",
        /// What was found is not enough.
        LowConfidence = "low_confidence",
        /// The vocabulary does not have the term.
        TermNotFound = "terminology_not_found",
        /// The vocabulary did not answer in time.
        TermTimeout = "terminology_timeout",
        /// The vocabulary failed.
        TermError = "terminology_error",
        /// No document has the name that was asked for.
        EntityNotFound = "entity_not_found",
        /// No lane could search.
        SearchUnavailable = "search_unavailable",
        /// The judge could not read everything in time.
        NotReadInTime = "not_read_in_time",
        /// A tool was meant, and it did not run, or not to its end.
        ToolNotRun = "tool_not_run",
    }
}

impl Abstention {
    /// A reason's.
    pub(super) fn new(reason: &RefusalReason) -> Self {
        match reason {
            RefusalReason::NothingFound { .. } | RefusalReason::NothingListed { .. } => Self::NoResults,
            RefusalReason::Gate(_)
            | RefusalReason::NothingToSay
            | RefusalReason::NoThesis
            | RefusalReason::NothingVerified(_) => Self::LowConfidence,
            RefusalReason::TermUnknown { .. } => Self::TermNotFound,
            RefusalReason::TermLate { .. } => Self::TermTimeout,
            RefusalReason::TermFailed { .. } => Self::TermError,
            RefusalReason::EntityMissing { .. } => Self::EntityNotFound,
            RefusalReason::Unsearchable { .. } => Self::SearchUnavailable,
            RefusalReason::NotReadInTime { .. } => Self::NotReadInTime,
        }
    }

    /// That of a reason of which the trail has the word alone; the word of a gate is its name.
    pub(super) fn recorded(word: &str) -> Self {
        match word {
            "nothing_found" => Self::NoResults,
            word => Self::parse(word).unwrap_or(Self::LowConfidence),
        }
    }
}
