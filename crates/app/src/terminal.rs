//! Text of documents, models, users and files → text that does nothing to the terminal it is printed on.
//!
//! Invariant: everything the program prints goes through here. What is left out steers a terminal or shows text in another
//! order than it has; nothing that is read is lost.

use std::{borrow::Cow, fmt::Write};

/// The same without what would steer a terminal.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    if text.contains(is_steering) { Cow::Owned(text.replace(is_steering, "")) } else { Cow::Borrowed(text) }
}

/// JSON that means the same, with what would steer a terminal written as escapes.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.contains(is_steering) {
        return Cow::Borrowed(json);
    }
    // Within JSON such a character can only stand in a string, where an escape means the same.
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_steering(c) {
            // Writing to a string does not fail.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

/// Whether a character is a command to a terminal: a control of either set, or one that turns the order of the text.
fn is_steering(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::{escaped, sanitize};

    const STEERING: &str = "a\u{1b}[2J\u{9b}31m\u{7}b\r\u{8}\u{7f}\u{202e}c\u{2066}d\u{0}";

    #[test]
    fn what_steers_a_terminal_is_left_out_and_all_else_stays() {
        assert_eq!(sanitize(STEERING), "a[2J31mbcd");
        let plain = "Zwölf\n\tשלום \u{200f}日本語 🙂 e\u{301}";
        assert_eq!(sanitize(plain), plain);
    }

    #[test]
    fn json_means_the_same() {
        let json = serde_json::to_string(&[STEERING, "\n\t\"\\ü"]).expect("JSON");
        let told = escaped(&json);
        assert_eq!(sanitize(&told), told, "nothing is left that steers");
        let read: Vec<String> = serde_json::from_str(&told).expect("JSON");
        assert_eq!(read, [STEERING, "\n\t\"\\ü"]);
    }
}
