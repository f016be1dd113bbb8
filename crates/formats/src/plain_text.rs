//! Plain text → a document of one section.

use vouch_domain::{Document, Section, ports::ParseError};

use crate::{
    front_matter::FrontMatter,
    origin::{Origin, checked},
    pages,
};

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let (card, states_access) = origin.card(FrontMatter::default(), None)?;
    let (text, pages) = pages::without_breaks(text);
    let sections = vec![Section { path: [].into(), start: 0, end: text.len() }];
    checked(Document {
        card,
        text: text.into_owned(),
        sections,
        times: Vec::new(),
        pages,
        states_access,
        warnings: Vec::new(),
    })
}
