//! Headings and where they stand → sections, each under the headings above it.
//!
//! Invariant: what the paths of all sections repeat stays in proportion to the source. Without that, one long heading
//! over thousands of small ones would be copied once per section, and a few hundred kilobytes would become gigabytes.

use std::sync::Arc;

use vouch_domain::{DocumentCard, Section, ports::ParseError};

use crate::fault::whole;

/// The longest heading, in bytes: every passage below one carries it.
const HEADING_BYTES_MAX: usize = 4_000;
const HEADING_CHARS_SHOWN: usize = 40;

/// How many bytes may be repeated per byte of the source, and how many in any source.
const REPEATED_PER_BYTE: usize = 32;
const REPEATED_FLOOR: usize = 64 * 1024;

/// A heading and the bytes it takes up.
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) title: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What may still be repeated of a source's headings and of what it says about itself.
pub(super) struct Allowance {
    left: usize,
    limit: usize,
}

impl Allowance {
    pub(super) fn new(source: &str) -> Self {
        let limit = source.len().saturating_mul(REPEATED_PER_BYTE).saturating_add(REPEATED_FLOOR);
        Self { left: limit, limit }
    }

    pub(super) fn take(&mut self, bytes: usize) -> Result<(), ParseError> {
        let Some(left) = self.left.checked_sub(bytes) else {
            return Err(whole(&format!(
                "its headings and front matter, repeated for each of its sections, are more than {} bytes; \
                 shorten the long ones or join the short sections",
                self.limit
            )));
        };
        self.left = left;
        Ok(())
    }
}

/// How many bytes the texts of a card have.
pub(super) fn card_bytes(card: &DocumentCard) -> usize {
    let lines = [&card.status, &card.date, &card.version, &card.owner, &card.url];
    let names = [&card.tenant, &card.source, &card.title, &card.kind, &card.collection];
    let lines: usize = lines.into_iter().flatten().map(String::len).sum();
    let tags: usize = card.tags.iter().chain(&card.topics).map(|tag| tag.len() + size_of::<String>()).sum();
    names.map(String::len).iter().sum::<usize>() + lines + tags
}

/// The text between headings, each part under the headings above it; the title itself is not repeated. All of it stands
/// under the headings `above`.
pub(super) fn sections(
    text: &str,
    headings: &[Heading],
    title: &str,
    above: &[String],
    allowance: &mut Allowance,
) -> Result<Vec<Section>, ParseError> {
    let mut sections = Vec::new();
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    let ends = headings.iter().map(|heading| (heading.start, Some(heading))).chain([(text.len(), None)]);
    for (end, heading) in ends {
        if start < end {
            let names = || above.iter().map(String::as_str).chain(open.iter().map(|(_, name)| *name));
            allowance.take(names().map(|name| name.len() + size_of::<String>()).sum())?;
            let path: Arc<[String]> = names().map(str::to_owned).collect();
            sections.push(Section { path, start, end });
        }
        let Some(heading) = heading else { break };
        while open.last().is_some_and(|(level, _)| *level >= heading.level) {
            open.pop();
        }
        let name = heading.title.trim();
        check_length(name)?;
        if !name.is_empty() && name != title {
            open.push((heading.level, name));
        }
        start = heading.end;
    }
    Ok(sections)
}

fn check_length(heading: &str) -> Result<(), ParseError> {
    if heading.len() <= HEADING_BYTES_MAX {
        return Ok(());
    }
    let shown: String = heading.chars().take(HEADING_CHARS_SHOWN).collect();
    let sentence = format!(
        "its heading '{shown}…' has {} bytes, the limit is {HEADING_BYTES_MAX}; make it a paragraph",
        heading.len()
    );
    Err(whole(&sentence))
}
