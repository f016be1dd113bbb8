//! A short answer to what was proposed → yes, no, or neither. It is read clause by clause: a yes is one in which every clause is an
//! assent, a courtesy, a repetition of what was proposed, or a remark beside a plain command; a no is any refusal that nothing takes back.
//!
//! Invariant: in doubt it is neither. A word that nothing accounts for, a question, a condition or another value is never a yes.

mod clause;
mod items;
mod proposal;
mod refusal;
mod tokens;
mod words;

use clause::{Blocker, Part, is_plain, parts};
use proposal::Proposal;
use tokens::{ANSWER_CHARS_MAX, clauses};

/// What an answer to a proposal comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// A yes that can mean nothing else.
    Yes,
    /// A word that says yes right after the question, and elsewhere only that something was heard.
    Nod,
    /// Not now.
    Later,
    /// No.
    No,
    /// About the proposal, and neither yes nor no.
    Unclear,
    /// Something else.
    Other,
}

impl Consent {
    /// Whether it is a yes to a question that was asked just now.
    #[must_use]
    pub fn is_yes(self) -> bool {
        match self {
            Self::Yes | Self::Nod => true,
            Self::Later | Self::No | Self::Unclear | Self::Other => false,
        }
    }

    /// Whether it is no yes, for now or for good.
    #[must_use]
    pub fn is_no(self) -> bool {
        match self {
            Self::Later | Self::No => true,
            Self::Yes | Self::Nod | Self::Unclear | Self::Other => false,
        }
    }
}

/// Reads an answer to a proposal; to none, where there is none.
#[must_use]
pub fn read_consent(answer: &str, proposal: &str) -> Consent {
    let Some(clauses) = clauses(answer, ANSWER_CHARS_MAX) else { return Consent::Other };
    let proposal = Proposal::read(proposal);
    let parts: Vec<Part> = clauses.iter().flat_map(|clause| parts(clause, &proposal)).collect();
    let is_please = |clause: &tokens::Clause| {
        clause.words.iter().all(|word| ["please", "pls", "plz"].contains(&word.text.as_str()))
    };
    if let [only] = clauses.as_slice()
        && is_please(only)
        && !only.is_asked
    {
        return Consent::Nod;
    }
    decide(&parts)
}

/// Whether the words are nothing but an answer to something, a yes, a no or a "wait", which tells by itself of nothing that was
/// proposed but the verb.
#[must_use]
pub fn is_answer_alone(words: &str, proposal: &str) -> bool {
    let (consent, proposal) = (read_consent(words, proposal), Proposal::read(proposal));
    let is_plain = |clauses: Vec<tokens::Clause>| clauses.iter().all(|clause| is_plain(clause, &proposal));
    (consent.is_yes() || consent.is_no()) && clauses(words, ANSWER_CHARS_MAX).is_some_and(is_plain)
}

/// What the parts of an answer come to.
fn decide(parts: &[Part]) -> Consent {
    let last = |is_it: &dyn Fn(&Part) -> bool| parts.iter().rposition(is_it);
    let (refused, held) = (last(&|part| *part == Part::Refusal), last(&|part| *part == Part::Hold));
    let told = last(&|part| matches!(part, Part::Command | Part::Yes));
    let assented = last(&|part| matches!(part, Part::Command | Part::Yes | Part::Ok));
    let has = |blocker: Blocker| parts.contains(&Part::Blocker(blocker));
    let is_asked = has(Blocker::Question);
    if let Some(refused) = refused {
        let is_taken_back = told.is_some_and(|told| told > refused);
        let is_torn = assented.is_some() && has(Blocker::Doubt);
        return if is_taken_back || is_torn || has(Blocker::Change) || has(Blocker::Value) {
            Consent::Unclear
        } else {
            Consent::No
        };
    }
    let is_blocked = parts.iter().any(|part| matches!(part, Part::Blocker(_)));
    let is_held = held.is_some() && assented.is_none_or(|assented| held > Some(assented));
    if held.is_some() && is_held && !is_asked && !has(Blocker::Change) && !has(Blocker::Value) {
        return Consent::Later;
    }
    let has_remark = parts.contains(&Part::Remark);
    let is_commanded = parts.contains(&Part::Command);
    if assented.is_some() && !is_blocked && (!has_remark || is_commanded) {
        return if told.is_some() { Consent::Yes } else { Consent::Nod };
    }
    let is_empty = parts.contains(&Part::Echo) && parts.iter().all(|part| matches!(part, Part::Courtesy | Part::Echo));
    let is_about_it = told.is_some() || is_empty || has(Blocker::Doubt) && !is_asked;
    let is_changed = assented.is_some() || held.is_some() || has(Blocker::Condition) || has(Blocker::Change);
    if is_about_it || (is_changed && !is_asked) { Consent::Unclear } else { Consent::Other }
}
