//! A text → its tokens: words, numbers, signs that carry meaning and whole addresses, each with what stands before it.
//!
//! Invariant: every token's range lies on character boundaries of its text, in order and apart; the work is linear in
//! the text.

use vouch_domain::language::words::{fold_text, stem};

use super::token::{Joint, Token};
use super::{measures, numerals};

/// Longer words are compared whole, without looking for their stem.
const STEMMED_BYTES_MAX: usize = 40;

const SIGNS: &[char] = &['%', '‰', '$', '€', '£', '¥', '₹', '°', '+', '=', '<', '>', '≥', '≤', '±', '&', '~'];
const ADDRESS_EDGES: &[char] = &['<', '>', '"', '(', ')', '|', ',', ';', '«', '»', '“', '”', '[', ']', '{', '}', '`'];
const APOSTROPHES: &[char] = &['\'', '’', 'ʼ', '‘'];
const HYPHENS: &[char] = &['-', '‐', '‑', '–'];

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let signs: Vec<(usize, char)> = text.char_indices().collect();
    let mut reader = Tokenizer { text, signs, found: Vec::new(), joint: Joint::Start };
    let mut at = 0;
    while at < reader.signs.len() {
        at = reader.step(at);
    }
    reader.found
}

struct Tokenizer<'a> {
    text: &'a str,
    signs: Vec<(usize, char)>,
    found: Vec<Token<'a>>,
    joint: Joint,
}

impl<'a> Tokenizer<'a> {
    fn sign(&self, at: usize) -> Option<char> {
        self.signs.get(at).map(|(_, sign)| *sign)
    }

