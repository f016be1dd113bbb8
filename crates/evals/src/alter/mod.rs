//! A sentence of a document → the same sentence with one thing changed, so that the document no longer supports it.
//!
//! These are the sentences on which a claim check is measured. Invariant: the same seed gives the same sentences, there
//! is at most one of each kind, and none of them stands in the document.

mod date;
mod dice;
mod figure;
mod name;
mod names;
mod negation;
mod number;
mod sentence;
mod unit;
mod verb;

pub use names::{NAMES_MAX, Names};

use dice::Dice;
use sentence::Sentence;

/// A shorter sentence says too little to be changed.
const WORDS_MIN: usize = 6;
/// A longer sentence is seldom one claim.
const WORDS_MAX: usize = 40;

/// What was changed in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Alteration {
    /// A figure became another figure.
    Number,
    /// A name became another document's name.
    Name,
    /// A `not` came or went.
    Negation,
    /// A figure counts something else.
    Unit,
    /// A year, month or weekday became another.
    Date,
}

impl Alteration {
    /// Every kind, in the order in which altered sentences are given.
    pub const ALL: [Self; 5] = [Self::Number, Self::Name, Self::Negation, Self::Unit, Self::Date];

    /// Its name in a report.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Name => "name",
            Self::Negation => "negation",
            Self::Unit => "unit",
            Self::Date => "date",
        }
    }
}

/// A sentence its document does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Altered {
    /// What was changed.
    pub kind: Alteration,
    /// The changed sentence.
    pub sentence: String,
}

/// The altered forms of a document's sentence, at most one of each kind that applies.
#[must_use]
pub fn alter(sentence: &str, document: &str, names: &Names, seed: u64) -> Vec<Altered> {
    let parsed = Sentence::new(sentence);
    if !is_claim(&parsed) {
        return Vec::new();
    }
    let make = |kind: Alteration| {
        let mut dice = Dice::new(seed, &[kind.as_str(), sentence]);
        let changed = match kind {
            Alteration::Number => number::alter(&parsed, document, &mut dice),
            Alteration::Name => name::alter(&parsed, document, names, &mut dice),
            Alteration::Negation => negation::alter(&parsed, &mut dice),
            Alteration::Unit => unit::alter(&parsed, document, &mut dice),
            Alteration::Date => date::alter(&parsed, document, &mut dice),
        }?;
        (!one_spaced(document).contains(&one_spaced(&changed))).then_some(Altered { kind, sentence: changed })
    };
    Alteration::ALL.into_iter().filter_map(make).collect()
}

/// Whether the sentence states something, in prose, at a fit length.
fn is_claim(sentence: &Sentence<'_>) -> bool {
    let text = sentence.text.trim();
    let closed = text.trim_end_matches(['"', '\'', ')', '”', '’', '*', '_']);
    let is_foreign = ["{{", "}}", "<!--", "```", " | ", "://"].iter().any(|mark| text.contains(mark));
    closed.ends_with(['.', '!'])
        && !text.contains('?')
        && !is_foreign
        && (WORDS_MIN..=WORDS_MAX).contains(&sentence.tokens.len())
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
