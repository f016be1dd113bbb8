//! Document → passages: whole sentences, one section each, about as long as the policy says.
//!
//! Invariant: a passage's text is the document's text at its span, character for character, and no passage
//! crosses a heading. How many there are, and how much of the document's title and headings they repeat, is bounded.

use std::{ops::Range, sync::Arc};

use vouch_domain::{CharSpan, Document, Passage, TimeMark, language::sentence_ranges};

use crate::policy::IngestPolicy;

/// A passage may be this much longer than the target before it is cut in two, and never longer than that by sentences.
const SLACK: f32 = 1.25;
const LONGEST: f32 = 2.0;

/// How many bytes of title and headings passages may repeat per byte of the text, and in any document.
const REPEATED_PER_BYTE: usize = 32;
const REPEATED_FLOOR: usize = 64 * 1024;

/// Why a document cannot be cut into passages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// It has too many.
    #[error("it would become more than {0} passages (ingest.passages_max); split it into several documents")]
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
    for section in &document.sections {
        let Some(body) = document.text.get(section.start..section.end) else { continue };
        let sentences: Vec<Range<usize>> = sentence_ranges(body)
            .into_iter()
            .map(|range| section.start + range.start..section.start + range.end)
            .collect();
        let heading_bytes = document.card.title.len() + section.path.iter().map(String::len).sum::<usize>();
        for range in pack(&document.text, &sentences, policy.passage_tokens) {
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

/// Groups of sentences of about equal size, none longer than the target with its slack if sentences allow.
fn pack(text: &str, sentences: &[Range<usize>], tokens_target: usize) -> Vec<Range<usize>> {
    // Marks between two sentences, such as a list's bullets, count with the later one.
    let starts = sentences.iter().take(1).map(|first| first.start).chain(sentences.iter().map(|before| before.end));
    let sizes: Vec<f32> =
        starts.zip(sentences).map(|(start, range)| tokens(text.get(start..range.end).unwrap_or(""))).collect();
    let total: f32 = sizes.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a passage has few tokens")]
    let target = (tokens_target.max(1)) as f32;
    let groups = (total / (target * SLACK)).ceil().max(1.0);
    let share = total / groups;
    let mut packed: Vec<Range<usize>> = Vec::new();
    let mut open: Option<(Range<usize>, f32)> = None;
    for (range, size) in sentences.iter().zip(sizes) {
        open = Some(match open.take() {
            None => (range.clone(), size),
            // A sentence joins where the group is nearer its share with it than without it.
            Some((group, filled)) if filled + size / 2.0 <= share && filled + size <= target * LONGEST => {
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

/// About how many tokens a text has: a word of up to seven letters is one, longer ones and other signs are more.
#[must_use]
pub fn tokens(text: &str) -> f32 {
    text.split_whitespace()
        .map(|word| {
            let letters = word.chars().filter(|c| c.is_ascii_alphanumeric()).count();
            let signs = word.chars().count() - letters;
            #[expect(clippy::cast_precision_loss, reason = "a word has few letters")]
            let size = (letters as f32 / 7.0).ceil().max(f32::from(u8::from(letters > 0))) + signs as f32;
            size
        })
        .sum()
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
