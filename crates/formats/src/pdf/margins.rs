//! Running heads and feet and the numbers of pages, which are no part of the text.

use std::collections::{HashMap, HashSet};

use super::line::{Kind, Line, PageLines, whole_number};

/// How many lines from the top and from the bottom may be one.
const DEPTH: usize = 3;
/// A line must stand on this many pages to be a running one.
const PAGES_MIN: usize = 3;
/// And so dense somewhere: that often within that many pages. Heads with the name of a chapter change with it.
const WINDOW_PAGES: usize = 7;
/// Where so much of all letters would go and so many of the pages would have nothing left, what repeats is the text itself.
const SHARE_MAX: f64 = 0.5;
/// How far the foot of a page is from the text above it at the least, measured by the size of its letters.
const FOOT_GAP_MIN: f32 = 2.0;
/// What parts a foot into the title, the page and the like.
const FOOT_PARTS: [&str; 8] = [" | ", " - ", " – ", " — ", " · ", " • ", "  ", "\t"];

/// How many words may stand before the name of a chapter.
const LEAD_WORDS_MAX: usize = 6;

/// Where a line stands and what it says, numbers aside.
type Key = (bool, i32, String);

/// Marks the lines that repeat at the same height, numbers aside, and numbers of pages that stand alone.
pub(super) fn mark(pages: &mut [PageLines]) {
    let edges: Vec<Vec<(usize, Key)>> = pages.iter().map(|page| edge_lines(&page.lines)).collect();
    let feet: Vec<Vec<usize>> = pages.iter().map(|page| foot(&page.lines)).collect();
    let mut seen: HashMap<&Key, Vec<usize>> = HashMap::new();
    for (at, page) in edges.iter().enumerate() {
        for (_, key) in page {
            seen.entry(key).or_default().push(at);
        }
    }
    let mut running: Vec<(usize, usize)> = Vec::new();
    // Slides that grow line by line repeat their text too; what stands nowhere else is left where it stands first.
    let mut alone: Vec<(&Key, (usize, usize))> = Vec::new();
    // A line of a short page is among its first and among its last ones.
    let mut sure: HashSet<(usize, usize)> = HashSet::new();
    for (at, (page, lines)) in edges.iter().zip(pages.iter()).enumerate() {
        for (line, key) in page {
            let found = seen.get(key).map(Vec::as_slice).unwrap_or_default();
            // Heights are rounded, so a line may have fallen to the neighbour.
            let beside = |by: i32| seen.get(&(key.0, key.1 + by, key.2.clone())).map_or(0, Vec::len);
            let is_usual = found.len() + beside(1).max(beside(-1)) >= PAGES_MIN.max(edges.len() / 2);
            let is_foot = feet.get(at).is_some_and(|foot| foot.contains(line));
            // Of two pages both have to have it.
            let is_pair = is_foot && edges.len() == 2 && found.len() + beside(1).max(beside(-1)) == 2;
            let is_number = lines.lines.get(*line).is_some_and(|own| {
                let is_alone = is_page_number(&key.2)
                    && (found.len() > 1 || numbers(&own.text).any(|number| number == lines.number));
                is_alone || is_foot && names_page(&own.text, lines.number, edges.len())
            });
            let is_sure = is_usual || is_number || is_pair;
            if is_sure || is_dense(found) {
                running.push((at, *line));
            }
            if is_sure {
                sure.insert((at, *line));
            } else if found.first() == Some(&at) {
                alone.push((key, (at, *line)));
            }
        }
    }
    running.sort_unstable();
    running.dedup();
    alone.retain(|(_, place)| !sure.contains(place));
    let elsewhere = texts_beside(pages, &running);
    let mut alone: Vec<(usize, usize)> =
        alone.into_iter().filter(|(key, _)| !is_said(&key.2, &elsewhere)).map(|(_, place)| place).collect();
    alone.sort_unstable();
    running.retain(|place| alone.binary_search(place).is_err());
    let line_at = |pages: &[PageLines], (page, line): (usize, usize)| {
        pages.get(page).and_then(|page| page.lines.get(line)).map_or(0, Line::weight)
    };
    let all: usize = pages.iter().flat_map(|page| &page.lines).map(Line::weight).sum();
    let going: usize = running.iter().map(|place| line_at(pages, *place)).sum();
    let is_left =
        |(at, page): (usize, &PageLines)| (0..page.lines.len()).any(|line| running.binary_search(&(at, line)).is_err());
    let left = pages.iter().enumerate().filter(|page| is_left(*page)).count();
    if going as f64 > all as f64 * SHARE_MAX && left as f64 <= pages.len() as f64 * SHARE_MAX {
        return;
    }
    for (page, line) in running {
        if let Some(line) = pages.get_mut(page).and_then(|page| page.lines.get_mut(line)) {
            line.kind = Kind::Margin;
        }
    }
}

