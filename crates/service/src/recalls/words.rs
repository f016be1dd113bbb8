//! The words of a citation, and what stands in the place of those that are gone.

use vouch_domain::{
    DocumentVersion,
    language::{BlockChange, changes},
};

use super::wire::RecalledSentence;
use crate::{quoted_words::FoldedText, wire::RecordedCitation};

/// A document's text as it is now, and what changed on the way there.
pub(super) struct ChangedText {
    pub(super) now: FoldedText,
    /// Every changed or removed block with its earlier words, to look for a sentence in.
    changes: Vec<(FoldedText, BlockChange)>,
}

impl ChangedText {
    pub(super) fn new(then: &str, now: &str) -> Self {
        let changes = changes(then, now).changes.into_iter();
        let changes = changes.filter_map(|one| Some((FoldedText::new(one.before.as_deref()?), one))).collect();
        Self { now: FoldedText::new(now), changes }
    }

    /// How many bytes it takes, nearly.
    pub(super) fn bytes(&self) -> usize {
        let after = |one: &BlockChange| one.after.as_ref().map_or(0, String::len);
        self.now.len() + self.changes.iter().map(|(before, one)| 2 * before.len() + after(one)).sum::<usize>()
    }

    /// A sentence that is gone, with the block that stands in its place.
    pub(super) fn with_place(&self, text: String) -> RecalledSentence {
        let change = self.changes.iter().find(|(before, _)| before.holds(&text)).map(|(_, change)| change);
        let in_its_place = change.and_then(|change| change.after.clone());
        let section = change.filter(|one| one.after.is_some() && !one.section.is_empty());
        RecalledSentence { text, section: section.map(|one| one.section.join(" › ")), in_its_place }
    }
}

/// The words that were cited of a version: the quote, and the sentences of the answer that stood in it too.
pub(super) fn cited_sentences(cited: &RecordedCitation, then: &DocumentVersion) -> Vec<String> {
    let Some(span) = cited.quote else { return cited.claims.clone() };
    let quote: String = then.text.chars().skip(span.start).take(span.end.saturating_sub(span.start)).collect();
    let (own, whole) = (FoldedText::new(&quote), FoldedText::new(&then.text));
    let further = cited.claims.iter().filter(|claim| !own.holds(claim) && whole.holds(claim));
    let quote = Some(quote.trim().to_owned()).filter(|quote| !quote.is_empty());
    quote.into_iter().chain(further.cloned()).collect()
}
