//! A line of Markdown or plain text → what it opens: a list item, a quote, a table row, code, a heading, or nothing.
//!
//! Invariant: a line is looked at by itself, in time linear in its length; what it opens in its place is for the reader of
//! blocks to decide. Offsets are bytes of the line and lie on character boundaries.

/// The shortest fence, and the shortest rule across the page.
const FENCE_LENGTH_MIN: usize = 3;
/// Spaces that a tab stands for at most.
const TAB_COLUMNS: usize = 4;
/// A longer number at the start of a line is a year or a sum, not an item's.
const ITEM_DIGITS_MAX: usize = 3;
const HEADING_LEVEL_MAX: usize = 6;

/// What a line opens by its own look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Nothing but white space.
    Blank,
    /// A fence around code.
    Fence(Fence),
    /// A heading; its words start here.
    Heading { words_at: usize },
    /// A line across the page, which may also underline a heading.
    Rule { may_underline: bool },
    /// A line of a quote; its words start here.
    Quote { words_at: usize },
    /// A list item; its words start here.
    Item { words_at: usize, number: Option<u32> },
    /// A table row that starts with a bar.
    Row,
    /// The line of dashes below a table's header.
    TableRule,
    /// Words that open nothing.
    Text,
}

/// The signs that open a block of code; the same sign, at least as often, closes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: char,
    length: usize,
}

impl Fence {
    /// The fence a line opens. Backticks with more of them behind are code within a line.
    fn parse(body: &str) -> Option<Self> {
        let sign = body.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let after = body.trim_start_matches(sign);
        let length = body.len() - after.len();
        let is_fence = length >= FENCE_LENGTH_MIN && !(sign == '`' && after.contains('`'));
        is_fence.then_some(Self { sign, length })
    }

    /// Whether a line closes what this fence opened.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        let body = line.trim();
        body.trim_start_matches(self.sign).is_empty() && body.len() >= self.length
    }
}

pub(super) fn opening(line: &str) -> Opening {
    let body = line.trim();
    let indent = line.len() - line.trim_start().len();
    if body.is_empty() {
        return Opening::Blank;
    }
    if let Some(fence) = Fence::parse(body) {
        return Opening::Fence(fence);
    }
    if let Some(words_at) = heading_words(body) {
        return Opening::Heading { words_at: indent + words_at };
    }
    if let Some(may_underline) = rule(body) {
        return Opening::Rule { may_underline };
    }
    if let Some(words_at) = quote_words(body) {
        return Opening::Quote { words_at: indent + words_at };
    }
    if is_table_rule(body) {
        return Opening::TableRule;
    }
    if body.starts_with('|') {
        return Opening::Row;
    }
    match item(body) {
        Some((words_at, number)) => Opening::Item { words_at: indent + words_at, number },
        None => Opening::Text,
    }
}

/// How many columns a line is indented by.
pub(super) fn columns(line: &str) -> usize {
    let signs = line.chars().take_while(|sign| sign.is_whitespace() && *sign != '\n');
    signs.fold(0, |columns, sign| columns + if sign == '\t' { TAB_COLUMNS - columns % TAB_COLUMNS } else { 1 })
}

/// Whether a line parts its cells by bars, code within it left out. Pages in HTML have their tables written so.
pub(in super::super) fn has_bar(line: &str) -> bool {
    line.split('`').step_by(2).any(|outside| outside.contains(" | "))
}

/// Where the words of a line start that opens a list item, and the item's number if it has one.
pub(in super::super) fn item_words(line: &str) -> Option<(usize, Option<u32>)> {
    let indent = line.len() - line.trim_start().len();
    item(line.trim()).map(|(words_at, number)| (indent + words_at, number))
}

fn heading_words(body: &str) -> Option<usize> {
    let after = body.trim_start_matches('#');
    let level = body.len() - after.len();
    let is_apart = after.is_empty() || after.starts_with([' ', '\t']);
    ((1..=HEADING_LEVEL_MAX).contains(&level) && is_apart).then(|| body.len() - after.trim_start().len())
}

