//! Text → terms: lower case, without accents, cut to their English stem.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use frostem::{Algorithm, Stemmer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_segmentation::UnicodeSegmentation;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::new(Algorithm::English));

/// Words that carry no subject of their own; sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "between", "both", "but", "by", "can", "could", "d", "did", "do", "does", "doing", "done",
    "during", "each", "for", "from", "get", "give", "had", "has", "have", "having", "he", "her", "here", "him", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "just", "know", "ll", "m", "many", "may", "me", "might", "more",
    "most", "much", "must", "my", "no", "not", "of", "on", "one", "or", "other", "our", "out", "over", "own", "please",
    "re", "s", "same", "say", "shall", "she", "should", "so", "some", "such", "t", "tell", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under", "up", "us",
    "ve", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why",
    "will", "with", "would", "you", "your",
];

/// Where words stand in a text as words of their own, in bytes; none where they are only a part of longer ones.
#[must_use]
pub fn find_words(text: &str, wanted: &str) -> Option<Range<usize>> {
    let is_joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_own = |range: &Range<usize>| {
        let before = text.get(..range.start).and_then(|before| before.chars().next_back());
        let after = text.get(range.end..).and_then(|after| after.chars().next());
        !is_joined(before) && !is_joined(after)
    };
    let places = text.match_indices(wanted).map(|(start, found)| start..start + found.len());
    places.filter(|_| !wanted.is_empty()).find(is_own)
}

/// Every word of a text as a term, in order.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    text.unicode_words().flat_map(folded_parts).map(|word| stem(&word)).collect()
}

/// A word that carries a subject, as people write it and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyWord {
    /// The word in lower case.
    pub word: String,
    /// Its term.
    pub term: String,
}

/// The words that carry a subject, in order, each term once. Of a text with stop words alone, all words.
#[must_use]
pub fn key_words(text: &str) -> Vec<KeyWord> {
    let words: Vec<String> = text.unicode_words().flat_map(folded_parts).collect();
    let has_subject = words.iter().any(|word| !is_stop_word(word));
    let mut found: Vec<KeyWord> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for word in words.into_iter().filter(|word| !has_subject || !is_stop_word(word)) {
        let term = stem(&word);
        if known.insert(term.clone()) {
            found.push(KeyWord { word, term });
        }
    }
    found
}

/// The terms of the words that carry a subject.
#[must_use]
pub fn key_terms(text: &str) -> Vec<String> {
    key_words(text).into_iter().map(|known| known.term).collect()
}

/// Whether a lower-case word carries no subject of its own.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Lower case, accents off, letters of other alphabets' own making as they are spelt without them.
#[must_use]
pub fn fold_text(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'þ' => folded.push_str("th"),
            'ß' => folded.push_str("ss"),
            'ı' => folded.push('i'),
            // A mark between letters of a word, no letter of it.
            'ʻ' | 'ʼ' | 'ʾ' | 'ʿ' => {}
            other => folded.push(other),
        }
    }
    folded
}

/// Longer words are no words of English. The stemmer's work grows with the square of a word's length.
const STEMMED_BYTES_MAX: usize = 100;

/// The English stem of a folded word; of a very long one, the word itself.
#[must_use]
pub fn stem(word: &str) -> String {
    if word.len() > STEMMED_BYTES_MAX { word.to_owned() } else { STEMMER.stem(word).to_string() }
}

/// Folded, and split where an apostrophe or a point joins two words.
fn folded_parts(word: &str) -> Vec<String> {
    let folded = fold_text(word);
    if folded.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return vec![folded.replace(',', "")];
    }
    folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{STOP_WORDS, key_terms, terms};

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn forms_of_a_word_share_a_term() {
        assert_eq!(terms("Stations"), terms("station"));
    }

    #[test]
    fn accents_do_not_matter() {
        assert_eq!(terms("varṇāśrama"), vec!["varnashrama".replace("sh", "s")]);
    }

    #[test]
    fn letters_of_other_alphabets_are_spelt_out() {
        assert_eq!(terms("Ærøskøbing Straße Łódź"), terms("aeroskobing strasse lodz"));
    }

    #[test]
    fn a_thousands_comma_does_not_change_a_number() {
        assert_eq!(terms("13,500 words"), terms("13500 words"));
    }

    #[test]
    fn key_terms_leave_out_what_has_no_subject() {
        assert_eq!(key_terms("What is the height of the mast, the mast?"), vec!["height", "mast"]);
    }

    #[test]
    fn a_question_of_stop_words_keeps_them() {
        assert_eq!(key_terms("who are you").len(), 3);
    }
}
