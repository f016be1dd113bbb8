//! Blocks, one after the other → a document of the same blocks as Markdown has.
//!
//! Readers of formats that are no text of their own write down here what they find: headings, paragraphs, items, rows, code,
//! and where a page, a slide or a row begins. Marks and blank lines between blocks are put here and nowhere else.
//!
//! Invariant: the text holds the words as they were given, with white space in them joined to single blanks, and a mark of
//! a page never stands inside a word.

use vouch_domain::{Document, PageMark, PageUnit, ports::ParseError};

use crate::{
    fault::whole,
    front_matter::FrontMatter,
    origin::{Origin, checked},
    outline::{self, Allowance, Heading},
};

/// The longest text that is taken from one file, in bytes: what a person could still read, many times over.
const TEXT_BYTES_MAX: usize = 128 * 1024 * 1024;
/// A deeper list is written as one of this depth.
const DEPTH_MAX: usize = 8;

/// A document while it is written down.
#[derive(Default)]
pub(crate) struct Manuscript {
    text: String,
    headings: Vec<Heading>,
    pages: Vec<PageMark>,
    /// How many characters of the text have been counted, up to which byte.
    counted: (usize, usize),
    waiting_page: Option<(u32, PageUnit)>,
    last: Last,
    /// How many items the next block stands in.
    inside: usize,
    warnings: Vec<String>,
}

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    Other,
    Item,
    Row,
}

impl Manuscript {
    /// From here on the text stands on this page, slide or row.
    pub(crate) fn page(&mut self, number: u32, unit: PageUnit) {
        self.waiting_page = Some((number, unit));
    }

    /// A heading, 1 for the outermost level; one without words is none.
    pub(crate) fn heading(&mut self, level: usize, title: &str) {
        let title = joined(title);
        if title.is_empty() {
            return;
        }
        self.begin(Last::Other);
        let level = level.clamp(1, 6);
        let start = self.text.len();
        self.text.extend(std::iter::repeat_n('#', level));
        self.text.push(' ');
        self.text.push_str(&title);
        self.headings.push(Heading { level, title, start, end: self.text.len() });
    }

    /// The next block, if it is a paragraph, a table, code or a quote, belongs to the item above it, which is the
    /// innermost of so many; to none for 0.
    pub(crate) fn inside(&mut self, items: usize) {
        self.inside = items.min(DEPTH_MAX + 1);
    }

    /// A paragraph; line breaks in it are kept as such.
    pub(crate) fn paragraph(&mut self, words: &str) {
        let indent = self.take_indent();
        let words = lines_joined(words, &format!("\n{indent}"));
        if !words.is_empty() {
            self.begin(Last::Other);
            self.text.push_str(&indent);
            self.text.push_str(&words);
        }
    }

    /// More words of the block written last, such as the rest of a paragraph that goes on over the page.
    pub(crate) fn go_on(&mut self, words: &str) {
        let words = joined(words);
        if words.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.mark_page();
        self.text.push_str(&words);
    }

    /// An item of a list, 0 for the outermost; `number` for one of a numbered list.
    pub(crate) fn item(&mut self, depth: usize, number: Option<u32>, words: &str) {
        let depth = depth.min(DEPTH_MAX);
        // What belongs to an item is indented by the width of its mark.
        let words = lines_joined(words, &format!("\n{:1$}", "", depth * 3 + 3));
        if words.is_empty() {
            return;
        }
        self.begin(Last::Item);
        self.text.extend(std::iter::repeat_n(' ', depth * 3));
        match number {
            Some(number) => self.text.push_str(&format!("{number}. ")),
            None => self.text.push_str("- "),
        }
        self.text.push_str(&words);
    }

