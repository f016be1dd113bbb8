//! Lines of all pages → headings, paragraphs, items, rows and code, each in one piece also over the end of a page.

use super::{
    line::{Kind, Line, PageLines, Tie},
    marks::{self, Mark},
    spacing::{self, Column, Leading},
    words::Vocabulary,
};

/// A block and the pages it stands on.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) form: Form,
    /// What of it stands on which page.
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(super) struct Piece {
    pub(super) page: u32,
    pub(super) text: String,
    pub(super) rows: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Heading(usize),
    Paragraph,
    Item { depth: usize, number: Option<u32> },
    Table,
    Code,
    Quote,
    Note,
}

/// The blocks of all pages.
pub(super) fn build(pages: &[PageLines], vocabulary: &Vocabulary, leading: &Leading) -> Vec<Block> {
    let mut builder =
        Builder { vocabulary, leading, blocks: Vec::new(), last: None, items: Vec::new(), code_x: 0.0, page: 0 };
    for page in pages {
        let columns = spacing::columns(&page.lines);
        let before = builder.blocks.len();
        builder.page = page.number;
        let body = page.lines.iter().zip(&columns).filter(|(line, _)| !matches!(line.kind, Kind::Margin | Kind::Note));
        for (line, column) in body {
            builder.add(line, *column);
        }
        let notes = notes(page, vocabulary);
        if !notes.is_empty() {
            builder.keep_notes(notes, before);
        }
    }
    builder.blocks
}

/// The footnotes of a page.
fn notes(page: &PageLines, vocabulary: &Vocabulary) -> Vec<Block> {
    let mut notes: Vec<Block> = Vec::new();
    for line in page.lines.iter().filter(|line| line.kind == Kind::Note) {
        match notes.last_mut().and_then(|note| note.pieces.last_mut()) {
            Some(piece) if !super::notes::has_note_mark(&line.text) => vocabulary.append(&mut piece.text, &line.text),
            _ => notes.push(Block { form: Form::Note, pieces: vec![piece(page.number, line.text.clone())] }),
        }
    }
    notes
}

fn piece(page: u32, text: String) -> Piece {
    Piece { page, text, rows: Vec::new() }
}

struct Builder<'a> {
    vocabulary: &'a Vocabulary,
    leading: &'a Leading,
    blocks: Vec<Block>,
    /// The line before, its column, its page and how many lines of the block came before it.
    last: Option<(&'a Line, Column, u32, usize)>,
    /// Left edges and marks of the items that are open, the innermost last.
    items: Vec<(f32, Mark)>,
    /// The left edge of the code that is open.
    code_x: f32,
    page: u32,
}

impl<'a> Builder<'a> {
    fn add(&mut self, line: &'a Line, column: Column) {
        let goes_on = self.goes_on(line, column);
        let mut count = 0;
        match &line.kind {
            Kind::Heading(level) => {
                let form = Form::Heading(*level);
                if line.tie == Tie::Continues && self.form() == Some(form) {
                    self.append(&line.text, " ");
                } else {
                    self.begin(form, &line.text);
                }
                self.items.clear();
            }
            Kind::Row(cells) => self.add_row(cells, line),
            Kind::Item(number) => {
                let mark = number.map_or(Mark::Bullet, Mark::Number);
                let depth = self.depth(line.x, mark);
                self.begin(Form::Item { depth, number: *number }, &line.text);
            }
            Kind::Quote if goes_on && self.form() == Some(Form::Quote) => self.append(&line.text, ""),
            Kind::Quote => self.begin(Form::Quote, &line.text),
            Kind::Text | Kind::Listed => count = self.add_text(line, column, goes_on),
            Kind::Note | Kind::Margin => {}
        }
        self.last = Some((line, column, self.page, count));
    }

    fn add_text(&mut self, line: &'a Line, column: Column, goes_on: bool) -> usize {
        if line.is_mono && !self.leading.is_mono && (!goes_on || self.form() == Some(Form::Code)) {
            self.add_code(line);
            return 0;
        }
        if let Some((mark, words)) = self.mark(line, goes_on) {
            let number = if let Mark::Number(number) = mark { Some(number) } else { None };
            let depth = self.depth(line.x, mark);
            self.begin(Form::Item { depth, number }, words);
            return 0;
        }
        if goes_on && matches!(self.form(), Some(Form::Paragraph | Form::Item { .. } | Form::Quote)) {
            let breaks = self.last.is_some_and(|(last, before, page, _)| {
                page == self.page && spacing::is_cut(last, before, line, column)
            });
            self.append(&line.text, if breaks { "\n" } else { "" });
            return self.last.map_or(0, |(.., count)| count + 1);
        }
        // What stands below an item, as far in as its words, belongs to it and does not end its list.
        while self.items.last().is_some_and(|(x, _)| line.x < x + line.size * 0.5) {
            self.items.pop();
        }
        self.begin(Form::Paragraph, &line.text);
        0
    }

    /// The mark of an item, where the line begins one.
    fn mark(&self, line: &'a Line, goes_on: bool) -> Option<(Mark, &'a str)> {
        let (mark, words) = marks::split(&line.text)?;
        let is_listed = line.kind == Kind::Listed;
        let follows = |wanted: Mark| self.items.iter().any(|(_, open)| *open == wanted);
        let is_one = match mark {
            Mark::Bullet => true,
            Mark::Dash => is_listed || !goes_on,
            Mark::Number(number) => {
                let is_next = number.checked_sub(1).is_some_and(|before| follows(Mark::Number(before)));
                is_listed || is_next || (number <= 1 && !goes_on)
            }
            Mark::Letter(letter) => (!goes_on && letter == 1) || (letter > 1 && follows(Mark::Letter(letter - 1))),
        };
        (is_one && !words.is_empty()).then_some((mark, words))
    }

