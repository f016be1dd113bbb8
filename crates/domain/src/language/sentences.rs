//! Text → byte ranges of its sentences, in order, without the white space around them.
//!
//! Invariant: every range lies on character boundaries, ranges do not overlap, and no line break between two
//! paragraphs, list items or table rows is inside one.

use std::ops::Range;

use super::{
    abbreviations::is_abbreviation,
    blocks::{Block, BlockKind, blocks, has_bar, is_silent, item_words},
};

/// A sentence longer than this many bytes is cut at a word.
pub const SENTENCE_BYTES_MAX: usize = 1_000;

const CLOSERS: &[char] = &['"', '\'', ')', ']', '”', '’', '»', '*', '_'];
const OPENERS: &[char] = &['"', '\'', '(', '[', '“', '‘', '«', '*', '_', '`', '$', '€', '£'];

/// What a sentence begins with where it speaks of what was said before.
const LEANING: &[&str] = &[
    "it",
    "its",
    "they",
    "their",
    "them",
    "this",
    "that",
    "these",
    "those",
    "he",
    "she",
    "his",
    "her",
    "such",
    "both",
    "however",
    "otherwise",
    "instead",
    "also",
    "then",
    "so",
    "therefore",
    "but",
    "and",
    "or",
];
/// What "if" goes on with where it speaks of what was said before.
const LEANING_AFTER_IF: &[&str] =
    &["it", "so", "not", "they", "this", "that", "these", "those", "he", "she", "its", "their"];

/// Whether a sentence begins with a word for what was said before.
#[must_use]
pub fn leans(text: &str) -> bool {
    let mut words = text.split_whitespace().map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        // "It's" and "that's" lean as "it" and "that" do.
        bare.split(['\'', '’']).next().unwrap_or_default().to_owned()
    });
    match words.next().unwrap_or_default().as_str() {
        "if" => words.next().is_some_and(|next| LEANING_AFTER_IF.contains(&next.as_str())),
        first => LEANING.contains(&first),
    }
}

/// The sentences of a text.
#[must_use]
pub fn sentence_ranges(text: &str) -> Vec<Range<usize>> {
    blocks(text).iter().flat_map(|block| block_sentences(text, block)).collect()
}

/// The sentences of one block of a text, in bytes of the text.
#[must_use]
pub fn block_sentences(text: &str, block: &Block) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let range = block.range.clone();
    match block.kind {
        BlockKind::Code | BlockKind::TableRow { .. } => push_trimmed(text, range, &mut sentences),
        BlockKind::Paragraph | BlockKind::ListItem { .. } | BlockKind::Heading => {
            split(text, range, Margin::Blank, &mut sentences);
        }
        BlockKind::Quote => {
            for part in quote_parts(text, range) {
                split(text, part, Margin::QuoteMarks, &mut sentences);
            }
        }
    }
    sentences
}

/// What a wrapped line may start with besides its words.
#[derive(Clone, Copy)]
enum Margin {
    Blank,
    QuoteMarks,
}

impl Margin {
    fn skip(self, words: &str) -> &str {
        match self {
            Self::Blank => words.trim_start(),
            Self::QuoteMarks => words.trim_start_matches(|sign: char| sign.is_whitespace() || sign == '>'),
        }
    }
}

/// The paragraphs and list items of a quote, each without its first mark.
fn quote_parts(text: &str, quote: Range<usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let (mut goes_on, mut is_list) = (false, false);
    let mut at = quote.start;
    for line in text.get(quote).unwrap_or_default().split_inclusive('\n') {
        let end = at + line.len();
        let words = Margin::QuoteMarks.skip(line);
        let start = end - words.len();
        at = end;
        if words.is_empty() || is_silent(words) {
            goes_on = false;
            continue;
        }
        // A wrapped line may start with a number by chance; a list starts with its first.
        let item =
            item_words(words).filter(|(_, number)| !goes_on || is_list || number.is_none_or(|number| number == 1));
        match parts.last_mut().filter(|_| goes_on && item.is_none()) {
            Some(part) => part.end = end,
            None => {
                parts.push(start + item.map_or(0, |(words_at, _)| words_at)..end);
                is_list = item.is_some();
            }
        }
        goes_on = true;
    }
    parts
}

fn split(text: &str, range: Range<usize>, margin: Margin, sentences: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(range.clone()) else { return };
    let mut start = 0;
    if !has_bar(body) {
        let mut closing = Closing::new(margin);
        for (at, sign) in body.char_indices() {
            if let Some(end) = sentence_end(body, start, (at, sign), &mut closing) {
                push_trimmed(text, range.start + start..range.start + end, sentences);
                start = closing.next;
            }
        }
    }
    push_trimmed(text, range.start + start..range.end, sentences);
}

/// The run of closing signs that was read last. Every full stop within a run such as `."."."` asks about the same run, so
/// it is read once.
struct Closing {
    margin: Margin,
    end: usize,
    /// Where the words after the run start.
    next: usize,
    opens: bool,
}

impl Closing {
    fn new(margin: Margin) -> Self {
        Self { margin, end: 0, next: 0, opens: false }
    }

    /// Reads the run that begins at `from`, unless that is inside the run read last.
    fn read(&mut self, body: &str, from: usize) {
        if from <= self.end {
            return;
        }
        let after = body.get(from..).unwrap_or_default();
        let closed = after.trim_start_matches(|c: char| CLOSERS.contains(&c) || matches!(c, '.' | '!' | '?'));
        let is_apart = closed.starts_with(char::is_whitespace);
        let next = if is_apart { self.margin.skip(closed) } else { closed };
        self.end = body.len() - closed.len();
        self.next = body.len() - next.len();
        self.opens = next.chars().next().is_none_or(|c| c.is_uppercase() || c.is_numeric() || OPENERS.contains(&c));
    }

    fn is_apart(&self) -> bool {
        self.next > self.end
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
    let is_apart = closing.is_apart() || sign == '。';
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
    fn a_sentence_of_a_quote_goes_on_over_its_lines() {
        check(
            "> [!NOTE]\n> It is\n> not so. Built c.\n> 1850.\n> Never!\n>\n> Why\n> - one\n>   two\n> - three",
            &["It is\n> not so.", "Built c.\n> 1850.", "Never!", "Why", "one\n>   two", "three"],
        );
    }

    #[test]
    fn an_item_is_read_over_its_wrapped_lines() {
        check("- It is\n  not so. Never.\n- a lamp", &["It is\n  not so.", "Never.", "a lamp"]);
    }

    #[test]
    fn comments_and_tags_on_lines_of_their_own_are_no_sentences() {
        check("<!-- a note. -->\n{% if x %}\nOne is. Two is.\n{% endif %}", &["One is.", "Two is."]);
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
