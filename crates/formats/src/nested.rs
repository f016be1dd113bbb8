//! Blocks inside of lists, definitions and quotes → a manuscript in which they stand where they belong.

use crate::manuscript::Manuscript;

/// Deeper lists are written as lists of this depth.
const ITEMS_MAX: usize = 16;

/// Writes blocks and keeps track of the items they stand in.
pub(crate) struct Nested<'m> {
    manuscript: &'m mut Manuscript,
    items: Vec<Item>,
    quotes: usize,
    /// What the next words begin with, such as the name of a note.
    lead: String,
}

enum Item {
    /// It has no words yet.
    Fresh(Option<u32>),
    Written,
}

impl<'m> Nested<'m> {
    pub(crate) fn new(manuscript: &'m mut Manuscript) -> Self {
        Self { manuscript, items: Vec::new(), quotes: 0, lead: String::new() }
    }

    /// What follows stands in an item until that is closed.
    pub(crate) fn open_item(&mut self, number: Option<u32>) {
        self.settle_lead();
        self.items.push(Item::Fresh(number));
    }

    /// What follows is said of a term until it is closed.
    pub(crate) fn open_term(&mut self, term: &str) {
        self.open_item(None);
        self.lead(term);
    }

    /// Ends an item or what is said of a term.
    pub(crate) fn close_item(&mut self) {
        self.settle_lead();
        self.items.pop();
    }

    pub(crate) fn open_quote(&mut self) {
        self.settle_lead();
        self.quotes += 1;
    }

    pub(crate) fn close_quote(&mut self) {
        self.settle_lead();
        self.quotes = self.quotes.saturating_sub(1);
    }

    /// Names what comes next: a note's kind, a term, the mark of a footnote.
    pub(crate) fn lead(&mut self, words: &str) {
        if !self.lead.is_empty() && !words.is_empty() {
            self.lead.push_str(", ");
        }
        self.lead.push_str(words.trim());
    }

    pub(crate) fn heading(&mut self, level: usize, title: &str) {
        self.settle_lead();
        self.manuscript.heading(level, title);
    }

    /// A paragraph, or the words of an item that has none yet.
    pub(crate) fn words(&mut self, words: &str) {
        if words.trim().is_empty() {
            return;
        }
        let lead = std::mem::take(&mut self.lead);
        if lead.is_empty() {
            self.write(words);
        } else {
            let between = if lead.ends_with([':', '.', ']', '?', '!']) { "" } else { ":" };
            self.write(&format!("{lead}{between} {words}"));
        }
    }

    pub(crate) fn code(&mut self, lines: &str) {
        self.settle_lead();
        self.manuscript.inside(self.depth());
        self.manuscript.code(lines);
    }

    pub(crate) fn table(&mut self, rows: &[Vec<String>]) {
        self.settle_lead();
        self.manuscript.inside(self.depth());
        self.manuscript.table(rows);
    }

    /// Writes a name that no words follow.
    fn settle_lead(&mut self) {
        let lead = std::mem::take(&mut self.lead);
        if !lead.trim().is_empty() {
            self.write(&lead);
        }
    }

    fn write(&mut self, words: &str) {
        let depth = self.depth();
        if let Some(item) = self.items.last_mut()
            && let Item::Fresh(number) = *item
        {
            *item = Item::Written;
            self.manuscript.item(depth, number, words);
            return;
        }
        self.manuscript.inside(depth);
        if self.quotes > 0 {
            self.manuscript.quote(words);
        } else {
            self.manuscript.paragraph(words);
        }
    }

    fn depth(&self) -> usize {
        self.items.iter().take(ITEMS_MAX).filter(|item| matches!(item, Item::Written)).count()
    }
}
