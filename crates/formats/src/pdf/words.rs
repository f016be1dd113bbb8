//! Lines → running words: letters as they are typed, and words that were parted at the end of a line in one piece again.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use unicode_normalization::UnicodeNormalization;

use super::line::{Kind, Line, PageLines};

/// Hyphens that part a word at the end of a line.
const HYPHENS: [char; 2] = ['-', '\u{2010}'];
const SOFT_HYPHEN: char = '\u{ad}';
/// The shortest half that counts as a word of its own.
const HALF_CHARS_MIN: usize = 3;
/// A row of this many dots leads the eye to a page number.
const LEADER_DOTS_MIN: usize = 4;
/// A document with this many words that are certainly parted has others too.
const HALVES_MIN: usize = 2;
/// And so has one in which this many lines, and one in so many, end with a hyphen.
const ENDS_MIN: usize = 3;
const ENDS_SHARE: usize = 40;

/// The letters of a line as somebody would type them.
pub(super) fn typed(text: &str) -> String {
    let mut typed = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}'..='\u{fb06}' => typed.extend(c.nfkc()),
            // Letters that have no meaning outside their font; the bullets of office programs are among them.
            '\u{f0a7}' | '\u{f0b7}' | '\u{f076}' | '\u{f0d8}' | '\u{f0fc}' | '\u{f0a8}' => typed.push('•'),
            '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => {}
            '\u{a0}' | '\t' => typed.push(' '),
            c if c.is_control() => {}
            c => typed.push(c),
        }
    }
    // TeX draws the sign as a circle and a letter in it.
    let typed = composed(&typed).replace("©c ", "© ");
    without_leaders(&typed)
}

/// Text with accents that were drawn before their letters on them.
fn composed(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut accent: Option<(char, char)> = None;
    for c in text.nfc() {
        let letter = accent.and_then(|(_, combining)| unicode_normalization::char::compose(c, combining));
        match (accent.take(), letter) {
            (Some(_), Some(letter)) => whole.push(letter),
            // TeX puts an accent on an i without its dot.
            (Some((_, combining)), None) if c == 'ı' => {
                whole.extend(unicode_normalization::char::compose('i', combining))
            }
            (Some((drawn, _)), None) => whole.extend([drawn, c]),
            (None, _) => match combining(c) {
                Some(combining) => accent = Some((c, combining)),
                None => whole.push(c),
            },
        }
    }
    whole.extend(accent.map(|(drawn, _)| drawn));
    whole
}

/// The accent that is drawn on a letter, for one that stands alone.
fn combining(drawn: char) -> Option<char> {
    match drawn {
        '\u{b4}' => Some('\u{301}'),
        '\u{a8}' => Some('\u{308}'),
        '\u{2c6}' => Some('\u{302}'),
        '\u{2c7}' => Some('\u{30c}'),
        '\u{2d8}' => Some('\u{306}'),
        '\u{2da}' => Some('\u{30a}'),
        '\u{2dc}' => Some('\u{303}'),
        '\u{2dd}' => Some('\u{30b}'),
        '\u{af}' => Some('\u{304}'),
        _ => None,
    }
}

