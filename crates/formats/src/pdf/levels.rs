//! Which lines are headings, and of which level: by the file's tags, its outline, or the size and weight of its letters.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
};

use pdfboss_core::{DestinationPage, Document, ObjRef, OutlineItem};

use super::line::{Kind, Line, PageLines, Tie};

/// Longer lines are no headings by their look alone, in characters.
const CHARS_MAX: usize = 120;
/// How many half points a heading must be larger than the text.
const LARGER_BY_MIN: i32 = 2;
const LEVEL_MAX: usize = 6;
/// Lines of one heading stand at most this far apart, measured by their size.
const LINE_STEP_MAX: f32 = 1.9;

/// A longer number at the start of a heading is none of a section, in digits.
const NUMBER_DIGITS_MAX: usize = 3;

/// The size in half points, whether it is bold, and how many numbers stand before its words, as two in `1.2 Scope`.
type Style = (i32, bool, usize);

/// The titles of the outline, by page, with their levels; by page 0 those that do not say where they lead.
pub(super) struct Outline {
    levels: HashMap<(u32, String), usize>,
}

impl Outline {
    pub(super) fn of(document: &Document) -> Self {
        let mut levels = HashMap::new();
        let items = document.outline();
        let numbers = if items.is_empty() { HashMap::new() } else { numbers(document) };
        let mut open: Vec<(usize, &OutlineItem)> = items.iter().rev().map(|item| (1, item)).collect();
        while let Some((level, item)) = open.pop() {
            let page = item.destination.as_ref().and_then(|place| match place.page {
                DestinationPage::Object(page) => numbers.get(&page).copied(),
                DestinationPage::Number(index) => index.checked_add(1),
            });
            let title = compared(&item.title);
            if !title.is_empty() {
                levels.entry((page.unwrap_or(0), title)).or_insert(level);
            }
            open.extend(item.children.iter().rev().map(|child| (level + 1, child)));
        }
        Self { levels }
    }

    fn level(&self, page: u32, text: &str) -> Option<usize> {
        let text = compared(text);
        // A title that a link leads to may stand at the head of the next page.
        [page, page.saturating_sub(1), 0].into_iter().find_map(|page| self.levels.get(&(page, text.clone())).copied())
    }
}

/// The numbers of the pages, 1 for the first.
fn numbers(document: &Document) -> HashMap<ObjRef, u32> {
    let pages = (0..document.flattened_page_count()).filter_map(|index| document.page(index).ok()?.object_ref());
    pages.zip(1..).collect()
}

/// A title without its number, blanks and signs: outlines and pages write those differently.
fn compared(title: &str) -> String {
    let words = title.trim_start_matches(|c: char| c.is_numeric() || c == '.' || c.is_whitespace());
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The size most letters have, in half points.
pub(super) fn body_size(pages: &[PageLines]) -> i32 {
    let mut letters: BTreeMap<i32, usize> = BTreeMap::new();
    for line in all(pages).filter(|line| line.kind != Kind::Margin) {
        *letters.entry(line.half_points()).or_default() += line.weight();
    }
    letters.into_iter().max_by_key(|(size, count)| (*count, -size)).map_or(0, |(size, _)| size)
}

fn all(pages: &[PageLines]) -> impl Iterator<Item = &Line> {
    pages.iter().flat_map(|page| &page.lines)
}

/// Marks the headings.
pub(super) fn mark(pages: &mut [PageLines], outline: &Outline, body: i32) {
    let is_tagged = all(pages).any(|line| matches!(line.kind, Kind::Heading(_)));
    if is_tagged {
        return;
    }
    let mut found: Vec<Candidate> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        candidates(at, page, outline, body, &mut found);
    }
    let titles: HashSet<String> = found.iter().map(|candidate| compared(&candidate.text)).collect();
    found.retain(|candidate| candidate.level.is_some() || !is_entry(&candidate.text, &titles));
    let levels = levels(&found);
    for candidate in found {
        let level = candidate.level.or_else(|| levels.get(&candidate.style).copied()).unwrap_or(LEVEL_MAX);
        let lines = pages.get_mut(candidate.page).map(|page| &mut page.lines);
        let lines = lines.and_then(|lines| lines.get_mut(candidate.start..candidate.end)).unwrap_or_default();
        for (at, line) in lines.iter_mut().enumerate() {
            line.kind = Kind::Heading(level.min(LEVEL_MAX));
            line.tie = if at == 0 { Tie::Begins } else { Tie::Continues };
        }
    }
}

/// Lines that may be a heading.
struct Candidate {
    page: usize,
    start: usize,
    end: usize,
    text: String,
    style: Style,
    /// Its level in the outline.
    level: Option<usize>,
}

