//! A passage and the sentence in it that answers → the unit that is shown: the sentence and what it needs to be read alone.
//!
//! That is its paragraph, its list with the words that introduce it, the header above its row, the code below it, the sentence that its
//! "it" points to.
//!
//! Invariant: the answer and each part of its context begin where a sentence of the passage begins and end where one ends. The work is
//! linear in the passage.

use std::ops::Range;

use super::{
    blocks::{Block, BlockKind, blocks, is_mark},
    sentences::{leans, sentence_ranges},
    titles::is_title,
};

/// The longest paragraph, list, table and code that are shown whole, in words.
const PARAGRAPH_WORDS_MAX: usize = 90;
const LIST_WORDS_MAX: usize = 130;
const TABLE_WORDS_MAX: usize = 100;
const CODE_WORDS_MAX: usize = 80;
/// Blocks beside these are shown too while the unit has at most so many words.
const GROWN_WORDS_MAX: usize = 100;

/// What is shown of a passage, in bytes of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// A lead-in or a table's header that stands apart from the rest.
    pub above: Option<Range<usize>>,
    /// What stands directly before the answer, in several parts where something that is no text lies between.
    pub before: Vec<Range<usize>>,
    /// The sentence that answers.
    pub answer: Range<usize>,
    /// What stands directly after it.
    pub after: Vec<Range<usize>>,
}

impl Unit {
    /// Its parts in their order, each with whether it answers.
    pub fn parts(&self) -> impl Iterator<Item = (&Range<usize>, bool)> {
        let context = |part| (part, false);
        let before = self.above.iter().chain(&self.before).map(context);
        before.chain([(&self.answer, true)]).chain(self.after.iter().map(context))
    }

    /// Whether it shows something of this range already.
    #[must_use]
    pub fn overlaps(&self, range: &Range<usize>) -> bool {
        self.parts().any(|(part, _)| part.start < range.end && range.start < part.end)
    }
}

/// How much of a passage is wanted around an answer.
#[derive(Clone, Copy)]
pub struct Extent {
    /// A list that follows is shown although no colon announces it.
    pub asks_for_steps: bool,
    /// What stands beside the unit is shown too while there is room.
    pub may_grow: bool,
}

/// The unit around the sentence of a passage that begins at so many bytes; none if no sentence begins there.
#[must_use]
pub fn unit(text: &str, answer_start: usize, extent: Extent) -> Option<Unit> {
    let passage = Passage::read(text);
    let at = passage.sentences.iter().position(|sentence| sentence.start == answer_start)?;
    let block = passage.block_of(at)?;
    let reach = match passage.blocks.get(block)?.kind {
        BlockKind::TableRow { .. } => passage.table(block),
        BlockKind::Code => Reach { above: None, blocks: block.saturating_sub(1)..block + 1 },
        BlockKind::ListItem { .. } => passage.list(block),
        BlockKind::Paragraph | BlockKind::Quote | BlockKind::Heading => {
            if passage.blocks.get(block).is_some_and(|own| own.depth > 0) {
                passage.list(block)
            } else {
                passage.paragraph(block, extent.asks_for_steps)
            }
        }
    };
    let reach = if extent.may_grow && reach.above.is_none() { passage.grow(reach) } else { reach };
    passage.cut(at, block, &reach)
}

/// The sentence of a passage that begins at so many bytes, with what it cannot be read without and nothing else: the header above its row,
/// the words that introduce its list, what it announces, the sentence that its "it" points to.
#[must_use]
pub fn least_unit(text: &str, answer_start: usize) -> Option<Unit> {
    let passage = Passage::read(text);
    let at = passage.sentences.iter().position(|sentence| sentence.start == answer_start)?;
    let block = passage.block_of(at)?;
    let own = passage.blocks.get(block)?;
    let is_last = passage.sentences.get(at + 1).is_none_or(|next| next.start >= own.range.end);
    if own.kind == BlockKind::Code || (is_last && passage.announces(block)) {
        return unit(text, answer_start, Extent { asks_for_steps: false, may_grow: false });
    }
    let above = if passage.is_row(block) {
        passage.header_of(block)
    } else if own.depth > 0 {
        passage.lead_in_of(block).filter(|lead_in| passage.announces(*lead_in))
    } else {
        None
    };
    let reach = Reach { above, blocks: block..block + 1 };
    let leaning = at.checked_sub(1).filter(|_| passage.leans(at) && own.depth == 0);
    let before = leaning.filter(|before| passage.block_of(*before).is_some_and(|own| passage.is_paragraph(own)));
    passage.parts(at, before.unwrap_or(at)..at + 1, &reach)
}

/// Which blocks of a passage are shown.
struct Reach {
    /// A block that stands apart from the others.
    above: Option<usize>,
    blocks: Range<usize>,
}

struct Passage<'a> {
    text: &'a str,
    blocks: Vec<Block>,
    sentences: Vec<Range<usize>>,
}

