//! Where lines stand to each other: which belong to one paragraph, and how far a line of code is indented.

use std::collections::BTreeMap;

use super::line::{Kind, Line, PageLines, Tie, half_points, whole_number};

/// A step this much wider than usual parts two paragraphs.
const GAP: f32 = 1.2;
/// The same where the file says that both lines are of one paragraph.
const TAGGED_GAP: f32 = 2.2;
/// How far a line may end before the edge of its column and still be full, measured by the width of the column.
const SHORT_BY: f32 = 0.12;
/// How far from the edge a line ends that was stretched to it, in points.
const EXACT: f32 = 1.0;
/// Where so many lines end at the edge, they are stretched to it.
const EDGE_LINES_MIN: usize = 4;
/// Lines further apart than this, measured by their size, do not tell how far lines of a paragraph are apart.
const STEP_MAX: f32 = 2.6;
/// The deepest indentation of code, in characters.
const INDENT_MAX: usize = 80;

/// The edges of the column a line stands in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Column {
    left: f32,
    right: f32,
    /// Whether its lines are stretched to the right edge.
    is_justified: bool,
}

/// How far lines of a paragraph are apart, for every size of letters.
pub(super) struct Leading {
    steps: BTreeMap<i32, f32>,
    /// Whether the text itself stands in letters of one width.
    pub(super) is_mono: bool,
}

impl Leading {
    pub(super) fn of_pages(pages: &[PageLines]) -> Self {
        let mut steps: BTreeMap<i32, BTreeMap<i32, usize>> = BTreeMap::new();
        let (mut mono, mut all) = (0, 0);
        for page in pages {
            for pair in page.lines.windows(2) {
                let [above, line] = pair else { continue };
                let step = above.y - line.y;
                let is_pair =
                    half_points(above.size) == half_points(line.size) && above.x < line.end_x && line.x < above.end_x;
                if is_pair && step > line.size * 0.5 && step < line.size * STEP_MAX {
                    *steps.entry(line.half_points()).or_default().entry(whole_number(step * 2.0)).or_default() += 1;
                }
            }
            for line in &page.lines {
                all += line.weight();
                mono += if line.is_mono { line.weight() } else { 0 };
            }
        }
        let usual = |counts: BTreeMap<i32, usize>| {
            counts.into_iter().max_by_key(|(step, count)| (*count, -step)).map(|(step, _)| step)
        };
        let steps = steps.into_iter().filter_map(|(size, counts)| Some((size, usual(counts)? as f32 / 2.0))).collect();
        Self { steps, is_mono: mono * 2 > all }
    }

    /// The usual step from a line to the next in a paragraph like this one's.
    pub(super) fn of(&self, line: &Line) -> f32 {
        self.steps.get(&line.half_points()).copied().unwrap_or(line.size * 1.2)
    }
}

/// The column of each line: as wide as the lines right above and below it.
pub(super) fn columns(lines: &[Line]) -> Vec<Column> {
    let is_next = |above: &Line, line: &Line| {
        let is_below = above.y - line.y > -line.size * 0.5;
        is_below && above.x < line.end_x && line.x < above.end_x && line.kind != Kind::Margin
    };
    let mut columns = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(is_next) {
        let left = run.iter().map(|line| line.x).fold(f32::MAX, f32::min);
        let right = run.iter().map(|line| line.end_x).fold(f32::MIN, f32::max);
        let is_justified = run.iter().filter(|line| line.end_x >= right - EXACT).count() >= EDGE_LINES_MIN;
        columns.extend(std::iter::repeat_n(Column { left, right, is_justified }, run.len()));
    }
    columns
}

/// Two lines, one read after the other.
pub(super) struct Place<'a> {
    pub(super) last: &'a Line,
    /// The column of the last line.
    pub(super) before: Column,
    pub(super) line: &'a Line,
    /// The column of this line.
    pub(super) column: Column,
    /// The left edge of the mark, where the last line is of an item.
    pub(super) hangs: Option<f32>,
    /// Whether this would be the second line of its block.
    pub(super) is_second: bool,
}