    /// A table, the first row as its header. Cells hold no line breaks; rows without words are left out.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) {
        let indent = self.take_indent();
        let has_words = |row: &&Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
        let mut rows = rows.iter().filter(has_words).peekable();
        let Some(columns) = rows.peek().map(|header| header.len()) else { return };
        // A table right below another one would be read as more rows of it.
        self.begin(Last::Other);
        for (at, row) in rows.enumerate() {
            if at > 0 {
                self.text.push('\n');
            }
            self.text.push_str(&indent);
            self.row(row);
            if at == 0 {
                self.text.push_str(&format!("\n{indent}|"));
                self.text.extend(std::iter::repeat_n(" --- |", columns));
            }
        }
        self.last = Last::Row;
    }

    /// More rows of the table written last, such as those on the next page.
    pub(crate) fn rows(&mut self, rows: &[Vec<String>]) {
        for row in rows.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())) {
            self.text.push('\n');
            self.mark_page();
            self.row(row);
        }
    }

    fn row(&mut self, cells: &[String]) {
        self.text.push('|');
        for cell in cells {
            self.text.push(' ');
            self.text.push_str(&joined(cell).replace('|', "/"));
            self.text.push_str(" |");
        }
    }

    /// Code, every line as it is.
    pub(crate) fn code(&mut self, lines: &str) {
        let indent = self.take_indent();
        let lines = lines.trim_matches('\n');
        if lines.trim().is_empty() {
            return;
        }
        self.begin(Last::Other);
        // A fence inside the code must not end it.
        let longest = lines.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        for line in [fence.as_str()].into_iter().chain(lines.split('\n')) {
            self.text.push_str(&indent);
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.text.push_str(&indent);
        self.text.push_str(&fence);
    }

    /// Words of somebody else.
    pub(crate) fn quote(&mut self, words: &str) {
        let mark = format!("{}> ", self.take_indent());
        let words = lines_joined(words, &format!("\n{mark}"));
        if !words.is_empty() {
            self.begin(Last::Other);
            self.text.push_str(&mark);
            self.text.push_str(&words);
        }
    }

    /// Something that its author should mend although it could be read.
    pub(crate) fn warn(&mut self, sentence: impl Into<String>) {
        self.warnings.push(sentence.into());
    }

    /// How many bytes were written so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The document, with what the file says of itself and the title it has if it names none there.
    pub(crate) fn finish(
        mut self,
        origin: &Origin<'_>,
        mut own: FrontMatter,
        title: Option<String>,
    ) -> Result<Document, ParseError> {
        self.warnings.append(&mut own.warnings);
        if self.text.len() > TEXT_BYTES_MAX {
            return Err(whole(&format!("its text is longer than {TEXT_BYTES_MAX} bytes; split it")));
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let title = title.filter(|title| !title.trim().is_empty());
        let title = title.or_else(|| self.headings.iter().min_by_key(|heading| heading.level).map(|h| h.title.clone()));
        let (card, states_access) = origin.card(own, title)?;
        let sections =
            outline::sections(&self.text, &self.headings, &card.title, &[], &mut Allowance::new(&self.text))?;
        checked(Document {
            card,
            text: self.text,
            sections,
            times: Vec::new(),
            pages: self.pages,
            states_access,
            warnings: self.warnings,
        })
    }

    /// What the lines of a block begin with that stands in items.
    fn take_indent(&mut self) -> String {
        " ".repeat(std::mem::take(&mut self.inside) * 3)
    }

    /// Ends the block before, and marks the page if a new one has begun.
    fn begin(&mut self, next: Last) {
        if !self.text.is_empty() {
            self.text.push_str(if next == Last::Item && self.last == Last::Item { "\n" } else { "\n\n" });
        }
        self.last = next;
        self.mark_page();
    }

    fn mark_page(&mut self) {
        if let Some((page, unit)) = self.waiting_page.take() {
            let (bytes, characters) = self.counted;
            let at = characters + self.text.get(bytes..).map_or(0, |new| new.chars().count());
            self.counted = (self.text.len(), at);
            self.pages.push(PageMark { at, page, unit });
        }
    }
}

/// Words with every run of white space as one blank, and without characters that nobody sees.
pub(crate) fn joined(words: &str) -> String {
    let is_shown =
        |c: &char| (!c.is_control() || c.is_whitespace()) && !matches!(c, '\u{ad}' | '\u{feff}' | '\u{200b}');
    let shown: String = words.chars().filter(is_shown).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines that have words, each with single blanks, one below the other.
fn lines_joined(words: &str, between: &str) -> String {
    let lines = words.lines().map(joined).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(between)
}