impl<'a> Passage<'a> {
    fn read(text: &'a str) -> Self {
        Self { text, blocks: blocks(text), sentences: sentence_ranges(text) }
    }

    fn block_of(&self, sentence: usize) -> Option<usize> {
        let sentence = self.sentences.get(sentence)?;
        let after = self.blocks.partition_point(|block| block.range.start <= sentence.start);
        after.checked_sub(1)
    }

    fn depth(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(0, |block| block.depth)
    }

    fn is_paragraph(&self, block: usize) -> bool {
        let is_one = |own: &Block| own.depth == 0 && matches!(own.kind, BlockKind::Paragraph | BlockKind::Heading);
        self.blocks.get(block).is_some_and(is_one)
    }

    fn is_code(&self, block: usize) -> bool {
        self.blocks.get(block).is_some_and(|own| own.kind == BlockKind::Code)
    }

    fn is_row(&self, block: usize) -> bool {
        self.blocks.get(block).is_some_and(|own| matches!(own.kind, BlockKind::TableRow { .. }))
    }

    fn words(&self, blocks: Range<usize>) -> usize {
        let texts = self.blocks.get(blocks).unwrap_or_default().iter();
        texts.map(|block| self.text.get(block.range.clone()).unwrap_or_default().split_whitespace().count()).sum()
    }

    /// The blocks round this one that `belongs` holds for.
    fn run(&self, block: usize, belongs: impl Fn(usize) -> bool) -> Range<usize> {
        let first = (0..block).rev().take_while(|before| belongs(*before)).last().unwrap_or(block);
        let last = (block + 1..self.blocks.len()).take_while(|after| belongs(*after)).last().unwrap_or(block);
        first..last + 1
    }

    /// A row with its header, or the whole of a small table.
    fn table(&self, block: usize) -> Reach {
        let rows = self.run(block, |other| self.is_row(other));
        if self.words(rows.clone()) <= TABLE_WORDS_MAX {
            return Reach { above: None, blocks: rows };
        }
        Reach { above: self.header_of(block), blocks: block..block + 1 }
    }

    fn header_of(&self, row: usize) -> Option<usize> {
        let rows = self.run(row, |other| self.is_row(other));
        let is_header =
            |row: &usize| self.blocks.get(*row).is_some_and(|row| row.kind == BlockKind::TableRow { is_header: true });
        (rows.start..row).rev().find(is_header)
    }

    /// The paragraph before the list of an item.
    fn lead_in_of(&self, item: usize) -> Option<usize> {
        let list = self.run(item, |other| self.depth(other) > 0);
        list.start.checked_sub(1).filter(|before| self.is_paragraph(*before))
    }

    /// The whole list with the words that introduce it; of a long one the item with what stands below it.
    fn list(&self, block: usize) -> Reach {
        let list = self.run(block, |other| self.depth(other) > 0);
        let lead_in = self.lead_in_of(block);
        if self.words(list.clone()) <= LIST_WORDS_MAX {
            return Reach { above: None, blocks: lead_in.unwrap_or(list.start)..list.end };
        }
        let depth = self.depth(block);
        let is_below = |other: &usize| {
            let own = self.blocks.get(*other);
            own.is_some_and(|own| {
                own.depth > depth || (own.depth == depth && !matches!(own.kind, BlockKind::ListItem { .. }))
            })
        };
        let end = (block + 1..list.end).take_while(is_below).last().map_or(block + 1, |last| last + 1);
        let end = if self.words(block..end) <= LIST_WORDS_MAX { end } else { block + 1 };
        Reach { above: lead_in, blocks: block..end }
    }

    /// A paragraph with the list or the code that it introduces.
    fn paragraph(&self, block: usize, asks_for_steps: bool) -> Reach {
        let announces = self.announces(block);
        let next = block + 1;
        let mut end = next;
        if self.depth(next) > 0 && (announces || asks_for_steps) {
            let list = self.run(next, |other| self.depth(other) > 0 && other > block);
            end = if self.words(list.clone()) <= LIST_WORDS_MAX { list.end } else { self.items_that_fit(&list) };
        } else if self.is_code(next) && self.words(next..next + 1) <= CODE_WORDS_MAX {
            end = next + 1;
        } else if announces && self.is_row(next) {
            let rows = self.run(next, |other| self.is_row(other));
            end = if self.words(rows.clone()) <= TABLE_WORDS_MAX { rows.end } else { end };
        }
        Reach { above: None, blocks: block..end }
    }

    /// Where the first items of a long list end that are shown of it.
    fn items_that_fit(&self, list: &Range<usize>) -> usize {
        let fits = |end: &usize| self.words(list.start..*end) <= LIST_WORDS_MAX;
        (list.start + 1..=list.end).take_while(fits).last().unwrap_or(list.start)
    }

