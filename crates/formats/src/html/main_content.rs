//! A page → the parts of it that hold what it is about, without what surrounds that on every page of a site.

use std::collections::BTreeSet;

use super::{
    elements::is_silent,
    marks::Role,
    page::{Content, Edge, Page, ROOT},
};

/// What of a page is read.
pub(super) struct MainContent {
    /// The elements to go through, in order.
    pub(super) roots: Vec<u32>,
    /// Whether that is the whole page, whose header, footer and asides are not what it is about.
    pub(super) is_whole_page: bool,
    /// The tables that only arrange what is in them.
    pub(super) layouts: BTreeSet<u32>,
}

/// What is known of a table before it is read.
struct Table {
    number: u32,
    rows: usize,
    has_code: bool,
}

#[derive(Default)]
struct Survey {
    silent_depth: usize,
    letters: usize,
    /// Elements of the kind with the letters they hold, those inside another one left out.
    mains: Parts,
    articles: Parts,
    open_tables: Vec<Table>,
    layouts: BTreeSet<u32>,
}

#[derive(Default)]
struct Parts {
    found: Vec<(u32, usize)>,
    /// The open one and how many letters there were before it.
    open: Option<(u32, usize)>,
}

impl Parts {
    fn open(&mut self, number: u32, letters: usize) {
        self.open.get_or_insert((number, letters));
    }

    fn close(&mut self, number: u32, letters: usize) {
        if let Some((_, before)) = self.open.take_if(|(open, _)| *open == number) {
            self.found.push((number, letters - before));
        }
    }
}

/// Looks through a page once.
pub(super) fn main_content(page: &Page) -> MainContent {
    let mut survey = Survey::default();
    page.walk(ROOT, |edge| survey.step(&edge));
    let Survey { letters, mains, articles, layouts, .. } = survey;
    let mains: Vec<u32> = mains.found.into_iter().filter(|(_, own)| *own > 0).map(|(number, _)| number).collect();
    let article = match articles.found.as_slice() {
        [(number, own)] if own.saturating_mul(2) > letters => Some(*number),
        _ => None,
    };
    let roots = if mains.is_empty() { article.into_iter().collect() } else { mains };
    let is_whole_page = roots.is_empty();
    MainContent { roots: if is_whole_page { vec![ROOT] } else { roots }, is_whole_page, layouts }
}

impl Survey {
    fn step(&mut self, edge: &Edge<'_>) {
        match edge {
            Edge::Open(_, Content::Element(name, marks))
                if self.silent_depth > 0 || is_silent(&name.local, marks.as_deref()) =>
            {
                self.silent_depth += 1;
            }
            Edge::Close(_, Content::Element(..)) if self.silent_depth > 0 => self.silent_depth -= 1,
            Edge::Open(number, Content::Element(name, marks)) => {
                let role = marks.as_deref().map(|marks| marks.role).unwrap_or_default();
                self.open(*number, &name.local, role);
            }
            Edge::Close(number, Content::Element(..)) => {
                self.mains.close(*number, self.letters);
                self.articles.close(*number, self.letters);
                if let Some(table) = self.open_tables.pop_if(|table| table.number == *number)
                    && table.has_code
                    && table.rows < 2
                {
                    self.layouts.insert(table.number);
                }
            }
            Edge::Open(_, Content::Text(text)) if self.silent_depth == 0 => {
                self.letters += text.chars().filter(|c| c.is_alphanumeric()).count();
            }
            Edge::Open(_, Content::Text(_) | Content::Nothing)
            | Edge::Close(_, Content::Text(_) | Content::Nothing) => {}
        }
    }

    fn open(&mut self, number: u32, name: &str, role: Role) {
        if name == "main" || role == Role::Main {
            self.mains.open(number, self.letters);
        }
        match name {
            "article" => self.articles.open(number, self.letters),
            "table" => {
                self.arranges();
                self.open_tables.push(Table { number, rows: 0, has_code: false });
                if role == Role::Layout {
                    self.arranges();
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.arranges(),
            "tr" => self.open_tables.last_mut().into_iter().for_each(|table| table.rows += 1),
            "pre" => self.open_tables.last_mut().into_iter().for_each(|table| table.has_code = true),
            _ => {}
        }
    }

    /// A table that holds another table or a heading is there for its looks, as one around a listing with its line numbers.
    fn arranges(&mut self) {
        self.layouts.extend(self.open_tables.last().map(|table| table.number));
    }
}
