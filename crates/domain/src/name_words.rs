//! What is typed to find a document by what it is called → whether a document is meant.

use crate::language::words::fold_text;

/// Words of which each must be part of a document's title, its address or its id, whatever their case and accents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameWords(Vec<String>);

impl NameWords {
    /// The words of a text; of one without any, every document is meant.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self(fold_text(text).split_whitespace().map(str::to_owned).collect())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a document with these names is meant.
    #[must_use]
    pub fn fit<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> bool {
        if self.is_empty() {
            return true;
        }
        let folded: Vec<String> = names.into_iter().map(fold_text).collect();
        self.0.iter().all(|word| folded.iter().any(|name| name.contains(word.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::NameWords;

    #[test]
    fn every_word_is_part_of_a_name() {
        let names = ["Résumé of the Leave Policy", "ADR-0012", "hr/leave.md"];
        for (typed, fits) in [
            ("", true),
            ("  ", true),
            ("leave", true),
            ("LEAVE resume", true),
            ("poli", true),
            ("leave adr-0012", true),
            ("hr/leave", true),
            ("leave travel", false),
            ("adr-0013", false),
        ] {
            assert_eq!(NameWords::parse(typed).fit(names), fits, "{typed}");
        }
    }
}