    /// The blocks with what stands after and before them, as long as there is room for the whole of it.
    fn grow(&self, mut reach: Reach) -> Reach {
        let mut words = self.words(reach.blocks.clone());
        let mut fits = |group: Range<usize>| {
            let more = self.words(group.clone());
            let fits = !group.is_empty() && words + more <= GROWN_WORDS_MAX;
            words += if fits { more } else { 0 };
            fits
        };
        while fits(reach.blocks.end..self.group_end(reach.blocks.end)) {
            reach.blocks.end = self.group_end(reach.blocks.end);
        }
        while fits(self.group_start(reach.blocks.start)..reach.blocks.start) {
            reach.blocks.start = self.group_start(reach.blocks.start);
        }
        reach
    }

    /// Where the group ends that begins with this block: a paragraph with what it announces, or a whole list or table.
    fn group_end(&self, block: usize) -> usize {
        if block >= self.blocks.len() {
            return block;
        }
        let last = if self.announces(block) && block + 1 < self.blocks.len() { block + 1 } else { block };
        if self.depth(last) > 0 {
            self.run(last, |other| self.depth(other) > 0).end
        } else if self.is_row(last) {
            self.run(last, |other| self.is_row(other)).end
        } else {
            last + 1
        }
    }

    /// Where the group begins that ends before this block.
    fn group_start(&self, block: usize) -> usize {
        let Some(last) = block.checked_sub(1) else { return block };
        let first = if self.depth(last) > 0 {
            self.run(last, |other| self.depth(other) > 0).start
        } else if self.is_row(last) {
            self.run(last, |other| self.is_row(other)).start
        } else {
            last
        };
        let is_apart = first == last && self.is_paragraph(last);
        first.checked_sub(1).filter(|before| !is_apart && self.announces(*before)).unwrap_or(first)
    }

    /// Whether a paragraph ends with a colon or is a title: what follows belongs to it.
    fn announces(&self, block: usize) -> bool {
        let own = self.blocks.get(block).and_then(|own| self.text.get(own.range.clone())).unwrap_or_default();
        let is_title =
            || block + 1 < self.blocks.len() && self.blocks.get(block).is_some_and(|own| is_title(self.text, own));
        self.is_paragraph(block) && (own.trim_end_matches(['*', '_', ' ']).ends_with(':') || is_title())
    }

    /// The sentences of the blocks, in three parts round the answer. Of a long paragraph only the neighbours are shown.
    fn cut(&self, at: usize, block: usize, reach: &Reach) -> Option<Unit> {
        let first_block = self.blocks.get(reach.blocks.start)?.range.start;
        let end_block = self.blocks.get(reach.blocks.end.checked_sub(1)?)?.range.end;
        let mut first = self.sentences.partition_point(|sentence| sentence.start < first_block);
        let mut last = self.sentences.partition_point(|sentence| sentence.start < end_block).checked_sub(1)?;
        let own = self.blocks.get(block)?.range.clone();
        if self.words(block..block + 1) > PARAGRAPH_WORDS_MAX {
            let own_first = self.sentences.partition_point(|sentence| sentence.start < own.start);
            let own_last = self.sentences.partition_point(|sentence| sentence.start < own.end).checked_sub(1)?;
            first = first.max(own_first.max(at.saturating_sub(1)));
            // What a long paragraph introduces is kept where the answer is the sentence that does so.
            last = if at == own_last { last } else { own_last.min(at + 1) };
        }
        if first == at && self.leans(at) && self.is_paragraph(block) {
            let before =
                at.checked_sub(1).filter(|before| self.block_of(*before).is_some_and(|own| self.is_paragraph(own)));
            first = before.unwrap_or(at);
        }
        self.parts(at, first..last + 1, reach)
    }

    /// The sentences of a range, in three parts round the answer, and what stands above.
    fn parts(&self, at: usize, shown: Range<usize>, reach: &Reach) -> Option<Unit> {
        let answer = self.sentences.get(at)?.clone();
        let above = reach.above.and_then(|above| self.blocks.get(above)).map(|above| above.range.clone());
        Some(Unit {
            above: above.and_then(|above| self.whole_sentences(&above)),
            before: self.stretches(shown.start..at),
            answer,
            after: self.stretches(at + 1..shown.end),
        })
    }

    /// Neighbouring sentences as they stand in the text, cut where more than white space and marks lies between two: comments and tags are not shown.
    fn stretches(&self, sentences: Range<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for sentence in self.sentences.get(sentences).unwrap_or_default() {
            match found.last_mut() {
                Some(open) if self.text.get(open.end..sentence.start).is_some_and(is_mark) => open.end = sentence.end,
                Some(_) | None => found.push(sentence.clone()),
            }
        }
        found
    }

    fn whole_sentences(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let mut own = self.sentences.iter().filter(|own| range.start <= own.start && own.end <= range.end);
        let first = own.next()?;
        Some(first.start..own.next_back().unwrap_or(first).end)
    }

    fn leans(&self, sentence: usize) -> bool {
        let text = self.sentences.get(sentence).and_then(|range| self.text.get(range.clone())).unwrap_or_default();
        leans(text)
    }
}
