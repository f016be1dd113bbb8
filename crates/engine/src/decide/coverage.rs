//! A question and what is shown → how much of the question stands there.

use std::collections::BTreeSet;

use vouch_domain::language::{KeyWord, terms};

use crate::verify::VerifiedText;

/// The share of key words from which a question counts as covered: people ask in words of their own, and half of them are rarely
/// those of the documents.
const WHOLE_FROM: f32 = 0.5;

/// How much of the question's key words stands in the sentences shown, or in the titles and headings over what they cite.
pub(super) fn coverage(key_words: &[KeyWord], text: &VerifiedText) -> f32 {
    let mut shown: BTreeSet<String> = text.claims().iter().flat_map(|claim| terms(claim.text())).collect();
    for cited in text.citations() {
        let section = cited.piece().map(|piece| piece.passage.passage.section.iter());
        let headings = section.into_iter().flatten().chain(std::iter::once(&cited.document().title));
        shown.extend(headings.flat_map(|heading| terms(heading)));
    }
    if key_words.is_empty() {
        return 0.0;
    }
    let held = key_words.iter().filter(|key| shown.contains(&key.term)).count();
    #[expect(clippy::cast_precision_loss, reason = "a question has few words")]
    let share = held as f32 / key_words.len() as f32;
    (share / WHOLE_FROM).min(1.0)
}
