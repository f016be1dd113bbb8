//! Two spellings of a name → whether they may be the same name.
//!
//! Invariant: only what is the same by rule counts: initials, an acronym and the words it stands for, a country and its
//! people; a mere likeness does not.

use super::{
    Sentence,
    token::{ACRONYM_LETTERS_MAX, Token},
};

/// A country and those who live there, if one is not made from the other by an ending.
const KIN: &[&[&str]] = &[
    &["us", "usa", "america", "american", "americans", "states", "united"],
    &["uk", "britain", "british", "kingdom", "briton", "britons", "united"],
    &["england", "english"],
    &["france", "french"],
    &["netherlands", "dutch", "holland"],
    &["spain", "spanish", "spaniard"],
    &["greece", "greek", "greeks"],
    &["germany", "german", "germans"],
    &["switzerland", "swiss"],
    &["wales", "welsh"],
    &["ireland", "irish"],
    &["scotland", "scottish", "scots"],
    &["denmark", "danish", "dane", "danes"],
    &["norway", "norwegian", "norwegians"],
    &["sweden", "swedish", "swede", "swedes"],
    &["finland", "finnish"],
    &["iceland", "icelandic"],
    &["poland", "polish"],
    &["turkey", "turkish", "turks"],
    &["portugal", "portuguese"],
    &["thailand", "thai"],
    &["philippines", "filipino", "philippine"],
    &["soviet", "ussr", "soviets"],
    &["belgium", "belgian"],
    &["mexico", "mexican"],
    &["peru", "peruvian"],
    &["canada", "canadian", "canadians"],
    &["argentina", "argentine", "argentinian"],
    &["christmas", "xmas"],
    &["tv", "television"],
    &["eu", "europe", "european"],
    &["mt", "mount"],
    &["st", "saint"],
    &["ww2", "wwii"],
    &["ww1", "wwi"],
];
/// What makes a people of a place, or the other way round.
const ENDINGS: &[&str] = &[
    "", "n", "an", "ian", "ean", "ese", "ish", "i", "s", "ns", "ans", "ians", "y", "ia", "ic", "a", "e", "is", "ist",
    "ists", "ism",
];
const KIN_LETTERS_MIN: usize = 4;
const SLIP_LETTERS_MIN: usize = 7;
const SLIP_LETTERS_MAX: usize = 40;
const SLIP_BYTES_MAX: usize = 4;

/// A word that is checked against many.
pub(crate) struct Form<'a> {
    word: &'a str,
    kin: Vec<&'static [&'static str]>,
}

impl<'a> Form<'a> {
    /// A folded word.
    pub(crate) fn new(word: &'a str) -> Self {
        Self { word, kin: KIN.iter().filter(|kin| kin.contains(&word)).copied().collect() }
    }

    /// Whether another word is the same name in another form.
    pub(crate) fn is(&self, other: &str, is_capital: bool) -> bool {
        self.word == other || (is_capital && self.is_kin(other)) || is_slip(self.word, other)
    }

    fn is_kin(&self, other: &str) -> bool {
        self.kin.iter().any(|kin| kin.contains(&other)) || have_one_root(self.word, other)
    }
}

/// Whether one names a people and the other its place, by their endings.
fn have_one_root(one: &str, other: &str) -> bool {
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8()).sum();
    let (Some(mine), Some(theirs)) = (one.get(shared..), other.get(shared..)) else { return false };
    shared >= KIN_LETTERS_MIN && ENDINGS.contains(&mine) && ENDINGS.contains(&theirs)
}

/// Whether words in a row of some sentence begin with the acronym's letters.
pub(crate) fn is_spelled_out(acronym: &str, evidence: &[Sentence<'_>]) -> bool {
    let letters: Vec<char> = acronym.chars().collect();
    evidence.iter().any(|sentence| {
        (0..sentence.tokens.len()).any(|start| {
            let words = sentence.tokens.get(start..).unwrap_or_default();
            let is_start = words.first().is_some_and(|word| word.fold.chars().next() == letters.first().copied());
            is_start && begins_with(words, &letters)
        })
    })
}

/// Whether an acronym among the evidence's words, each with whether it has a capital, is made of the initials of these words.
pub(crate) fn is_abbreviated<'e>(words: &[Token<'_>], evidence: impl IntoIterator<Item = (&'e str, bool)>) -> bool {
    let is_short = |word: &str| (2..=ACRONYM_LETTERS_MAX).contains(&word.chars().count());
    words.len() > 1
        && words.len() <= ACRONYM_LETTERS_MAX + 2
        && evidence.into_iter().filter(|(word, is_capital)| *is_capital && is_short(word)).any(|(word, _)| {
            let letters: Vec<char> = word.chars().collect();
            letters.len() + 2 >= words.len() && begins_with(words, &letters)
        })
}

