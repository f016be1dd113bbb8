//! Who may ask, and who answers for a topic.

use std::collections::BTreeSet;

/// Somebody known to a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What they are called by.
    pub id: String,
    /// Where they belong.
    pub tenant: String,
    /// Where they are reached.
    pub email: String,
    /// What they may see.
    pub tags: BTreeSet<String>,
}

/// A topic and who answers for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// The tag of its documents.
    pub tag: String,
    /// Where it belongs.
    pub tenant: String,
    /// The person's id; none where nobody does.
    pub owner: Option<String>,
}
