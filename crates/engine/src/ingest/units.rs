//! The text of a section → units: what a passage is packed of and never cut inside.
//!
//! A unit is a sentence, unless the sentence says too little without its neighbours. A list or a table that is short enough
//! is one unit with the words that introduce it; a longer one is a unit for every item or row. Code is one with the
//! paragraph before it.
//!
//! Invariant: units are in order and apart, hold every sentence, and begin with the mark of their block where it fits, so that a passage
//! is read as the same blocks as its document. None is over the longest size unless one sentence is. The work is linear.

use std::ops::Range;

use vouch_domain::language::{Block, BlockKind, blocks, sentences::block_sentences};

use super::tokens::tokens;

/// A passage may be this much longer than the target before it is cut in two, and never longer than that by units.
const SLACK: f32 = 1.25;
const LONGEST: f32 = 2.0;

/// How long a passage may be, in tokens.
pub(super) struct Sizes {
    /// As long as the policy says, with some room.
    pub(super) with_slack: f32,
    /// As long as it may be at all.
    pub(super) longest: f32,
}

impl Sizes {
    pub(super) fn new(tokens_target: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a passage has few tokens")]
        let target = tokens_target.max(1) as f32;
        Self { with_slack: target * SLACK, longest: target * LONGEST }
    }
}

pub(super) fn units(text: &str, sizes: &Sizes) -> Vec<Range<usize>> {
    let parts: Vec<Part> = blocks(text).iter().filter_map(|block| Part::new(text, block, sizes)).collect();
    let mut grouping = Grouping { text, sizes, found: Vec::new(), lead: 0 };
    for run in parts.chunk_by(belong_together) {
        grouping.add(run);
    }
    grouping.found
}

/// A block and what it can be cut into.
struct Part {
    kind: BlockKind,
    depth: usize,
    /// Its sentences, the first with the mark of the block; never empty.
    sentences: Vec<Range<usize>>,
}

impl Part {
    fn new(text: &str, block: &Block, sizes: &Sizes) -> Option<Self> {
        let mut sentences = block_sentences(text, block);
        if block.kind == BlockKind::Quote {
            sentences = lines_of_quote(text, sentences, sizes);
        }
        let first = sentences.first_mut()?;
        *first = with_mark(text, block.whole.start, first, sizes);
        Some(Self { kind: block.kind, depth: block.depth, sentences })
    }

    fn range(&self) -> Range<usize> {
        let start = self.sentences.first().map_or(0, |first| first.start);
        start..self.sentences.last().map_or(start, |last| last.end)
    }
}

/// A sentence with the mark before it, which must not make one too long that fits without it.
fn with_mark(text: &str, mark: usize, sentence: &Range<usize>, sizes: &Sizes) -> Range<usize> {
    let fits = |start: usize| tokens(text.get(start..sentence.end).unwrap_or_default()) <= sizes.longest;
    let start = sentence.start.min(mark);
    if fits(start) || !fits(sentence.start) { start..sentence.end } else { sentence.clone() }
}

/// The sentences of a quote, those that share a line together: a passage that began inside a line would take the lines
/// below, which have marks, for another block.
fn lines_of_quote(text: &str, sentences: Vec<Range<usize>>, sizes: &Sizes) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut size = 0.0;
    for sentence in sentences {
        let own = tokens(text.get(sentence.clone()).unwrap_or_default());
        let Some(last) = lines.last_mut() else {
            (size, lines) = (own, vec![sentence]);
            continue;
        };
        let between = text.get(last.end..sentence.start).unwrap_or_default();
        match between.rfind('\n') {
            None if size + own <= sizes.longest => {
                last.end = sentence.end;
                size += own;
            }
            None => {
                size = own;
                lines.push(sentence);
            }
            Some(at) => {
                size = own;
                let mark = last.end + at + 1;
                lines.push(with_mark(text, mark, &sentence, sizes));
            }
        }
    }
    lines
}

