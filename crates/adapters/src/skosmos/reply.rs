//! What the server replied → the answer in it, or what it said instead of one.
//!
//! Errors come as plain text, `400 Bad Request : query parameter missing`, never as JSON; a failing triple store as a
//! page of HTML, a crash as nothing at all.

use reqwest::StatusCode;

/// How much of an explanation is repeated.
const EXPLANATION_CHARS_MAX: usize = 200;

pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) content_type: String,
    pub(super) location: String,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// Whether this is what was asked for, as far as can be told before it is read.
    pub(super) fn is_answer(&self) -> bool {
        self.status.is_success() && matches!(self.kind(), "application/json" | "application/ld+json")
    }

    /// Whether the server says that it has nothing on a concept, rather than that it does not know the vocabulary.
    pub(super) fn is_missing_concept(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
            && self.explanation().is_some_and(|said| said.starts_with("no concept found"))
    }

    /// What kind of content it is, without its parameters.
    pub(super) fn kind(&self) -> &str {
        self.content_type.split(';').next().unwrap_or_default().trim()
    }

    /// What the server says is wrong, where it says so in words: the last part of its line.
    pub(super) fn explanation(&self) -> Option<String> {
        if self.kind() != "text/plain" {
            return None;
        }
        let text = String::from_utf8_lossy(&self.body);
        let line = text.trim().lines().next()?;
        let said = line.split_once(" : ").map_or(line, |(_, said)| said).trim_end_matches('.');
        let said: String = said.chars().filter(|c| !c.is_control()).take(EXPLANATION_CHARS_MAX).collect();
        (!said.is_empty()).then_some(said)
    }

    /// Whether it is the page shown where the triple store behind the server fails.
    pub(super) fn blames_its_store(&self) -> bool {
        String::from_utf8_lossy(&self.body).contains("SPARQL query failed")
    }
}
