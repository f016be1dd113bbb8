//! How the fields of an output are read.

use std::collections::BTreeMap;

/// How a field of an output is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldReading {
    /// What its values are.
    pub kind: FieldKind,
    /// Other words that a summary may call it by.
    pub called: Vec<String>,
}

/// What the values of a field are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// Text: names, identifiers, words of people.
    Text,
    /// An amount of money, with the ways its currency is written; the first is its code.
    Money(Vec<String>),
    /// A day (`2026-10-05`) or a month (`2026-10`).
    Date,
    /// A state, with other words for each; a flag is in the state `true` or `false`.
    State(BTreeMap<String, Vec<String>>),
    /// A number that counts something; a list of rows, counted by its rows.
    Count,
}

/// How an output is read.
#[derive(Debug, Clone, Copy)]
pub struct OutputReading<'a> {
    /// Its fields, by their paths (`invoices.amount`) or by their own names; what is not named is read as what it looks like.
    pub fields: &'a BTreeMap<String, FieldReading>,
    /// The templates of the tool, with their places in braces. Their words may be used; those that turn a sentence, such as
    /// "not" and "will", only between the words they stand between there.
    pub templates: &'a [String],
}
