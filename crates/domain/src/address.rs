//! Text such as `CH.3` or `ADR-0012` → `Address`: the name by which people call a document or a part of it.

/// A citable name in the asker's own words, kept as written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(String);

impl Address {
    /// Longest address that is kept.
    pub const CHARS_MAX: usize = 200;

    /// Trims the text; an empty or over-long address is none at all.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        let is_usable = !trimmed.is_empty() && trimmed.chars().count() <= Self::CHARS_MAX;
        is_usable.then(|| Self(trimmed.to_owned()))
    }

    /// The address as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn blank_text_is_no_address() {
        assert_eq!(Address::parse("  "), None);
    }

    #[test]
    fn an_address_keeps_its_own_spelling() {
        assert_eq!(Address::parse(" CH.3 ").map(|a| a.as_str().to_owned()), Some("CH.3".to_owned()));
    }
}
