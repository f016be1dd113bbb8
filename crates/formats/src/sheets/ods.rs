//! A workbook of `OpenDocument` → its sheets and rows.
//!
//! Cells have their words as they are shown next to their values, so amounts of money are told in the author's own form.

use vouch_domain::ports::ParseError;

use super::{
    CELLS_MAX,
    hidden::Unseen,
    number_format::is_currency,
    too_many_cells,
    values::{day_and_time, number, percent},
    warn_of_hidden,
};
use crate::{
    archive::Archive,
    front_matter::FrontMatter,
    manuscript::Manuscript,
    open_document::{Meta, Styles, check_encryption, content, paragraph},
    rows::{Cell, Rows},
    xml::{Tag, Token, Xml},
};

pub(super) fn read(archive: &Archive, manuscript: &mut Manuscript) -> Result<FrontMatter, ParseError> {
    check_encryption(archive)?;
    let own = Meta::read(archive)?.own;
    let styles = Styles::read(archive)?;
    let mut xml = content(archive)?;
    let (mut hidden_sheets, mut left, mut lines_left_out) = (Vec::new(), CELLS_MAX, 0);
    while let Some(token) = xml.token()? {
        let Token::Open(tag) = token else { continue };
        match tag.name() {
            "table:table" => {
                let name = tag.value("table:name").unwrap_or_default();
                if styles.is_hidden(tag.value("table:style-name").as_deref()) {
                    hidden_sheets.push(name);
                    xml.skip()?;
                    continue;
                }
                let mut sheet = Sheet { xml: &mut xml, styles: &styles, left: &mut left, unseen: Unseen::default() };
                sheet.rows(Rows::new(manuscript, &name))?;
                lines_left_out += sheet.unseen.count();
            }
            "table:tracked-changes" | "office:forms" | "table:content-validations" | "table:dde-links" => xml.skip()?,
            _ => {}
        }
    }
    warn_of_hidden(&hidden_sheets, manuscript);
    if lines_left_out > 0 {
        manuscript.warn(format!("{lines_left_out} hidden rows and columns of it are left out"));
    }
    Ok(own)
}

/// A sheet while it is read.
struct Sheet<'a, 'x> {
    xml: &'a mut Xml<'x>,
    styles: &'a Styles,
    /// How many cells may still come.
    left: &'a mut usize,
    unseen: Unseen,
}

impl Sheet<'_, '_> {
    fn rows(&mut self, mut rows: Rows<'_>) -> Result<(), ParseError> {
        let (mut inside, mut row, mut column) = (1, 0u32, 0u32);
        while inside > 0 {
            let Some(token) = self.xml.token()? else { break };
            let tag = match token {
                Token::Close => {
                    inside -= 1;
                    continue;
                }
                Token::Words(_) => continue,
                Token::Open(tag) => tag,
            };
            match tag.name() {
                "table:table-row" => {
                    let repeated = tag.number("table:number-rows-repeated").unwrap_or(1).max(1);
                    let cells = self.cells()?;
                    if !cells.is_empty() && is_unseen(&tag) {
                        self.unseen.hide_row(row);
                    } else if !cells.is_empty() {
                        self.repeat(row, repeated, cells, &mut rows)?;
                    }
                    row = row.saturating_add(repeated);
                }
                "table:table-column" => {
                    let next = column.saturating_add(tag.number("table:number-columns-repeated").unwrap_or(1).max(1));
                    if is_unseen(&tag) {
                        self.unseen.hide_columns(column, next - 1);
                    }
                    column = next;
                    self.xml.skip()?;
                }
                "table:shapes" | "office:forms" | "office:dde-source" | "table:title" | "table:desc" => {
                    self.xml.skip()?
                }
                _ => inside += 1,
            }
        }
        rows.finish()
    }

    fn repeat(&mut self, first: u32, times: u32, cells: Vec<Cell>, rows: &mut Rows<'_>) -> Result<(), ParseError> {
        let more = usize::try_from(times - 1).unwrap_or(usize::MAX).saturating_mul(cells.len());
        *self.left = self.left.checked_sub(more).ok_or_else(too_many_cells)?;
        for row in first..first.saturating_add(times) {
            let copies = cells.iter().map(|cell| Cell { text: cell.text.clone(), ..*cell });
            rows.push(row.saturating_add(1), copies.collect())?;
        }
        Ok(())
    }

    /// The cells of the row that began last, those alone that say something.
    fn cells(&mut self) -> Result<Vec<Cell>, ParseError> {
        let (mut cells, mut column) = (Vec::new(), 0u32);
        while let Some(token) = self.xml.token()? {
            let tag = match token {
                Token::Close => break,
                Token::Words(_) => continue,
                Token::Open(tag) => tag,
            };
            let repeated = tag.number("table:number-columns-repeated").unwrap_or(1).max(1);
            let read = paragraph(self.xml, self.styles, None)?;
            let words: Vec<String> = read.boxes.into_iter().filter(|words| !words.trim().is_empty()).collect();
            let (text, is_words) = told(&tag, &words.join(" "));
            let next = column.saturating_add(repeated);
            if !text.trim().is_empty() {
                let cost = usize::try_from(repeated).unwrap_or(usize::MAX);
                *self.left = self.left.checked_sub(cost).ok_or_else(too_many_cells)?;
                let seen = (column..next).filter(|column| !self.unseen.column(*column));
                cells.extend(seen.map(|column| Cell { column, text: text.clone(), is_words }));
            }
            column = next;
        }
        Ok(cells)
    }
}

fn is_unseen(tag: &Tag<'_>) -> bool {
    tag.value("table:visibility").is_some_and(|value| value == "collapse" || value == "filter")
}

/// Whether a number is shown with a currency or a unit, or as a word such as `TRUE`.
fn is_named(shown: &str) -> bool {
    let is_exponent = shown.contains("E+") || shown.contains("E-");
    !is_exponent && shown.contains(|c: char| c.is_alphabetic() || is_currency(c))
}

/// What a cell says, and whether that is words; errors say nothing.
fn told(tag: &Tag<'_>, shown: &str) -> (String, bool) {
    let value = || tag.value("office:value").and_then(|value| value.trim().parse::<f64>().ok());
    let is_error = tag.value("calcext:value-type").is_some_and(|kind| kind == "error");
    if is_error || tag.name() == "table:covered-table-cell" {
        return (String::new(), false);
    }
    match tag.value("office:value-type").unwrap_or_default().as_str() {
        "float" if is_named(shown) => (shown.to_owned(), false),
        "float" => (value().map_or_else(|| shown.to_owned(), number), false),
        "percentage" => (value().map_or_else(|| shown.to_owned(), percent), false),
        "date" => (tag.value("office:date-value").map_or_else(|| shown.to_owned(), |date| day_and_time(&date)), false),
        "boolean" => (
            if tag.value("office:boolean-value").is_some_and(|value| value == "true") { "TRUE" } else { "FALSE" }
                .to_owned(),
            false,
        ),
        "currency" | "time" => (shown.to_owned(), false),
        _ => (shown.to_owned(), true),
    }
}
