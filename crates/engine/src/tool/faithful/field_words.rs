//! What the usual fields are called beside their names.
//!
//! Invariant: a word here only names a thing; none says that something happened to it.

/// A word in the names of fields, and other words for the same thing.
const SAME: &[(&str, &[&str])] = &[
    ("price", &["fee", "cost", "charge", "rate", "pay", "paying"]),
    ("amount", &["sum", "value", "amounted", "amounting"]),
    ("monthly", &["month"]),
    ("plan", &["tariff", "subscription", "contract", "service", "subscribed", "subscriber", "package"]),
    ("invoice", &["bill", "billing"]),
    ("invoices", &["bill", "bills", "billing"]),
    ("case", &["request", "ticket", "claim", "dispute", "disputed", "claimed", "requested", "asked"]),
    ("reason", &["grounds", "gave", "said", "wrote", "told"]),
    ("period", &["billing", "covers", "covering"]),
    ("due", &["payable", "deadline"]),
    ("sla", &["handling", "limit", "target"]),
    ("user", &["customer"]),
    (
        "start",
        &["started", "starts", "starting", "begin", "begins", "began", "begun", "commenced", "activated", "effective"],
    ),
    ("end", &["ends", "ending", "expires", "expiry", "finishes"]),
    ("issued", &["issue", "billed", "dated", "raised", "written"]),
    ("opened", &["created", "filed", "raised", "registered", "submitted", "logged", "lodged"]),
];

/// Other words for a word in the name of a field.
pub(super) fn others_for(word: &str) -> impl Iterator<Item = &'static str> {
    SAME.iter().filter(move |(name, _)| *name == word).flat_map(|(_, words)| words.iter().copied())
}
