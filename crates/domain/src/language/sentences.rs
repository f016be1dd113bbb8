//! Text → byte ranges of its sentences, in order, without the white space around them.
//!
//! Invariant: every range lies on character boundaries, ranges do not overlap, and no line break between two
//! paragraphs, list items or table rows is inside one.

use std::ops::Range;

use super::abbreviations::is_abbreviation;

/// A sentence longer than this many bytes is cut at a word.
pub const SENTENCE_BYTES_MAX: usize = 1_000;

const CLOSERS: &[char] = &['"', '\'', ')', ']', '”', '’', '»', '*', '_'];
const OPENERS: &[char] = &['"', '\'', '(', '[', '“', '‘', '«', '*', '_', '`', '$', '€', '£'];

/// The sentences of a text.
#[must_use]
pub fn sentence_ranges(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    for block in blocks(text) {
        split_block(text, block, &mut sentences);
    }
    sentences
}

/// Paragraphs, list items, table rows and code blocks: what no sentence crosses.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut is_code = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let trimmed = line.trim();
        let is_fence = trimmed.starts_with("```");
        let starts_block = is_fence || (!is_code && (trimmed.is_empty() || block_opening(line).is_some()));
        if starts_block && !(is_fence && is_code) {
            found.extend(open.take());
        }
        if is_fence {
            is_code = !is_code;
            if !is_code {
                found.extend(open.take().map(|block| block.start..end));
            }
        }
        if trimmed.is_empty() && !is_code {
            continue;
        }
        if !is_fence || is_code {
            let block_start = open.as_ref().map_or(start + block_opening(line).unwrap_or(0), |block| block.start);
            open = Some(block_start..end);
        }
    }
    found.extend(open);
    found
}

