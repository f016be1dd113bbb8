//! Text with form feeds between its pages, as converters of PDF write it → the text alone, and where each page begins.

use std::borrow::Cow;

use vouch_domain::{PageMark, PageUnit};

const FORM_FEED: char = '\u{c}';

/// The text without its form feeds, with a mark where each page begins; no mark if there is no form feed.
pub(super) fn without_breaks(text: &str) -> (Cow<'_, str>, Vec<PageMark>) {
    if !text.contains(FORM_FEED) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut joined = String::with_capacity(text.len());
    let (mut marks, mut characters) = (Vec::new(), 0);
    for (page, words) in (1..).zip(text.split(FORM_FEED)) {
        // A sentence may go on over the page, but no word does.
        let is_apart = joined.ends_with(char::is_whitespace) || words.starts_with(char::is_whitespace);
        if !joined.is_empty() && !words.is_empty() && !is_apart {
            joined.push('\n');
            characters += 1;
        }
        marks.push(PageMark { at: characters, page, unit: PageUnit::Page });
        joined.push_str(words);
        characters += words.chars().count();
    }
    // Converters end the last page with a form feed too, and nothing stands on the page after it.
    marks.retain(|mark| mark.at < characters);
    (Cow::Owned(joined), marks)
}

#[cfg(test)]
mod tests {
    use super::without_breaks;

    #[test]
    fn pages_are_counted_and_their_breaks_taken_out() {
        let (text, marks) = without_breaks("Café.\n\u{c}Two\u{c}three.\u{c}\u{c}Five.\u{c}");
        assert_eq!(text, "Café.\nTwo\nthree.\nFive.");
        let marks: Vec<(usize, u32)> = marks.iter().map(|mark| (mark.at, mark.page)).collect();
        assert_eq!(marks, [(0, 1), (6, 2), (10, 3), (16, 4), (17, 5)]);
    }

    #[test]
    fn text_without_breaks_has_no_pages() {
        assert_eq!(without_breaks("One\n\ntwo"), ("One\n\ntwo".into(), Vec::new()));
    }
}
