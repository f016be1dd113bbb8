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
pub(crate) fn write(blocks: &[Block], pages: &Pages, manuscript: &mut Manuscript) {
    // How many pages there are is known when all is written, so where that matters it is written twice.
    let found = || Writer::new(&mut Manuscript::default(), false).all(blocks);
    let counts = match pages {
        Pages::Stated(1) | Pages::Unknown => false,
        Pages::Stated(stated) => found() == *stated,
        Pages::AllMarked => found() > 1,
    };
    Writer::new(manuscript, counts).all(blocks);
}

struct Writer<'a> {
    manuscript: &'a mut Manuscript,
    page: u32,
    counts: bool,
    /// Whether a page has begun on which nothing is written yet.
    is_turned: bool,
}

impl<'a> Writer<'a> {
    fn new(manuscript: &'a mut Manuscript, counts: bool) -> Self {
        Self { manuscript, page: 1, counts, is_turned: true }
    }

    /// Writes all blocks; answers on how many pages.
    fn all(mut self, blocks: &[Block]) -> u32 {
        for block in blocks {
            match block {
                Block::Heading { level, words } => self.split(words, |to, words| to.heading(*level, words)),
                Block::Paragraph(words) => self.split(words, Manuscript::paragraph),
                Block::Item { depth, number, words } => self.split(words, |to, words| to.item(*depth, *number, words)),
                Block::Quote(words) => self.split(words, Manuscript::quote),
                Block::Code(words) => {
                    self.mark();
                    self.manuscript.code(&words.replace(PAGE_BREAK, ""));
                    if words.contains(PAGE_BREAK) {
                        self.turn();
                    }
                }
                Block::Table(rows) => self.table(rows),
            }
        }
        // A break at the very end begins no page.
        if self.is_turned { self.page.saturating_sub(1).max(1) } else { self.page }
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

    /// A table whose header is as wide as its widest row, with its rows on their pages. The end of a row may be missing.
    fn table(&mut self, rows: &[Vec<String>]) {
        let is_filled = |cell: &&String| cell.chars().any(|c| c != PAGE_BREAK && !c.is_whitespace());
        let width = |row: &Vec<String>| row.iter().rposition(|cell| is_filled(&cell)).map_or(0, |last| last + 1);
        let mut columns = rows.iter().map(width).max().unwrap_or(0);
        let is_frame = columns == 1 && rows.iter().filter(|row| width(row) > 0).count() == 1;
        let (mut waiting, mut is_begun) = (Vec::new(), false);
        for row in rows {
            let starts = row
                .iter()
                .find(|cell| !cell.trim().is_empty())
                .is_some_and(|cell| cell.trim_start().starts_with(PAGE_BREAK));
            let breaks: usize = row.iter().map(|cell| cell.matches(PAGE_BREAK).count()).sum();
            if starts {
                is_begun |= self.rows(std::mem::take(&mut waiting), is_begun);
                self.turn();
            }
            if width(row) > 0 {
                let cells = row.iter().take(width(row)).map(|cell| cell.replace(PAGE_BREAK, ""));
                let mut cells: Vec<String> = cells.collect();
                // The first row is the header.
                cells.resize(cells.len().max(std::mem::take(&mut columns)), String::new());
                if is_frame {
                    self.mark();
                    cells.iter().for_each(|cell| self.manuscript.paragraph(cell));
                } else {
                    waiting.push(cells);
                }
            }
            // A row that goes on over the page is told where it begins.
            if breaks > usize::from(starts) {
                is_begun |= self.rows(std::mem::take(&mut waiting), is_begun);
                self.turn();
            }
        }
        self.rows(waiting, is_begun);
    }

    /// Rows of one page; answers whether there were any.
    fn rows(&mut self, rows: Vec<Vec<String>>, is_begun: bool) -> bool {
        if rows.is_empty() {
            return false;
        }
        self.mark();
        if is_begun {
            self.manuscript.rows(&rows)
        } else {
            self.manuscript.table(&rows)
        }
        true
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
