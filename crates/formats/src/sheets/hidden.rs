//! A workbook of Excel → the rows and columns of each sheet that nobody sees.

use std::collections::{BTreeMap, BTreeSet};

use vouch_domain::ports::ParseError;

use crate::{
    archive::Archive,
    fault::whole,
    xml::{Token, Xml},
};

/// How many rows a sheet of Excel can have.
const ROWS_MAX: u32 = 1_048_576;

/// The rows and columns of a sheet that are hidden, counted from 0.
#[derive(Default)]
pub(super) struct Unseen {
    rows: BTreeSet<u32>,
    /// The last column of each range, by its first.
    columns: BTreeMap<u32, u32>,
}

impl Unseen {
    pub(super) fn hide_row(&mut self, row: u32) {
        self.rows.insert(row);
    }

    pub(super) fn hide_columns(&mut self, first: u32, last: u32) {
        self.columns.insert(first, last);
    }

    pub(super) fn row(&self, row: u32) -> bool {
        self.rows.contains(&row)
    }

    pub(super) fn column(&self, column: u32) -> bool {
        self.columns.range(..=column).next_back().is_some_and(|(_, last)| column <= *last)
    }

    pub(super) fn count(&self) -> usize {
        self.rows.len() + self.columns.len()
    }
}

/// What is hidden in each sheet, by its name.
pub(super) fn of_sheets(archive: &Archive) -> Result<BTreeMap<String, Unseen>, ParseError> {
    let parts = parts_by_id(archive)?;
    let mut found = BTreeMap::new();
    let mut xml = Xml::new(archive.part("xl/workbook.xml").unwrap_or_default(), "xl/workbook.xml")?;
    while let Some(token) = xml.token()? {
        if let Token::Open(tag) = token
            && tag.local_name() == "sheet"
            && let (Some(name), Some(part)) = (tag.value("name"), tag.value("r:id").and_then(|id| parts.get(&id)))
            && let Some(bytes) = archive.part(part)
        {
            found.insert(name, of_sheet(bytes, part)?);
        }
    }
    Ok(found)
}

fn of_sheet(bytes: &[u8], part: &str) -> Result<Unseen, ParseError> {
    let (mut unseen, mut row) = (Unseen::default(), 0);
    let mut xml = Xml::new(bytes, part)?;
    while let Some(token) = xml.token()? {
        let Token::Open(tag) = token else { continue };
        let is_hidden = || tag.value("hidden").is_some_and(|value| value == "1" || value == "true");
        let key = if tag.local_name() == "dimension" { "ref" } else { "r" };
        if matches!(tag.local_name(), "row" | "c" | "dimension")
            && let Some(place) = tag.values(key).find(|place| !is_place(place))
        {
            return Err(whole(&format!("its part {part} is damaged: '{place}' is not a place in a sheet")));
        }
        match tag.local_name() {
            "row" => {
                row = tag.number("r").unwrap_or(row + 1);
                if is_hidden() {
                    unseen.hide_row(row.saturating_sub(1));
                }
            }
            "col" if is_hidden() => {
                let bound = |key| tag.number(key).map(|column| column.saturating_sub(1));
                if let Some((first, last)) = bound("min").zip(bound("max")) {
                    unseen.hide_columns(first, last);
                }
            }
            "c" => xml.skip()?,
            _ => {}
        }
    }
    Ok(unseen)
}

/// Whether these are rows or cells that a sheet can have: one, or the first and the last of a range. The library counts on it.
fn is_place(text: &str) -> bool {
    let mut ends = text.split(':').map(place);
    match (ends.next().flatten(), ends.next()) {
        (Some(_), None) => true,
        (Some((row, column)), Some(Some((last_row, last_column)))) => {
            row <= last_row && column <= last_column && ends.next().is_none()
        }
        (None, _) | (Some(_), Some(None)) => false,
    }
}

/// The row and the column of a cell, each counted from 1; the column is 0 where none is named.
fn place(text: &str) -> Option<(u32, u32)> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = text.strip_suffix(digits).filter(|letters| letters.len() <= 3)?;
    let row = Some(digits).filter(|digits| digits.len() <= 7 && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let row = row.parse::<u32>().ok().filter(|row| (1..=ROWS_MAX).contains(row))?;
    let upper = letters.bytes().map(|letter| u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    Some((row, upper.fold(0, |column, letter| column * 26 + letter)))
}

/// The parts that the workbook refers to, by the names it has for them.
fn parts_by_id(archive: &Archive) -> Result<BTreeMap<String, String>, ParseError> {
    const PART: &str = "xl/_rels/workbook.xml.rels";
    let mut found = BTreeMap::new();
    let mut xml = Xml::new(archive.part(PART).unwrap_or_default(), PART)?;
    while let Some(token) = xml.token()? {
        if let Token::Open(tag) = token
            && let (Some(id), Some(target)) = (tag.value("Id"), tag.value("Target"))
        {
            let part = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned);
            found.insert(id, part);
        }
    }
    Ok(found)
}
