//! The pieces of text on a page → those of each column, one after the other, where it has two columns side by side.
//!
//! The layout finds columns of running text by itself, but takes a table in one of them for a table over both.

use pdfboss_output::{Ruling, TextSpan};

use super::line::whole_number;

/// Pieces whose heights differ less than this, measured by their size, are in one line.
const SAME_LINE_MAX: f32 = 0.3;
/// Pieces closer than this are one run of words, measured by their size.
const RUN_GAP_MAX: f32 = 0.9;
/// The narrowest blank between columns, in points.
const GUTTER_MIN: f32 = 7.0;
/// Where between the edges of the text it may lie.
const MIDDLE: [f32; 2] = [0.25, 0.75];
/// The fewest lines of a column, and the share of them that must nearly fill it.
const LINES_MIN: usize = 8;
const FULL_SHARE_MIN: f32 = 0.5;
const FULL_MIN: f32 = 0.75;
/// The narrowest column, measured by the size of the letters.
const WIDTH_MIN: f32 = 13.0;
/// How much wider one of them may be where only one is running text.
const WIDTH_RATIO_MAX: f32 = 1.6;
/// Lines whose heights differ less than this, measured by their size, are in one row; and the share of lines that are, in
/// a table.
const LEVEL_MAX: f32 = 0.1;
const LEVEL_SHARE_MIN: f32 = 0.6;
/// Lines further apart than this, measured by their size, are not of one part of a page.
const STEP_MAX: f32 = 3.0;
const DEPTH_MAX: usize = 2;
/// How far lines of one title or note are apart, measured by their size, and how much in points their size differs from
/// that of the text.
const TOGETHER_MAX: f32 = 1.7;
const OTHER_SIZE_MIN: f32 = 0.6;
/// A page with more runs has no columns: it is a table, or nobody can read it.
const RUNS_MAX: usize = 4_000;

/// A part of a page.
pub(super) struct Part {
    pub(super) spans: Vec<TextSpan>,
    pub(super) rulings: Vec<Ruling>,
}

/// Words in one line that stand close to each other.
#[derive(Clone, Copy)]
struct Run {
    x: f32,
    end_x: f32,
    y: f32,
    size: f32,
}

/// Where two columns are: the middle of the blank between them, and their heights.
struct Gutter {
    x: f32,
    top: f32,
    bottom: f32,
}

/// The parts of a page in the order of reading; one where there are no columns.
pub(super) fn parts(spans: Vec<TextSpan>, rulings: &[Ruling]) -> Vec<Part> {
    let mut parts = Vec::new();
    split(Part { spans, rulings: rulings.to_vec() }, 0, &mut parts);
    parts
}

fn split(part: Part, depth: usize, parts: &mut Vec<Part>) {
    let found = if depth < DEPTH_MAX { gutter(&runs(&part.spans), &part.rulings) } else { None };
    let Some(gutter) = found else {
        parts.push(part);
        return;
    };
    let place = |x: f32, y: f32| {
        if y > gutter.top {
            0
        } else if y < gutter.bottom {
            3
        } else {
            1 + usize::from(x > gutter.x)
        }
    };
    let mut pieces: [Part; 4] = std::array::from_fn(|_| Part { spans: Vec::new(), rulings: Vec::new() });
    for span in part.spans {
        let middle = (span.x + span.end_x) / 2.0;
        if let Some(piece) = pieces.get_mut(place(middle, span.y)) {
            piece.spans.push(span);
        }
    }
    for ruling in part.rulings {
        let middle = (ruling.start.x + ruling.end.x) / 2.0;
        if let Some(piece) = pieces.get_mut(place(middle, (ruling.start.y + ruling.end.y) / 2.0)) {
            piece.rulings.push(ruling);
        }
    }
    for piece in pieces.into_iter().filter(|piece| !piece.spans.is_empty()) {
        split(piece, depth + 1, parts);
    }
}

