//! What the stages and the writers must agree on: where a sentence ends, and which words carry meaning.

pub mod likeness;
pub mod sentences;
pub mod spelling;
pub mod words;

pub use likeness::{LIKENESS_MIN, folded_spaces, likeness, most_alike, trigrams};
pub use sentences::sentence_ranges;
pub use spelling::{Nearness, other_spelling};
pub use words::{KeyWord, key_terms, key_words, terms};
