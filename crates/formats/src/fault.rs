//! What is wrong with a document, in a sentence for the person who can mend it.

use vouch_domain::ports::ParseError;

/// The longest sentence about what is wrong.
pub(super) const SENTENCE_CHARS_MAX: usize = 400;

/// A fault of the whole source.
pub(super) fn whole(sentence: &str) -> ParseError {
    ParseError { place: String::new(), sentence: shortened(sentence) }
}

/// A sentence that quotes no more of its document than fits on a few lines.
pub(super) fn shortened(sentence: &str) -> String {
    match sentence.char_indices().nth(SENTENCE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", sentence.get(..end).unwrap_or_default()),
        None => sentence.to_owned(),
    }
}
