//! Signs that nobody sees, which would change what is seen around them.

/// Control characters, and those that turn the direction of text or have no width.
pub(super) fn is_unseen(sign: char) -> bool {
    let is_control = sign.is_control() && sign != '\n' && sign != '\t';
    is_control
        || matches!(sign, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}')
}
