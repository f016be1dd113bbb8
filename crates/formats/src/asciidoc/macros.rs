//! Macros inside of words → what a reader sees of them.

use std::borrow::Cow;

/// The macros whose words stand in brackets after their target.
const NAMED: &[&str] = &[
    "link",
    "xref",
    "mailto",
    "http",
    "https",
    "ftp",
    "irc",
    "image",
    "icon",
    "kbd",
    "btn",
    "menu",
    "footnote",
    "footnoteref",
    "stem",
    "latexmath",
    "asciimath",
    "pass",
    "indexterm",
    "indexterm2",
    "anchor",
];
/// The longest target, and the longest text in brackets.
const TARGET_BYTES_MAX: usize = 1_000;
const TEXT_BYTES_MAX: usize = 2_000;
const ROLE_BYTES_MAX: usize = 80;

pub(super) fn is_macro(rest: &str) -> bool {
    rest.starts_with("<<") || NAMED.iter().any(|name| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
}

/// A macro: how many bytes it takes, and what is seen of it.
pub(super) struct Macro<'a> {
    pub(super) used: usize,
    pub(super) shown: Shown<'a>,
}

pub(super) enum Shown<'a> {
    Nothing,
    /// Words as they are.
    Verbatim(Cow<'a, str>),
    /// Words with marks in them.
    Marked(&'a str),
    /// The title of what has this id.
    Title(&'a str),
    Footnote(&'a str),
}

/// `name:target[words]`.
pub(super) fn named(rest: &str) -> Option<Macro<'_>> {
    let length = rest.bytes().take(16).take_while(u8::is_ascii_alphanumeric).count();
    let name = rest.get(..length).filter(|name| NAMED.contains(name))?;
    let after = rest.get(length..)?.strip_prefix(':')?;
    let is_url = matches!(name, "http" | "https" | "ftp" | "irc");
    if is_url && !after.starts_with("//") {
        return None;
    }
    let is_end =
        |byte: u8| byte == b'[' || byte.is_ascii_whitespace() || (is_url && matches!(byte, b']' | b'>' | b'<'));
    let target_length =
        after.bytes().take(TARGET_BYTES_MAX).position(is_end).unwrap_or(after.len().min(TARGET_BYTES_MAX));
    let target = after.get(..target_length)?;
    let address = rest.get(..length + 1 + target_length)?;
    let is_footnote = matches!(name, "footnote" | "footnoteref");
    let inside = |text| if is_footnote { balanced(text) } else { bracket(text, TEXT_BYTES_MAX) };
    let Some(text) = after.get(target_length..).and_then(inside) else {
        // An address alone is read as it stands, marks in it included.
        return is_url.then_some(Macro { used: address.len(), shown: Shown::Verbatim(Cow::Borrowed(address)) });
    };
    let shown = match name {
        "image" | "icon" | "anchor" | "indexterm" => Shown::Nothing,
        "footnote" => Shown::Footnote(text),
        // Its id stands before its words; alone it refers to them once more.
        "footnoteref" => text.split_once(',').map_or(Shown::Nothing, |(_, words)| Shown::Footnote(words.trim_start())),
        "stem" | "latexmath" | "asciimath" | "kbd" | "btn" => Shown::Verbatim(Cow::Borrowed(text)),
        "pass" => Shown::Verbatim(Cow::Owned(without_tags(text))),
        "menu" => Shown::Verbatim(Cow::Owned(format!("{target} › {}", text.replace(" > ", " › ")))),
        "xref" if text.trim().is_empty() => Shown::Title(target),
        "link" | "mailto" if text.trim().is_empty() => Shown::Verbatim(Cow::Borrowed(target)),
        _ if text.trim().is_empty() => Shown::Verbatim(Cow::Borrowed(address)),
        _ => Shown::Marked(first_part(text)),
    };
    Some(Macro { used: address.len() + text.len() + 2, shown })
}

/// What begins with a bracket of its own kind: references, anchors, index terms, characters by number, roles.
pub(super) fn bracketed(rest: &str) -> Option<Macro<'_>> {
    if let Some(inside) = rest.strip_prefix("<<") {
        let length = within(inside, ">>")?;
        let (id, text) = inside.get(..length)?.split_once(',').unwrap_or((inside.get(..length)?, ""));
        let shown = if text.trim().is_empty() { Shown::Title(id) } else { Shown::Marked(text.trim()) };
        return Some(Macro { used: length + 4, shown });
    }
    if let Some(inside) = rest.strip_prefix("[[[") {
        let length = within(inside, "]]]")?;
        let label = inside.get(..length)?.split(',').next_back()?;
        return Some(Macro { used: length + 6, shown: Shown::Verbatim(Cow::Owned(format!("[{label}]"))) });
    }
    if let Some(inside) = rest.strip_prefix("[[") {
        return within(inside, "]]").map(|length| Macro { used: length + 4, shown: Shown::Nothing });
    }
    if let Some(inside) = rest.strip_prefix("(((") {
        return within(inside, ")))").map(|length| Macro { used: length + 6, shown: Shown::Nothing });
    }
    if let Some(inside) = rest.strip_prefix("((") {
        let length = within(inside, "))")?;
        return Some(Macro { used: length + 4, shown: Shown::Verbatim(Cow::Borrowed(inside.get(..length)?)) });
    }
    if rest.starts_with('[') {
        // `[role]#words#`: the words follow.
        let text = bracket(rest, ROLE_BYTES_MAX)?;
        let after = rest.get(text.len() + 2..)?;
        let names_role = text.starts_with(|c: char| c == '.' || c == '#' || c.is_alphanumeric());
        let is_role = after.starts_with(['#', '*', '_', '`']) && names_role;
        return is_role.then_some(Macro { used: text.len() + 2, shown: Shown::Nothing });
    }
    let code = rest.strip_prefix('&')?;
    let length = code.bytes().take(10).position(|byte| byte == b';')?;
    let shown = reference(code.get(..length)?)?;
    Some(Macro { used: length + 2, shown: Shown::Verbatim(Cow::Owned(shown.to_string())) })
}

fn reference(code: &str) -> Option<char> {
    match code {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "nbsp" => Some(' '),
        "quot" => Some('"'),
        _ => {
            let number = code.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)
        }
    }
}

