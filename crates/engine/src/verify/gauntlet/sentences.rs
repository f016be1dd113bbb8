//! Clean text as it comes → whole sentences with the citations that belong to them.
//!
//! Invariant: a sentence is told by the first sign of the next one, by a line's end or by the end of all; so however the
//! text is cut, the sentences are the same. A citation belongs to the sentence before it on its line.

use std::ops::Range;

use vouch_domain::{
    language::{sentence_ranges, sentences::is_abbreviation},
    ports::WrittenSentence,
};

use super::{Clean, Drop, Drops, Mark};
use crate::compose::markers::{Shape, shape};

/// A line longer than this is not waited for; it is taken as it is.
const LINE_BYTES_MAX: usize = 8_192;
/// What a sentence may end with, and what may close it.
const ENDS: &[char] = &['.', '!', '?', '…', '。'];
const CLOSERS: &[char] = &['"', '\'', ')', ']', '”', '’', '»', '*', '_'];

/// A sentence a writer wrote, with what it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dictated {
    /// The sentence.
    pub sentence: WrittenSentence,
    /// Whether it is the first of its line.
    pub begins_line: bool,
}

/// Cuts text into sentences as it comes.
#[derive(Debug)]
pub struct SentenceCutter {
    line: String,
    marks: Vec<Mark>,
    /// How much of the line was looked at.
    seen: usize,
    begins_line: bool,
    /// Identifiers that are taken out of every sentence.
    own: Vec<String>,
}

/// Where a sentence ends, and whether a citation right there is still its own.
#[derive(Clone, Copy)]
struct End {
    at: usize,
    holds_marks: bool,
}

impl SentenceCutter {
    /// A cutter that takes these identifiers out.
    #[must_use]
    pub fn new(own: &[String]) -> Self {
        Self { line: String::new(), marks: Vec::new(), seen: 0, begins_line: true, own: own.to_vec() }
    }

    /// Takes what has run the gauntlet and answers the sentences that are whole.
    pub fn push(&mut self, clean: &mut Clean, drops: &mut Drops) -> Vec<Dictated> {
        let before = self.line.len();
        self.line.push_str(&clean.text);
        self.marks.extend(clean.marks.iter().map(|mark| Mark { at: before + mark.at, ..*mark }));
        clean.text.clear();
        clean.marks.clear();
        let mut found = Vec::new();
        while let Some(end) = self.next_end() {
            self.emit(end, drops, &mut found);
        }
        found
    }

    /// The rest, whole or not.
    pub fn finish(&mut self, drops: &mut Drops) -> Vec<Dictated> {
        let mut found = Vec::new();
        self.emit(End { at: self.line.len(), holds_marks: true }, drops, &mut found);
        found
    }

    /// Where the sentence at the front of the line ends, once that can be told.
    fn next_end(&mut self) -> Option<End> {
        let from = self.seen;
        for (offset, sign) in self.line.get(from..)?.char_indices() {
            let at = from + offset;
            self.seen = at + sign.len_utf8();
            let is_long = at >= LINE_BYTES_MAX && sign.is_whitespace();
            if sign == '\n' || is_long {
                return Some(End { at: self.seen, holds_marks: false });
            }
            if !sign.is_whitespace() && self.is_after_an_end(at) {
                return Some(End { at, holds_marks: true });
            }
        }
        None
    }

    /// Whether white space stands before this place, and the end of a sentence before that. What follows may be written
    /// small: a model that does so must not get two statements checked as one.
    fn is_after_an_end(&self, at: usize) -> bool {
        let before = self.line.get(..at).unwrap_or_default();
        let words = before.trim_end();
        let ended = words.trim_end_matches(CLOSERS);
        let is_item = ended.trim_end_matches('.').trim().bytes().all(|byte| byte.is_ascii_digit());
        let is_short = ended.strip_suffix('.').is_some_and(|word| is_abbreviation(word) || is_item);
        words.len() < before.len() && ended.ends_with(ENDS) && !is_short
    }

