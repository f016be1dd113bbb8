//! A passage → the text that is embedded: its headings, then its words, so that "it" has a subject.

use vouch_domain::{DocumentCard, Passage};

/// The passage under its title and innermost heading.
#[must_use]
pub fn enrich(card: &DocumentCard, passage: &Passage) -> String {
    let mut text = String::with_capacity(passage.text.len() + 64);
    for heading in [Some(&card.title), passage.section.last()].into_iter().flatten() {
        let is_said_already = text.contains(heading.as_str()) || passage.text.starts_with(heading.as_str());
        if !heading.is_empty() && !is_said_already {
            text.push_str(heading);
            text.push_str(". ");
        }
    }
    text.push_str(&passage.text);
    text
}
