//! Lines, one after the other → blocks: what every line opens, goes on with or ends in its place.
//!
//! Invariant: every line is read once, and looked ahead of at most once, so the work is linear whatever never closes.

use std::ops::Range;

use super::{
    Block, BlockKind,
    line_opening::{Fence, Opening, columns, has_bar, opening},
    silent_line::{COMMENT, is_silent},
};

/// Columns by which code is indented, and by which at least a line stands inside the list item above it.
const CODE_COLUMNS: usize = 4;
const ITEM_COLUMNS: usize = 2;

/// What ends a sentence or announces something, what may close it, and how many of those are looked through.
const ENDS: &[char] = &['.', '!', '?', '…', '。', ':'];
const CLOSERS: &[char] = &['"', '\'', ')', ']', '”', '’', '»', '*', '_', '`'];
const CLOSERS_MAX: usize = 8;

pub(super) fn read(text: &str) -> Vec<Block> {
    let mut reader = Reader {
        text,
        found: Vec::new(),
        open: None,
        last_line: 0,
        lists: Vec::new(),
        fence: None,
        above: Above::Gap,
        comment_last: text.rfind(COMMENT.1).unwrap_or(0),
    };
    let mut at = 0;
    while at < text.len() {
        at = reader.read_line(at..reader.line_end(at));
    }
    reader.close();
    reader.found
}

/// What stands directly above a line, where that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    /// A blank line, or nothing.
    Gap,
    /// Indented code and a blank line.
    CodeAndGap,
    /// Indented code.
    Code,
    /// A table row with a bar in front.
    Row,
    /// A row or the rule of a table whose rows have no bar in front.
    BareRow,
    /// Anything else.
    Other,
}

struct Reader<'t> {
    text: &'t str,
    found: Vec<Block>,
    open: Option<Block>,
    /// Where the last line of the open block starts.
    last_line: usize,
    /// The columns of the list items around this place, outermost first.
    lists: Vec<usize>,
    fence: Option<Fence>,
    above: Above,
    /// Where the last comment closes, so that one that never does is not looked for again and again.
    comment_last: usize,
}

impl<'t> Reader<'t> {
    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    fn line_end(&self, from: usize) -> usize {
        self.slice(from..self.text.len()).find('\n').map_or(self.text.len(), |at| from + at + 1)
    }

    /// Reads a line and answers where the next one to read starts.
    fn read_line(&mut self, line: Range<usize>) -> usize {
        let words = self.slice(line.clone());
        if let Some(fence) = self.fence {
            self.extend(&line);
            if fence.is_closed_by(words) {
                self.fence = None;
                self.close();
            }
            return line.end;
        }
        if let Some(end) = self.indented_code(&line) {
            return end;
        }
        if let Some(end) = self.silent_until(&line) {
            if self.open.as_ref().is_some_and(|open| self.has_ended(open)) {
                self.close();
            }
            return end;
        }
        let above = std::mem::replace(&mut self.above, Above::Other);
        match opening(words) {
            Opening::Blank => {
                self.close();
                let is_code = matches!(above, Above::Code | Above::CodeAndGap);
                self.above = if is_code { Above::CodeAndGap } else { Above::Gap };
            }
            Opening::Fence(fence) => {
                self.close();
                let indent = words.len() - words.trim_start().len();
                self.open_block(BlockKind::Code, &line, (indent, indent));
                self.fence = Some(fence);
            }
            Opening::Heading { words_at } => {
                self.close();
                self.lists.clear();
                let indent = words.len() - words.trim_start().len();
                self.open_block(BlockKind::Heading, &line, (indent, words_at));
                self.close();
            }
            Opening::Rule { may_underline } => self.rule(&line, may_underline),
            Opening::Quote { words_at } => self.quote(&line, words_at),
            Opening::Row => self.row(&line, Above::Row),
            Opening::TableRule => self.table_rule(above),
            Opening::Item { words_at, number } => self.item(&line, words_at, number),
            Opening::Text if above == Above::BareRow && words.contains('|') => self.row(&line, Above::BareRow),
            Opening::Text => self.text(&line),
        }
        line.end
    }