/// Whether two neighbours are of one list or of one table.
fn belong_together(one: &Part, next: &Part) -> bool {
    let is_row = |part: &Part| matches!(part.kind, BlockKind::TableRow { .. });
    (one.depth > 0 && next.depth > 0) || (one.depth == 0 && next.depth == 0 && is_row(one) && is_row(next))
}

/// Whether the second of two neighbours starts something that may be cut off from the first: an item, or a row that does
/// not stand right below the header.
fn starts_piece(before: &Part, part: &Part) -> bool {
    match part.kind {
        BlockKind::ListItem { .. } => true,
        BlockKind::TableRow { .. } => before.kind != BlockKind::TableRow { is_header: true },
        BlockKind::Paragraph | BlockKind::Code | BlockKind::Quote | BlockKind::Heading => false,
    }
}

struct Grouping<'t> {
    text: &'t str,
    sizes: &'t Sizes,
    found: Vec<Range<usize>>,
    /// How many of the units found last are the paragraph right before this place.
    lead: usize,
}

impl Grouping<'_> {
    /// Adds a list, a table, or a single block.
    fn add(&mut self, run: &[Part]) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let whole = first.range().start..last.range().end;
        let is_table = matches!(first.kind, BlockKind::TableRow { .. });
        let lead = std::mem::take(&mut self.lead);
        if first.depth > 0 || is_table {
            let lead = if self.introduces(&whole) { lead } else { 0 };
            if !self.gather(&whole, lead, self.sizes.with_slack) {
                self.add_pieces(run, lead.min(1));
            }
            return;
        }
        match first.kind {
            BlockKind::Code => {
                if !self.gather(&whole, lead, self.sizes.longest) {
                    self.found.extend(first.sentences.iter().cloned());
                }
            }
            BlockKind::Paragraph => {
                self.found.extend(first.sentences.iter().cloned());
                self.lead = first.sentences.len();
            }
            BlockKind::ListItem { .. } | BlockKind::TableRow { .. } | BlockKind::Quote | BlockKind::Heading => {
                self.found.extend(first.sentences.iter().cloned());
            }
        }
    }

    /// Makes one unit with the paragraph before, with its last sentence, or alone, whichever fits first.
    fn gather(&mut self, whole: &Range<usize>, lead: usize, tokens_max: f32) -> bool {
        for taken in [lead, lead.min(1), 0] {
            let kept = self.found.len() - taken.min(self.found.len());
            let start = self.found.get(kept).map_or(whole.start, |first| first.start);
            if self.size(&(start..whole.end)) <= tokens_max {
                self.found.truncate(kept);
                self.found.push(start..whole.end);
                return true;
            }
        }
        false
    }

    /// Adds a long list or table item by item, the first one with the sentence that introduces it where that fits.
    fn add_pieces(&mut self, run: &[Part], mut lead: usize) {
        let mut rest = run;
        while let Some((first, others)) = rest.split_first() {
            let neighbours = rest.iter().zip(others);
            let length = 1 + neighbours.take_while(|(before, part)| !starts_piece(before, part)).count();
            let (piece, after) = rest.split_at(length);
            rest = after;
            let whole = first.range().start..piece.last().map_or(0, |last| last.range().end);
            if self.gather(&whole, std::mem::take(&mut lead), self.sizes.longest) {
                continue;
            }
            for part in piece {
                if !self.gather(&part.range(), 0, self.sizes.longest) {
                    self.found.extend(part.sentences.iter().cloned());
                }
            }
        }
    }

    /// Whether the words found last introduce what follows: they end with a colon or stand right above it.
    fn introduces(&self, following: &Range<usize>) -> bool {
        let Some(last) = self.found.last() else { return false };
        let words = self.text.get(last.clone()).unwrap_or_default().trim_end_matches(['*', '_']);
        let between = self.text.get(last.end..following.start).unwrap_or_default();
        words.ends_with(':') || between.matches('\n').count() < 2
    }

    fn size(&self, range: &Range<usize>) -> f32 {
        tokens(self.text.get(range.clone()).unwrap_or_default())
    }
}