/// Text with dotted lines, as between a chapter's name and its page, as one sign.
fn without_leaders(text: &str) -> String {
    if !text.contains("..") && !text.contains(". .") && !text.contains(" . ") {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut run = String::new();
    for c in text.chars().chain(['\0']) {
        if c == '.' || (c == ' ' && !run.is_empty()) {
            run.push(c);
            continue;
        }
        let dots = run.bytes().filter(|byte| *byte == b'.').count();
        if dots >= LEADER_DOTS_MIN {
            kept.push_str(" … ");
        } else {
            kept.push_str(&run);
        }
        run.clear();
        if c != '\0' {
            kept.push(c);
        }
    }
    kept
}

/// Which words a document has, to tell a parted word from one that has a hyphen.
#[derive(Default)]
pub(super) struct Vocabulary {
    words: HashSet<u64>,
    /// Whether its program parts words at the ends of lines.
    parts_words: bool,
}

impl Vocabulary {
    pub(super) fn of(pages: &[PageLines]) -> Self {
        let mut vocabulary = Self::default();
        let mut is_parted = false;
        let (mut lines, mut ends) = (0, 0);
        for line in pages.iter().flat_map(|page| &page.lines).filter(|line| line.kind != Kind::Margin) {
            let ends_parted = line.text.trim_end().ends_with(HYPHENS);
            let count = line.text.split_whitespace().count();
            for (at, word) in line.text.split_whitespace().enumerate() {
                let is_half = (at == 0 && is_parted) || (at + 1 == count && ends_parted);
                if !is_half {
                    vocabulary.words.insert(hash(bare(word)));
                }
            }
            is_parted = ends_parted;
            lines += 1;
            ends += usize::from(ends_parted);
        }
        vocabulary.parts_words =
            ends >= ENDS_MIN && ends * ENDS_SHARE >= lines || vocabulary.halves(pages) >= HALVES_MIN;
        vocabulary
    }

    /// Takes it as known that the program parts words.
    pub(super) fn assume_parted(&mut self) {
        self.parts_words = true;
    }

    /// How many words that also stand whole somewhere are parted at the end of a line.
    fn halves(&self, pages: &[PageLines]) -> usize {
        let lines = || pages.iter().flat_map(|page| &page.lines).filter(|line| line.kind != Kind::Margin);
        let is_half = |(above, line): &(&Line, &Line)| {
            let left = last_part(&above.text);
            let right = bare(line.text.split_whitespace().next().unwrap_or_default());
            above.text.trim_end().ends_with(HYPHENS) && !left.is_empty() && self.has(&format!("{left}{right}"))
        };
        lines().zip(lines().skip(1)).filter(is_half).take(HALVES_MIN).count()
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&hash(word))
    }

    /// Adds the words of the next line.
    pub(super) fn append(&self, text: &mut String, next: &str) {
        let next = next.trim();
        text.truncate(text.trim_end().len());
        let (Some(last), Some(first)) = (text.chars().next_back(), next.chars().next()) else {
            text.push_str(next);
            return;
        };
        if last == SOFT_HYPHEN {
            text.pop();
        } else if HYPHENS.contains(&last) {
            let before = text.chars().rev().nth(1);
            if before.is_some_and(char::is_alphanumeric) && first.is_alphanumeric() {
                if self.is_parted(text, next) {
                    text.pop();
                }
            } else {
                text.push(' ');
            }
        } else if !runs_on(text, last, first) {
            text.push(' ');
        }
        text.push_str(next);
    }

    /// Whether the hyphen at the end is there only because the line ended.
    fn is_parted(&self, text: &str, next: &str) -> bool {
        let left = last_part(text);
        let right = bare(next.split_whitespace().next().unwrap_or_default());
        if left.is_empty() || !right.starts_with(char::is_lowercase) {
            return false;
        }
        if self.has(&format!("{left}{right}")) {
            return true;
        }
        let is_word = |half: &str| half.chars().count() >= HALF_CHARS_MIN && self.has(half);
        if self.has(&format!("{left}-{right}")) {
            return false;
        }
        self.parts_words && !(is_word(left) && is_word(right))
    }
}

/// The letters before the hyphen at the end, back to the hyphen or blank before them; nothing where there are others.
fn last_part(text: &str) -> &str {
    let word = text.trim_end().trim_end_matches(HYPHENS);
    let part = word.rsplit(|c: char| c.is_whitespace() || HYPHENS.contains(&c)).next().unwrap_or_default();
    let part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_of_word = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’');
    if part.chars().all(is_of_word) { part } else { "" }
}

/// Whether nothing stands between these two even in one line.
fn runs_on(text: &str, last: char, first: char) -> bool {
    let is_tight_dash = last == '—' && !text.ends_with(" —");
    let is_address = last == '/' && text.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://"));
    is_tight_dash || is_address || (is_unspaced(last) && is_unspaced(first))
}

/// Scripts that put no blank between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// A word without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for c in word.chars().flat_map(char::to_lowercase) {
        c.hash(&mut hasher);
    }
    hasher.finish()
}
