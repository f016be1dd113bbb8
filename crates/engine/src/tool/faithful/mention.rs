//! What a sentence of a summary mentions of an output.
//!
//! Invariant: a mention says where the output bears it out, row by row and field by field.

use std::{collections::BTreeSet, ops::Range};

use crate::reading::token::Token;

/// A sentence, read.
pub(super) struct Spoken<'a> {
    /// As written.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: Vec<Token<'a>>,
    /// What it mentions, in order.
    pub mentions: Vec<Mention>,
    /// Whether it speaks of its rows as several.
    pub is_plural: bool,
}

/// Something of the output that a sentence mentions.
pub(super) struct Mention {
    /// What it is.
    pub what: What,
    /// Its tokens.
    pub range: Range<usize>,
    /// Where it is borne out.
    pub held: Vec<Held>,
}

/// Where the output bears a mention out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// The row; none for the whole output.
    pub row: Option<usize>,
    /// The field, where it is one.
    pub field: Option<usize>,
}

/// What is mentioned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What {
    Code,
    Text,
    Money,
    /// A date; one without a day is a month.
    Date {
        is_month: bool,
    },
    /// A state; after "a" it is the state of some row.
    State {
        is_some: bool,
    },
    Number,
    /// So many rows.
    Count(f64),
    /// Every row.
    All,
    /// Every row that was not spoken of.
    Others,
    /// The latest or the earliest row.
    Edge,
    /// The row named next alone has the state that is said of it.
    Only,
}

impl Mention {
    /// The rows that bear it out.
    pub(super) fn rows(&self) -> BTreeSet<usize> {
        self.held.iter().filter_map(|held| held.row).collect()
    }

    /// Whether the output bears it out apart from its rows.
    pub(super) fn is_of_whole(&self) -> bool {
        self.held.iter().any(|held| held.row.is_none())
    }
}

impl Spoken<'_> {
    /// A mention as it is written.
    pub(super) fn words(&self, mention: &Mention) -> String {
        words(self.text, &self.tokens, &mention.range)
    }
}

/// The words of a range of tokens, as written.
pub(super) fn words(text: &str, tokens: &[Token<'_>], range: &Range<usize>) -> String {
    let tokens = tokens.get(range.clone()).unwrap_or_default();
    let span = tokens.first().zip(tokens.last()).map(|(first, last)| first.range.start..last.range.end);
    span.and_then(|span| text.get(span)).unwrap_or_default().to_owned()
}