    fn text(&mut self, line: &Range<usize>) {
        let is_quote_over =
            self.open.as_ref().is_some_and(|open| open.kind == BlockKind::Quote && self.has_ended(open));
        if is_quote_over {
            self.close();
        }
        if self.open.is_some() {
            self.extend(line);
        } else {
            let words = self.slice(line.clone());
            let indent = words.len() - words.trim_start().len();
            self.open_block(BlockKind::Paragraph, line, (indent, indent));
        }
    }

    fn quote(&mut self, line: &Range<usize>, words_at: usize) {
        let is_open = self.open.as_ref().is_some_and(|open| open.kind == BlockKind::Quote);
        let has_words = !self.slice(line.start + words_at..line.end).trim().is_empty();
        match (is_open, has_words) {
            (true, true) => self.extend(line),
            (true, false) => {}
            (false, true) => {
                self.close();
                let words = self.slice(line.clone());
                let indent = words.len() - words.trim_start().len();
                self.open_block(BlockKind::Quote, line, (indent, words_at));
            }
            (false, false) => self.close(),
        }
    }

    /// Opens a list item, unless a wrapped line only happens to start with a number.
    fn item(&mut self, line: &Range<usize>, words_at: usize, number: Option<u32>) {
        let columns = columns(self.slice(line.clone()));
        let is_inside = self.lists.last().is_some_and(|list| columns >= list + ITEM_COLUMNS);
        let is_wrapped = number.is_some_and(|number| number != 1)
            && self.open.as_ref().is_some_and(|open| {
                let has_words = matches!(open.kind, BlockKind::Paragraph | BlockKind::ListItem { .. });
                has_words && (open.depth == 0 || is_inside) && !self.has_ended(open)
            });
        if is_wrapped {
            return self.text(line);
        }
        self.close();
        self.depth_at(columns);
        self.lists.push(columns);
        let depth = self.lists.len();
        let end = self.words_end(line);
        let kind = BlockKind::ListItem { is_numbered: number.is_some() };
        self.last_line = line.start;
        self.open = Some(Block { kind, depth, range: line.start + words_at..end, whole: line.start..end });
    }

    fn row(&mut self, line: &Range<usize>, above: Above) {
        self.close();
        let words = self.slice(line.clone());
        let indent = words.len() - words.trim_start().len();
        self.open_block(BlockKind::TableRow { is_header: false }, line, (indent, indent));
        self.close();
        self.above = above;
    }

    /// The rule below a table's header makes a header of the row above it, which may have looked like words until now.
    fn table_rule(&mut self, above: Above) {
        let header = BlockKind::TableRow { is_header: true };
        if let (Above::Row, Some(row)) = (above, self.found.last_mut()) {
            row.kind = header;
            return;
        }
        let words = self.open.take_if(|open| open.kind == BlockKind::Paragraph);
        let Some(mut words) = words else { return self.close() };
        let last = self.slice(self.last_line..words.range.end);
        if !last.contains('|') {
            self.open = Some(words);
            return self.close();
        }
        let row = words.range.end - last.trim_start().len()..words.range.end;
        let depth = words.depth;
        words.range.end = words.range.start + self.slice(words.range.start..self.last_line).trim_end().len();
        words.whole.end = words.range.end;
        self.open = Some(words);
        self.close();
        self.found.push(Block { kind: header, depth, range: row.clone(), whole: row });
        self.above = Above::BareRow;
    }

    fn rule(&mut self, line: &Range<usize>, may_underline: bool) {
        let end = self.words_end(line);
        match self.open.as_mut().filter(|open| open.kind == BlockKind::Paragraph && open.depth == 0) {
            Some(open) if may_underline => {
                open.kind = BlockKind::Heading;
                open.whole.end = end;
            }
            Some(_) | None => self.lists.clear(),
        }
        self.close();
    }

