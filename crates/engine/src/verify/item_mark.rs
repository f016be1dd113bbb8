//! A sentence of a passage → the mark of the list item it begins: a sentence is cited without it, and shown with it where an
//! answer is a list.

use vouch_domain::CharSpan;

use crate::judge::Piece;

/// A longer number is no mark of a list.
const DIGITS_MAX: usize = 3;
const BULLETS: &[&str] = &["-", "*", "+", "•"];

/// The mark of an item, with the blanks behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemMark<'a> {
    pub(super) text: &'a str,
    pub(super) is_number: bool,
}

/// The mark right before a place of a document, if that is where an item begins.
pub(super) fn mark_before(piece: &Piece, quote: CharSpan) -> Option<ItemMark<'_>> {
    let passage = &piece.passage.passage;
    let characters = quote.start.checked_sub(passage.span.start)?;
    let (start, _) = passage.text.char_indices().nth(characters)?;
    let before = passage.text.get(..start)?;
    let line = before.rsplit('\n').next()?;
    item_mark(line.trim_start())
}

/// Whether a text is more than one item: one of its lines after the first begins with a mark.
pub(super) fn has_more_items(text: &str) -> bool {
    text.lines().skip(1).any(|line| begins_item(line.trim_start()))
}

/// Whether what stands between two sentences ends with the mark of an item on a line of its own.
pub(super) fn ends_with_mark(between: &str) -> bool {
    between.rsplit_once('\n').is_some_and(|(_, line)| item_mark(line.trim_start()).is_some())
}

fn begins_item(line: &str) -> bool {
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    line.split_at_checked(end + 1).is_some_and(|(mark, _)| item_mark(mark).is_some())
}

fn item_mark(text: &str) -> Option<ItemMark<'_>> {
    let mark = text.trim_end();
    if mark.len() == text.len() {
        return None;
    }
    if BULLETS.contains(&mark) {
        return Some(ItemMark { text, is_number: false });
    }
    let digits = mark.strip_suffix(['.', ')'])?;
    let is_number = (1..=DIGITS_MAX).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(ItemMark { text, is_number })
}

#[cfg(test)]
mod tests {
    use super::{ends_with_mark, has_more_items, item_mark};

    #[test]
    fn marks_are_told_from_words() {
        for (text, is_number) in [("- ", false), ("12. ", true), ("3)  ", true), ("• ", false)] {
            assert_eq!(item_mark(text).map(|mark| mark.is_number), Some(is_number), "{text:?}");
        }
        for text in ["", "-", "1850. ", "a. ", "> ", "| ", "1.2 ", "## "] {
            assert_eq!(item_mark(text), None, "{text:?}");
        }
        assert!(has_more_items("Open it.\n   2. Close it.") && !has_more_items("- one\ngoes on\n-5 degrees"));
        assert!(ends_with_mark("\n\n  - ") && !ends_with_mark("\n\n") && !ends_with_mark("- "));
    }
}
