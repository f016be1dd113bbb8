//! The Markdown of an answer → the same for a pipe, where a link that nobody can follow from there is its words alone.
//!
//! A document's links lead to the files beside it, which an answer is not read beside. Time is in proportion to the text.

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// Beginnings of addresses that lead to the same place wherever they are read.
const FOLLOWED: &[&str] = &["http://", "https://", "ftp://", "mailto:"];

pub(crate) fn without_dead_links(text: &str) -> Cow<'_, str> {
    if !text.contains("](") {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut done) = (String::with_capacity(text.len()), 0);
    let mut open: Option<DeadLink> = None;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum of which only links matter")]
        match event {
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) => {
                let leads_on = FOLLOWED.iter().any(|beginning| dest_url.starts_with(beginning));
                open = (!leads_on).then_some(DeadLink { whole: range, words: None });
            }
            Event::End(TagEnd::Link) => {
                let Some(DeadLink { whole, words }) = open.take() else { continue };
                shown.push_str(text.get(done..whole.start).unwrap_or_default());
                shown.push_str(words.and_then(|words| text.get(words)).unwrap_or_default());
                done = whole.end;
            }
            _ => {
                if let Some(link) = &mut open {
                    let start = link.words.as_ref().map_or(range.start, |words| words.start);
                    link.words = Some(start..range.end);
                }
            }
        }
    }
    shown.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(shown)
}

/// A link and the words in its brackets, in bytes of the text.
struct DeadLink {
    whole: Range<usize>,
    words: Option<Range<usize>>,
}

#[cfg(test)]
mod tests {
    use super::without_dead_links;

    #[test]
    fn a_link_to_a_file_beside_the_document_is_its_words() {
        for (text, shown) in [
            ("See [the **badge** page](../people/badge.md). [^1]", "See the **badge** page. [^1]"),
            ("[a](#b) and [c](/d \"e\"), [](x.md)", "a and c, "),
            (
                "1. one\n2. [two](two.md)\n\n| [a](a.md) |\n|---|\n| [b](b.md) |",
                "1. one\n2. two\n\n| a |\n|---|\n| b |",
            ),
            ("[x](javascript:alert(1))", "x"),
        ] {
            assert_eq!(without_dead_links(text), shown, "{text:?}");
        }
    }

    #[test]
    fn links_that_lead_somewhere_and_what_is_no_link_stay() {
        for text in [
            "[the desk](https://desk.example/é) and [mail](mailto:a@x.example)",
            "`[a](b.md)` and a[0](1 and [b] (c)",
            "```\n[a](b.md)\n```",
        ] {
            assert_eq!(without_dead_links(text), text);
        }
    }
}