    /// Reads a paragraph of indented code and answers where it ends. Indented prose, a list, and a paragraph whose first
    /// line alone is indented are none: plain text is often written so.
    fn indented_code(&mut self, line: &Range<usize>) -> Option<usize> {
        let is_apart = matches!(self.above, Above::Gap | Above::CodeAndGap) && self.open.is_none();
        if !is_apart || !self.lists.is_empty() || columns(self.slice(line.clone())) < CODE_COLUMNS {
            return None;
        }
        if opening(self.slice(line.clone())) != Opening::Text {
            return None;
        }
        let mut end = line.end;
        while end < self.text.len() {
            let next = self.slice(end..self.line_end(end));
            match (next.trim().is_empty(), columns(next) >= CODE_COLUMNS) {
                (true, _) => break,
                (false, true) => end += next.len(),
                (false, false) => return None,
            }
        }
        let code = line.start..line.start + self.slice(line.start..end).trim_end().len();
        let words = code.end - self.slice(code.clone()).trim_start().len()..code.end;
        if is_prose(self.slice(words.clone())) {
            return None;
        }
        match self.found.last_mut() {
            Some(last) if self.above == Above::CodeAndGap => (last.range.end, last.whole.end) = (code.end, code.end),
            Some(_) | None => {
                self.found.push(Block { kind: BlockKind::Code, depth: 0, range: words, whole: code });
            }
        }
        self.above = Above::Code;
        Some(end)
    }

    /// Where reading goes on after a line without text, or after a comment at the start of a line.
    fn silent_until(&self, line: &Range<usize>) -> Option<usize> {
        let words = self.slice(line.clone());
        if is_silent(words) {
            return Some(line.end);
        }
        let start = line.end - words.trim_start().strip_prefix(COMMENT.0)?.len();
        if start > self.comment_last {
            return None;
        }
        let close = start + self.slice(start..self.text.len()).find(COMMENT.1)? + COMMENT.1.len();
        let end = self.line_end(close);
        let rest = self.slice(close..end);
        Some(if rest.trim().is_empty() || is_silent(rest) { end } else { close })
    }

    /// How many list items a line at these columns stands in; those it does not stand in are over.
    fn depth_at(&mut self, columns: usize) -> usize {
        while self.lists.pop_if(|list| columns < *list + ITEM_COLUMNS).is_some() {}
        self.lists.len()
    }

    /// Whether a block may end here: its last words end a sentence or announce something.
    fn has_ended(&self, block: &Block) -> bool {
        let mut backwards = self.slice(block.range.clone()).chars().rev().take(CLOSERS_MAX);
        backwards.find(|sign| !CLOSERS.contains(sign)).is_some_and(|sign| ENDS.contains(&sign))
    }

    fn words_end(&self, line: &Range<usize>) -> usize {
        line.start + self.slice(line.clone()).trim_end().len()
    }

    /// Opens a block whose mark and whose words start at these bytes of its line.
    fn open_block(&mut self, kind: BlockKind, line: &Range<usize>, (mark_at, words_at): (usize, usize)) {
        let depth = self.depth_at(columns(self.slice(line.clone())));
        let end = self.words_end(line);
        let range = (line.start + words_at).min(end)..end;
        self.last_line = line.start;
        self.open = Some(Block { kind, depth, range, whole: line.start + mark_at..end });
    }

    fn extend(&mut self, line: &Range<usize>) {
        let end = self.words_end(line);
        self.last_line = line.start;
        if let Some(open) = self.open.as_mut().filter(|_| end > line.start) {
            (open.range.end, open.whole.end) = (end, end);
        }
    }

    /// Ends the open block. A paragraph of which every line has cells is a table.
    fn close(&mut self) {
        let Some(open) = self.open.take().filter(|open| !open.range.is_empty()) else { return };
        let is_table = open.kind == BlockKind::Paragraph && self.slice(open.range.clone()).lines().all(has_bar);
        if !is_table {
            self.found.push(open);
            return;
        }
        let mut at = open.range.start;
        for line in self.slice(open.range).split_inclusive('\n') {
            let start = at + (line.len() - line.trim_start().len());
            let row = start..at + line.trim_end().len();
            at += line.len();
            let kind = BlockKind::TableRow { is_header: false };
            self.found.push(Block { kind, depth: open.depth, range: row.clone(), whole: row });
        }
    }
}

/// Whether indented lines read as prose: they start with a letter or a quotation and end as a sentence does.
fn is_prose(words: &str) -> bool {
    let starts = words.chars().next().is_some_and(|sign| sign.is_alphabetic() || matches!(sign, '“' | '"' | '‘' | '('));
    let mut backwards = words.chars().rev().take(CLOSERS_MAX);
    starts && backwards.find(|sign| !CLOSERS.contains(sign)).is_some_and(|sign| matches!(sign, '.' | '!' | '?'))
}
