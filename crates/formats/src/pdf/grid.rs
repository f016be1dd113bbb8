//! Cells that stand in rows and columns → rows of a table where they are one, else lines of text.

use pdfboss_output::{Cell, Line as Drawn};

use super::{
    line::{Kind, Line, Tie, whole_number},
    words,
};

/// The share of rows in which at least two columns must be filled.
const FILLED_ROWS_MIN: f32 = 0.5;
/// Cells this long on average, in characters, are running text in columns.
const PROSE_CHARS_MIN: usize = 28;
const PROSE_ROWS_MIN: usize = 8;
/// What stands between cells that are drawn as one line, and how many of such lines are a table.
const WIDE_BLANK: &str = "    ";
const SPACED_ROWS_MIN: usize = 3;
/// The narrowest blank between two columns, measured by the size of the letters.
const COLUMN_GAP_MIN: f32 = 0.6;

/// The rows as lines: of a table, or of the text they only seemed to be a table of.
pub(super) fn lines(rows: &[Vec<Cell>], is_tagged: bool) -> Vec<Line> {
    let rows = without_empty_columns(rows);
    let is_code = rows
        .iter()
        .flatten()
        .flatten()
        .flat_map(|cell| &cell.inlines)
        .all(|inline| inline.italic || inline.text.trim().is_empty());
    if is_code && !is_tagged {
        return text_lines(&rows);
    }
    if is_tagged {
        let is_table = rows.iter().any(|row| filled(row) >= 2);
        return if is_table { table(&rows) } else { text_lines(&rows) };
    }
    // Running text above or below often falls into the same columns.
    let above = rows.iter().take_while(|row| is_text(row)).count();
    let below = rows.iter().skip(above).rev().take_while(|row| is_text(row)).count();
    let (head, rest) = rows.split_at(above);
    let (rows, tail) = rest.split_at(rest.len() - below);
    let full = rows.iter().filter(|row| filled(row) >= 2).count();
    let inner = if full < 2 || (full as f32) < rows.len() as f32 * FILLED_ROWS_MIN || is_one_line(rows) {
        text_lines(rows)
    } else if is_prose(rows) {
        columns(rows)
    } else {
        table(rows)
    };
    text_lines(head).into_iter().chain(inner).chain(text_lines(tail)).collect()
}

fn text_lines(rows: &[Vec<Option<&Drawn>>]) -> Vec<Line> {
    rows.iter().filter_map(|row| text_line(row, Tie::Unknown)).collect()
}

/// How many cells of a row have words.
fn filled(row: &[Option<&Drawn>]) -> usize {
    row.iter().flatten().filter(|cell| !text_of(cell).trim().is_empty()).count()
}

/// Whether a row is one line of text: nothing but a first cell, or cells as close to each other as words.
fn is_text(row: &Vec<Option<&Drawn>>) -> bool {
    let has_first = row.first().is_some_and(|cell| cell.is_some_and(|cell| !text_of(cell).trim().is_empty()));
    has_first && (filled(row) == 1 || is_one_line(std::slice::from_ref(row)))
}

/// Marks lines whose cells are only blanks apart, one below the other, as rows of a table.
pub(super) fn mark_spaced(lines: &mut [Line]) {
    let mut start = 0;
    while start < lines.len() {
        let count =
            |line: &Line| if line.kind == Kind::Text && !line.is_mono { spaced_cells(&line.text).len() } else { 0 };
        let cells = lines.get(start).map_or(0, count);
        let rest = lines.get(start..).unwrap_or_default();
        let rows = if cells < 2 { 1 } else { rest.iter().take_while(|line| count(line) == cells).count() };
        if rows >= SPACED_ROWS_MIN {
            for (at, line) in lines.iter_mut().skip(start).take(rows).enumerate() {
                line.kind = Kind::Row(spaced_cells(&line.text));
                line.tie = if at == 0 { Tie::Begins } else { Tie::Continues };
            }
        }
        start += rows.max(1);
    }
}

/// What stands between wide blanks.
fn spaced_cells(text: &str) -> Vec<String> {
    text.split(WIDE_BLANK).map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
}

/// The lines in the cells, without the columns that nothing stands in.
fn without_empty_columns(rows: &[Vec<Cell>]) -> Vec<Vec<Option<&Drawn>>> {
    let drawn = |cell: &Cell| cell.line.as_ref().is_some_and(|line| !text_of(line).trim().is_empty());
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut is_used = vec![false; width];
    for row in rows {
        for (used, cell) in is_used.iter_mut().zip(row) {
            *used |= drawn(cell);
        }
    }
    rows.iter()
        .map(|row| row.iter().zip(&is_used).filter(|(_, used)| **used).map(|(cell, _)| cell.line.as_ref()).collect())
        .collect()
}

