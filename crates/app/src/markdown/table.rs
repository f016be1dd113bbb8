//! Rows of cells → lines: columns side by side where they fit, else every row as a list of its cells.

use super::{
    screen::{Screen, width},
    span::{Span, Style, written},
    wrap::wrap,
};

/// The narrowest a column is made.
const COLUMN_MIN: usize = 8;
const BETWEEN: &str = " │ ";

type Cell = Vec<Span>;

/// The lines of a table; the first row holds the names of its columns, all of them empty if it has none.
pub(super) fn lines(rows: &[Vec<Cell>], columns: usize, screen: Screen) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let room = columns.saturating_sub(width(BETWEEN) * count.saturating_sub(1));
    let natural: Vec<usize> =
        (0..count).map(|at| rows.iter().filter_map(|row| row.get(at)).map(cell_width).max().unwrap_or(0)).collect();
    match widths(&natural, room) {
        Some(widths) => side_by_side(rows, &widths, screen),
        None => one_by_one(rows, columns, screen),
    }
}

fn cell_width(cell: &Cell) -> usize {
    cell.iter().map(|span| width(&span.text)).sum()
}

/// How wide each column is; nothing where they cannot be wide enough to be read.
fn widths(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let (mut open, mut left) = (natural.len(), room);
    let mut widths = vec![0; natural.len()];
    // Columns that need less than their share get what they need, and the others share the rest.
    loop {
        let share = left.checked_div(open).unwrap_or(0);
        let mut settled = false;
        for (wide, wanted) in widths.iter_mut().zip(natural).filter(|(_, wanted)| **wanted > 0) {
            if *wide == 0 && *wanted <= share {
                *wide = *wanted;
                (open, left, settled) = (open - 1, left - *wanted, true);
            }
        }
        if !settled {
            let unsettled = widths.iter_mut().zip(natural).filter(|(wide, wanted)| **wide == 0 && **wanted > 0);
            let mut is_readable = true;
            for (wide, _) in unsettled {
                *wide = share;
                is_readable &= share >= COLUMN_MIN;
            }
            return is_readable.then_some(widths);
        }
    }
}

fn is_nameless(row: &[Cell]) -> bool {
    row.iter().all(|cell| cell.iter().all(|span| span.text.trim().is_empty()))
}

fn side_by_side(rows: &[Vec<Cell>], widths: &[usize], screen: Screen) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if number == 0 && is_nameless(row) {
            continue;
        }
        let is_head = number == 0;
        let cells: Vec<Vec<Vec<Span>>> =
            row.iter().zip(widths).map(|(cell, wide)| wrap(&headed(cell, is_head), *wide)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let pieces: Vec<String> = widths
                .iter()
                .enumerate()
                .map(|(column, wide)| {
                    let line = cells.get(column).and_then(|cell| cell.get(at)).map(Vec::as_slice).unwrap_or_default();
                    let used: usize = line.iter().map(|span| width(&span.text)).sum();
                    format!("{}{}", written(line, screen), " ".repeat(wide.saturating_sub(used)))
                })
                .collect();
            lines.push(pieces.join(BETWEEN).trim_end().to_owned());
        }
        if is_head {
            lines.push(widths.iter().map(|wide| "─".repeat(*wide)).collect::<Vec<_>>().join("─┼─"));
        }
    }
    lines
}

fn headed(cell: &Cell, is_head: bool) -> Cell {
    let styled = |span: &Span| Span { style: Style { bold: true, ..span.style.clone() }, ..span.clone() };
    if is_head { cell.iter().map(styled).collect() } else { cell.clone() }
}

/// `name: cell` below each other, a blank line between rows.
fn one_by_one(rows: &[Vec<Cell>], columns: usize, screen: Screen) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let head = rows.first().filter(|row| !is_nameless(row));
    for row in rows.iter().skip(1) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        for (column, cell) in row.iter().enumerate().filter(|(_, cell)| cell_width(cell) > 0) {
            let mut spans = head.and_then(|head| head.get(column)).map(|name| headed(name, true)).unwrap_or_default();
            if !spans.is_empty() {
                spans.push(Span { text: ": ".to_owned(), style: Style::default() });
            }
            spans.extend(cell.iter().cloned());
            lines.extend(wrap(&spans, columns).iter().map(|line| written(line, screen)));
        }
    }
    lines
}