    fn emit(&mut self, end: End, drops: &mut Drops, found: &mut Vec<Dictated>) {
        let rest = self.line.split_off(end.at);
        let text = std::mem::replace(&mut self.line, rest);
        let is_line_end = text.ends_with('\n');
        let belongs = |mark: &Mark| mark.at < end.at || (mark.at == end.at && end.holds_marks);
        let (own, later): (Vec<Mark>, Vec<Mark>) = self.marks.drain(..).partition(belongs);
        self.marks = later.into_iter().map(|mark| Mark { at: mark.at - end.at, ..mark }).collect();
        self.seen = 0;
        let mut markers: Vec<u32> = Vec::new();
        for mark in own {
            if markers.contains(&mark.marker) {
                drops.count(Drop::Repeated);
            } else {
                markers.push(mark.marker);
            }
        }
        let text = self.seen_text(&text, drops);
        let ranges = sentence_ranges(&text);
        let last = ranges.len().saturating_sub(1);
        for (place, range) in ranges.iter().enumerate() {
            let Some(words) = text.get(range.clone()) else { continue };
            let markers = if place == last { std::mem::take(&mut markers) } else { Vec::new() };
            let sentence = WrittenSentence { text: words.to_owned(), markers };
            found.push(Dictated { sentence, begins_line: std::mem::take(&mut self.begins_line) });
        }
        if !markers.is_empty() {
            drops.count(Drop::Malformed);
        }
        self.begins_line = self.begins_line || is_line_end;
    }

    /// The words without identifiers of the store, and without signs that change what is seen.
    fn seen_text(&self, text: &str, drops: &mut Drops) -> String {
        let mut text = text.to_owned();
        if text.chars().any(is_unseen) {
            drops.count(Drop::NotText);
            text.retain(|sign| !is_unseen(sign));
        }
        for own in &self.own {
            while let Some(at) = find_apart(&text, own) {
                text.replace_range(at..at + own.len(), "");
                drops.count(Drop::Leaked);
            }
        }
        // What was taken out may have joined what stood around it to a citation.
        while let Some(range) = citing_bracket(&text) {
            text.replace_range(range, "");
            drops.count(Drop::Malformed);
        }
        // A citation taken out leaves a gap before the sign that follows it.
        let mut tidy = String::with_capacity(text.len());
        for sign in text.chars() {
            if matches!(sign, '.' | ',' | ';' | ':' | '!' | '?') && tidy.ends_with(' ') {
                tidy.pop();
            }
            if !(sign == ' ' && tidy.ends_with(' ')) {
                tidy.push(sign);
            }
        }
        tidy
    }
}

/// The first bracket that looks like a citation, of whatever alphabet.
fn citing_bracket(text: &str) -> Option<Range<usize>> {
    text.char_indices().filter(|(_, sign)| matches!(sign, '[' | '［' | '【')).find_map(|(start, sign)| {
        let inside_from = start + sign.len_utf8();
        let inside = text.get(inside_from..)?.split([']', '］', '】', '[', '\n']).next()?;
        let end = inside_from + inside.len();
        let closing = text.get(end..)?.chars().next().filter(|sign| matches!(sign, ']' | '］' | '】'));
        let is_citing = shape(inside) != Shape::Plain && closing.is_some();
        is_citing.then(|| start..end + closing.map_or(0, char::len_utf8))
    })
}

/// Where an identifier stands by itself and not as part of another word.
fn find_apart(text: &str, own: &str) -> Option<usize> {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '-' || sign == ':';
    text.match_indices(own).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + own.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Control characters, and those that turn the direction of text or have no width.
fn is_unseen(sign: char) -> bool {
    let is_control = sign.is_control() && sign != '\n' && sign != '\t';
    is_control
        || matches!(sign, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}')
}
