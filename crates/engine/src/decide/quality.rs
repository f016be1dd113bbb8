//! How good a search was and what stood in for what was down → what is said of it, and what the reader is told.

use crate::trace::Fallback;

/// The factor on confidence in fallback mode, applied once.
pub(super) const FALLBACK_PENALTY: f32 = 0.8;
const HIGH_AT_LEAST: f64 = 0.85;
const MEDIUM_AT_LEAST: f64 = 0.60;

/// How certain, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// From 0.85.
    High,
    /// From 0.60.
    Medium,
    /// Below.
    Low,
}

impl Level {
    /// The level of a score.
    #[must_use]
    pub fn from_score(score: f64) -> Self {
        if score >= HIGH_AT_LEAST {
            Self::High
        } else if score >= MEDIUM_AT_LEAST {
            Self::Medium
        } else {
            Self::Low
        }
    }

    /// The level as one word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// How good a search was.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalQuality {
    /// 0 to 1, to three places; none if nothing was answered.
    pub confidence_score: Option<f64>,
    /// The same in one word.
    pub confidence_level: Option<Level>,
    /// What stood in for what was down.
    pub fallback_reasons: Vec<Fallback>,
}

impl RetrievalQuality {
    /// The quality of a search with this score; a fifth less where anything stood in, however much did.
    #[must_use]
    pub fn from_retrieval(base_score: Option<f64>, fallback_flags: &[Fallback]) -> Self {
        let penalty = if fallback_flags.is_empty() { 1.0 } else { f64::from(FALLBACK_PENALTY) };
        let adjusted = base_score.map(|base| (base * penalty * 1e3).round() / 1e3);
        Self {
            confidence_score: adjusted,
            confidence_level: adjusted.map(Level::from_score),
            fallback_reasons: fallback_flags.to_vec(),
        }
    }

    /// Whether anything stood in.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        !self.fallback_reasons.is_empty()
    }
}

/// What the reader is told about how an answer came about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransparencyStatement {
    /// The sentence; none if there is nothing to tell.
    pub statement: Option<String>,
}

impl TransparencyStatement {
    /// What is to be told of a search of this quality.
    #[must_use]
    pub fn from_quality(quality: &RetrievalQuality) -> Self {
        let statement = if quality.is_degraded() {
            let reasons = quality.fallback_reasons.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
            Some(format!("This response uses simplified search ({reasons}). Results may be less comprehensive."))
        } else if quality.confidence_level == Some(Level::Low) {
            Some("Limited relevant information found. Consider rephrasing your question.".to_owned())
        } else {
            None
        };
        Self { statement }
    }

    /// Whether it is to be shown.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.statement.is_some()
    }
}