/// What the lines that do not run say, letters alone.
fn texts_beside(pages: &[PageLines], running: &[(usize, usize)]) -> HashSet<String> {
    let lines = pages
        .iter()
        .enumerate()
        .flat_map(|(page, lines)| lines.lines.iter().enumerate().map(move |(line, drawn)| ((page, line), drawn)));
    let others = lines.filter(|(place, _)| running.binary_search(place).is_err());
    others.map(|(_, line)| letters(line.text.split_whitespace())).collect()
}

/// Whether the words of a running line, or the last of them as after `Chapter 3:`, stand elsewhere too.
fn is_said(plain: &str, elsewhere: &HashSet<String>) -> bool {
    let words: Vec<&str> = plain.split_whitespace().collect();
    let ends = (0..words.len().min(LEAD_WORDS_MAX)).filter_map(|start| words.get(start..));
    ends.map(|words| letters(words.iter().copied())).any(|words| !words.is_empty() && elsewhere.contains(&words))
}

fn letters<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.flat_map(str::chars).filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// The outermost lines of a page, with their places in it.
fn edge_lines(lines: &[Line]) -> Vec<(usize, Key)> {
    let mut by_height: Vec<(usize, &Line)> = lines.iter().enumerate().collect();
    by_height.sort_by(|(_, a), (_, b)| b.y.total_cmp(&a.y));
    let key = |is_top: bool, line: &Line| (is_top, whole_number(line.y / 3.0), without_numbers(&line.text));
    let top = by_height.iter().take(DEPTH).map(|(at, line)| (*at, key(true, line)));
    let bottom = by_height.iter().skip(DEPTH).rev().take(DEPTH).map(|(at, line)| (*at, key(false, line)));
    // A page of few lines has its foot among its first ones.
    let rest = by_height.iter().take(DEPTH).rev().take(DEPTH.saturating_sub(by_height.len().saturating_sub(DEPTH)));
    let low = rest.map(|(at, line)| (*at, key(false, line)));
    let mut edges: Vec<(usize, Key)> = top.chain(bottom).chain(low).collect();
    edges.retain(|(_, (_, _, text))| !text.is_empty());
    edges
}

/// The lines at the bottom of a page that stand apart from all text above them.
fn foot(lines: &[Line]) -> Vec<usize> {
    let mut by_height: Vec<(usize, &Line)> = lines.iter().enumerate().collect();
    by_height.sort_by(|(_, a), (_, b)| a.y.total_cmp(&b.y));
    let pairs = by_height.iter().zip(by_height.iter().skip(1)).take(DEPTH);
    let is_gap = |((_, low), (_, high)): &(&(usize, &Line), &(usize, &Line))| {
        high.y - low.y >= low.size.max(high.size) * FOOT_GAP_MIN
    };
    let height = pairs.enumerate().filter(|(_, pair)| is_gap(pair)).map(|(at, _)| at + 1).next().unwrap_or(0);
    by_height.iter().take(height).map(|(at, _)| *at).collect()
}

/// Whether one of the parts of a foot says which page of how many it is.
fn names_page(text: &str, page: u32, count: usize) -> bool {
    let mut parts = vec![text];
    for mark in FOOT_PARTS {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).collect();
    }
    // What stands apart on the page may be drawn with a single blank between.
    let named = ["Page ", "Seite "].iter().filter_map(|name| text.get(text.rfind(name)?..));
    parts.into_iter().chain(named).map(str::trim).any(|part| {
        let plain = without_numbers(part);
        let says_page = plain.chars().any(char::is_alphabetic) || plain.matches('#').count() > 1;
        let mut own = numbers(part);
        is_page_number(&plain)
            && says_page
            && own.next() == Some(page)
            && own.next().is_none_or(|last| usize::try_from(last).is_ok_and(|last| last == count))
    })
}

/// Whether it stands on enough pages that are near each other.
fn is_dense(pages: &[usize]) -> bool {
    pages.windows(PAGES_MIN).any(|some| matches!(some, [first, .., last] if last - first < WINDOW_PAGES))
}

/// A line with one sign for each number, and for Roman numerals that stand alone.
fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        if !word.is_empty() && word.len() <= 8 && word.bytes().all(|byte| b"ivxlcIVXLC".contains(&byte)) {
            plain.push('#');
            continue;
        }
        for c in word.chars() {
            if !c.is_numeric() {
                plain.push(c);
            } else if !plain.ends_with('#') {
                plain.push('#');
            }
        }
    }
    plain
}

/// Whether a line without its numbers is only the number of a page.
fn is_page_number(plain: &str) -> bool {
    let has_number = plain.contains('#');
    let rest: String = plain.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    has_number && matches!(rest.as_str(), "" | "page" | "p" | "of" | "pageof" | "seite" | "seitevon" | "von")
}

fn numbers(text: &str) -> impl Iterator<Item = u32> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}
