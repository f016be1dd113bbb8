//! Text such as `CH.3` or `ADR-0012` → `Address`: the name by which people call a document or a part of it.

use crate::language::words::fold_text;

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

    /// The form in which every spelling is the same: `ADR-0012`, `adr 12` and `ADR.0012` are all `adr 12`.
    #[must_use]
    pub fn key(&self) -> AddressKey {
        AddressKey::new(&self.0)
    }
}

/// An address as runs of letters and numbers, lower case, without leading zeros, one space between them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AddressKey(String);

impl AddressKey {
    /// The key of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut runs: Vec<String> = Vec::new();
        let mut last = None;
        for character in fold_text(text).chars() {
            let class = (character.is_alphanumeric()).then(|| character.is_numeric());
            if class.is_some() && class != last {
                runs.push(String::new());
            }
            if let (Some(_), Some(run)) = (class, runs.last_mut()) {
                run.push(character);
            }
            last = class;
        }
        let trimmed = runs.iter().map(|run| {
            let significant = run.trim_start_matches('0');
            let is_zero = significant.is_empty() && !run.is_empty();
            if is_zero { "0" } else { significant }
        });
        Self(trimmed.collect::<Vec<_>>().join(" "))
    }

    /// The key of text that is a key already.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The key itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Everything but its last run, and the last run's number; none if it does not end in a number.
    #[must_use]
    pub fn family(&self) -> Option<(&str, u64)> {
        let (family, last) = self.0.rsplit_once(' ')?;
        Some((family, last.parse().ok()?))
    }
}

impl PartialOrd for AddressKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Run by run, numbers by their value: `adr 9` comes before `adr 12`.
impl Ord for AddressKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let place = |run: &str| (run.parse::<u64>().map_or((1, 0), |number| (0, number)), run.to_owned());
        self.0.split(' ').map(place).cmp(other.0.split(' ').map(place))
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, AddressKey};

    #[test]
    fn blank_text_is_no_address() {
        assert_eq!(Address::parse("  "), None);
    }

    #[test]
    fn an_address_keeps_its_own_spelling() {
        assert_eq!(Address::parse(" CH.3 ").map(|a| a.as_str().to_owned()), Some("CH.3".to_owned()));
    }

    #[test]
    fn every_spelling_has_one_key() {
        for spelling in ["ADR-0012", "adr 12", "ADR.0012", "ADR12", "Adr–012", " adr_12 "] {
            assert_eq!(AddressKey::new(spelling).as_str(), "adr 12", "{spelling}");
        }
        assert_eq!(AddressKey::new("1 Corinthians 13:4").as_str(), "1 corinthians 13 4");
        assert_eq!(AddressKey::new("BG 2.13").as_str(), "bg 2 13");
        assert_eq!(AddressKey::new("R0").as_str(), "r 0");
        assert_eq!(AddressKey::new("--").as_str(), "");
    }

    #[test]
    fn numbers_are_put_in_order_by_value() {
        let mut keys: Vec<AddressKey> =
            ["ADR-12", "ADR-9", "ADR-100", "PR-1"].iter().map(|key| AddressKey::new(key)).collect();
        keys.sort();
        let told: Vec<&str> = keys.iter().map(AddressKey::as_str).collect();
        assert_eq!(told, ["adr 9", "adr 12", "adr 100", "pr 1"]);
        assert_eq!(AddressKey::new("John 3:16").family(), Some(("john 3", 16)));
    }
}
