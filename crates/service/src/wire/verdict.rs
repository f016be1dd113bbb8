//! The verdict on a claim, as other programs see it.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_engine::verify::{
    checks::{Check, Finding, Objection},
    support::ClaimVerdict,
};

/// Whether the evidence supports a claim.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Verdict)]
pub struct VerdictWire {
    /// The id that was sent with the claim.
    pub id: Value,
    /// True if the evidence supports the claim.
    pub supported: bool,
    /// How well it does, 0 to 1.
    pub score: f32,
    /// Why not, in words; empty if supported.
    pub reasons: Vec<String>,
    /// True if the evidence says otherwise, rather than nothing.
    pub contradicted: bool,
    /// The checks that were made, such as `numbers`, `names`, `polarity` or `judge`.
    pub checks: Vec<&'static str>,
    /// What single rules object to, whatever the verdict.
    pub findings: Vec<FindingWire>,
    /// Share of the words of the claim that the evidence contains, 0 to 1.
    pub overlap: f32,
    /// The judge's probabilities; null if it did not read the claim.
    pub judge: Option<JudgeWordWire>,
}

/// An objection of one rule.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Finding)]
pub struct FindingWire {
    /// Name of the rule.
    #[schema(value_type = String)]
    pub check: Check,
    /// `contradicted`, `missing`, or `too_many` where the claim has more of something than is looked up.
    #[schema(value_type = String)]
    pub objection: Objection,
    /// The words of the claim it objects to.
    pub words: String,
    /// What the evidence says instead; null if it says nothing.
    pub instead: Option<String>,
}

/// The judge's probabilities, which add up to 1.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = JudgeWord)]
pub struct JudgeWordWire {
    /// The evidence supports the claim.
    pub supported: f32,
    /// The evidence contradicts it.
    pub contradicted: f32,
    /// The evidence says nothing about it.
    pub silent: f32,
}

impl FindingWire {
    fn new(finding: &Finding) -> Self {
        let (words, instead) = (finding.words.clone(), finding.instead.clone());
        Self { check: finding.check, objection: finding.objection, words, instead }
    }
}

impl VerdictWire {
    /// The verdict on a claim, with the id it was sent with.
    #[must_use]
    pub fn new(id: Value, weighed: ClaimVerdict) -> Self {
        Self {
            id,
            supported: weighed.is_supported,
            score: weighed.score,
            reasons: weighed.reasons,
            contradicted: weighed.is_contradicted,
            checks: weighed.checks,
            findings: weighed.checked.findings.iter().map(FindingWire::new).collect(),
            overlap: weighed.checked.overlap,
            judge: weighed.judged.map(|support| JudgeWordWire {
                supported: support.supported,
                contradicted: support.contradicted,
                silent: support.silent,
            }),
        }
    }
}
