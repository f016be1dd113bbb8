//! Tables drawn with signs, written as lists or between commas → their rows.

use crate::cells;

use super::line_marks::{bullet, indent, is_blank};

/// A table at the start of these lines: how many lines it takes, and its rows.
pub(super) fn table(lines: &[&str]) -> Option<(usize, Vec<Vec<String>>)> {
    let first = lines.first()?;
    if first.starts_with("+-") && first.ends_with('+') {
        return grid(lines);
    }
    let is_border = first.starts_with("==") && first.contains(" =") && border(first).is_some();
    if is_border { simple(lines) } else { None }
}

/// Where the columns of a border begin, in characters.
fn border(line: &str) -> Option<Vec<usize>> {
    if !line.starts_with('=') || !line.chars().all(|c| c == '=' || c == ' ') {
        return None;
    }
    let mut before = ' ';
    let mut starts = Vec::new();
    for (at, c) in line.chars().enumerate() {
        if c == '=' && before == ' ' {
            starts.push(at);
        }
        before = c;
    }
    Some(starts)
}

fn simple(lines: &[&str]) -> Option<(usize, Vec<Vec<String>>)> {
    let starts = border(lines.first()?)?;
    let is_end = |at: usize| lines.get(at + 1).is_none_or(|next| is_blank(next));
    let last = (1..lines.len()).find(|at| lines.get(*at).is_some_and(|line| border(line).is_some()) && is_end(*at))?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut begins_row = true;
    for line in lines.get(1..last)? {
        let is_rule = border(line).is_some() || (line.starts_with("--") && line.chars().all(|c| c == '-' || c == ' '));
        if is_rule || is_blank(line) {
            begins_row = true;
            continue;
        }
        let cells = cut(line, &starts);
        let goes_on = cells.first().is_none_or(String::is_empty) && !rows.is_empty();
        match rows.last_mut().filter(|_| goes_on) {
            Some(row) if !begins_row || goes_on => join(row, cells),
            _ => rows.push(cells),
        }
        begins_row = false;
    }
    Some((last + 1, rows))
}

/// The parts of a line between these columns; words that run over the start of a column stay where they began.
fn cut(line: &str, starts: &[usize]) -> Vec<String> {
    let mut cells = vec![String::new(); starts.len()];
    let (mut column, mut next, mut before) = (0, 1, ' ');
    for (at, c) in line.chars().enumerate() {
        if starts.get(next) == Some(&at) {
            if before == ' ' {
                column = next;
            }
            next += 1;
        }
        cells.get_mut(column).into_iter().for_each(|cell| cell.push(c));
        before = c;
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn join(row: &mut [String], more: Vec<String>) {
    for (cell, more) in row.iter_mut().zip(more) {
        if !more.is_empty() {
            cell.push('\n');
            cell.push_str(&more);
        }
    }
}

fn grid(lines: &[&str]) -> Option<(usize, Vec<Vec<String>>)> {
    let taken = lines.iter().take_while(|line| line.starts_with(['+', '|'])).count();
    let lines = lines.get(..taken)?;
    let is_rule = |line: &str| line.starts_with('+') && line.chars().all(|c| matches!(c, '+' | '-' | '='));
    let mut stops: Vec<usize> = Vec::new();
    for line in lines.iter().filter(|line| is_rule(line)) {
        stops.extend(line.chars().enumerate().filter(|(_, c)| *c == '+').map(|(at, _)| at));
        stops.sort_unstable();
        stops.dedup();
    }
    let columns = stops.len().checked_sub(1).filter(|columns| *columns > 0)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = vec![String::new(); columns];
    for line in lines.get(1..)? {
        if is_rule(line) {
            rows.push(std::mem::replace(&mut row, vec![String::new(); columns]));
            continue;
        }
        let has_rule = line.contains("+--") || line.contains("--+") || line.contains("==+");
        let cells = boxes(line, &stops, has_rule);
        if has_rule {
            rows.push(std::mem::replace(&mut row, vec![String::new(); columns]));
        }
        join(&mut row, cells);
    }
    rows.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    Some((taken, rows))
}

/// What stands in the boxes of a line; a box without a bar at its end goes on into the next.
fn boxes(line: &str, stops: &[usize], has_rule: bool) -> Vec<String> {
    let mut cells = vec![String::new(); stops.len().saturating_sub(1)];
    let (mut stop, mut column) = (0, 0);
    for (at, c) in line.chars().enumerate() {
        if stops.get(stop) == Some(&at) {
            stop += 1;
            if matches!(c, '|' | '+') {
                column = stop - 1;
                continue;
            }
        }
        cells.get_mut(column).into_iter().for_each(|cell| cell.push(c));
    }
    let is_drawn =
        |cell: &str| has_rule && !cell.trim().is_empty() && cell.trim().chars().all(|c| c == '-' || c == '=');
    cells.into_iter().map(|cell| if is_drawn(&cell) { String::new() } else { cell.trim().to_owned() }).collect()
}

/// A list of lists: an item per row, and in it an item per cell.
pub(super) fn list_table(content: &[&str]) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in content.iter().filter(|line| !is_blank(line)) {
        let mut words = *line;
        if let Some(width) = bullet(line) {
            rows.push(Vec::new());
            words = line.get(width..).unwrap_or_default();
        }
        let Some(row) = rows.last_mut() else { continue };
        let words = words.trim_start();
        match (bullet(words), row.last_mut()) {
            (Some(width), _) if indent(line) <= 4 => row.push(words.get(width..).unwrap_or_default().to_owned()),
            (_, Some(cell)) => {
                cell.push(' ');
                cell.push_str(words);
            }
            (_, None) => row.push(words.to_owned()),
        }
    }
    rows
}

/// Rows of cells between delimiters, in quotes where they hold one.
pub(super) fn csv(text: &str, delimiter: &str) -> Vec<Vec<String>> {
    let delimiter = match delimiter {
        "tab" => '\t',
        "space" => ' ',
        other => other.chars().next().unwrap_or(','),
    };
    cells::rows(text, delimiter)
}
