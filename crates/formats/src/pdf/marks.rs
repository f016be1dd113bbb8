//! What stands at the start of an item of a list.

/// Signs that nothing but an item begins with.
const BULLETS: [char; 16] = ['•', '●', '◦', '▪', '‣', '○', '■', '□', '➢', '❖', '✓', '⁃', '∙', '◆', '►', '➤'];
/// Signs that may begin an item.
const DASHES: [&str; 5] = ["- ", "– ", "— ", "* ", "· "];
/// A longer number is no number of an item, in digits.
const DIGITS_MAX: usize = 3;

/// The mark at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet,
    Dash,
    Number(u32),
    /// `a)`, `(b)`: the place in the alphabet. The mark stays in the text.
    Letter(u32),
}

/// The mark and the words behind it.
pub(super) fn split(text: &str) -> Option<(Mark, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix(BULLETS) {
        return Some((Mark::Bullet, rest.trim_start()));
    }
    if let Some(rest) = DASHES.iter().find_map(|dash| text.strip_prefix(dash)) {
        return Some((Mark::Dash, rest.trim_start()));
    }
    let inner = text.strip_prefix('(').unwrap_or(text);
    let (label, rest) = inner.split_once([' ', '\t'])?;
    let name = if inner.len() < text.len() { label.strip_suffix(')')? } else { label.strip_suffix(['.', ')'])? };
    if !name.is_empty() && name.len() <= DIGITS_MAX && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some((Mark::Number(name.parse().ok()?), rest.trim_start()));
    }
    match name.as_bytes() {
        [letter @ b'a'..=b'z'] => Some((Mark::Letter(u32::from(letter - b'a') + 1), text)),
        _ => None,
    }
}
