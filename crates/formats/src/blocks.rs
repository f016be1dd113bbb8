//! Blocks of a word processor's file → a manuscript, with the pages they stand on where the file is sure of them.
//!
//! Such files have no fixed pages. Programs leave marks where pages began when they were last drawn; these are believed where
//! their number is the number of pages that the file says it has, and left out everywhere else: no page is better than a
//! wrong one.

use vouch_domain::PageUnit;

use crate::manuscript::Manuscript;

/// Stands in the words of a block where a page ends; no text has this character.
pub(crate) const PAGE_BREAK: char = '\u{fdd0}';

/// A block as it is read.
#[derive(Debug)]
pub(crate) enum Block {
    Heading { level: usize, words: String },
    Paragraph(String),
    Item { depth: usize, number: Option<u32>, words: String },
    Table(Vec<Vec<String>>),
    Code(String),
    Quote(String),
}

/// How many pages a file has.
pub(crate) enum Pages {
    /// It says so itself.
    Stated(u32),
    /// It does not say, and its program marks every page.
    AllMarked,
    /// It does not say, and there may be pages without a mark.
    Unknown,
}

/// Writes the blocks down.
pub(crate) fn write(blocks: Vec<Block>, pages: &Pages, manuscript: &mut Manuscript) {
    let breaks = count(&blocks);
    let counts = match pages {
        Pages::Stated(stated) => breaks > 0 && breaks + 1 == *stated,
        Pages::AllMarked => breaks > 0,
        Pages::Unknown => false,
    };
    let mut writer = Writer { manuscript, page: 1, counts, is_turned: true };
    for block in blocks {
        writer.block(block);
    }
}

/// Breaks with words between; a program may mark one and the same break twice, where it was set and where it was drawn.
fn count(blocks: &[Block]) -> u32 {
    let (mut found, mut is_turned) = (0, true);
    let mut look = |words: &str| {
        for character in words.chars() {
            if character == PAGE_BREAK && !is_turned {
                found += 1;
                is_turned = true;
            } else if !character.is_whitespace() && character != PAGE_BREAK {
                is_turned = false;
            }
        }
    };
    for block in blocks {
        match block {
            Block::Heading { words, .. } | Block::Item { words, .. } => look(words),
            Block::Paragraph(words) | Block::Code(words) | Block::Quote(words) => look(words),
            Block::Table(rows) => rows.iter().flatten().for_each(|cell| look(cell)),
        }
    }
    // A break at the very end begins no page.
    if is_turned { found - u32::from(found > 0) } else { found }
}

struct Writer<'a> {
    manuscript: &'a mut Manuscript,
    page: u32,
    counts: bool,
    /// Whether a page has begun on which nothing is written yet.
    is_turned: bool,
}

impl Writer<'_> {
    fn block(&mut self, block: Block) {
        match block {
            Block::Heading { level, words } => self.split(&words, |to, words| to.heading(level, words)),
            Block::Paragraph(words) => self.split(&words, Manuscript::paragraph),
            Block::Item { depth, number, words } => self.split(&words, |to, words| to.item(depth, number, words)),
            Block::Quote(words) => self.split(&words, Manuscript::quote),
            Block::Code(words) => {
                self.mark();
                self.manuscript.code(&words.replace(PAGE_BREAK, ""));
                self.pass(&words);
            }
            Block::Table(mut rows) => {
                self.mark();
                let all: Vec<String> =
                    rows.iter().flatten().filter(|cell| cell.contains(PAGE_BREAK)).cloned().collect();
                for cell in rows.iter_mut().flatten() {
                    *cell = cell.replace(PAGE_BREAK, "");
                }
                self.table(rows);
                all.iter().for_each(|cell| self.pass(cell));
            }
        }
    }

    /// Writes the words before the first break as a block and what follows as more of it, each on its page.
    fn split(&mut self, words: &str, write: impl FnOnce(&mut Manuscript, &str)) {
        let mut write = Some(write);
        for (at, piece) in words.split(PAGE_BREAK).enumerate() {
            if at > 0 {
                self.turn();
            }
            if piece.trim().is_empty() {
                continue;
            }
            self.mark();
            match write.take() {
                Some(write) => write(self.manuscript, piece),
                None => self.manuscript.go_on(piece),
            }
        }
    }

    /// A table whose header is as wide as its widest row; the end of a row may be missing.
    fn table(&mut self, mut rows: Vec<Vec<String>>) {
        for row in &mut rows {
            let filled = row.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
            row.truncate(filled);
        }
        rows.retain(|row| !row.is_empty());
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if let [only] = rows.as_slice()
            && columns == 1
        {
            // A frame around a paragraph.
            only.iter().for_each(|cell| self.manuscript.paragraph(cell));
            return;
        }
        if let Some(header) = rows.first_mut() {
            header.resize(columns, String::new());
        }
        self.manuscript.table(&rows);
    }

    /// Passes the breaks in words that were written without them.
    fn pass(&mut self, words: &str) {
        for (at, piece) in words.split(PAGE_BREAK).enumerate() {
            if at > 0 {
                self.turn();
            }
            if !piece.trim().is_empty() {
                self.is_turned = false;
            }
        }
    }

    fn turn(&mut self) {
        if !self.is_turned {
            self.page += 1;
            self.is_turned = true;
        }
    }

    fn mark(&mut self) {
        if self.is_turned && self.counts {
            self.manuscript.page(self.page, PageUnit::Page);
        }
        self.is_turned = false;
    }
}
