//! The words in which the usual states are said.
//!
//! Invariant: a denial is a phrase of its own here, where it says a state; a word of these lists is a claim about a state wherever it stands; two states share a word only where both
//! bear it out.

/// A state, as outputs name it, and the other words that say it.
const STATES: &[(&str, &[&str])] = &[
    (
        "paid",
        &[
            "settled",
            "paid in full",
            "fully paid",
            "already paid",
            "nothing is outstanding",
            "nothing outstanding",
            "nothing is left to pay",
            "nothing left to pay",
            "nothing to pay",
            "nothing is owed",
        ],
    ),
    ("open", UNPAID),
    ("overdue", UNPAID),
    ("overdue", &["past due", "late"]),
    ("active", &["running", "in force", "in place", "in effect"]),
    ("suspended", &["paused", "on hold"]),
    ("ended", &["finished", "terminated", "over"]),
    ("cancelled", &["canceled"]),
    ("approved", &["granted", "accepted"]),
    ("declined", &["rejected", "refused", "denied", "turned down"]),
    ("opened", &["open", "registered", "filed", "created"]),
    ("closed", &[]),
    ("refunded", &["paid back", "reimbursed"]),
    ("pending", &["waiting"]),
];

/// What is neither paid nor overdue by its name, and yet not paid.
const UNPAID: &[&str] = &[
    "unpaid",
    "outstanding",
    "unsettled",
    "not paid",
    "not paid yet",
    "not yet paid",
    "not been paid",
    "not been paid yet",
    "not yet been paid",
    "not settled",
    "to be paid",
    "yet to be paid",
    "to pay",
    "awaiting payment",
    "waiting for payment",
    "owe",
    "owed",
    "owing",
];

/// Words that say a state which no output above is in.
const OTHERS: &[&str] = &[
    "blocked",
    "completed",
    "confirmed",
    "credited",
    "deactivated",
    "disconnected",
    "done",
    "expired",
    "failed",
    "free",
    "frozen",
    "inactive",
    "invalid",
    "new",
    "partial",
    "partially",
    "partly",
    "processed",
    "processing",
    "received",
    "reopened",
    "resolved",
    "reversed",
    "reviewed",
    "scheduled",
    "sent",
    "stopped",
    "valid",
    "void",
    "voided",
    "waived",
    "withdrawn",
    "written off",
];

/// The words for a state beside its own name.
pub(super) fn words_for(state: &str) -> impl Iterator<Item = &'static str> {
    STATES.iter().filter(move |(name, _)| *name == state).flat_map(|(_, words)| words.iter().copied())
}

/// Whether a text field with this value is a state, where nobody said how it is read.
pub(super) fn is_state(value: &str) -> bool {
    STATES.iter().any(|(name, _)| *name == value)
}

/// Every phrase that claims a state.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    let named = STATES.iter().flat_map(|(name, words)| std::iter::once(*name).chain(words.iter().copied()));
    named.chain(OTHERS.iter().copied())
}

/// Whether something stays in this state from its beginning on, so that "since" tells when it began.
pub(super) fn is_lasting(phrase: &str) -> bool {
    matches!(phrase, "active" | "running" | "in force" | "in place" | "in effect")
}

/// Whether "was" before it says that it is so no more.
pub(super) fn is_of_the_moment(phrase: &str) -> bool {
    is_lasting(phrase) || matches!(phrase, "open" | "overdue" | "unpaid" | "outstanding" | "pending" | "on hold")
}