fn candidates(at: usize, page: &PageLines, outline: &Outline, body: i32, found: &mut Vec<Candidate>) {
    let mut start = 0;
    while let Some(line) = page.lines.get(start) {
        let style = (line.half_points(), line.is_bold, depth(&line.text));
        let mut end = start + 1;
        let rest = page.lines.get(end..).unwrap_or_default();
        let mut text = line.text.trim().to_owned();
        let mut level = outline.level(page.number, &text);
        for (next, above) in rest.iter().zip(page.lines.get(start..).unwrap_or_default()) {
            let is_more = (next.half_points(), next.is_bold) == (style.0, style.1)
                && depth(&next.text) == 0
                && above.y - next.y > 0.0
                && above.y - next.y < next.size * LINE_STEP_MAX
                && matches!(next.kind, Kind::Text | Kind::Listed)
                && is_aligned(above, next)
                && end - start < 4;
            if level.is_some() || !is_more {
                break;
            }
            text = format!("{text} {}", next.text.trim());
            level = outline.level(page.number, &text);
            end += 1;
        }
        let is_free = matches!(line.kind, Kind::Text | Kind::Listed);
        // The last word of a sentence may be the title of the next section.
        let level = level.filter(|_| style.0 > body || style.1 || begins_title(&text));
        let stands_out =
            style.0 >= body + LARGER_BY_MIN || (style.1 && style.0 >= body - 1 && is_apart(page, start, end));
        if is_free && (level.is_some() || (stands_out && looks_like_title(&text) && !line.is_mono)) {
            found.push(Candidate { page: at, start, end, text, style, level });
            start = end;
        } else {
            start += 1;
        }
    }
}

/// Whether two lines begin at one edge or have one middle. A title and a heading of the same size have neither.
fn is_aligned(above: &Line, line: &Line) -> bool {
    let middle = (above.x + above.end_x - line.x - line.end_x).abs() / 2.0;
    (above.x - line.x).abs().min(middle) < line.size
}

/// Whether the bold lines are a block of their own, not the bold start of a paragraph.
fn is_apart(page: &PageLines, start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| page.lines.get(before));
    let (Some(first), Some(last)) = (page.lines.get(start), page.lines.get(end - 1)) else { return false };
    let is_new = before.is_none_or(|before| {
        let is_beside = (before.y - first.y).abs() < first.size * 0.5;
        !is_beside && (before.y < first.y || before.y - first.y > first.size * 1.3 || before.kind != Kind::Text)
    });
    let after = page.lines.get(end);
    is_new && after.is_none_or(|after| (after.y - last.y).abs() > last.size * 0.5)
}

fn looks_like_title(text: &str) -> bool {
    let has_words = text.chars().filter(|c| c.is_alphabetic()).count() >= 2;
    let is_short = text.chars().nth(CHARS_MAX).is_none();
    let is_sentence = text.ends_with(['.', ',', ';', ':']) && !text.ends_with("...");
    has_words && is_short && !is_sentence && !text.contains('…') && !text.starts_with(['•', '–', '●', '▪'])
}

/// How many numbers the number of a section has; none where there is no number.
fn depth(text: &str) -> usize {
    let number = text.split_whitespace().next().unwrap_or_default();
    let mut parts = number.strip_suffix('.').unwrap_or(number).split('.');
    let is_part =
        |part: &str| (1..=NUMBER_DIGITS_MAX).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    let count = parts.clone().count();
    if parts.all(is_part) { count } else { 0 }
}

/// Whether words of the size of the text may be a title that the outline names.
fn begins_title(text: &str) -> bool {
    !text.ends_with(['.', ',', ';', ':']) && !text.starts_with(char::is_lowercase)
}

/// Whether it is the line of a contents page for another heading: the same words with a number behind.
fn is_entry(text: &str, titles: &HashSet<String>) -> bool {
    let words = text.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    words.len() < text.len() && titles.contains(&compared(words)) && compared(words) != compared(text)
}

/// The level of each style: as in the outline where it has one, else by rank.
fn levels(found: &[Candidate]) -> HashMap<Style, usize> {
    let mut known: BTreeMap<Style, BTreeMap<usize, usize>> = BTreeMap::new();
    for candidate in found {
        if let Some(level) = candidate.level {
            *known.entry(candidate.style).or_default().entry(level).or_default() += 1;
        }
    }
    let most = |counts: &BTreeMap<usize, usize>| {
        counts.iter().max_by_key(|(level, count)| (**count, usize::MAX - **level)).map(|(level, _)| *level)
    };
    let mut styles: Vec<Style> = found.iter().map(|candidate| candidate.style).collect();
    styles.sort_unstable_by_key(|(size, is_bold, depth)| (Reverse(*size), Reverse(*is_bold), *depth));
    styles.dedup();
    let mut levels = HashMap::new();
    let (mut level, mut last): (usize, Option<Style>) = (0, None);
    for style in styles {
        let outlined = known.get(&style).and_then(most);
        // Half a point more is the same size, drawn by another program. Of one size, numbers tell what is deeper.
        let is_same = last.is_some_and(|(size, _, depth)| size - style.0 <= 1 && (depth == 0 || depth >= style.2));
        let is_same = is_same && outlined.is_none();
        level = match outlined {
            Some(outlined) => outlined,
            None if is_same && level > 0 => level,
            None if known.is_empty() => level + 1,
            // The outline names its own levels; what is larger than all of them is the title.
            None => {
                if level == 0 {
                    1
                } else {
                    level + 1
                }
            }
        };
        last = Some(style);
        levels.insert(style, level.min(LEVEL_MAX));
    }
    levels
}
