//! Document → passages: whole sentences, rows and short lists, one section each, about as long as the policy says.
//!
//! Invariant: a passage's text is the document's text at its span, character for character, and no passage
//! crosses a heading or ends inside a unit. How many there are, and how much of the document's title and headings they repeat, is bounded.

use std::{ops::Range, sync::Arc};

use vouch_domain::{CharSpan, Document, PageMark, Passage, TimeMark};

use super::{
    tokens::tokens,
    units::{Sizes, units},
};
use crate::policy::IngestPolicy;

/// How many bytes of title and headings passages may repeat per byte of the text, and in any document.
const REPEATED_PER_BYTE: usize = 32;
const REPEATED_FLOOR: usize = 64 * 1024;

/// Why a document cannot be cut into passages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// It has too many.
    #[error("it would be split into more than {0} passages (ingest.passages_max); split it into several documents")]
    Passages(usize),
    /// They would repeat too much.
    #[error(
        "its title and headings, repeated for each of its passages, are more than {0} bytes; make the long ones shorter \
         or join the short sections"
    )]
    Headings(usize),
}

/// The passages of a document, in order.
///
/// # Errors
/// Fails if they would be out of proportion to the document.
pub fn chunk(document: &Document, policy: &IngestPolicy) -> Result<Vec<Passage>, ChunkError> {
    let repeated_max = document.text.len().saturating_mul(REPEATED_PER_BYTE).saturating_add(REPEATED_FLOOR);
    let mut repeated = 0usize;
    let mut counter = CharCounter { text: &document.text, byte: 0, chars: 0 };
    let mut passages = Vec::new();
    let sizes = Sizes::new(policy.passage_tokens);
    for section in &document.sections {
        let Some(body) = document.text.get(section.start..section.end) else { continue };
        let moved = |range: Range<usize>| section.start + range.start..section.start + range.end;
        let units: Vec<Range<usize>> = units(body, &sizes).into_iter().map(moved).collect();
        let heading_bytes = document.card.title.len() + section.path.iter().map(String::len).sum::<usize>();
        for range in pack(&document.text, &units, &sizes) {
            let Some(text) = document.text.get(range.clone()) else { continue };
            repeated = repeated.saturating_add(heading_bytes);
            if repeated > repeated_max {
                return Err(ChunkError::Headings(repeated_max));
            }
            if passages.len() >= policy.passages_max {
                return Err(ChunkError::Passages(policy.passages_max));
            }
            let start = counter.chars_before(range.start);
            let span = CharSpan { start, end: start + text.chars().count() };
            passages.push(Passage {
                ordinal: u32::try_from(passages.len()).unwrap_or(u32::MAX),
                section: Arc::clone(&section.path),
                span,
                text: text.to_owned(),
                address: document.card.address.clone(),
                times: times_within(span, &document.times),
                pages: pages_within(span, &document.pages),
            });
        }
    }
    Ok(passages)
}

/// The marks of a passage, in its own characters; what was begun before it counts from its start.
fn times_within(span: CharSpan, times: &[TimeMark]) -> Vec<TimeMark> {
    let first = times.partition_point(|mark| mark.at <= span.start).saturating_sub(1);
    let spoken = times.iter().skip(first).take_while(|mark| mark.at < span.end);
    spoken.map(|mark| TimeMark { at: mark.at.saturating_sub(span.start), seconds: mark.seconds }).collect()
}

/// The pages of a passage, in its own characters; the one it begins on counts from its start.
fn pages_within(span: CharSpan, pages: &[PageMark]) -> Vec<PageMark> {
    let first = pages.partition_point(|mark| mark.at <= span.start).saturating_sub(1);
    let printed = pages.iter().skip(first).take_while(|mark| mark.at < span.end);
    printed.map(|mark| PageMark { at: mark.at.saturating_sub(span.start), ..*mark }).collect()
}

/// Groups of units of about equal size, none longer than the target with its slack if units allow.
fn pack(text: &str, units: &[Range<usize>], sizes: &Sizes) -> Vec<Range<usize>> {
    // What stands between two units counts with the later one.
    let starts = units.iter().take(1).map(|first| first.start).chain(units.iter().map(|before| before.end));
    let own: Vec<f32> =
        starts.zip(units).map(|(start, range)| tokens(text.get(start..range.end).unwrap_or(""))).collect();
    let total: f32 = own.iter().sum();
    let groups = (total / sizes.with_slack).ceil().max(1.0);
    let share = total / groups;
    let mut packed: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(Range<usize>, f32)> = None;
    for (range, size) in units.iter().zip(own) {
        open = Some(match open.take() {
            None => (range.clone(), size),
            // A unit joins where the group is nearer its share with it than without it.
            Some((group, filled)) if filled + size / 2.0 <= share && filled + size <= sizes.longest => {
                (group.start..range.end, filled + size)
            }
            Some((group, _)) => {
                packed.push(group);
                (range.clone(), size)
            }
        });
    }
    packed.extend(open.map(|(group, _)| group));
    packed
}

/// Counts characters from the front, never going over a byte twice.
struct CharCounter<'a> {
    text: &'a str,
    byte: usize,
    chars: usize,
}

impl CharCounter<'_> {
    fn chars_before(&mut self, byte: usize) -> usize {
        self.chars += self.text.get(self.byte..byte).map_or(0, |skipped| skipped.chars().count());
        self.byte = self.byte.max(byte);
        self.chars
    }
}