/// Where a line's words start if the line opens a block of its own: after a list, quote or heading mark, at a table's bar.
fn block_opening(line: &str) -> Option<usize> {
    let body = line.trim_start();
    let indent = line.len() - body.len();
    if body.starts_with('|') {
        return Some(indent);
    }
    if body.starts_with('#') {
        return Some(line.len() - body.trim_start_matches(['#', ' ']).len());
    }
    for mark in ["- ", "* ", "+ ", "• ", "> "] {
        if body.starts_with(mark) {
            return Some(indent + mark.len());
        }
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let after: String = body.chars().skip(digits).take(2).collect();
    ((1..=3).contains(&digits) && matches!(after.as_str(), ". " | ") ")).then_some(indent + digits + 2)
}

fn split_block(text: &str, block: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(block.clone()) else { return };
    let is_whole = body.starts_with("```") || body.trim_start().starts_with('|') || body.contains(" | ");
    let mut start = 0;
    if !is_whole {
        let mut closing = Closing::default();
        for (at, sign) in body.char_indices() {
            if let Some(end) = sentence_end(body, start, (at, sign), &mut closing) {
                push_trimmed(text, block.start + start..block.start + end, sentences);
                start = end;
            }
        }
    }
    push_trimmed(text, block.start + start..block.end, sentences);
}

/// The run of closing signs that was read last. Every full stop within a run such as `."."."` asks about the same run, so
/// it is read once.
#[derive(Default)]
struct Closing {
    end: usize,
    /// Where the words after the run start.
    next: usize,
    is_apart: bool,
    opens: bool,
}

impl Closing {
    /// Reads the run that begins at `from`, unless that is inside the run read last.
    fn read(&mut self, body: &str, from: usize) {
        if from <= self.end {
            return;
        }
        let after = body.get(from..).unwrap_or_default();
        let closed = after.trim_start_matches(|c: char| CLOSERS.contains(&c) || matches!(c, '.' | '!' | '?'));
        let next = closed.trim_start();
        self.end = body.len() - closed.len();
        self.next = body.len() - next.len();
        self.is_apart = next.len() < closed.len();
        self.opens = next.chars().next().is_none_or(|c| c.is_uppercase() || c.is_numeric() || OPENERS.contains(&c));
    }
}

/// Where the sentence ends if the sign at `at` ends one, its closing quotes and brackets included.
fn sentence_end(body: &str, start: usize, (at, sign): (usize, char), closing: &mut Closing) -> Option<usize> {
    if !matches!(sign, '.' | '!' | '?' | '…' | '。') || at < start {
        return None;
    }
    // Of several signs in a row the first decides for all of them.
    let before = body.get(start..at)?;
    if before.ends_with(['.', '!', '?']) {
        return None;
    }
    closing.read(body, at + sign.len_utf8());
    let is_apart = closing.is_apart || sign == '。';
    let after = body.get(closing.next..).unwrap_or_default();
    if !is_apart || !closing.opens || (sign == '.' && is_abbreviation(before, after)) {
        return None;
    }
    Some(closing.end)
}

fn push_trimmed(text: &str, range: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(range.clone()) else { return };
    if !body.chars().any(char::is_alphanumeric) {
        return;
    }
    let start = range.start + (body.len() - body.trim_start().len());
    let end = range.end - (body.len() - body.trim_end().len());
    let mut from = start;
    while end - from > SENTENCE_BYTES_MAX {
        let cut = cut_point(text, from);
        push_piece(text, from..cut, sentences);
        from = cut;
    }
    push_piece(text, from..end, sentences);
}

/// The last word boundary within the longest allowed sentence, or the longest whole characters without one.
fn cut_point(text: &str, from: usize) -> usize {
    let mut limit = from + SENTENCE_BYTES_MAX;
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let window = text.get(from..limit).unwrap_or("");
    let at_word = window.rfind(char::is_whitespace).filter(|at| *at > SENTENCE_BYTES_MAX / 2);
    from + at_word.unwrap_or(window.len())
}

fn push_piece(text: &str, range: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(range.clone()) else { return };
    let start = range.start + (body.len() - body.trim_start().len());
    let end = range.end - (body.len() - body.trim_end().len());
    if start < end {
        sentences.push(start..end);
    }
}

#[cfg(test)]
mod tests {
    use super::{SENTENCE_BYTES_MAX, sentence_ranges};

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentence_ranges(text).into_iter().filter_map(|range| text.get(range)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn plain_sentences_are_told_apart() {
        check("One is here. Two is there! Is three?", &["One is here.", "Two is there!", "Is three?"]);
    }

    #[test]
    fn abbreviations_initials_and_decimals_end_nothing() {
        check(
            "Dr. J. Smith measured 2.5 m, e.g. Monday. Then he left.",
            &["Dr. J. Smith measured 2.5 m, e.g. Monday.", "Then he left."],
        );
    }

    #[test]
    fn an_abbreviation_ends_nothing_and_the_same_word_in_full_does() {
        check("Built c. 1850 by Will. Holt. It is No. 5.", &["Built c. 1850 by Will. Holt.", "It is No. 5."]);
        check("I said no. Then I left.", &["I said no.", "Then I left."]);
        check("He will. Then he did. Take vitamin c. Rest.", &["He will.", "Then he did.", "Take vitamin c.", "Rest."]);
        check("On Jan. 5 it rained until Dec. Then it froze.", &["On Jan. 5 it rained until Dec.", "Then it froze."]);
    }

    #[test]
    fn closing_quotes_stay_with_their_sentence() {
        check("She said \"Stop.\" He did.", &["She said \"Stop.\"", "He did."]);
    }

    #[test]
    fn list_items_and_paragraphs_are_apart() {
        check(
            "Bring:\n\n- a rope\n- a lamp\n2. a map\n\nThen go.",
            &["Bring:", "a rope", "a lamp", "a map", "Then go."],
        );
    }

    #[test]
    fn a_soft_line_break_stays_inside_its_sentence() {
        check("One long\nsentence. Two.", &["One long\nsentence.", "Two."]);
    }

    #[test]
    fn table_rows_are_one_sentence_each_and_rules_are_none() {
        check("| a | b |\n|---|---|\n| 1 | 2 |\n", &["| a | b |", "| 1 | 2 |"]);
    }

    #[test]
    fn code_is_kept_whole() {
        check("Run:\n```sh\nls -l. Then\n\npwd\n```\nDone.", &["Run:", "```sh\nls -l. Then\n\npwd\n```", "Done."]);
    }

    #[test]
    fn a_megabyte_without_a_blank_is_cut_on_characters() {
        let text = "é".repeat(500_000);
        let ranges = sentence_ranges(&text);
        assert!(ranges.iter().all(|range| range.len() <= SENTENCE_BYTES_MAX && text.get(range.clone()).is_some()));
        assert_eq!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>(), text.len());
    }

    #[test]
    fn megabytes_of_points_take_no_time() {
        let text = "0.12,0.34,".repeat(100_000);
        assert!(sentence_ranges(&text).len() > 900);
        let dots = format!("a{}b. Next one.", ".".repeat(500_000));
        assert!(sentence_ranges(&dots).len() > 400);
    }

    #[test]
    fn white_space_has_no_sentence() {
        check(" \n\t\n ", &[]);
    }
}