    /// How deep an item at this edge is; the items that it ends are closed.
    fn depth(&mut self, x: f32, mark: Mark) -> usize {
        while self.items.last().is_some_and(|(open, _)| *open > x + 3.0) {
            self.items.pop();
        }
        match self.items.last_mut() {
            Some((open, last)) if (*open - x).abs() <= 3.0 => *last = mark,
            Some(_) | None => self.items.push((x, mark)),
        }
        self.items.len() - 1
    }

    fn add_row(&mut self, cells: &[String], line: &Line) {
        self.items.clear();
        let columns = self.blocks.last().and_then(|block| block.pieces.last()?.rows.last()).map(Vec::len);
        let is_over_page = self.last.is_some_and(|(_, _, page, _)| page != self.page);
        let is_more = line.tie == Tie::Continues || is_over_page;
        let joined: Vec<String> = cells.iter().map(|cell| self.joined(cell)).collect();
        match self.blocks.last_mut() {
            Some(table) if table.form == Form::Table && is_more && columns == Some(cells.len()) => {
                // Programs draw the head of a table again on every page.
                if is_over_page && table.pieces.first().and_then(|piece| piece.rows.first()) == Some(&joined) {
                    return;
                }
                match table.pieces.last_mut() {
                    Some(last) if last.page == self.page => last.rows.push(joined),
                    _ => table.pieces.push(Piece { page: self.page, text: String::new(), rows: vec![joined] }),
                }
            }
            _ => {
                let rows = vec![joined];
                let pieces = vec![Piece { page: self.page, text: String::new(), rows }];
                self.blocks.push(Block { form: Form::Table, pieces });
            }
        }
    }

    /// The lines of a cell in one.
    fn joined(&self, cell: &str) -> String {
        let mut text = String::new();
        for line in cell.lines() {
            self.vocabulary.append(&mut text, line);
        }
        text
    }

    fn add_code(&mut self, line: &Line) {
        self.items.clear();
        let last = self.last.filter(|(last, _, page, _)| *page == self.page && last.is_mono);
        let step = last.map(|(last, ..)| last.y - line.y);
        let is_more = step.is_some_and(|step| step > 0.0 && step < line.size * 4.0);
        match self.blocks.last_mut().and_then(|block| Some((block.form, block.pieces.last_mut()?))) {
            Some((Form::Code, piece)) if is_more => {
                let has_gap = step.is_some_and(|step| step > self.leading.of(line) * 1.6);
                piece.text.push_str(if has_gap { "\n\n" } else { "\n" });
                piece.text.push_str(&spacing::indented(line, self.code_x));
            }
            _ => {
                self.code_x = line.x;
                let text = spacing::indented(line, self.code_x);
                self.blocks.push(Block { form: Form::Code, pieces: vec![piece(self.page, text)] });
            }
        }
    }

    fn form(&self) -> Option<Form> {
        self.blocks.last().map(|block| block.form)
    }

    fn begin(&mut self, form: Form, text: &str) {
        self.blocks.push(Block { form, pieces: vec![piece(self.page, text.trim().to_owned())] });
    }

    /// More text of the block before; a word that is parted by the end of a page stands on the first of both.
    fn append(&mut self, text: &str, between: &str) {
        let Some(block) = self.blocks.last_mut() else { return };
        let Some(last) = block.pieces.last_mut() else { return };
        if last.page == self.page {
            if between == "\n" {
                last.text.push('\n');
                last.text.push_str(text.trim());
            } else {
                self.vocabulary.append(&mut last.text, text);
            }
            return;
        }
        let text = text.trim();
        let is_parted = last.text.ends_with(['-', '\u{2010}', '\u{ad}']);
        let (word, rest) = if is_parted { text.split_once(' ').unwrap_or((text, "")) } else { ("", text) };
        self.vocabulary.append(&mut last.text, word);
        let page = self.page;
        block.pieces.push(piece(page, rest.to_owned()));
    }

    /// Whether the line goes on with the block before it.
    fn goes_on(&self, line: &Line, column: Column) -> bool {
        let Some((last, before, page, count)) = self.last else { return false };
        if !matches!(last.kind, Kind::Text | Kind::Listed | Kind::Item(_) | Kind::Quote) || last.is_mono != line.is_mono
        {
            return false;
        }
        let is_item = matches!(self.form(), Some(Form::Item { .. }));
        let hangs = self.items.last().filter(|_| is_item).map(|(x, _)| *x);
        let place = spacing::Place { last, before, line, column, hangs, is_second: count == 0 };
        if page != self.page { place.flows_on() } else { place.continues(self.leading) }
    }

    /// Puts the footnotes of the page where no sentence is: before its last paragraph where that may go on over the page.
    fn keep_notes(&mut self, notes: Vec<Block>, page_start: usize) {
        let is_open = self.last.is_some_and(|(last, ..)| !spacing::ends_sentence(&last.text));
        let last = self.blocks.len().saturating_sub(1);
        // A list or a table in the middle of which it would stand ends here anyway.
        let at = if is_open && last >= page_start && self.form() == Some(Form::Paragraph) {
            last
        } else {
            self.blocks.len()
        };
        let at_end = at == self.blocks.len();
        self.blocks.splice(at..at, notes);
        if at_end && !is_open {
            self.last = None;
        }
    }
}
