//! A claim and its evidence → what can be checked without a model: numbers, units, dates, names, quotations, polarity.
//!
//! Invariant: a claim that stands in the evidence word for word, as whole sentences, meets no objection; an objection
//! names the claim's words, or what it has too many of. Silence here proves nothing: what is no figure, name or negation
//! is left to a judge.

mod alignment;
mod antonyms;
mod case;
mod dates;
mod finding;
mod names;
mod numbers;
mod overlap;
mod polarity;
mod quotations;
mod sequence;
mod subjects;
mod units;

use crate::reading::{self, budget::Budget};
use crate::trace::WITHIN_THE_DEADLINE;

pub use finding::{Check, Finding, Objection};

use self::{
    alignment::Holders,
    case::{Case, Outcome},
};

/// A claim is a sentence or a few. A longer one is not read at all, since the work grows with claim and evidence
/// together; its sentences can be checked one by one.
const CLAIM_BYTES_MAX: usize = 8_000;
const CLAIM_SENTENCES_MAX: usize = 100;

/// Why a claim was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadReason {
    /// It is longer than a claim may be.
    LongClaim,
    /// Claim and evidence together took more work than a check may take, or nobody waits for it any longer.
    BudgetSpent,
    /// The rules had no answer within their time.
    Late,
    /// The rules broke off, which is a fault of theirs.
    Broken,
}

impl UnreadReason {
    /// The same as a sentence for a person.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::LongClaim => format!(
                "rules: the claim is longer than {CLAIM_BYTES_MAX} bytes or {CLAIM_SENTENCES_MAX} sentences; check its \
                 sentences one by one"
            ),
            Self::BudgetSpent => {
                "rules: claim and evidence are too much to be checked at once; check it against fewer or \
                                  shorter texts"
                    .to_owned()
            }
            Self::Late => format!("rules: not checked {WITHIN_THE_DEADLINE}; try again later"),
            Self::Broken => "rules: they broke off on this claim, which is a fault of Vouch's own".to_owned(),
        }
    }
}

/// A claim after its checks.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckReport {
    /// The checks that had something to check.
    pub applied: Vec<Check>,
    /// Their objections, in the order of the claim within each check.
    pub findings: Vec<Finding>,
    /// The share of the claim's content words found in the evidence, 0 to 1.
    pub overlap: f32,
    /// Whether the claim stands in the evidence as whole sentences, word for word.
    pub is_copy: bool,
    /// Why something was not read. Such a claim is not supported, whatever was found.
    pub unread: Option<UnreadReason>,
}

impl CheckReport {
    /// What is known of a claim that was not read.
    #[must_use]
    pub fn not_read(why: UnreadReason) -> Self {
        Self { applied: Vec::new(), findings: Vec::new(), overlap: 0.0, is_copy: false, unread: Some(why) }
    }
}

/// Checks a claim against the texts it rests on.
#[must_use]
pub fn check_claim(claim: &str, evidence: &[&str]) -> CheckReport {
    check_with_budget(claim, evidence, &Budget::default())
}

/// The same within a budget.
#[must_use]
pub fn check_with_budget(claim: &str, evidence: &[&str], budget: &Budget) -> CheckReport {
    if claim.len() > CLAIM_BYTES_MAX {
        return CheckReport::not_read(UnreadReason::LongClaim);
    }
    let said = reading::sentences(&[claim], budget);
    let read = reading::sentences(evidence, budget);
    if said.len() > CLAIM_SENTENCES_MAX {
        return CheckReport::not_read(UnreadReason::LongClaim);
    }
    let holders = Holders::new(&read);
    let is_copy = overlap::is_copy(&said, &read);
    let mut checked = CheckReport {
        applied: Vec::new(),
        findings: Vec::new(),
        overlap: overlap::content_overlap(&said, &holders),
        is_copy,
        unread: None,
    };
    let mut outcomes: Vec<(Check, Outcome)> = Vec::new();
    for sentence in &said {
        let case = Case::new(sentence, &read, &holders, budget);
        outcomes.push((Check::Numbers, numbers::check(&case)));
        outcomes.push((Check::Units, units::check(&case)));
        outcomes.push((Check::Dates, dates::check(&case)));
        outcomes.push((Check::Names, names::check(&case)));
        outcomes.push((Check::Polarity, polarity::check(&case)));
        outcomes.push((Check::Subjects, subjects::check(&case)));
    }
    outcomes.push((Check::Quotations, quotations::check(claim, &read, &holders, budget)));
    if budget.is_spent() {
        return CheckReport::not_read(UnreadReason::BudgetSpent);
    }
    outcomes.sort_by_key(|(check, _)| *check);
    for (check, outcome) in outcomes {
        if outcome.is_applied && !checked.applied.contains(&check) {
            checked.applied.push(check);
        }
        if !is_copy {
            checked.findings.extend(outcome.findings);
        }
    }
    checked
}
