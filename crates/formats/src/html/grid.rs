//! The cells of a table, as its rows and columns lie on the page.

use crate::manuscript::Manuscript;

use super::marks::Marks;

/// How many places without a cell any table may have, and how many more for each of its cells: spans multiply.
const EMPTY_FLOOR: usize = 10_000;
const EMPTY_PER_CELL: usize = 4;

#[derive(Default)]
pub(super) struct Grid {
    rows: Vec<Vec<String>>,
    /// How many of the next rows have no cell of their own in a column.
    covered: Vec<usize>,
    /// Whether all cells of the first row, and the first cell of every row, are headers.
    first_row_names: Option<bool>,
    first_cells_name: bool,
    has_head: bool,
    /// How many places without a cell it may still have.
    empty_left: usize,
}

impl Grid {
    pub(super) fn new() -> Self {
        Self { first_cells_name: true, empty_left: EMPTY_FLOOR, ..Self::default() }
    }

    /// Says that the table has a part that is its header.
    pub(super) fn head(&mut self) {
        self.has_head |= self.rows.is_empty();
    }

    pub(super) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self, words: String, is_header: bool, marks: Option<&Marks>) {
        if self.rows.is_empty() {
            self.row();
        }
        let is_first_row = self.rows.len() == 1;
        let Some(row) = self.rows.last_mut() else { return };
        self.empty_left += EMPTY_PER_CELL;
        while let Some(left) = self.covered.get_mut(row.len()).filter(|left| **left > 0 && self.empty_left > 0) {
            *left -= 1;
            self.empty_left -= 1;
            row.push(String::new());
        }
        if is_first_row {
            self.first_row_names = Some(self.first_row_names.unwrap_or(true) && is_header);
        }
        if row.is_empty() {
            self.first_cells_name &= is_header;
        }
        let (columns, rows) = marks.map_or((0, 0), |marks| (marks.columns_more, marks.rows_more));
        let columns = columns.min(self.empty_left);
        self.empty_left -= columns;
        let end = row.len() + columns + 1;
        if rows > 0 {
            self.covered.resize(self.covered.len().max(end), 0);
            self.covered.iter_mut().take(end).skip(row.len()).for_each(|left| *left = rows);
        }
        row.push(words);
        row.resize(end, String::new());
    }

    /// Writes the table; one of two columns with the names in the first is a list of names and values.
    pub(super) fn write(mut self, manuscript: &mut Manuscript, depth: usize) {
        let has_header = self.has_head || self.first_row_names == Some(true);
        if !has_header && self.first_cells_name && self.rows.iter().all(|row| row.len() <= 2) {
            for row in self.rows {
                let pair: Vec<&str> = row.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
                manuscript.item(depth, None, &pair.join(": "));
            }
            return;
        }
        // A cell may claim more columns than there are.
        let used = |row: &Vec<String>| row.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
        let width = self.rows.iter().map(used).max().unwrap_or(0);
        self.rows.iter_mut().for_each(|row| row.truncate(width));
        manuscript.inside(depth);
        manuscript.table(&self.rows);
    }
}
