//! The tree of blocks that the library reads → blocks, with notes where they are referred to.

use std::collections::BTreeMap;

use office_oxide::ir::{Element, InlineContent, List, ListItem, Note, Paragraph, Section, Table};
use vouch_domain::ports::ParseError;

use super::signs;
use crate::{
    blocks::{Block, PAGE_BREAK},
    fault::whole,
};

/// Styles of Word by their names, which are English in every language: what repeats headings and captions.
const INDEX_STYLES: &[&str] = &["toc ", "table of figures", "table of authorities", "index "];

/// A span wider or higher than this is none: the file is odd, and its cells stay where they are.
const SPAN_MAX: u32 = 1_000;

/// How many cells the tables of a file have at most, those that a span covers too.
const CELLS_MAX: usize = 500_000;

/// What was read so far.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) blocks: Vec<Block>,
    pub(super) title: Option<String>,
    /// How many cells its tables have, and whether that is more than are read.
    cells: usize,
    has_too_many_cells: bool,
    footnotes: BTreeMap<u32, String>,
    endnotes: BTreeMap<u32, String>,
    /// How deep the words read last stand in a list, where their file says so.
    level: Option<usize>,
    /// Notes that the words read last refer to.
    waiting: Vec<String>,
}

/// The blocks of all sections of a text.
pub(super) fn of_sections(sections: &[Section]) -> Contents {
    let mut contents = Contents::default();
    // Notes stand at the end of the last section.
    for element in sections.iter().flat_map(|section| &section.elements) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only what has words matters")]
        match element {
            Element::Footnote(note) => {
                let words = contents.cell(&note.content);
                contents.footnotes.insert(note.id, words);
            }
            // Comments come as endnotes too, with the name of their author.
            Element::Endnote(note) if !is_comment(note) => {
                let words = contents.cell(&note.content);
                contents.endnotes.insert(note.id, words);
            }
            _ => {}
        }
    }
    contents.waiting.clear();
    for section in sections {
        contents.elements(&section.elements, 0);
    }
    contents
}

fn skip_covered(cells: &mut Vec<String>, above: &BTreeMap<usize, u32>) {
    while above.contains_key(&cells.len()) {
        cells.push(String::new());
    }
}

fn is_comment(note: &Note) -> bool {
    note.author.is_some() || note.marker.as_deref().is_some_and(|marker| marker.starts_with("Comment"))
}

impl Contents {
    /// Refuses a file whose tables were not read as far as they go.
    pub(super) fn check(&self) -> Result<(), ParseError> {
        if self.has_too_many_cells {
            return Err(whole(&format!("its tables have more than {CELLS_MAX} cells; split it")));
        }
        Ok(())
    }

    pub(super) fn elements(&mut self, elements: &[Element], depth: usize) {
        for element in elements {
            #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only what has words matters")]
            match element {
                Element::Heading(heading) => {
                    let words = self.words(&heading.content);
                    let level = usize::from(heading.clamped_level());
                    self.put(Block::Heading { level, words });
                }
                Element::Paragraph(paragraph) => self.paragraph(paragraph),
                Element::Table(table) => {
                    let rows = self.rows(table);
                    self.put(Block::Table(rows));
                }
                Element::List(list) => self.list(list, depth),
                Element::TextBox(text_box) => self.elements(&text_box.content, depth),
                Element::CodeBlock(code) => self.put(Block::Code(code.content.clone())),
                Element::PageBreak => self.put(Block::Paragraph(PAGE_BREAK.to_string())),
                // Notes are told where they are referred to; pictures and lines have no words of their own.
                _ => {}
            }
        }
    }

    /// The rows of a table. A cell over several columns or rows has its words where it begins; the others are empty.
    fn rows(&mut self, table: &Table) -> Vec<Vec<String>> {
        // How many more rows the cells above reach down, by column.
        let mut above: BTreeMap<usize, u32> = BTreeMap::new();
        let mut rows = Vec::new();
        for row in &table.rows {
            let mut cells: Vec<String> = Vec::new();
            let mut reaching = BTreeMap::new();
            for cell in &row.cells {
                skip_covered(&mut cells, &above);
                let start = cells.len();
                cells.push(self.cell(&cell.content));
                let wide = if cell.col_span > SPAN_MAX || self.has_too_many_cells { 1 } else { cell.col_span.max(1) };
                cells.extend((1..wide).map(|_| String::new()));
                if cell.row_span > 1 && cell.row_span <= SPAN_MAX {
                    reaching.extend((start..cells.len()).map(|column| (column, cell.row_span)));
                }
            }
            skip_covered(&mut cells, &above);
            above.extend(reaching);
            above.values_mut().for_each(|rows| *rows -= 1);
            above.retain(|_, rows| *rows > 0);
            self.cells += cells.len();
            self.has_too_many_cells |= self.cells > CELLS_MAX;
            rows.push(cells);
        }
        rows
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        let style = paragraph.style.as_deref().unwrap_or_default();
        let lower = style.to_ascii_lowercase();
        let words = self.words(&paragraph.content);
        if INDEX_STYLES.iter().any(|index| lower.starts_with(index)) {
            self.waiting.clear();
            return;
        }
        let block = match lower.as_str() {
            "title" if !words.trim().is_empty() => {
                self.title.get_or_insert_with(|| words.clone());
                Block::Heading { level: 1, words }
            }
            "source code" | "html preformatted" | "preformatted text" => self.code(words),
            "quote" | "intense quote" | "block text" | "quotations" => Block::Quote(words),
            _ => Block::Paragraph(words),
        };
        self.put(block);
    }

