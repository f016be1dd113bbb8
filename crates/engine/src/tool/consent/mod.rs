//! A short answer to what was proposed → yes, no, or neither. It is read clause by clause: a yes is one in which every clause is an
//! assent, a courtesy, a repetition of what was proposed, or a remark beside it; a no is any refusal that nothing takes back, and any wish
//! to keep what is. A remark that may mean that it is done, known or wrong stands only beside what tells to do it.
//!
//! Invariant: in doubt it is neither. A word that nothing accounts for, a question, a condition or another value is never a yes.

mod clause;
mod items;
mod proposal;
mod refusal;
mod remark;
mod tokens;
mod words;

use clause::{Blocker, Part, is_plain, parts};
use proposal::Proposal;
use tokens::{ANSWER_CHARS_MAX, clauses};
use words::{MOCKING, among};

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
    let parts = parts(&clauses, &proposal);
    let parts = if proposal.asks_objection { turned(parts) } else { parts };
    let is_please = |clause: &tokens::Clause| {
        clause.words.iter().all(|word| ["please", "pls", "plz"].contains(&word.text.as_str()))
    };
    if let [only] = clauses.as_slice()
        && is_please(only)
        && !only.is_asked
    {
        return Consent::Nod;
    }
    decide(&parts, is_mocking(&clauses))
}

/// Whether the words are nothing but an answer to something, a yes, a no or a "wait", which tells by itself of nothing that was
/// proposed but the verb.
#[must_use]
pub fn is_answer_alone(words: &str, proposal: &str) -> bool {
    let (consent, proposal) = (read_consent(words, proposal), Proposal::read(proposal));
    let is_plain = |clauses: Vec<tokens::Clause>| clauses.iter().all(|clause| is_plain(clause, &proposal));
    (consent.is_yes() || consent.is_no()) && clauses(words, ANSWER_CHARS_MAX).is_some_and(is_plain)
}

/// The parts of an answer to "would you mind" and "any objections": a no agrees, and a yes by itself may mean either.
fn turned(parts: Vec<Part>) -> Vec<Part> {
    let is_commanded = parts.contains(&Part::Command);
    let tells = parts.iter().any(|part| matches!(part, Part::Remark | Part::Aside | Part::Blocker(_)));
    let doubt = Part::Blocker(Blocker::Doubt);
    let turn = |part: Part| {
        if part == Part::No {
            if tells && !is_commanded { doubt } else { Part::Yes }
        } else if part != Part::Yes {
            part
        } else if is_commanded {
            Part::Courtesy
        } else if tells {
            Part::Refusal
        } else {
            doubt
        }
    };
    parts.into_iter().map(turn).collect()
}

/// What the parts of an answer come to.
fn decide(parts: &[Part], is_mocking: bool) -> Consent {
    let last = |is_it: &dyn Fn(&Part) -> bool| parts.iter().rposition(is_it);
    let has = |blocker: Blocker| parts.contains(&Part::Blocker(blocker));
    let told = last(&|part| matches!(part, Part::Command | Part::Yes));
    let assented = last(&|part| matches!(part, Part::Command | Part::Yes | Part::Ok));
    let is_commanded = parts.contains(&Part::Command);
    let refused = last(&|part| matches!(part, Part::Refusal | Part::No));
    let kept = last(&|part| *part == Part::Back);
    let held = last(&|part| *part == Part::Hold);
    let is_asked = has(Blocker::Question);
    let is_changed = has(Blocker::Change) || has(Blocker::Value);
    let is_anew = last(&|part| *part == Part::Anew).is_some_and(|anew| refused.is_none_or(|refused| anew > refused));
    if is_anew || (refused.is_none() && kept.is_some() && told.is_some()) {
        return Consent::Unclear;
    }
    if refused.or(kept).is_some() && !is_agreed(parts) {
        let is_taken_back = refused.is_some() && told > refused;
        let is_torn = assented.is_some() && last(&|part| *part == Part::Blocker(Blocker::Doubt)) > refused;
        return if is_taken_back || is_torn || is_changed { Consent::Unclear } else { Consent::No };
    }
    let is_blocked = parts.iter().any(|part| matches!(part, Part::Blocker(_)));
    if held.is_some() && held > assented && !is_asked && !is_changed {
        return Consent::Later;
    }
    let is_free = |part: &Part| {
        let needs_command = matches!(part, Part::Aside | Part::Heard);
        (!needs_command || is_commanded) && (*part != Part::Remark || told.is_some())
    };
    if assented.is_some() && !is_blocked && parts.iter().all(is_free) && (is_commanded || !is_mocking) {
        return if told.is_some() { Consent::Yes } else { Consent::Nod };
    }
    let is_empty = parts.contains(&Part::Echo) && parts.iter().all(|part| matches!(part, Part::Courtesy | Part::Echo));
    let is_doubted = (has(Blocker::Doubt) || parts.contains(&Part::Heard)) && !is_asked;
    let is_about_it = told.is_some() || is_empty || is_doubted;
    let is_changed = assented.is_some() || held.is_some() || has(Blocker::Condition) || has(Blocker::Change);
    if is_about_it || (is_changed && !is_asked) { Consent::Unclear } else { Consent::Other }
}

/// Whether a no is one to somebody's doubts, as agreeing words and a command after it tell: "no no, you're right, do it".
fn is_agreed(parts: &[Part]) -> bool {
    let Some(refused) = parts.iter().rposition(|part| matches!(part, Part::No | Part::Refusal | Part::Back)) else {
        return false;
    };
    let (before, after) = parts.split_at_checked(refused + 1).unwrap_or_default();
    let is_bare = before.iter().all(|part| matches!(part, Part::No | Part::Courtesy));
    let agreed = after.iter().position(|part| matches!(part, Part::Ok | Part::Yes));
    let commanded = after.iter().position(|part| *part == Part::Command);
    is_bare && agreed.is_some() && agreed < commanded
}

/// Whether two of its words mock one after the other: "yeah right".
fn is_mocking(clauses: &[tokens::Clause]) -> bool {
    let words: Vec<&str> = clauses.iter().flat_map(|clause| &clause.words).map(|word| word.text.as_str()).collect();
    let mocks = |pair: &[&str]| match pair {
        [one, next] => MOCKING.iter().any(|(first, second)| among(first, one) && among(second, next)),
        _ => false,
    };
    words.windows(2).any(mocks)
}