    fn before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).and_then(|before| self.sign(before))
    }

    fn byte(&self, at: usize) -> usize {
        self.signs.get(at).map_or(self.text.len(), |(byte, _)| *byte)
    }

    /// Reads what starts at `at`; says where the next thing starts.
    fn step(&mut self, at: usize) -> usize {
        let Some(sign) = self.sign(at) else { return at + 1 };
        let is_chunk_start = self.before(at).is_none_or(|c| c.is_whitespace() || ADDRESS_EDGES.contains(&c));
        if is_chunk_start && let Some(end) = self.address_end(at) {
            self.push(at, end, true);
            return end;
        }
        if is_wide(sign) {
            self.push(at, at + 1, false);
            return at + 1;
        }
        let is_negative = matches!(sign, '-' | '−')
            && self.before(at).is_none_or(|c| c.is_whitespace() || c == '(')
            && self.sign(at + 1).is_some_and(|c| c.is_ascii_digit());
        if sign.is_alphanumeric() || is_negative {
            let end = self.word_end(at + 1);
            self.push_word(at, end);
            return end;
        }
        let is_code_mark = sign == '#' && self.before(at).is_some_and(char::is_alphanumeric);
        if SIGNS.contains(&sign) || is_code_mark {
            self.push(at, at + 1, false);
            return at + 1;
        }
        self.join(at, sign);
        at + 1
    }

    /// Where an e-mail address or a URL starting here ends.
    fn address_end(&self, at: usize) -> Option<usize> {
        let mut end = at;
        let (mut has_at, mut has_scheme) = (false, false);
        while let Some(c) = self.sign(end).filter(|c| !c.is_whitespace() && !ADDRESS_EDGES.contains(c)) {
            has_at |= c == '@' && end > at && self.sign(end + 1).is_some_and(char::is_alphanumeric);
            has_scheme |= c == ':' && self.sign(end + 1) == Some('/') && self.sign(end + 2) == Some('/');
            end += 1;
        }
        while end > at && self.before(end).is_some_and(|c| !c.is_alphanumeric() && c != '/') {
            end -= 1;
        }
        let body = self.text.get(self.byte(at)..self.byte(end))?;
        let is_mail = has_at && body.rsplit('@').next().is_some_and(|host| host.contains('.'));
        (is_mail || has_scheme || body.starts_with("www.")).then_some(end)
    }

    /// Where the word before `end` ends: apostrophes, points between digits or initials stay inside.
    fn word_end(&self, mut end: usize) -> usize {
        let mut part = 1;
        while let Some(c) = self.sign(end) {
            let (before, next) = (self.before(end).unwrap_or(' '), self.sign(end + 1).unwrap_or(' '));
            let is_inside = if is_wide(c) {
                false
            } else if c.is_alphanumeric() || is_mark(c) {
                part += 1;
                true
            } else if matches!(c, '.' | ',') && before.is_ascii_digit() && next.is_ascii_digit() {
                true
            } else if c == '.' && part == 1 && before.is_alphabetic() && next.is_alphabetic() {
                let is_initial = self.sign(end + 2).is_none_or(|c| !c.is_alphabetic());
                part = 0;
                is_initial
            } else {
                APOSTROPHES.contains(&c) && before.is_alphanumeric() && next.is_alphabetic()
            };
            if !is_inside {
                break;
            }
            end += 1;
        }
        end
    }

    /// A word, cut where a negation or a unit is glued to it.
    fn push_word(&mut self, at: usize, end: usize) {
        let raw = self.text.get(self.byte(at)..self.byte(end)).unwrap_or("");
        let lower = raw.to_lowercase().replace(APOSTROPHES, "'");
        if lower == "cannot" || (lower.ends_with("n't") && end - at > 3) {
            self.push(at, end - 3, false);
            if let Some(stem) = self.found.last_mut() {
                let whole = match lower.as_str() {
                    "can't" | "cannot" => "can",
                    "won't" => "will",
                    "shan't" => "shall",
                    _ => stem.fold.as_str(),
                };
                (stem.fold, stem.key) = (whole.to_owned(), key(whole));
            }
            self.push(end - 3, end, false);
            self.deny();
            return;
        }
        if lower == "n't" {
            self.push(at, end, false);
            self.deny();
            return;
        }
        let digits = lower.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '−')).count();
        let ending: String = lower.chars().skip(digits).collect();
        if digits > 0 && !ending.is_empty() && measures::is_glued_unit(&ending) {
            self.push(at, at + digits, false);
            self.push(at + digits, end, false);
            return;
        }
        self.push(at, end, false);
    }

    /// The last token is a "not", however it is written.
    fn deny(&mut self) {
        if let Some(negation) = self.found.last_mut() {
            (negation.fold, negation.key) = ("not".to_owned(), "not".to_owned());
        }
    }

    fn push(&mut self, at: usize, end: usize, is_address: bool) {
        let range = self.byte(at)..self.byte(end);
        let Some(raw) = self.text.get(range.clone()) else { return };
        let fold = if is_address { raw.to_lowercase() } else { fold(raw) };
        let key = key(&fold);
        let joint = if self.found.is_empty() { Joint::Start } else { self.joint };
        self.found.push(Token { raw, fold, key, joint, range, is_address });
        self.joint = Joint::Touching;
    }

    /// What a sign that is no token says about the joint to come.
    fn join(&mut self, at: usize, sign: char) {
        let is_tight = self.joint == Joint::Touching && !self.sign(at + 1).is_none_or(char::is_whitespace);
        self.joint = match sign {
            c if c.is_whitespace() && self.joint == Joint::Touching => Joint::Space,
            c if c.is_whitespace() => self.joint,
            c if HYPHENS.contains(&c) && is_tight => Joint::Hyphen,
            '/' if is_tight => Joint::Slash,
            ':' if is_tight => Joint::Colon,
            ',' if matches!(self.joint, Joint::Touching | Joint::Space) => Joint::Comma,
            '.' if self.joint == Joint::Touching && self.is_clipped_word() => Joint::Space,
            '\'' | '’' | '*' | '_' | '`' if self.joint != Joint::Mark => self.joint,
            _ => Joint::Mark,
        };
    }

    /// Whether the last token is an initial or a title that a point only shortens.
    fn is_clipped_word(&self) -> bool {
        self.found.last().is_some_and(|last| {
            (last.is_capital() && last.raw.chars().count() == 1)
                || matches!(
                    last.fold.as_str(),
                    "mr" | "mrs" | "ms" | "dr" | "st" | "prof" | "sen" | "gen" | "jr" | "mt"
                )
                || last.raw.contains('.')
        })
    }
}

/// Lower case, without accents, possessive, and the points of initials; digits of other scripts become ours.
fn fold(raw: &str) -> String {
    let mut plain = String::new();
    for c in fold_text(raw).chars() {
        match c {
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'ı' => plain.push('i'),
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            _ => plain.push(numerals::western_digit(c)),
        }
    }
    let folded = plain.replace(APOSTROPHES, "'");
    let is_decade = folded.starts_with(|c: char| c.is_ascii_digit());
    let folded = if is_decade { folded.replace("'s", "s") } else { folded };
    let folded = folded.strip_suffix("'s").unwrap_or(&folded);
    if folded.contains('.') && !folded.chars().any(|c| c.is_ascii_digit()) {
        return folded.replace('.', "");
    }
    folded.to_owned()
}

fn key(fold: &str) -> String {
    if matches!(fold, "percent" | "percentage" | "pct") {
        return "%".to_owned();
    }
    if let Some(value) = numerals::simple(fold) {
        return format!("{value}");
    }
    if fold.len() > STEMMED_BYTES_MAX { fold.to_owned() } else { stem(fold) }
}

/// A sign of a script that writes no blanks between words: each is a token of its own.
fn is_wide(sign: char) -> bool {
    matches!(u32::from(sign), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}

/// A mark that belongs to the letter before it.
fn is_mark(sign: char) -> bool {
    matches!(u32::from(sign), 0x0300..=0x036F | 0x064B..=0x065F | 0x0900..=0x0DFF | 0x200C..=0x200D | 0x00AD)
}