/// Whether an initial of the evidence stands for this first name, before the same last name.
pub(crate) fn is_initialled(first: &Token<'_>, last: Option<&Token<'_>>, evidence: &[Sentence<'_>]) -> bool {
    let letter = first.fold.chars().next();
    let mut pairs = evidence.iter().flat_map(|sentence| sentence.tokens.iter().zip(sentence.tokens.iter().skip(1)));
    let is_short = first.fold.chars().count() == 1;
    pairs.any(|(one, next)| {
        let is_letter = one.fold.chars().count() == 1 || is_short;
        is_letter
            && one.is_capital()
            && one.fold.chars().next() == letter
            && last.is_some_and(|last| last.key == next.key)
    })
}

/// Whether tokens of the evidence written together, or as several, are this word.
pub(crate) fn is_joined(word: &str, evidence: &[Sentence<'_>]) -> bool {
    let starts = |token: &Token<'_>, rest: &str| !token.fold.is_empty() && rest.starts_with(token.fold.as_str());
    evidence.iter().any(|sentence| {
        (0..sentence.tokens.len()).any(|start| {
            let mut rest = word;
            for token in sentence.tokens.iter().skip(start).take(4) {
                if !starts(token, rest) {
                    return false;
                }
                rest = rest.get(token.fold.len()..).unwrap_or_default();
                if rest.is_empty() {
                    return true;
                }
            }
            false
        })
    })
}

/// Whether two long words differ by one letter, as a slip of the pen and two spellings of a word do.
pub(crate) fn is_slip(one: &str, other: &str) -> bool {
    let is_long = one.len().min(other.len()) >= SLIP_LETTERS_MIN;
    if !is_long || one.len().abs_diff(other.len()) > SLIP_BYTES_MAX || one.chars().next() != other.chars().next() {
        return false;
    }
    // Most words part early and end apart too; they need no closer look.
    let same = |(one, other): &(u8, u8)| one == other;
    let before = one.bytes().zip(other.bytes()).take_while(same).count();
    let after = one.bytes().rev().zip(other.bytes().rev()).take_while(same).count();
    if before + after + 2 * SLIP_BYTES_MAX < one.len().max(other.len()) {
        return false;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    if short.len() < SLIP_LETTERS_MIN || long.len() > SLIP_LETTERS_MAX || long.len() - short.len() > 1 {
        return false;
    }
    let before = short.iter().zip(long).take_while(|(one, other)| one == other).count();
    let after = short.iter().rev().zip(long.iter().rev()).take_while(|(one, other)| one == other).count();
    let is_swapped = short.len() == long.len() && before + after + 2 == long.len() && {
        let (one, other) = (short.get(before..before + 2), long.get(before..before + 2));
        one.map(|pair| pair.iter().rev().collect::<Vec<_>>()) == other.map(|pair| pair.iter().collect())
    };
    before > 0 && (before + after + 1 >= long.len() || is_swapped)
}

/// Each word gives the next letter; small words may be left out, all of them or none.
fn begins_with(words: &[Token<'_>], letters: &[char]) -> bool {
    let is_small =
        |word: &&Token<'_>| matches!(word.fold.as_str(), "of" | "the" | "and" | "for" | "de" | "in" | "on" | "&");
    let words = || words.iter().take(letters.len() * 2);
    give(words().filter(|word| !is_small(word)), letters) || give(words(), letters)
}

fn give<'t>(mut words: impl Iterator<Item = &'t Token<'t>>, letters: &[char]) -> bool {
    letters.iter().all(|letter| words.next().is_some_and(|word| word.fold.starts_with(*letter)))
}
