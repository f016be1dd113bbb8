//! Markdown → a document whose sections follow its headings.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use vouch_domain::{Document, DocumentCard, Section, ports::ParseFault};

use super::{Origin, addressed, checked, front_matter};

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Vec<Result<Document, ParseFault>> {
    let (mut own, body) = match front_matter::split(text) {
        Ok(split) => split,
        Err(fault) => return vec![Err(fault)],
    };
    let addresses = own.addresses.take();
    let headings = headings(body);
    let first = headings.iter().find(|heading| heading.level == 1).map(|heading| heading.title.clone());
    match (origin.card(own, first), addresses) {
        (Err(fault), _) => vec![Err(fault)],
        (Ok(work), Some(pattern)) => addressed::parse(body, &work, &pattern),
        (Ok(card), None) => vec![whole_text(body, &headings, card)],
    }
}

fn whole_text(body: &str, headings: &[Heading], card: DocumentCard) -> Result<Document, ParseFault> {
    let sections = sections(body, headings, &card.title);
    checked(Document { card, text: body.to_owned(), sections, times: Vec::new() })
}

/// A heading and the bytes it takes up.
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) title: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn headings(body: &str) -> Vec<Heading> {
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
    found
}

/// The text between headings, each part under the headings above it; the title itself is not repeated.
pub(super) fn sections(body: &str, headings: &[Heading], title: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut stack: Vec<(usize, String)> = Vec::new();
    let mut start = 0;
    for heading in headings {
        push_section(&mut sections, &stack, start, heading.start);
        stack.retain(|(level, _)| *level < heading.level);
        let name = heading.title.trim();
        if !name.is_empty() && name != title {
            stack.push((heading.level, name.to_owned()));
        }
        start = heading.end;
    }
    push_section(&mut sections, &stack, start, body.len());
    sections
}

fn push_section(sections: &mut Vec<Section>, stack: &[(usize, String)], start: usize, end: usize) {
    if start < end {
        sections.push(Section { path: stack.iter().map(|(_, name)| name.clone()).collect(), start, end });
    }
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
