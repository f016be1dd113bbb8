//! What is said of a claim, as other programs see it.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_engine::verify::{
    checks::{Finding, Objection},
    support::Weighed,
};

/// What is said of a claim.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Verdict)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct VerdictWire {
    pub id: Value,
    pub supported: bool,
    pub score: f32,
    pub reasons: Vec<String>,
    pub contradicted: bool,
    pub checks: Vec<&'static str>,
    pub findings: Vec<FindingWire>,
    pub overlap: f32,
    pub judge: Option<JudgeWordWire>,
}

/// What one rule objects to, whatever the verdict.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Finding)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct FindingWire {
    pub check: &'static str,
    /// `contradicted`, `missing`, or `too_many` where the claim has more of something than is looked up.
    pub objection: &'static str,
    pub words: String,
    pub instead: Option<String>,
}

/// The judge's chances.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = JudgeWord)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct JudgeWordWire {
    pub supported: f32,
    pub contradicted: f32,
    pub silent: f32,
}

impl FindingWire {
    fn of(finding: &Finding) -> Self {
        let objection = match finding.objection {
            Objection::Contradicted => "contradicted",
            Objection::Missing => "missing",
            Objection::TooMany => "too_many",
        };
        let (words, instead) = (finding.words.clone(), finding.instead.clone());
        Self { check: finding.check.word(), objection, words, instead }
    }
}

impl VerdictWire {
    /// A weighed claim under its name.
    #[must_use]
    pub fn of(id: Value, weighed: Weighed) -> Self {
        Self {
            id,
            supported: weighed.is_supported,
            score: weighed.score,
            reasons: weighed.reasons,
            contradicted: weighed.is_contradicted,
            checks: weighed.checks,
            findings: weighed.checked.findings.iter().map(FindingWire::of).collect(),
            overlap: weighed.checked.overlap,
            judge: weighed.judged.map(|support| JudgeWordWire {
                supported: support.supported,
                contradicted: support.contradicted,
                silent: support.silent,
            }),
        }
    }
}
