//! The headings of a Markdown text.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use vouch_domain::ports::ParseError;

use super::{outline::Heading, tables};

pub(super) fn headings(body: &str) -> Result<Vec<Heading>, ParseError> {
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

pub(super) fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
