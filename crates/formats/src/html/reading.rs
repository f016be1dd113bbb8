//! A page, walked through → its blocks as a person reads them.

use std::collections::BTreeSet;

use super::{
    elements::{BLOCKS, is_silent},
    grid::Grid,
    marks::{Marks, Role},
    page::{Content, Edge},
};
use crate::manuscript::Manuscript;

/// Deeper lists are read as lists of this depth.
const LISTS_MAX: usize = 16;
/// What sites put next to a heading as a link to it.
const LINK_SIGNS: &[&str] = &["¶", "#", "§", "🔗", "\u{f0c1}", "permalink", "Link to this heading"];

/// The longest number of a note.
const NOTE_DIGITS_MAX: usize = 3;
/// What leads back from a note to where it belongs.
const BACK_SIGNS: &[&str] = &["↩", "↩\u{fe0e}", "↩\u{fe0f}", "↵", "⏎"];

/// A list that is open.
struct List {
    /// The number of its next item, in a numbered list.
    next: Option<u32>,
    item: Item,
    /// The term of a definition that has not been written yet.
    term: String,
    /// Whether it is there because of an item that stands in no list.
    is_assumed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Outside,
    /// It has no words yet.
    Fresh(Option<u32>),
    Written,
}

/// What is being read.
pub(super) struct Reading<'m> {
    pub(super) manuscript: &'m mut Manuscript,
    layouts: &'m BTreeSet<u32>,
    /// Whether the header, the footer and the asides of the page are left out.
    is_whole_page: bool,
    words: String,
    lists: Vec<List>,
    grid: Option<(u32, Grid)>,
    /// What is open where the end of a block is not the end of the words: a heading, a term, a cell.
    runs: usize,
    anchor: usize,
    quotes: usize,
    code: usize,
    sections: usize,
    silent_depth: usize,
}

impl<'m> Reading<'m> {
    pub(super) fn new(manuscript: &'m mut Manuscript, layouts: &'m BTreeSet<u32>, is_whole_page: bool) -> Self {
        Self {
            manuscript,
            layouts,
            is_whole_page,
            words: String::new(),
            lists: Vec::new(),
            grid: None,
            runs: 0,
            anchor: 0,
            quotes: 0,
            code: 0,
            sections: 0,
            silent_depth: 0,
        }
    }

    /// Takes the next step of a walk through the page.
    pub(super) fn step(&mut self, edge: &Edge<'_>) {
        match edge {
            Edge::Open(_, Content::Element(name, marks)) if self.is_left_out(&name.local, marks.as_deref()) => {
                self.silent_depth += 1;
            }
            Edge::Close(_, Content::Element(..)) if self.silent_depth > 0 => self.silent_depth -= 1,
            Edge::Open(number, Content::Element(name, marks)) => self.open(*number, &name.local, marks.as_deref()),
            Edge::Close(number, Content::Element(name, marks)) => self.close(*number, &name.local, marks.as_deref()),
            Edge::Open(_, Content::Text(text)) if self.silent_depth == 0 => self.push(text),
            Edge::Open(_, Content::Text(_) | Content::Nothing)
            | Edge::Close(_, Content::Text(_) | Content::Nothing) => {}
        }
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) {
        self.flush();
    }

    fn is_left_out(&self, name: &str, marks: Option<&Marks>) -> bool {
        let role = marks.map(|marks| marks.role).unwrap_or_default();
        let surrounds = self.is_whole_page && self.sections == 0 && role != Role::Footnote;
        self.silent_depth > 0
            || is_silent(name, marks)
            || (surrounds && (role == Role::Margin || matches!(name, "header" | "footer" | "aside")))
    }

