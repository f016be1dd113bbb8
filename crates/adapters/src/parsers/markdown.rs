//! Markdown → a document whose sections follow its headings.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use vouch_domain::{Document, DocumentCard, ports::ParseFault};

use super::{
    Origin, addressed, checked, front_matter,
    outline::{self, Allowance, Heading},
    tables,
};

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseFault>> {
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
    let mut allowance = Allowance::of(text);
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
) -> Result<Document, ParseFault> {
    let sections = outline::sections(body, headings, &card.title, &[], allowance)?;
    checked(Document { card, text: body.to_owned(), sections, times: Vec::new() })
}

pub(super) fn headings(body: &str) -> Result<Vec<Heading>, ParseFault> {
    tables::check(body)?;
    let mut found: Vec<Heading> = Vec::new();
    let mut is_inside = false;
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only headings matter")]
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                is_inside = true;
                found.push(Heading { level: depth(level), title: String::new(), start: range.start, end: range.end });
            }
            Event::End(TagEnd::Heading(_)) => is_inside = false,
            Event::Text(text) | Event::Code(text) if is_inside => {
                if let Some(heading) = found.last_mut() {
                    heading.title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
