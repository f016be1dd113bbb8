//! The lines of a table → its rows.

use crate::cells;

/// A span that is greater is none.
const SPAN_MAX: usize = 50;
const COLUMNS_MAX: usize = 1_000;
/// A cell is repeated so often at most.
const TIMES_MAX: usize = 10;

/// A cell: how often it is there, how many columns and rows it takes up, and its words.
struct Cell {
    times: usize,
    columns: usize,
    rows: usize,
    words: String,
}

/// The rows of a table with this first line and these attributes; words still have their marks.
pub(super) fn rows(fence: &str, attributes: &str, lines: &[&str]) -> Vec<Vec<String>> {
    if fence.starts_with(',') || attributes.contains("format=csv") || attributes.contains("format=\"csv\"") {
        return cells::rows(&lines.join("\n"), ',');
    }
    if fence.starts_with(':') || attributes.contains("format=dsv") {
        return cells::rows(&lines.join("\n"), ':');
    }
    let separator = if fence.starts_with('!') { '!' } else { '|' };
    let first = lines
        .iter()
        .find(|line| !line.is_empty())
        .map_or(1, |line| cut(line, separator).iter().map(|cell| cell.times * cell.columns).sum());
    let columns = declared(attributes).unwrap_or(first).clamp(1, COLUMNS_MAX);
    let mut grid: Vec<Vec<String>> = Vec::new();
    let mut covered: Vec<usize> = vec![0; columns];
    let mut row: Vec<String> = Vec::new();
    for cell in cut(&lines.join("\n"), separator) {
        for _ in 0..cell.times {
            place(&cell, &mut row, &mut covered);
            if row.len() >= columns {
                grid.push(std::mem::take(&mut row));
            }
        }
    }
    if !row.is_empty() {
        grid.push(row);
    }
    grid
}

fn place(cell: &Cell, row: &mut Vec<String>, covered: &mut [usize]) {
    while let Some(left) = covered.get_mut(row.len()).filter(|left| **left > 0) {
        *left -= 1;
        row.push(String::new());
    }
    for at in 0..cell.columns {
        if cell.rows > 1 {
            covered.get_mut(row.len()).into_iter().for_each(|left| *left = cell.rows - 1);
        }
        row.push(if at == 0 { cell.words.clone() } else { String::new() });
    }
    // The rest of the row may be taken up by cells from above.
    while let Some(left) = covered.get_mut(row.len()).filter(|left| **left > 0 && cell.rows == 1) {
        *left -= 1;
        row.push(String::new());
    }
}

/// How many columns the attributes name.
fn declared(attributes: &str) -> Option<usize> {
    let value = attributes.split("cols=").nth(1)?;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([',', ']']).next()?,
    };
    let count = |part: &str| part.split_once('*').map_or(1, |(times, _)| times.trim().parse().unwrap_or(1));
    Some(value.split([',', ';']).map(count).fold(0usize, usize::saturating_add))
}

/// Cells, each after its separator; what stands right before that may say how large it is.
fn cut(text: &str, separator: char) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut words = String::new();
    let mut open: Option<Cell> = None;
    let mut before = ' ';
    for c in text.chars() {
        if c == separator && before == '\\' {
            words.pop();
            words.push(c);
        } else if c == separator {
            let (kept, next) = sized(&words);
            if let Some(mut cell) = open.replace(next) {
                kept.trim().clone_into(&mut cell.words);
                cells.push(cell);
            }
            words.clear();
        } else {
            words.push(c);
        }
        before = c;
    }
    if let Some(mut cell) = open {
        words.trim().clone_into(&mut cell.words);
        cells.push(cell);
    }
    cells
}

/// The words before a separator without what they say of the next cell, and that cell.
fn sized(words: &str) -> (&str, Cell) {
    let mut cell = Cell { times: 1, columns: 1, rows: 1, words: String::new() };
    let start = words
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + words.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let Some((kept, size)) = words.split_at_checked(start) else { return (words, cell) };
    let digits = size.trim_end_matches(|c: char| c.is_ascii_lowercase()).trim_end_matches(['<', '>', '^', '.']);
    let is_style =
        |style: &str| style.chars().all(|c| "<>^.".contains(c) || "adehlmsv".contains(c)) && style.len() <= 5;
    let (span, sign) = match digits.strip_suffix('*') {
        Some(times) => (times, '*'),
        None => (digits.strip_suffix('+').unwrap_or(digits), '+'),
    };
    let style = size.get(digits.len()..).unwrap_or_default();
    let is_size = !size.is_empty()
        && is_style(style)
        && span.chars().all(|c| c.is_ascii_digit() || c == '.')
        && (span.is_empty() || digits.len() > span.len());
    if !is_size {
        return (words, cell);
    }
    let (columns, rows) = span.split_once('.').unwrap_or((span, ""));
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| (1..=SPAN_MAX).contains(number)).unwrap_or(1);
    if sign == '*' {
        cell.times = number(columns).min(TIMES_MAX);
    } else {
        (cell.columns, cell.rows) = (number(columns), number(rows));
    }
    (kept, cell)
}