    fn open(&mut self, number: u32, name: &str, marks: Option<&Marks>) {
        if BLOCKS.contains(&name) {
            self.end_block();
        }
        match name {
            "br" if self.runs == 0 || self.code > 0 => self.words.push('\n'),
            "br" => self.words.push(' '),
            "a" => self.anchor = self.words.len(),
            "article" | "section" | "main" => self.sections += 1,
            "blockquote" => self.quotes += 1,
            "pre" | "listing" | "xmp" => {
                self.settle_term();
                self.code += 1;
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.runs += 1,
            "ul" | "menu" | "dir" | "dl" => self.open_list(None),
            "ol" => self.open_list(Some(marks.and_then(|marks| marks.number).unwrap_or(1))),
            "li" => self.open_item(marks),
            "dt" => {
                if self.lists.last().is_none_or(|list| list.is_assumed) {
                    self.open_assumed_list();
                }
                self.runs += 1;
            }
            "dd" => self.open_definition(),
            "table" if self.grid.is_none() && self.runs == 0 && !self.layouts.contains(&number) => {
                self.settle_term();
                self.grid = Some((number, Grid::new()));
            }
            "thead" => self.grid.iter_mut().for_each(|(_, grid)| grid.head()),
            "tr" => self.grid.iter_mut().for_each(|(_, grid)| grid.row()),
            "td" | "th" if self.grid.is_some() => self.runs += 1,
            _ => {}
        }
    }

    fn close(&mut self, number: u32, name: &str, marks: Option<&Marks>) {
        match name {
            "a" => {
                self.drop_link_sign();
                self.mark_note(marks);
            }
            "article" | "section" | "main" => self.sections = self.sections.saturating_sub(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.close_heading(name),
            "pre" | "listing" | "xmp" => self.close_code(),
            "dt" => {
                self.runs = self.runs.saturating_sub(1);
                if self.runs == 0 {
                    let term = std::mem::take(&mut self.words);
                    self.lists.last_mut().into_iter().for_each(|list| list.add_term(term.trim()));
                }
            }
            "td" | "th" if self.grid.is_some() => self.close_cell(name == "th", marks),
            "table" => self.close_table(number),
            _ if BLOCKS.contains(&name) => self.end_block(),
            _ => {}
        }
        match name {
            "blockquote" => self.quotes = self.quotes.saturating_sub(1),
            "ul" | "menu" | "dir" | "dl" | "ol" => self.close_list(),
            "li" | "dd" => {
                let is_assumed = self.lists.pop_if(|list| list.is_assumed).is_some();
                let own = self.lists.last_mut().filter(|_| !is_assumed);
                own.into_iter().for_each(|list| list.item = Item::Outside);
            }
            _ => {}
        }
    }

    fn open_list(&mut self, next: Option<u32>) {
        self.settle_term();
        self.lists.push(List { next, item: Item::Outside, term: String::new(), is_assumed: false });
    }

    fn open_assumed_list(&mut self) {
        self.lists.push(List { next: None, item: Item::Outside, term: String::new(), is_assumed: true });
    }

    fn close_list(&mut self) {
        self.settle_term();
        while self.lists.pop().is_some_and(|list| list.is_assumed) {}
    }

    fn open_item(&mut self, marks: Option<&Marks>) {
        if self.lists.is_empty() {
            self.open_assumed_list();
        }
        let Some(list) = self.lists.last_mut() else { return };
        let number = list.next.map(|next| marks.and_then(|marks| marks.number).unwrap_or(next));
        list.next = number.map(|number| number.saturating_add(1));
        list.item = Item::Fresh(number);
    }

    fn open_definition(&mut self) {
        if self.lists.is_empty() {
            self.open_assumed_list();
        }
        // A second definition of a term goes on below the first.
        let Some(list) = self.lists.last_mut() else { return };
        list.item = if list.term.is_empty() { Item::Written } else { Item::Fresh(None) };
    }

    fn close_heading(&mut self, name: &str) {
        self.runs = self.runs.saturating_sub(1);
        if self.runs == 0 {
            let level = name.strip_prefix('h').and_then(|level| level.parse().ok()).unwrap_or(1);
            self.manuscript.heading(level, &self.words);
            self.words.clear();
        } else {
            self.end_block();
        }
    }

    fn close_code(&mut self) {
        self.code = self.code.saturating_sub(1);
        if self.code > 0 || self.runs > 0 {
            return;
        }
        // Line numbers next to a listing stand in a column of their own.
        let mut lines = (1u32..).zip(self.words.split_whitespace());
        let is_numbers = self.words.lines().count() > 1 && lines.all(|(at, line)| line.parse() == Ok(at));
        if !is_numbers {
            self.manuscript.inside(self.depth());
            self.manuscript.code(&self.words);
        }
        self.words.clear();
    }

    fn close_cell(&mut self, is_header: bool, marks: Option<&Marks>) {
        self.runs = self.runs.saturating_sub(1);
        let words = std::mem::take(&mut self.words);
        self.grid.iter_mut().for_each(|(_, grid)| grid.cell(words.clone(), is_header, marks));
    }

    fn close_table(&mut self, number: u32) {
        self.end_block();
        if let Some((_, grid)) = self.grid.take_if(|(open, _)| *open == number) {
            let depth = self.depth();
            grid.write(self.manuscript, depth);
        }
    }

    /// Leaves out a link whose only purpose is to lead to the heading or term it stands in, or back from a note.
    fn drop_link_sign(&mut self) {
        let is_sign = self.words.get(self.anchor..).is_some_and(|words| LINK_SIGNS.contains(&words.trim()));
        let is_way_back = self.words.get(self.anchor..).is_some_and(|words| BACK_SIGNS.contains(&words.trim()));
        if self.runs > 0 && self.grid.is_none() && is_sign || is_way_back {
            self.words.truncate(self.anchor);
        }
    }

    /// Puts the number of a note in brackets, which would else read as part of the word beside it.
    fn mark_note(&mut self, marks: Option<&Marks>) {
        let Some(marks) = marks.filter(|marks| marks.leads_within) else { return };
        let Some((before, link)) = self.words.split_at_checked(self.anchor) else { return };
        let is_number =
            (1..=NOTE_DIGITS_MAX).contains(&link.trim().len()) && link.trim().bytes().all(|b| b.is_ascii_digit());
        let begins = before.trim().is_empty();
        let follows_word = before.ends_with(|c: char| !c.is_whitespace() && !matches!(c, '[' | '('));
        if is_number && (follows_word || (begins && marks.leads_to_note)) {
            let mark = format!("[{}]{}", link.trim(), if begins { " " } else { "" });
            self.words.truncate(self.anchor);
            self.words.push_str(&mark);
        }
    }

    fn push(&mut self, text: &str) {
        if self.code > 0 {
            self.words.push_str(text);
            return;
        }
        for (at, word) in text.split_whitespace().enumerate() {
            if at > 0 || text.starts_with(char::is_whitespace) {
                self.push_blank();
            }
            self.words.push_str(word);
        }
        if text.ends_with(char::is_whitespace) {
            self.push_blank();
        }
    }

    fn push_blank(&mut self) {
        if !self.words.is_empty() && !self.words.ends_with(char::is_whitespace) {
            self.words.push(' ');
        }
    }

    fn end_block(&mut self) {
        if self.runs > 0 {
            self.push_blank();
        } else if self.code == 0 {
            self.flush();
        }
    }

    /// How many items that have been written are open.
    fn depth(&self) -> usize {
        self.lists.iter().take(LISTS_MAX).filter(|list| list.item == Item::Written).count()
    }

    fn flush(&mut self) {
        if self.words.trim().is_empty() {
            self.words.clear();
            return;
        }
        let depth = self.depth();
        match self.lists.last_mut() {
            Some(list) if matches!(list.item, Item::Fresh(_)) => list.write_item(self.manuscript, depth, &self.words),
            _ if self.quotes > 0 => {
                self.manuscript.inside(depth);
                self.manuscript.quote(&self.words);
            }
            _ => {
                self.manuscript.inside(depth);
                self.manuscript.paragraph(&self.words);
            }
        }
        self.words.clear();
    }

    /// Writes a term on its own that no words follow right away.
    fn settle_term(&mut self) {
        let depth = self.depth();
        if let Some(list) = self.lists.last_mut().filter(|list| !list.term.is_empty()) {
            list.write_item(self.manuscript, depth, "");
        }
    }
}

impl List {
    fn add_term(&mut self, term: &str) {
        if !self.term.is_empty() {
            self.term.push_str(", ");
        }
        self.term.push_str(term);
    }

    fn write_item(&mut self, manuscript: &mut Manuscript, depth: usize, words: &str) {
        let number = match self.item {
            Item::Fresh(number) => number,
            Item::Outside | Item::Written => None,
        };
        let term = std::mem::take(&mut self.term);
        if term.is_empty() {
            manuscript.item(depth, number, words);
        } else {
            let between = if term.ends_with(':') || words.is_empty() { "" } else { ":" };
            manuscript.item(depth, number, &format!("{term}{between} {words}"));
        }
        self.item = Item::Written;
    }
}
