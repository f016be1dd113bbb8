//! Words with a look, and the commands that give them that look.

use std::fmt::Write;

use super::screen::Screen;

/// How words look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) code: bool,
    pub(super) dim: bool,
    pub(super) struck: bool,
    /// Where they lead.
    pub(super) link: Option<String>,
}

/// Words of one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

/// An address that a terminal may open: of the web or of mail, and without anything that could end the command around it.
pub(super) fn openable(address: &str) -> Option<String> {
    let is_known = ["https://", "http://", "mailto:"].iter().any(|scheme| address.starts_with(scheme));
    (is_known && address.chars().all(|c| c.is_ascii_graphic())).then(|| address.to_owned())
}

/// Spans as they are written, one command before and one behind each look.
pub(super) fn written(spans: &[Span], screen: Screen) -> String {
    let mut text = String::new();
    for span in spans {
        if !screen.has_styles {
            text.push_str(&span.text);
            continue;
        }
        let codes = codes(&span.style);
        let link = span.style.link.as_ref();
        // Writing to a string does not fail.
        let _ = link.map(|link| write!(text, "\u{1b}]8;;{link}\u{1b}\\"));
        if codes.is_empty() {
            text.push_str(&span.text);
        } else {
            let _ = write!(text, "\u{1b}[{}m{}\u{1b}[0m", codes.join(";"), span.text);
        }
        let _ = link.map(|_| write!(text, "\u{1b}]8;;\u{1b}\\"));
    }
    text
}

fn codes(style: &Style) -> Vec<&'static str> {
    [
        (style.bold, "1"),
        (style.dim, "2"),
        (style.italic, "3"),
        (style.link.is_some(), "4"),
        (style.struck, "9"),
        (style.code, "36"),
    ]
    .into_iter()
    .filter_map(|(is_so, code)| is_so.then_some(code))
    .collect()
}

/// The spans with every marker, `[^3]`, as a span of its own that reads `[3]`.
pub(super) fn with_markers(spans: Vec<Span>) -> Vec<Span> {
    let mut found = Vec::new();
    for span in spans {
        if span.style.code {
            found.push(span);
            continue;
        }
        let mut rest = span.text.as_str();
        let mut plain = String::new();
        while let Some(at) = rest.find("[^") {
            let (before, from) = rest.split_at(at);
            let inner = from.get(2..).unwrap_or_default();
            let number = inner.split_once(']').filter(|(number, _)| is_number(number));
            plain.push_str(before);
            match number {
                Some((number, after)) => {
                    push(&mut found, std::mem::take(&mut plain), &span.style);
                    let style = Style { dim: true, ..Style::default() };
                    found.push(Span { text: format!("[{number}]"), style });
                    rest = after;
                }
                None => {
                    plain.push_str("[^");
                    rest = inner;
                }
            }
        }
        plain.push_str(rest);
        push(&mut found, plain, &span.style);
    }
    found
}

fn is_number(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn push(spans: &mut Vec<Span>, text: String, style: &Style) {
    if !text.is_empty() {
        spans.push(Span { text, style: style.clone() });
    }
}