/// Runs of words, from the top of the page to its bottom.
fn runs(spans: &[TextSpan]) -> Vec<Run> {
    let mut sorted: Vec<&TextSpan> = spans.iter().filter(|span| !span.text.trim().is_empty()).collect();
    sorted.sort_by(|a, b| b.y.total_cmp(&a.y).then(a.x.total_cmp(&b.x)));
    let mut lines: Vec<Vec<&TextSpan>> = Vec::new();
    for span in sorted {
        match lines.last_mut() {
            Some(line) if line.first().is_some_and(|first| (first.y - span.y).abs() < first.size * SAME_LINE_MAX) => {
                line.push(span)
            }
            _ => lines.push(vec![span]),
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for mut line in lines {
        line.sort_by(|a, b| a.x.total_cmp(&b.x));
        let start = runs.len();
        for span in line {
            match runs.get_mut(start..).and_then(<[Run]>::last_mut) {
                Some(run) if span.x - run.end_x < span.size.max(run.size) * RUN_GAP_MAX => {
                    run.end_x = run.end_x.max(span.end_x);
                    run.size = run.size.max(span.size);
                }
                _ => runs.push(Run { x: span.x, end_x: span.end_x, y: span.y, size: span.size }),
            }
        }
    }
    runs
}

/// The blank between two columns of running text, if there is one.
fn gutter(runs: &[Run], rulings: &[Ruling]) -> Option<Gutter> {
    if runs.len() > RUNS_MAX {
        return None;
    }
    let left = runs.iter().map(|run| run.x).fold(f32::MAX, f32::min);
    let right = runs.iter().map(|run| run.end_x).fold(f32::MIN, f32::max);
    let [from, to] = MIDDLE.map(|share| left + (right - left) * share);
    // A blank begins where a run ends, and mostly ends where the next one begins; the rule of a table may reach into it.
    let ends = runs.iter().map(|run| run.end_x).filter(|x| (from..to).contains(x));
    let mut ends: Vec<i32> = ends.map(|x| whole_number(x.ceil())).collect();
    ends.sort_unstable();
    ends.dedup();
    let places = |end: f32| {
        let next = runs.iter().map(|run| run.x).filter(|x| *x > end).fold(f32::MAX, f32::min);
        [end + GUTTER_MIN / 2.0 + 0.5, (end + next) / 2.0, next - GUTTER_MIN / 2.0 - 0.5]
    };
    let body = middle_size(runs);
    let places = ends.into_iter().flat_map(|end| places(end as f32));
    let found = places.filter_map(|x| columns_at(x, runs, rulings, body));
    found.max_by_key(|(_, lines)| *lines).map(|(gutter, _)| gutter)
}

/// The longest part of the page that a blank at this place parts in two columns, and how many runs it has.
fn columns_at(x: f32, runs: &[Run], rulings: &[Ruling], body: f32) -> Option<(Gutter, usize)> {
    let crosses = |from: f32, to: f32| from < x + GUTTER_MIN / 2.0 && to > x - GUTTER_MIN / 2.0;
    let is_ruled = |gutter: &Gutter| {
        rulings.iter().any(|ruling| {
            crosses(ruling.start.x.min(ruling.end.x), ruling.start.x.max(ruling.end.x))
                && ruling.start.y.max(ruling.end.y) < gutter.top
                && ruling.start.y.min(ruling.end.y) > gutter.bottom
        })
    };
    let mut is_across: Vec<bool> = runs.iter().map(|run| crosses(run.x, run.end_x)).collect();
    spread(&mut is_across, runs, body);
    let mut best: Option<(Gutter, usize)> = None;
    let runs: Vec<(Run, bool)> = runs.iter().copied().zip(is_across).collect();
    for part in runs.split(|(_, is_across)| *is_across) {
        for part in part.chunk_by(|(above, _), (below, _)| above.y - below.y < above.size.max(below.size) * STEP_MAX) {
            let part: Vec<Run> = part.iter().map(|(run, _)| *run).collect();
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let gutter = Gutter { x, top: first.y + first.size * 0.5, bottom: last.y - last.size * 0.5 };
            let is_better = best.as_ref().is_none_or(|(_, most)| part.len() > *most);
            if is_better && are_columns(x, &part) && !is_ruled(&gutter) {
                best = Some((gutter, part.len()));
            }
        }
    }
    best
}

/// Marks the runs that go with others across the blank although they do not reach it, or have a blank of their own there:
/// more lines of a title or of footnotes, which are of another size than the text.
fn spread(is_across: &mut [bool], runs: &[Run], body: f32) {
    let is_one = |a: &Run, b: &Run| {
        (a.y - b.y).abs() < a.size * TOGETHER_MAX
            && (a.size - b.size).abs() < OTHER_SIZE_MIN
            && (a.size - body).abs() > OTHER_SIZE_MIN
    };
    let order: Vec<usize> = (1..runs.len()).collect();
    for at in order.iter().copied().chain(order.iter().rev().copied()) {
        let (Some([above, below]), Some(flags)) = (runs.get(at - 1..=at), is_across.get_mut(at - 1..=at)) else {
            continue;
        };
        if flags.contains(&true) && is_one(above, below) {
            flags.fill(true);
        }
    }
}

fn middle_size(runs: &[Run]) -> f32 {
    let mut sizes: Vec<f32> = runs.iter().map(|run| run.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

/// Whether there is running text on both sides, or on one and on the other something as wide that is in no rows with it.
fn are_columns(x: f32, runs: &[Run]) -> bool {
    let (left, right): (Vec<Run>, Vec<Run>) = runs.iter().partition(|run| run.end_x <= x);
    let (left, right) = (Side::of(&left), Side::of(&right));
    let are_wide = [&left, &right].iter().all(|side| side.lines.len() >= LINES_MIN && side.is_wide());
    let ratio = left.width / right.width.max(1.0);
    match (left.is_text(), right.is_text()) {
        (true, true) => are_wide,
        (false, false) => false,
        (true, false) | (false, true) => {
            are_wide && (WIDTH_RATIO_MAX.recip()..=WIDTH_RATIO_MAX).contains(&ratio) && !left.is_in_rows_with(&right)
        }
    }
}

/// What stands on one side of a blank.
struct Side {
    lines: Vec<Run>,
    width: f32,
}

impl Side {
    fn of(runs: &[Run]) -> Self {
        let lines = lines(runs);
        let left = lines.iter().map(|line| line.x).fold(f32::MAX, f32::min);
        let right = lines.iter().map(|line| line.end_x).fold(f32::MIN, f32::max);
        Self { lines, width: right - left }
    }

    fn is_wide(&self) -> bool {
        self.width >= middle_size(&self.lines) * WIDTH_MIN
    }

    /// Whether most lines nearly fill it.
    fn is_text(&self) -> bool {
        let full = self.lines.iter().filter(|line| line.end_x - line.x >= self.width * FULL_MIN).count();
        full as f32 >= self.lines.len() as f32 * FULL_SHARE_MIN
    }

    /// Whether lines stand at the heights of lines on the other side, as the cells of a table do.
    fn is_in_rows_with(&self, other: &Self) -> bool {
        let mut heights = other.lines.iter().map(|line| line.y).peekable();
        let mut level = 0;
        for line in &self.lines {
            let near = line.size * LEVEL_MAX;
            while heights.next_if(|y| *y > line.y + near).is_some() {}
            level += usize::from(heights.peek().is_some_and(|y| *y > line.y - near));
        }
        level as f32 >= self.lines.len().min(other.lines.len()) as f32 * LEVEL_SHARE_MIN
    }
}

/// Runs of one line as one: where a line is stretched, its words stand far apart.
fn lines(runs: &[Run]) -> Vec<Run> {
    let mut lines: Vec<Run> = Vec::new();
    for run in runs {
        match lines.last_mut() {
            Some(line) if (line.y - run.y).abs() < line.size * SAME_LINE_MAX => {
                (line.x, line.end_x) = (line.x.min(run.x), line.end_x.max(run.end_x));
            }
            _ => lines.push(*run),
        }
    }
    lines
}
