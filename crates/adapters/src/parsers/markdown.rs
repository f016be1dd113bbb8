//! Markdown → a document whose sections follow its headings.

use vouch_domain::{Document, DocumentCard, ports::ParseError};

use super::headings::headings;
use super::{
    Origin, addressed, checked, front_matter,
    outline::{self, Allowance, Heading},
};

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseError>> {
    let (mut own, body) = match front_matter::split(text) {
        Ok(split) => split,
        Err(fault) => return vec![Err(fault)],
    };
    let addresses = own.addresses.take();
    let headings = match headings(body) {
        Ok(headings) => headings,
        Err(fault) => return vec![Err(fault)],
    };
    let first = headings.iter().find(|heading| heading.level == 1).map(|heading| heading.title.clone());
    let mut allowance = Allowance::new(text);
    match (origin.card(own, first), addresses) {
        (Err(fault), _) => vec![Err(fault)],
        (Ok(work), Some(pattern)) => addressed::parse(body, &work, &pattern, &mut allowance),
        (Ok(card), None) => vec![whole_text(body, &headings, card, &mut allowance)],
    }
}

fn whole_text(
    body: &str,
    headings: &[Heading],
    card: DocumentCard,
    allowance: &mut Allowance,
) -> Result<Document, ParseError> {
    let sections = outline::sections(body, headings, &card.title, &[], allowance)?;
    checked(Document { card, text: body.to_owned(), sections, times: Vec::new() })
}
