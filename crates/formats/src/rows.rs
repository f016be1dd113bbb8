//! Rows of values → blocks that can be understood one by one: each value with the name of its column.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::{PageUnit, ports::ParseError};

use crate::{
    fault::whole,
    manuscript::{Manuscript, joined},
};

/// How many rows are looked at for the names of the columns, and how many of them may stand above the names.
const ROWS_LOOKED_AT: usize = 30;
const ROWS_ABOVE_MAX: usize = 15;
const NAME_CHARS_MAX: usize = 120;
/// The longest text of all rows with the names of their columns, in bytes.
const TEXT_BYTES_MAX: usize = 96 * 1024 * 1024;

/// A row that has values, with its own number.
pub(crate) struct Row {
    pub(crate) number: u32,
    pub(crate) cells: Vec<Cell>,
}

/// A value and the column it stands in.
pub(crate) struct Cell {
    pub(crate) column: u32,
    pub(crate) text: String,
    /// Whether it is words, and no number, date or truth value.
    pub(crate) is_words: bool,
}

/// Writes rows down as they come; the first ones wait until it is known which of them names the columns.
pub(crate) struct Rows<'a> {
    manuscript: &'a mut Manuscript,
    /// What the rows stand under, until the first of them is written.
    heading: String,
    waiting: Vec<Row>,
    names: Option<BTreeMap<u32, String>>,
}

impl<'a> Rows<'a> {
    /// Rows under a heading, which may be empty.
    pub(crate) fn new(manuscript: &'a mut Manuscript, heading: &str) -> Self {
        Self { manuscript, heading: heading.to_owned(), waiting: Vec::new(), names: None }
    }

    /// The next row. Cells without words are left out, and so is a row that has none.
    pub(crate) fn push(&mut self, number: u32, cells: Vec<Cell>) -> Result<(), ParseError> {
        let trimmed = cells.into_iter().map(|cell| Cell { text: joined(&cell.text), ..cell });
        let cells: Vec<Cell> = trimmed.filter(|cell| !cell.text.is_empty()).collect();
        if cells.is_empty() {
            return Ok(());
        }
        let row = Row { number, cells };
        if self.names.is_some() {
            return self.write(&row);
        }
        self.waiting.push(row);
        if self.waiting.len() >= ROWS_LOOKED_AT { self.decide() } else { Ok(()) }
    }

    /// Writes what still waits.
    pub(crate) fn finish(mut self) -> Result<(), ParseError> {
        if self.names.is_none() { self.decide() } else { Ok(()) }
    }

    fn decide(&mut self) -> Result<(), ParseError> {
        let waiting = std::mem::take(&mut self.waiting);
        let names_at = names_at(&waiting);
        if names_at.is_none() {
            self.names = Some(BTreeMap::new());
        }
        for (at, row) in waiting.into_iter().enumerate() {
            if names_at == Some(at) {
                self.names = Some(row.cells.into_iter().map(|cell| (cell.column, cell.text)).collect());
            } else {
                self.write(&row)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, row: &Row) -> Result<(), ParseError> {
        let name = |cell: &Cell| self.names.as_ref().and_then(|names| names.get(&cell.column));
        let told = |cell: &Cell| match name(cell) {
            Some(name) => format!("{}: {}", name.trim_end_matches(':'), cell.text),
            None => cell.text.clone(),
        };
        let words = row.cells.iter().map(told).collect::<Vec<_>>().join("; ");
        self.manuscript.heading(1, &std::mem::take(&mut self.heading));
        self.manuscript.page(row.number, PageUnit::Row);
        self.manuscript.paragraph(&words);
        if self.manuscript.len() > TEXT_BYTES_MAX {
            return Err(whole(&format!(
                "its rows, each with the names of its columns, are longer than {TEXT_BYTES_MAX} bytes; split it"
            )));
        }
        Ok(())
    }
}

/// Which row names the columns: the first one that is words, or years, in at least half as many columns as are used.
fn names_at(rows: &[Row]) -> Option<usize> {
    let columns = rows.iter().map(|row| row.cells.len()).max()?;
    if columns == 1 {
        let (first, rest) = rows.split_first()?;
        let is_words = |row: &Row| row.cells.iter().all(|cell| cell.is_words);
        return (!rest.is_empty() && is_words(first) && !rest.iter().any(is_words)).then_some(0);
    }
    let is_names = |row: &Row| {
        let different: BTreeSet<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
        let is_name =
            |cell: &Cell| (cell.is_words || is_year(&cell.text)) && cell.text.chars().nth(NAME_CHARS_MAX).is_none();
        row.cells.len() >= 2
            && row.cells.len() * 2 >= columns
            && different.len() * 4 >= row.cells.len() * 3
            && row.cells.iter().all(is_name)
            && row.cells.iter().any(|cell| cell.is_words)
    };
    let found = rows.iter().take(ROWS_ABOVE_MAX).position(is_names)?;
    // Names of columns name something.
    (found + 1 < rows.len()).then_some(found)
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse::<u32>().is_ok_and(|year| (1900..=2100).contains(&year))
}

/// Whether a value of a file that has only text is a number, a date, a time or an amount.
pub(crate) fn is_figure(text: &str) -> bool {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    has_digit && (!text.contains(char::is_alphabetic) || text.parse::<f64>().is_ok())
}