impl Place<'_> {
    /// Whether a line on the same page goes on with the paragraph.
    pub(super) fn continues(&self, leading: &Leading) -> bool {
        let (last, line) = (self.last, self.line);
        let step = last.y - line.y;
        match line.tie {
            Tie::Begins => return false,
            Tie::Continues => return step < leading.of(line) * TAGGED_GAP,
            Tie::Unknown => {}
        }
        if !self.looks_alike() {
            return false;
        }
        if step < -line.size * 0.5 {
            return self.flows_on();
        }
        if step > leading.of(line).max(line.size * 0.9) * GAP {
            return false;
        }
        if self.is_short() && ends_sentence(&last.text) {
            return false;
        }
        self.has_same_edge()
    }

    /// Whether a line on the next page or at the head of the next column goes on with the paragraph.
    pub(super) fn flows_on(&self) -> bool {
        let first = self.line.text.trim_start().chars().next();
        let is_lower = first.is_some_and(char::is_lowercase);
        let is_parted = self.last.text.trim_end().ends_with(['-', '\u{2010}', '\u{ad}']);
        // A last line that reaches the very edge is seldom the last of a paragraph.
        let is_exact = self.before.is_justified && self.last.end_x >= self.before.right - EXACT;
        if !self.looks_alike() || (ends_sentence(&self.last.text) && !is_lower && !is_exact) {
            return false;
        }
        if self.hangs.is_some() && !is_lower && !is_parted {
            return false;
        }
        is_parted || is_lower || (!self.is_short() && self.line.x < self.column.left + self.line.size * 0.7)
    }

    fn looks_alike(&self) -> bool {
        let (last, line) = (self.last, self.line);
        (last.size - line.size).abs() <= line.size * 0.11
            && (last.is_bold == line.is_bold || !last.is_bold || line.weight() < 3)
    }

    /// Whether the line before ends well before the edge of its column.
    fn is_short(&self) -> bool {
        let width = self.before.right - self.before.left;
        self.last.end_x < self.before.right - width * SHORT_BY
    }

    /// Whether the left edges are those of lines of one paragraph or item.
    fn has_same_edge(&self) -> bool {
        let (last, line) = (self.last, self.line);
        if let Some(x) = self.hangs {
            let is_full = !self.is_short() && !ends_sentence(&last.text);
            return line.x > x + line.size * 0.4 || is_full;
        }
        let by = line.x - last.x;
        let is_centered = ((line.x + line.end_x) - (last.x + last.end_x)).abs() < line.size;
        if by > line.size * 0.7 {
            // An indented line begins a paragraph, unless the one before stands out to the left as in a list of works.
            return is_centered || (self.is_second && !self.is_short());
        }
        by > -line.size * 0.7 || self.is_second || is_centered
    }
}

/// Whether the line before was broken on purpose, as in an address or a poem.
pub(super) fn is_cut(last: &Line, before: Column, line: &Line, column: Column) -> bool {
    let has_room = last.end_x < before.right - (before.right - before.left) * 0.4;
    let begins_anew = line.text.trim_start().starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    let is_entry = last.text.contains('…') && last.text.trim_end().ends_with(|c: char| c.is_ascii_digit());
    is_entry || (has_room && begins_anew && column == before && !last.text.ends_with(['-', ',']))
}

/// Whether a sentence ends with these words.
pub(super) fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '’', ')', ']', ' ', '»']).ends_with(['.', '!', '?', ':', '…', '。'])
}

/// A line of code with the blanks before it, which the page shows by its place alone.
pub(super) fn indented(line: &Line, left: f32) -> String {
    let width = (line.end_x - line.x) / line.text.chars().count().max(1) as f32;
    let blanks = whole_number((line.x - left) / width.max(1.0));
    let blanks = usize::try_from(blanks).unwrap_or(0).min(INDENT_MAX);
    format!("{:1$}{2}", "", blanks, line.text.trim_end())
}
