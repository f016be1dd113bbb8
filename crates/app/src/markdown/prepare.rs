//! An answer as it is told → Markdown that reads as it is meant.
//!
//! An answer is put together from pieces of documents with markers behind them. A marker behind a fence would keep it open,
//! one behind a row would be a cell, rows without their head would be no table, and two pieces on neighbouring lines would
//! run into each other. Tags of a site's template mean nothing here; words in quotes within them may.

/// Longest tag of a template, in bytes; what is longer is text.
const TAG_BYTES_MAX: usize = 500;
const TAGS: [(&str, &str); 5] = [("{{<", ">}}"), ("{{%", "%}}"), ("{%", "%}"), ("<%", "%>"), ("{:", "}")];

pub(super) fn prepare(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut fence: Option<Fence> = None;
    let mut table: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(open) = &fence {
            match open.closing_markers(line) {
                Some(markers) => {
                    if let Some(opening) = out.get_mut(open.at).filter(|_| !markers.is_empty()) {
                        opening.push_str(&format!(" {markers}"));
                    }
                    out.push(format!("{}{}", open.indent, open.mark));
                    fence = None;
                }
                None => out.push((*line).to_owned()),
            }
            continue;
        }
        let line = without_tags(line);
        if is_row(&line) {
            table.push(with_inner_marker(&line));
            continue;
        }
        // Rows need no bars around them where a rule stands below the first.
        if table.is_empty() && is_rule(&line) && out.last().is_some_and(|head| head.contains('|')) {
            table.extend(out.pop());
        }
        if line.contains('|') && !table.is_empty() {
            table.push(line);
            continue;
        }
        end_table(&mut table, &mut out);
        fence = Fence::open(&line, out.len());
        let is_piece_end = fence.is_none() && line.trim_end().ends_with(']') && split_markers(&line).1.contains("[^");
        out.push(line);
        if is_piece_end && lines.get(at + 1).is_some_and(|next| begins_anew(next) && !is_rule(next)) {
            out.push(String::new());
        }
    }
    end_table(&mut table, &mut out);
    out.join("\n")
}

/// Whether a line is no continuation of what stands above it.
fn begins_anew(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with([' ', '\t']) && !is_item(line)
}

/// Whether a line begins a list or goes on with one that parsers accept in the middle of a paragraph.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") || line.starts_with("1. ")
}

/// Code between fences.
struct Fence {
    mark: String,
    indent: String,
    /// The line it was opened with.
    at: usize,
}

impl Fence {
    fn open(line: &str, at: usize) -> Option<Self> {
        let trimmed = line.trim_start();
        let sign = trimmed.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let mark: String = trimmed.chars().take_while(|c| *c == sign).collect();
        let is_inline = sign == '`' && trimmed.get(mark.len()..).is_some_and(|rest| rest.contains('`'));
        let indent = line.get(..line.len() - trimmed.len()).unwrap_or_default().to_owned();
        (mark.len() >= 3 && !is_inline).then_some(Self { mark, indent, at })
    }

    /// The markers behind a line that closes it; nothing for any other line.
    fn closing_markers(&self, line: &str) -> Option<String> {
        let (before, markers) = split_markers(line);
        let sign = self.mark.chars().next()?;
        let is_closing = before.trim().len() >= self.mark.len() && before.trim().chars().all(|c| c == sign);
        is_closing.then(|| markers.to_owned())
    }
}

/// A line and the markers at its end.
fn split_markers(line: &str) -> (&str, &str) {
    let mut end = line.trim_end();
    while let Some(open) = end.ends_with(']').then(|| end.rfind("[^")).flatten() {
        let is_marker = end.get(open + 2..end.len() - 1).is_some_and(|number| number.parse::<u16>().is_ok());
        if !is_marker {
            break;
        }
        end = end.get(..open).unwrap_or_default().trim_end();
    }
    (end, line.get(end.len()..).unwrap_or_default().trim())
}

fn is_row(line: &str) -> bool {
    let line = split_markers(line).0.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

/// A row whose markers stand in its last cell.
fn with_inner_marker(line: &str) -> String {
    let (row, markers) = split_markers(line);
    match row.trim().strip_suffix('|').filter(|_| !markers.is_empty()) {
        Some(cells) => format!("{} {markers} |", cells.trim_end()),
        None => row.trim().to_owned(),
    }
}

/// Rows as a table: with a head of its own if it has none.
fn end_table(table: &mut Vec<String>, out: &mut Vec<String>) {
    if table.is_empty() {
        return;
    }
    out.push(String::new());
    let has_head = table.get(1).is_some_and(|row| is_rule(row));
    if !has_head {
        let count = table.iter().map(|row| cells(row)).max().unwrap_or(1);
        out.push(format!("|{}", " |".repeat(count)));
        out.push(format!("|{}", "---|".repeat(count)));
        table.retain(|row| !is_rule(row));
    }
    out.append(table);
    out.push(String::new());
}

fn is_rule(row: &str) -> bool {
    row.contains("--") && row.contains('|') && row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

fn cells(row: &str) -> usize {
    row.matches('|').count().saturating_sub(row.matches("\\|").count()).saturating_sub(1).max(1)
}

/// A line without the tags of a site's template, except in code; of a tag with words in quotes the first of these stay.
fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    let mut codes = line.matches('`').count();
    while let Some(at) = rest.find(['{', '<', '`']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let end = match TAGS.iter().find(|(open, _)| from.starts_with(open)) {
            Some((open, close)) => tag_end(from, open, close),
            None if from.starts_with('`') && codes > 1 => {
                codes -= 2;
                let code = from.get(1..).and_then(|inner| inner.find('`')).map_or(1, |end| end + 2);
                text.push_str(from.get(..code).unwrap_or_default());
                rest = from.get(code..).unwrap_or_default();
                continue;
            }
            None => None,
        };
        match end {
            Some(end) => {
                text.push_str(quoted(from.get(..end).unwrap_or_default()));
                rest = from.get(end..).unwrap_or_default();
            }
            None => {
                text.push_str(from.get(..1).unwrap_or_default());
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    text
}

/// Where a tag ends that begins here; nothing if it does not end soon.
fn tag_end(from: &str, open: &str, close: &str) -> Option<usize> {
    let near = from.get(..from.floor_char_boundary(TAG_BYTES_MAX))?;
    near.get(open.len()..)?.find(close).map(|at| open.len() + at + close.len())
}

/// The first words in quotes of either kind.
fn quoted(tag: &str) -> &str {
    let Some((sign, rest)) =
        tag.find(['"', '\'']).and_then(|at| tag.get(at..)).and_then(|from| from.split_at_checked(1))
    else {
        return "";
    };
    rest.split_once(sign).map(|(words, _)| words).unwrap_or_default()
}