/// Whether the body is a rule, and if so whether it may underline the words above it.
fn rule(body: &str) -> Option<bool> {
    let sign = body.chars().next().filter(|sign| matches!(sign, '-' | '*' | '_' | '='))?;
    let is_rule = body.chars().all(|other| other == sign || other.is_whitespace());
    let is_whole = is_rule && !body.contains(char::is_whitespace);
    let length = body.chars().filter(|other| *other == sign).count();
    match sign {
        '=' => (is_whole && length >= FENCE_LENGTH_MIN).then_some(true),
        _ => (is_rule && length >= FENCE_LENGTH_MIN).then_some(is_whole && sign == '-'),
    }
}

fn quote_words(body: &str) -> Option<usize> {
    let after = body.strip_prefix('>')?;
    let is_mark = after.is_empty() || after.starts_with([' ', '\t', '>']);
    is_mark.then(|| body.len() - body.trim_start_matches(['>', ' ', '\t']).len())
}

fn is_table_rule(body: &str) -> bool {
    body.contains('|') && body.contains('-') && body.chars().all(|c| matches!(c, '|' | '-' | ':' | '+' | ' ' | '\t'))
}

/// Where an item's words start, and its number if it has one.
fn item(body: &str) -> Option<(usize, Option<u32>)> {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (number, signs): (Option<u32>, &[char]) = match digits {
        0 => (None, &['-', '*', '+', '•']),
        1..=ITEM_DIGITS_MAX => (body.get(..digits).and_then(|number| number.parse().ok()), &['.', ')']),
        _ => return None,
    };
    let after = body.get(digits..)?.strip_prefix(signs)?;
    let words = after.trim_start();
    (words.len() < after.len()).then_some((body.len() - words.len(), number))
}

#[cfg(test)]
mod tests {
    use super::{Fence, Opening, columns, has_bar, opening};

    fn check(cases: &[(&str, Opening)]) {
        for (line, expected) in cases {
            assert_eq!(opening(line), *expected, "{line:?}");
        }
    }

    #[test]
    fn items_are_told_from_words_that_look_like_them() {
        check(&[
            ("- a rope", Opening::Item { words_at: 2, number: None }),
            ("  * a lamp\n", Opening::Item { words_at: 4, number: None }),
            ("• a map", Opening::Item { words_at: 4, number: None }),
            ("12) a tent", Opening::Item { words_at: 4, number: Some(12) }),
            ("1850. It rained", Opening::Text),
            ("-5 degrees", Opening::Text),
            ("2.5 m", Opening::Text),
            ("*emphasis* first", Opening::Text),
        ]);
    }

    #[test]
    fn headings_quotes_and_rules_have_their_marks_apart() {
        check(&[
            ("## Part", Opening::Heading { words_at: 3 }),
            ("#5 is fixed", Opening::Text),
            ("> said", Opening::Quote { words_at: 2 }),
            (">> twice", Opening::Quote { words_at: 3 }),
            (">5 mm", Opening::Text),
            ("---", Opening::Rule { may_underline: true }),
            ("* * *", Opening::Rule { may_underline: false }),
            ("--", Opening::Text),
        ]);
    }

    #[test]
    fn tables_have_rows_and_rules() {
        check(&[
            ("| a | b |", Opening::Row),
            ("|---|:-:|", Opening::TableRule),
            ("--- | ---", Opening::TableRule),
            ("a | b", Opening::Text),
        ]);
        assert!(has_bar("a | b") && !has_bar("run `a | b` here") && !has_bar("a|b"));
    }

    #[test]
    fn a_fence_is_closed_by_its_own_sign_alone() {
        let Opening::Fence(fence) = opening("~~~~ sh") else { panic!("no fence") };
        assert!(fence.is_closed_by("~~~~~\n") && !fence.is_closed_by("~~~") && !fence.is_closed_by("````"));
        assert_eq!(Fence::parse("```code``` in a line"), None);
    }

    #[test]
    fn a_tab_indents_to_the_next_stop() {
        assert_eq!([columns("a"), columns("  a"), columns("\ta"), columns(" \ta"), columns("\n")], [0, 2, 4, 4, 0]);
    }
}
