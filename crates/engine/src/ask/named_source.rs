//! Whether a text names a source: an address, a link, a reference to somewhere.
//!
//! General knowledge has none, so what looks like one is taken for an invention. In doubt it is one: a sentence lost is a
//! smaller harm than a source that nobody can open.

use std::sync::LazyLock;

use regex::RegexSet;

use crate::{policy::AddressScheme, understand::mentions};

/// What references look like, whatever the documents call their own.
const FORMS: &[&str] = &[
    // Links and identifiers.
    r"\b\w+://",
    r"(?i)\bwww\.",
    r"(?i)\bdoi\b",
    r"\b10\.\d{4,9}/\S",
    r"(?i)\b[\w-]+\.(?:com|org|net|io|edu|gov|info|example|[a-z]{2})/\S",
    r"(?i)\b(?:arxiv|isbn|issn|rfc|pmid)\b",
    // Numbered records, verses and standards: "ADR-12", "BG 2.13", "John 3:16".
    r"\b[A-Z]{2,6}[-. ]?\d+(?:[.:-]\d+)*\b",
    r"\b[A-Z][a-z]+ \d{1,3}:\d{1,3}\b",
    r"\b\d{1,3}:\d{1,3}(?:[-–]\d{1,3})\b",
    r"(?i)\b(?:chapter|verse|section|page|canto|sura|surah|psalm|sutra|paragraph|article|appendix|volume|vol\.|part|§)\s*\.?\d",
    // Places where more is said.
    r"(?i)(?:^|[.;:(,]\s*)see \w",
    r"(?i)\b(?:cf\.|refer to|according to|as (?:stated|written|described|explained) in|quoted? (?:in|from)|cited in|source:)",
    r"\(\w[\w .,&-]*,? \d{4}\)",
    r"\[\^?\d+\]",
];

static REFERENCES: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(FORMS).ok());

/// Whether a text names a source; it does where that cannot be told.
pub(super) fn names_a_source(text: &str, schemes: &[AddressScheme]) -> bool {
    let looks_like_one = REFERENCES.as_ref().is_none_or(|references| references.is_match(text));
    looks_like_one || !mentions(text, schemes).is_empty()
}

#[cfg(test)]
mod tests {
    use super::names_a_source;

    #[test]
    fn whatever_looks_like_a_reference_is_one() {
        for text in [
            "It says so at https://dogs.example.",
            "Try www.dogs.example for more.",
            "DOI 10.1000/182 has it.",
            "The study 10.1234/abcd.5 found it.",
            "It stands on dogs.org/rules for all.",
            "ADR-12 decides it.",
            "As BG 2.13 has it, the soul moves on.",
            "John 3:16 tells of it.",
            "Chapter 3 covers this.",
            "It is on page 12 of the manual.",
            "See the handbook.",
            "see Smith for that",
            "According to the ministry it is so.",
            "This was shown before (Miller, 1998).",
            "It was shown [3].",
            "RFC 2119 says so.",
        ] {
            assert!(names_a_source(text, &[]), "{text}");
        }
    }

    #[test]
    fn plain_sentences_are_none() {
        for text in [
            "Dogs are kept on a lead in most parks.",
            "Water boils at 100 degrees at sea level.",
            "You can see the moon by day.",
            "The course is 5.2 km long and takes 40 minutes.",
            "In 1969 people first walked on the moon.",
        ] {
            assert!(!names_a_source(text, &[]), "{text}");
        }
    }
}
