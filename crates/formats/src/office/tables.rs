//! Tables of Office → rows of cells, each in its own column.

use std::collections::BTreeMap;

use office_oxide::ir::Table;
use vouch_domain::ports::ParseError;

use super::contents::Contents;
use crate::fault::whole;

/// A span wider or higher than this is none: the file is odd, and its cells stay where they are.
const SPAN_MAX: u32 = 1_000;

/// How many cells the tables of a file have at most, those that a span covers too.
const CELLS_MAX: usize = 500_000;

/// The rows of a table. A cell over several columns or rows has its words where it begins; the others are empty.
pub(super) fn rows(table: &Table, to: &mut Contents) -> Vec<Vec<String>> {
    // How many more rows the cells above reach down, by column.
    let mut above: BTreeMap<usize, u32> = BTreeMap::new();
    let mut rows = Vec::new();
    for row in &table.rows {
        let mut cells: Vec<String> = Vec::new();
        let mut reaching = BTreeMap::new();
        for cell in &row.cells {
            skip_covered(&mut cells, &above);
            let start = cells.len();
            cells.push(to.cell(&cell.content));
            let wide = if cell.col_span > SPAN_MAX || to.has_too_many_cells { 1 } else { cell.col_span.max(1) };
            cells.extend((1..wide).map(|_| String::new()));
            if cell.row_span > 1 && cell.row_span <= SPAN_MAX {
                reaching.extend((start..cells.len()).map(|column| (column, cell.row_span)));
            }
        }
        skip_covered(&mut cells, &above);
        above.extend(reaching);
        above.values_mut().for_each(|rows| *rows -= 1);
        above.retain(|_, rows| *rows > 0);
        to.cells += cells.len();
        to.has_too_many_cells |= to.cells > CELLS_MAX;
        rows.push(cells);
    }
    rows
}

fn skip_covered(cells: &mut Vec<String>, above: &BTreeMap<usize, u32>) {
    while above.contains_key(&cells.len()) {
        cells.push(String::new());
    }
}

/// Refuses a file whose tables were not read as far as they go.
pub(super) fn check(contents: &Contents) -> Result<(), ParseError> {
    if contents.has_too_many_cells {
        return Err(whole(&format!("its tables have more than {CELLS_MAX} cells; split it")));
    }
    Ok(())
}
