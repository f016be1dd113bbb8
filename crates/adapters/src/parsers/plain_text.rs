//! Plain text → a document of one section.

use vouch_domain::{Document, Section, ports::ParseError};

use super::{FrontMatter, Origin, checked};

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let (card, states_access) = origin.card(FrontMatter::default(), None)?;
    let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
    checked(Document { card, text: text.to_owned(), sections, times: Vec::new(), states_access, warnings: Vec::new() })
}
