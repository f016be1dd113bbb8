//! Tables of an `OpenDocument` text → rows of cells, each in its own column.

use vouch_domain::ports::ParseError;

use super::{inline::paragraph, styles::Styles};
use crate::{
    archive::Archive,
    blocks::PAGE_BREAK,
    fault::whole,
    xml::{Token, Xml},
};

/// How many cells a table has at most, those that repeat counted as often as they do.
const CELLS_MAX: usize = 200_000;
/// Empty cells beyond this column are filling.
const COLUMNS_MAX: usize = 1_000;

/// A table and the notes in it.
#[derive(Default)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<String>>,
    pub(super) notes: Vec<String>,
    cells: usize,
    /// Whether a page ended since the last cell.
    is_turned: bool,
}

/// Reads the table that began last.
pub(super) fn read(xml: &mut Xml<'_>, styles: &Styles, archive: &Archive) -> Result<Table, ParseError> {
    let mut table = Table::default();
    let mut inside = 1;
    while inside > 0 {
        let Some(token) = xml.token()? else { break };
        match token {
            Token::Close => inside -= 1,
            Token::Words(_) => {}
            Token::Open(tag) => match tag.name() {
                "table:table-row" => {
                    inside += 1;
                    table.rows.push(Vec::new());
                }
                "table:table-cell" | "table:covered-table-cell" => {
                    let repeated = tag.number("table:number-columns-repeated").unwrap_or(1);
                    let read = paragraph(xml, styles, Some(archive))?;
                    table.notes.extend(read.notes);
                    let mut words = vec![read.words];
                    words.extend(read.boxes);
                    words.retain(|words| !words.trim().is_empty());
                    table.put(&words.join(" "), usize::try_from(repeated).unwrap_or(usize::MAX))?;
                }
                "text:soft-page-break" => {
                    table.is_turned = true;
                    xml.skip()?;
                }
                "table:title" | "table:desc" | "office:forms" | "table:shapes" => xml.skip()?,
                _ => inside += 1,
            },
        }
    }
    Ok(table)
}

impl Table {
    fn put(&mut self, words: &str, repeated: usize) -> Result<(), ParseError> {
        let Some(row) = self.rows.last_mut() else { return Ok(()) };
        let sign = if std::mem::take(&mut self.is_turned) { PAGE_BREAK.to_string() } else { String::new() };
        let repeated = if words.is_empty() { repeated.min(COLUMNS_MAX.saturating_sub(row.len())) } else { repeated };
        self.cells = self.cells.saturating_add(repeated);
        if self.cells > CELLS_MAX {
            return Err(whole(&format!("a table in it has more than {CELLS_MAX} cells; split it")));
        }
        let first = row.len();
        row.extend(std::iter::repeat_n(words.to_owned(), repeated));
        if let Some(cell) = row.get_mut(first) {
            cell.insert_str(0, &sign);
        }
        Ok(())
    }
}