    /// Some programs write each line of code as a paragraph; those in a row are one block.
    fn code(&mut self, line: String) -> Block {
        match self.blocks.pop() {
            Some(Block::Code(lines)) => Block::Code(format!("{lines}\n{line}")),
            Some(other) => {
                self.blocks.push(other);
                Block::Code(line)
            }
            None => Block::Code(line),
        }
    }

    fn list(&mut self, list: &List, depth: usize) {
        let mut number = list.start_number.unwrap_or(1);
        for item in &list.items {
            self.item(item, list.ordered.then_some(number), depth);
            number = number.saturating_add(1);
        }
    }

    fn item(&mut self, item: &ListItem, number: Option<u32>, depth: usize) {
        let (first, rest) = match item.content.split_first() {
            Some((Element::Paragraph(paragraph), rest)) => (self.words(&paragraph.content), rest),
            Some(_) | None => (String::new(), item.content.as_slice()),
        };
        // The library nests items of one list, and lists of other kinds inside it stand beside it.
        let depth = self.level.take().map_or(depth, |level| level.max(depth));
        self.put(Block::Item { depth, number, words: first });
        self.elements(rest, depth + 1);
        if let Some(nested) = &item.nested {
            self.list(nested, depth + 1);
        }
    }

    /// A block, and after it the notes that it refers to.
    fn put(&mut self, block: Block) {
        self.blocks.push(block);
        let notes = std::mem::take(&mut self.waiting);
        self.blocks.extend(notes.into_iter().map(|note| Block::Paragraph(format!("Note: {note}"))));
    }

    /// The words of a cell, one paragraph after the other.
    pub(super) fn cell(&mut self, elements: &[Element]) -> String {
        let mut inside = Contents {
            footnotes: std::mem::take(&mut self.footnotes),
            endnotes: std::mem::take(&mut self.endnotes),
            ..Contents::default()
        };
        let mut words = Vec::new();
        for element in elements {
            inside.flat(element, &mut words);
        }
        self.footnotes = inside.footnotes;
        self.endnotes = inside.endnotes;
        self.waiting.append(&mut inside.waiting);
        words.retain(|words| !words.trim().is_empty());
        words.join(" ")
    }

    fn flat(&mut self, element: &Element, to: &mut Vec<String>) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only what has words matters")]
        match element {
            Element::Heading(heading) => to.push(self.words(&heading.content)),
            Element::Paragraph(paragraph) => to.push(self.words(&paragraph.content)),
            Element::List(list) => self.flat_list(list, to),
            Element::TextBox(text_box) => text_box.content.iter().for_each(|element| self.flat(element, to)),
            Element::Table(table) => {
                let cells = table.rows.iter().flat_map(|row| &row.cells).flat_map(|cell| &cell.content);
                cells.for_each(|element| self.flat(element, to));
            }
            Element::CodeBlock(code) => to.push(code.content.clone()),
            _ => {}
        }
    }

    fn flat_list(&mut self, list: &List, to: &mut Vec<String>) {
        for item in &list.items {
            item.content.iter().for_each(|element| self.flat(element, to));
            if let Some(nested) = &item.nested {
                self.flat_list(nested, to);
            }
        }
    }

    /// What the speaker of a slide notes.
    pub(super) fn notes(&mut self, notes: &str) {
        if !notes.trim().is_empty() {
            self.put(Block::Paragraph(format!("Notes: {notes}")));
        }
    }

    pub(super) fn has_words(&self) -> bool {
        let has = |words: &String| !words.trim().is_empty();
        self.blocks.iter().any(|block| match block {
            Block::Heading { words, .. } | Block::Item { words, .. } => has(words),
            Block::Paragraph(words) | Block::Code(words) | Block::Quote(words) => has(words),
            Block::Table(rows) => rows.iter().flatten().any(has),
        })
    }

    /// The words of a block; the notes they refer to wait for its end.
    pub(super) fn words(&mut self, content: &[InlineContent]) -> String {
        let mut words = String::new();
        for part in content {
            #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only what has words matters")]
            let note = match part {
                InlineContent::Text(span) => {
                    words.push_str(&span.text);
                    None
                }
                InlineContent::LineBreak => {
                    words.push('\n');
                    None
                }
                InlineContent::FootnoteRef(mark) => self.footnotes.get(&mark.note_id),
                InlineContent::EndnoteRef(mark) => self.endnotes.get(&mark.note_id),
                _ => None,
            };
            self.waiting.extend(note.filter(|note| !note.trim().is_empty()).cloned());
        }
        let (words, level) = signs::level_of(&words);
        self.level = level;
        words
    }
}