/// Whether cells stand as close to each other as words do: running text whose blanks happen to stand above each other.
fn is_one_line(rows: &[Vec<Option<&Drawn>>]) -> bool {
    let mut gaps: Vec<f32> = Vec::new();
    for row in rows {
        let cells: Vec<&&Drawn> = row.iter().flatten().collect();
        gaps.extend(cells.windows(2).filter_map(|pair| match pair {
            [left, right] => Some((right.x - left.end_x) / right.size.max(1.0)),
            _ => None,
        }));
    }
    gaps.sort_by(f32::total_cmp);
    gaps.get(gaps.len() / 2).is_some_and(|gap| *gap < COLUMN_GAP_MIN)
}

/// Rows of a table; a row without its first cell goes on with the one above, as cells of several lines do.
fn table(rows: &[Vec<Option<&Drawn>>]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let Some(mut line) = text_line(row, if lines.is_empty() { Tie::Begins } else { Tie::Continues }) else {
            continue;
        };
        let cells: Vec<String> = row.iter().map(|cell| cell.map(typed).unwrap_or_default()).collect();
        if let Some(above) = lines.last_mut().filter(|above| goes_on(above, &cells, line.y)) {
            if let Kind::Row(texts) = &mut above.kind {
                for (text, more) in texts.iter_mut().zip(&cells).filter(|(_, more)| !more.is_empty()) {
                    text.push('\n');
                    text.push_str(more);
                }
            }
            above.text.push(' ');
            above.text.push_str(&line.text);
            above.y = line.y;
            continue;
        }
        line.kind = Kind::Row(cells);
        lines.push(line);
    }
    lines
}

/// Whether these cells are more lines of the row above.
fn goes_on(above: &Line, cells: &[String], y: f32) -> bool {
    let Kind::Row(texts) = &above.kind else { return false };
    let is_near = above.y - y > 0.0 && above.y - y < above.size * 1.5;
    let is_partial = cells.first().is_some_and(String::is_empty);
    let fits = cells.iter().zip(texts).all(|(cell, text)| cell.is_empty() || !text.is_empty());
    is_near && is_partial && fits
}

/// Whether it is a page of two columns rather than a table of two.
fn is_prose(rows: &[Vec<Option<&Drawn>>]) -> bool {
    let is_two = rows.iter().all(|row| row.len() == 2);
    let lengths = || rows.iter().flatten().flatten().map(|cell| text_of(cell).chars().count());
    is_two && rows.len() >= PROSE_ROWS_MIN && lengths().sum::<usize>() >= PROSE_CHARS_MIN * lengths().count().max(1)
}

/// The lines of one column after the other.
fn columns(rows: &[Vec<Option<&Drawn>>]) -> Vec<Line> {
    let column = |at: usize| rows.iter().filter_map(move |row| text_line(&[*row.get(at)?], Tie::Unknown));
    column(0).chain(column(1)).collect()
}

/// The cells of a row as one line.
fn text_line(row: &[Option<&Drawn>], tie: Tie) -> Option<Line> {
    let mut cells = row.iter().flatten();
    let first = cells.next()?;
    let mut text = text_of(first);
    let mut end_x = first.end_x;
    for cell in cells {
        let more = text_of(cell);
        let width = width_of(cell, &more);
        let gap = usize::try_from(whole_number((cell.x - end_x) / width.max(1.0))).unwrap_or(0).min(80);
        let is_apart = text.ends_with(' ') || more.starts_with(' ');
        text.extend(std::iter::repeat_n(' ', if is_apart { gap } else { gap.max(1) }));
        text.push_str(&more);
        end_x = cell.end_x;
    }
    let inlines =
        || row.iter().flatten().flat_map(|cell| &cell.inlines).filter(|inline| !inline.text.trim().is_empty());
    Some(Line {
        text: words::typed(&text),
        x: first.x,
        end_x,
        y: first.y,
        size: row.iter().flatten().map(|cell| cell.size).fold(0.0, f32::max),
        is_bold: inlines().all(|inline| inline.bold),
        is_mono: inlines().all(|inline| inline.italic),
        kind: Kind::Text,
        tie,
    })
}

/// The width of a letter, where all are as wide.
fn width_of(cell: &Drawn, text: &str) -> f32 {
    (cell.end_x - cell.x) / text.chars().count().max(1) as f32
}

fn text_of(cell: &Drawn) -> String {
    cell.inlines.iter().map(|inline| inline.text.as_str()).collect()
}

fn typed(cell: &Drawn) -> String {
    words::typed(&text_of(cell)).trim().to_owned()
}
