//! Whether two words may be one in two spellings: by sound, as transliterations are, or by a slip of the hand.

use unicode_segmentation::UnicodeSegmentation;

use super::words::{fold_text, stem};

/// How close another spelling is; less is closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// They sound alike, whatever marks or letters write it.
    SameSound,
    /// So many letters differ.
    Slips(usize),
}

impl Nearness {
    /// How many letters differ; words that sound alike may differ in any, and count as if one did.
    #[must_use]
    pub fn slips(self) -> usize {
        match self {
            Self::SameSound => 1,
            Self::Slips(slips) => slips,
        }
    }
}

/// A word shorter than this is read as it stands.
const LETTERS_MIN: usize = 4;
/// Word lengths from which one typing error, and two, are tolerated.
const ONE_SLIP: usize = 5;
const TWO_SLIPS: usize = 9;

/// Ways of writing one sound differ by at most this many letters.
const LETTERS_APART_MAX: usize = 4;

/// Reads a folded word as another spelling of a known one; none if they are two words. A word with a digit is only
/// itself.
#[must_use]
pub fn other_spelling(asked: &str, known: &str) -> Option<Nearness> {
    QueryWord::new(asked)?.nearness_to(known)
}

/// A word that is checked against many.
pub struct QueryWord<'a> {
    word: &'a str,
    letters: usize,
    letters_used: u64,
    sound: String,
}

impl<'a> QueryWord<'a> {
    /// A folded word; none if it is read as it stands.
    #[must_use]
    pub fn new(word: &'a str) -> Option<Self> {
        let letters = word.chars().count();
        let is_word = letters >= LETTERS_MIN && word.chars().all(char::is_alphabetic);
        is_word.then(|| Self { word, letters, letters_used: letters_used(word), sound: sound(word) })
    }

    /// How near a known word is; none if it is another.
    ///
    /// A word that nobody has written is checked against a good part of all words there are, so most must go by after a glance.
    #[must_use]
    pub fn nearness_to(&self, known: &str) -> Option<Nearness> {
        let letters = known.chars().count();
        let apart = letters.abs_diff(self.letters);
        if letters < LETTERS_MIN || apart > LETTERS_APART_MAX {
            return None;
        }
        let shorter = letters.min(self.letters);
        let allowed = if shorter >= TWO_SLIPS { 2 } else { usize::from(shorter >= ONE_SLIP) };
        // A slip takes away one kind of letter and adds one at the most.
        let differ = || (letters_used(known) ^ self.letters_used).count_ones() as usize;
        let is_heard_alike = sounds_as(known, &self.sound);
        if !is_heard_alike && (apart > allowed || differ() > 2 * allowed) {
            return None;
        }
        if known == self.word || !known.chars().all(char::is_alphabetic) {
            return None;
        }
        if is_heard_alike {
            return Some(Nearness::SameSound);
        }
        distance(self.word, known, allowed).map(Nearness::Slips)
    }
}

/// The letters that a word is made of, as bits; several letters share one.
fn letters_used(word: &str) -> u64 {
    word.chars().fold(0, |used, letter| used | 1 << (u32::from(letter) % u64::BITS))
}

/// The sounds of the words of a text that are written with marks, each once: what they are found by however they are typed.
#[must_use]
pub fn marked_sounds(text: &str) -> Vec<String> {
    let mut sounds: Vec<String> = marked_words(text).map(|(_, sound)| sound).collect();
    sounds.sort_unstable();
    sounds.dedup();
    sounds
}

/// The word of a text that sounds as it should, by its stem: best the one that sounds like what was asked, then one with marks.
#[must_use]
pub fn word_heard<'a>(text: &'a str, heard: &str, asked: &str) -> Option<&'a str> {
    let asked = sound(&fold_text(asked));
    let sounds_so = |word: &&str| sound(&stem(&fold_text(word))) == heard;
    let words = text.unicode_words().filter(sounds_so);
    words.min_by_key(|word| (sound(&fold_text(word)) != asked, word.is_ascii()))
}

/// The words of a text that are written with marks, each with its sound.
pub fn marked_words(text: &str) -> impl Iterator<Item = (&str, String)> {
    let words = text.unicode_words().filter(|word| !word.is_ascii() && word.chars().all(char::is_alphabetic));
    words.map(|word| (word, sound(&stem(&fold_text(word)))))
}

/// A folded word with the different spellings of one sound unified: `sh` and `s`, `ee` and `i`, `w` and `v`,
/// `ri` and a vocal `r`, doubled letters.
#[must_use]
pub fn sound(word: &str) -> String {
    let mut heard = String::with_capacity(word.len() + 2);
    hear(word, |sound| {
        heard.push(sound);
        true
    });
    heard
}

/// Whether a folded word sounds so.
fn sounds_as(word: &str, sound: &str) -> bool {
    let mut left = sound.chars();
    hear(word, |sound| left.next() == Some(sound)) && left.next().is_none()
}

/// Hands on the sounds of a word one after the other as long as they are wanted; whether all were.
fn hear(word: &str, mut wants: impl FnMut(char) -> bool) -> bool {
    let mut letters = word.chars().peekable();
    // What was heard last, and before that.
    let (mut last, mut before) = (None, None);
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        // A breath after a consonant, and the g of "ngk", are not heard apart.
        let is_breathed = next == Some('h') && "sckgtdbjl".contains(letter);
        if is_breathed || (letter == 'p' && next == Some('h')) {
            letters.next();
        }
        let is_swallowed = letter == 'g' && last == Some('n') && next == Some('k');
        let (first, second) = match letter {
            'x' => ('k', Some('s')),
            'p' if next == Some('h') => ('f', None),
            'w' => ('v', None),
            'e' | 'y' => ('i', None),
            'o' => ('u', None),
            _ => (letter, None),
        };
        let is_doubled = if second.is_some() { (before, last) == (Some(first), second) } else { last == Some(first) };
        let is_vocal = first == 'i' && last == Some('r');
        if is_doubled || is_vocal || is_swallowed {
            continue;
        }
        for sound in [Some(first), second].into_iter().flatten() {
            if !wants(sound) {
                return false;
            }
            (before, last) = (last, Some(sound));
        }
    }
    true
}

