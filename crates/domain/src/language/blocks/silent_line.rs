//! A line → whether it holds nothing a reader would see as text: comments, anchors, images, tags of a page or a template.
//!
//! Invariant: linear in the line, and in doubt a line is text. A line with a single word beside its tags is text as a whole.

/// Tags of HTML that shape a page and hold no words themselves. Others, such as `<name>` in a manual, may be words.
const TAGS: &[&str] = &[
    "a", "br", "center", "details", "div", "hr", "img", "nav", "ol", "p", "picture", "source", "span", "table",
    "tbody", "thead", "tr", "ul",
];

/// What opens and closes a comment.
pub(super) const COMMENT: (&str, &str) = ("<!--", "-->");

/// Elements that are told by their first and their last signs alone.
const ELEMENTS: &[(&str, &str)] = &[COMMENT, ("{%", "%}"), ("{{", "}}"), ("<% ", "%>"), ("{#", "}"), ("{:", "}")];

/// Whether a line holds elements without words and nothing else; a blank line is not such a line.
pub(in super::super) fn is_silent(line: &str) -> bool {
    let mut rest = line.trim();
    if rest.is_empty() {
        return false;
    }
    if is_link_target(rest) {
        return true;
    }
    // Every turn takes an element off or ends the search, so each sign is looked for a bounded number of times.
    while !rest.is_empty() {
        let Some(after) = after_element(rest) else { return false };
        rest = after.trim_start();
    }
    true
}

fn after_element(rest: &str) -> Option<&str> {
    for (first, last) in ELEMENTS {
        if let Some(inside) = rest.strip_prefix(first) {
            return Some(inside.split_once(last)?.1);
        }
    }
    // What a template puts here may be words that are given to it in quotes.
    if let Some((inside, after)) = rest.strip_prefix("<%=").and_then(|inside| inside.split_once("%>")) {
        let has_words = inside.split(['\'', '"']).skip(1).step_by(2).any(|quoted| quoted.trim().contains(' '));
        return (!has_words).then_some(after);
    }
    if let Some(linked) = rest.strip_prefix("[!") {
        return match linked.strip_prefix('[') {
            Some(image) => Some(image.split_once(")](")?.1.split_once(')')?.1),
            None => after_callout(linked),
        };
    }
    if let Some(image) = rest.strip_prefix("![") {
        let after = image.split_once(']')?.1;
        let last = match after.chars().next()? {
            '(' => ')',
            '[' => ']',
            _ => return None,
        };
        return Some(after.split_once(last)?.1);
    }
    after_tag(rest)
}

/// Where the links of a text lead to, as in `[masts]: https://x.example/masts "Masts"`. A footnote (`[^1]: …`) is text.
fn is_link_target(line: &str) -> bool {
    let target = line.strip_prefix('[').filter(|name| !name.starts_with('^')).and_then(|name| name.split_once("]:"));
    let Some((name, target)) = target else { return false };
    let target = target.trim_start();
    let (address, title) = target.split_once(char::is_whitespace).unwrap_or((target, ""));
    let page = address.split('#').next().unwrap_or_default();
    let is_address = address.contains("://")
        || address.starts_with(['/', '#', '.', '<'])
        || address.starts_with("mailto:")
        || [".html", ".md"].iter().any(|ending| page.ends_with(ending));
    let title = title.trim();
    !name.is_empty() && is_address && (title.is_empty() || title.starts_with(['"', '\'', '(']))
}

/// The mark of a note, as in `[!WARNING]`.
fn after_callout(inside: &str) -> Option<&str> {
    let (kind, after) = inside.split_once(']')?;
    (!kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase())).then_some(after)
}

fn after_tag(rest: &str) -> Option<&str> {
    let (inside, after) = rest.strip_prefix('<')?.split_once('>')?;
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name = inside.split(|sign: char| !sign.is_ascii_alphanumeric()).next()?;
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag)).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::is_silent;

    #[test]
    fn lines_of_tags_images_and_comments_hold_no_text() {
        for line in [
            "<a id=\"x\"></a>",
            "<a name='x'/>",
            "<img src=\"mast.png\" alt=\"A mast\">",
            "![A mast](mast.png)",
            "![A mast][mast]",
            "[![build](badge.svg)](https://x.example)",
            "[![build](badge.svg)](https://x.example) ![two](two.svg)",
            "{#masts}",
            "{: .note }",
            "{% include note.html %}",
            "{% if a %}{% data b %}",
            "<% content_for :sidebar do %>",
            "<% end %></ul>",
            "{{< warning >}}",
            "{{ version }}",
            "<!-- said by nobody -->",
            "[!NOTE]",
            "[masts]: https://x.example/masts",
            "[the masts]: /masts.html \"All masts\"",
            "[top]: #top",
            "[tall masts]: masts.html#tall",
            "<%= partial 'partials/nav' %>",
            "<%= current_page.title %>",
            "<p align=\"center\">",
            "</div>",
        ] {
            assert!(is_silent(line), "{line:?}");
        }
    }

    #[test]
    fn a_word_beside_them_makes_a_line_text() {
        for line in [
            "[^1]: See https://x.example/masts",
            "[note]: it is tall",
            "[mode]: read/write",
            "[masts]: https://x.example/masts are tall",
            "",
            "<name>",
            "<%= note('Never open it.') %>",
            "<https://x.example>",
            "<a href=\"x\">The mast</a>",
            "{{ version }} is the newest.",
            "See ![a mast](mast.png).",
            "[a link](https://x.example)",
            "[!note] it",
            "<!-- open",
            "{% open",
            "![open](",
            "![open] it",
            "{a: 1}",
        ] {
            assert!(!is_silent(line), "{line:?}");
        }
    }

    #[test]
    fn a_megabyte_of_openings_takes_no_time() {
        for opening in ["<!--", "{%", "{{", "![", "[![", "<a ", "![](", "{#}", "<a>"] {
            let line = opening.repeat(1_000_000 / opening.len());
            assert_eq!(is_silent(&line), matches!(opening, "{#}" | "<a>"), "{opening:?}");
        }
    }
}
