//! Markdown → a document whose sections follow its headings.
//!
//! Its title is its own word, else its first top heading, else its first heading of any level. The headings of a long work
//! name its sections, so none but a top one is its title.

use vouch_domain::{Document, DocumentCard, ports::ParseError};

use crate::{
    addressed, front_matter,
    headings::headings,
    origin::{LINE_CHARS_MAX, Origin, checked},
    outline::{self, Allowance, Heading},
    pages,
};

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseError>> {
    let (mut own, body) = match front_matter::split(text, origin.access_from) {
        Ok(split) => split,
        Err(fault) => return vec![Err(fault)],
    };
    let (body, pages) = pages::without_breaks(body);
    let body = body.as_ref();
    let addresses = own.addresses.take();
    let warnings = std::mem::take(&mut own.warnings);
    let headings = match headings(body) {
        Ok(headings) => headings,
        Err(fault) => return vec![Err(fault)],
    };
    let mut named = headings.iter().filter(|heading| !heading.title.trim().is_empty());
    let top = named.clone().find(|heading| heading.level == 1);
    let is_title = |heading: &&Heading| addresses.is_none() && heading.title.chars().nth(LINE_CHARS_MAX).is_none();
    let first = top.or_else(|| named.next().filter(is_title)).map(|heading| heading.title.clone());
    let mut allowance = Allowance::new(text);
    let mut parsed = match (origin.card(own, first), addresses) {
        (Err(fault), _) => vec![Err(fault)],
        (Ok(described), Some(pattern)) => addressed::parse(body, &described, &pattern, &mut allowance),
        (Ok(described), None) => {
            let read = whole_text(body, &headings, described, &mut allowance);
            vec![read.map(|document| Document { pages, ..document })]
        }
    };
    // The documents of a work share its front matter; what is wrong with that is told once.
    if let Some(document) = parsed.iter_mut().flatten().next() {
        document.warnings = warnings;
    }
    parsed
}

fn whole_text(
    body: &str,
    headings: &[Heading],
    (card, states_access): (DocumentCard, bool),
    allowance: &mut Allowance,
) -> Result<Document, ParseError> {
    let sections = outline::sections(body, headings, &card.title, &[], allowance)?;
    checked(Document {
        card,
        text: body.to_owned(),
        sections,
        times: Vec::new(),
        pages: Vec::new(),
        states_access,
        warnings: Vec::new(),
    })
}