/// Letters put in, left out, exchanged or swapped with a neighbour; none if they are more than allowed.
///
/// Only cells of the table within `allowed` of its diagonal can lead to an answer, so a row is that band alone and the
/// work is linear in the words. The cell of a column is at `column - row + allowed` of its row.
fn distance(left: &str, right: &str, allowed: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > allowed {
        return None;
    }
    let (width, far) = (2 * allowed + 1, allowed + 1);
    let at = |line: &[usize], place: usize| line.get(place).copied().unwrap_or(far);
    let mut before_last = vec![far; width];
    let mut last: Vec<usize> = (0..width).map(|place| place.checked_sub(allowed).unwrap_or(far)).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![far; width];
        for place in 0..width {
            let Some(column) = (row + 1 + place).checked_sub(allowed) else { continue };
            let mut best = if column == 0 { row + 1 } else { far };
            if let Some((b, before)) = column.checked_sub(1).and_then(|at| Some((right.get(at)?, at.checked_sub(1)))) {
                let left_out = place.checked_sub(1).map_or(far, |place| at(&current, place)) + 1;
                best = (at(&last, place) + usize::from(a != b)).min(at(&last, place + 1) + 1).min(left_out);
                let one_before = (row.checked_sub(1).and_then(|at| left.get(at)), before.and_then(|at| right.get(at)));
                if a != b && one_before == (Some(b), Some(a)) {
                    best = best.min(at(&before_last, place) + 1);
                }
            }
            if let Some(cell) = current.get_mut(place) {
                *cell = best.min(far);
            }
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last.get(right.len() + allowed - left.len()).copied().filter(|slips| *slips <= allowed)
}

#[cfg(test)]
mod tests {
    use super::{Nearness, QueryWord, distance, other_spelling, sound, word_heard};

    #[test]
    fn a_glance_passes_by_no_word_that_a_long_look_finds_near() {
        let parts = ["sh", "x", "ph", "w", "ee", "ri", "ngk", "ss", "bh", "o", "an", "ṣ", "tion", "er", "t", "a"];
        let words: Vec<String> = (0..16_usize.pow(4))
            .step_by(61)
            .map(|number| (0..4).map(|at| parts[number / 16_usize.pow(at) % 16]).collect())
            .collect();
        let mut near = 0;
        let slip = |word: &String| [format!("{word}a"), word.chars().rev().collect(), word.chars().skip(1).collect()];
        for asked in &words.iter().step_by(27).flat_map(slip).collect::<Vec<String>>() {
            let Some(word) = QueryWord::new(asked) else { continue };
            for known in &words {
                let [shorter, longer] =
                    [usize::min, usize::max].map(|of| of(asked.chars().count(), known.chars().count()));
                let allowed = if shorter >= 9 { 2 } else { usize::from(shorter >= 5) };
                let is_another = known != asked && shorter >= 4 && longer - shorter <= 4;
                let looked = is_another.then(|| match sound(known) == sound(asked) {
                    true => Some(Nearness::SameSound),
                    false => distance(asked, known, allowed).map(Nearness::Slips),
                });
                assert_eq!(word.nearness_to(known), looked.flatten(), "{asked} {known}");
                near += usize::from(looked.flatten().is_some());
            }
        }
        assert!(near > 20, "{near} pairs are near");
    }

    #[test]
    fn the_word_of_a_text_that_was_meant() {
        let text = "Pods are [scheduled](/docs/concepts/x) by the scheduler, in the kṣelma or kselma.";
        assert_eq!(word_heard(text, &sound("schedul"), "shceduler"), Some("scheduler"));
        assert_eq!(word_heard(text, &sound("kselma"), "kshelma"), Some("kṣelma"));
        assert_eq!(word_heard(text, &sound("mast"), "mast"), None);
    }

    #[test]
    fn transliterations_sound_alike() {
        let pairs = [
            ("varnashrama", "varnasrama"),
            ("kshelma", "kselma"),
            ("rimeta", "rmeta"),
            ("oordhani", "urdhani"),
            ("krishna", "krsna"),
            ("wanira", "vanira"),
            ("bhagavat", "bagavat"),
            ("angkeri", "ankeri"),
        ];
        for (asked, known) in pairs {
            assert_eq!(other_spelling(asked, known), Some(Nearness::SameSound), "{asked} {known}");
        }
    }

    #[test]
    fn a_slip_is_forgiven_in_a_long_word_alone() {
        assert_eq!(other_spelling("chanel", "channel"), Some(Nearness::SameSound));
        assert_eq!(other_spelling("retension", "retention"), Some(Nearness::Slips(1)));
        assert_eq!(other_spelling("transofrmer", "transformer"), Some(Nearness::Slips(1)));
        for (asked, known) in
            [("mast", "mask"), ("rice", "price"), ("pump", "lump"), ("adr12", "adr13"), ("mast", "mast")]
        {
            assert_eq!(other_spelling(asked, known), None, "{asked} {known}");
        }
    }
}
