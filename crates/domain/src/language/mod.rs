//! What the stages and the writers must agree on: where a block and a sentence end, and which words carry meaning.

pub mod abbreviations;
pub mod blocks;
pub mod changes;
pub mod detect;
pub mod likeness;
pub mod sentences;
pub mod spelling;
pub mod tag;
pub mod titles;
pub mod unit;
pub mod words;

pub use blocks::{Block, BlockKind, blocks};
pub use changes::{BlockChange, TextChanges, changes};
pub use detect::{detect_language, is_small_word};
pub use likeness::{fold_spaces, likeness, most_similar, nearest, trigrams};
pub use sentences::sentence_ranges;
pub use spelling::{Nearness, other_spelling};
pub use tag::{language_tag, with_parents};
pub use words::{KeyWord, find_words, key_terms, key_words, terms};
