//! Footnotes: which number in the text belongs to one, and which lines of a page are one.

use std::collections::{BTreeMap, BTreeSet};

use pdfboss_output::TextSpan;

use super::line::{Kind, Line, PageLines, half_points};

/// A raised number is at most this large, measured by the letters beside it.
const RAISED_SIZE_MAX: f32 = 0.85;
/// And its line at least this much higher, or it is a smaller number in the line.
const RAISED_BY_MIN: f32 = 0.1;
const NUMBER_CHARS_MAX: usize = 3;
/// How far digits of one number are apart, measured by their size.
const DIGIT_GAP_MAX: f32 = 0.1;
/// How many footnotes of a page are looked for.
const NOTES_MAX: usize = 200;
/// How much smaller than the text a footnote is, in points.
const SMALLER_BY_MIN: f32 = 0.7;

/// Writes `[1]` for a raised 1 that has a footnote on the same page, for the 1 would read as part of the word before.
pub(super) fn bracket(spans: &mut [TextSpan]) {
    let body = body_size(spans);
    join_digits(spans, body);
    let (mut called, mut given) = (BTreeMap::new(), BTreeSet::new());
    let raised: Vec<(usize, bool)> = (0..spans.len()).filter_map(|at| Some((at, follows_text(spans, at)?))).collect();
    for (at, follows) in &raised {
        let Some(span) = spans.get(*at) else { continue };
        let number = span.text.trim().to_owned();
        if *follows {
            called.insert(number, span.y);
        } else {
            given.insert(number);
        }
    }
    // Office programs begin a footnote with a number that is not raised.
    let level = (0..spans.len()).filter(|at| begins_note(spans, *at, &called, body));
    let level: Vec<usize> = level.take(NOTES_MAX).collect();
    given.extend(level.iter().filter_map(|at| Some(spans.get(*at)?.text.trim().to_owned())));
    for at in raised.into_iter().map(|(at, _)| at).chain(level) {
        let Some(span) = spans.get_mut(at) else { continue };
        let number = span.text.trim();
        if called.contains_key(number) && given.contains(number) {
            span.text = format!("[{number}]");
        }
    }
}

/// Puts digits of one small number together that were drawn one by one.
fn join_digits(spans: &mut [TextSpan], body: f32) {
    let is_number = |span: &TextSpan| !span.text.is_empty() && span.text.bytes().all(|byte| byte.is_ascii_digit());
    for at in (1..spans.len()).rev() {
        let Some([first, second]) = spans.get_mut(at - 1..=at) else { continue };
        let is_beside = first.y == second.y
            && first.size == second.size
            && first.size <= body * RAISED_SIZE_MAX
            && (second.x - first.end_x).abs() < first.size * DIGIT_GAP_MAX
            && first.text.len() + second.text.len() <= NUMBER_CHARS_MAX;
        let is_code = first.italic || second.italic;
        if is_beside && !is_code && is_number(first) && is_number(second) {
            first.text.push_str(&std::mem::take(&mut second.text));
            first.glyph_x = Box::default();
            (first.end_x, second.x) = (second.end_x, second.end_x);
        }
    }
}

/// The size most letters have.
fn body_size(spans: &[TextSpan]) -> f32 {
    let mut letters: BTreeMap<i32, usize> = BTreeMap::new();
    for span in spans {
        *letters.entry(half_points(span.size)).or_default() += span.text.len();
    }
    letters.into_iter().max_by_key(|(_, count)| *count).map_or(0.0, |(size, _)| size as f32 / 2.0)
}

/// Whether a span is the number of a footnote, small and at the start of its line, that is called above it.
fn begins_note(spans: &[TextSpan], at: usize, called: &BTreeMap<String, f32>, body: f32) -> bool {
    let Some(span) = spans.get(at) else { return false };
    let is_called = called.get(span.text.trim()).is_some_and(|y| span.y < y - span.size);
    let is_beside =
        |other: &TextSpan| (other.y - span.y).abs() < span.size * RAISED_BY_MIN && !other.text.trim().is_empty();
    is_called
        && span.size <= body - SMALLER_BY_MIN
        && !spans.iter().any(|other| is_beside(other) && other.x < span.x && span.x - other.end_x < span.size * 2.0)
        && spans.iter().any(|other| is_beside(other) && other.x > span.x && other.x - span.end_x < span.size * 4.0)
}

/// For a raised number: whether it stands behind other words of its line, or before them.
fn follows_text(spans: &[TextSpan], at: usize) -> Option<bool> {
    let span = spans.get(at)?;
    let number = span.text.trim();
    if number.is_empty() || number.len() > NUMBER_CHARS_MAX || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let is_base = |other: &&TextSpan| {
        let by = span.y + span.rise.min(0.0) - other.y;
        !other.text.trim().is_empty()
            && span.size <= other.size * RAISED_SIZE_MAX
            && by >= other.size * RAISED_BY_MIN
            && by < other.size
    };
    let words = |other: &&TextSpan| !other.text.trim().is_empty();
    let before = spans.get(..at)?.iter().rev().take(3).find(words).filter(is_base);
    if before.is_some_and(|before| before.end_x <= span.x + before.size && before.x < span.x) {
        return Some(true);
    }
    let after = spans.get(at + 1..)?.iter().take(3).find(words).filter(is_base);
    after.is_some_and(|after| after.x >= span.x && after.x - span.end_x < after.size * 2.0).then_some(false)
}

/// Marks the lines of footnotes.
pub(super) fn mark(page: &mut PageLines, body_size: f32) {
    let heights = || page.lines.iter().filter(|line| line.kind != Kind::Margin).map(|line| line.y);
    let middle = (heights().fold(f32::MIN, f32::max) + heights().fold(f32::MAX, f32::min)) / 2.0;
    let mut last: Option<Line> = None;
    for line in &mut page.lines {
        if !matches!(line.kind, Kind::Text | Kind::Listed) {
            last = None;
            continue;
        }
        let is_small = line.size <= body_size - SMALLER_BY_MIN;
        let is_below_rule = page
            .rules
            .iter()
            .any(|[x, _, y]| (line.x - x).abs() < line.size * 2.0 && *y > line.y && y - line.y < line.size * 2.2);
        let begins = line.y < middle && (is_small || is_below_rule) && has_note_mark(&line.text);
        let goes_on = last.as_ref().is_some_and(|last| {
            let down = last.y - line.y;
            down > 0.0 && down < last.size * 1.7 && (last.size - line.size).abs() < SMALLER_BY_MIN
        });
        last = None;
        if begins || goes_on {
            line.kind = Kind::Note;
            last = Some(line.clone());
        }
    }
}

/// Whether a line begins as a footnote does.
pub(super) fn has_note_mark(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with(['*', '†', '‡', '§']) {
        return true;
    }
    let text = text.strip_prefix('[').unwrap_or(text);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    (1..=NUMBER_CHARS_MAX).contains(&digits) && rest.starts_with([' ', ']', '.', ')'])
}