/// Text that is meant for a browser, without its tags.
pub(super) fn without_tags(text: &str) -> String {
    let (mut plain, mut is_tag) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            c if !is_tag => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// What stands in the brackets that a text begins with, unless it is longer; a closing one may be escaped.
fn bracket(text: &str, bytes_max: usize) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let mut before = 0;
    for (at, byte) in inside.bytes().enumerate().take(bytes_max) {
        if byte == b']' && before != b'\\' {
            return inside.get(..at);
        }
        before = byte;
    }
    None
}

/// The same where the brackets of a link may stand inside; the first closing one ends it where they do not match.
fn balanced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let mut open = 0usize;
    for (at, byte) in inside.bytes().enumerate().take(TEXT_BYTES_MAX) {
        match byte {
            b'[' => open += 1,
            b']' if open == 0 => return inside.get(..at),
            b']' => open -= 1,
            _ => {}
        }
    }
    bracket(text, TEXT_BYTES_MAX)
}

/// The words of a link without its other parts, such as the window it opens in.
fn first_part(text: &str) -> &str {
    if let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        return quoted.0;
    }
    let first = text.split(',').next().unwrap_or_default();
    let has_parts = text.split(',').skip(1).any(|part| part.contains('='));
    let words = if has_parts { first } else { text };
    words.strip_suffix('^').unwrap_or(words)
}

fn within(inside: &str, end: &str) -> Option<usize> {
    let mut most = inside.len().min(TARGET_BYTES_MAX);
    while !inside.is_char_boundary(most) {
        most -= 1;
    }
    inside.get(..most)?.find(end).filter(|length| *length > 0)
}
