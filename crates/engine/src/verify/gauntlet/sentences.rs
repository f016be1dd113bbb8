//! Clean text as it comes → whole sentences with the citations that belong to them.
//!
//! Invariant: a sentence is told by the first sign of the next one, by a line's end or by the end of all; so however the
//! text is cut, the sentences are the same. A citation belongs to the sentence before it on its line.

use std::{collections::VecDeque, ops::Range};

use vouch_domain::{
    language::{abbreviations::is_abbreviation, sentence_ranges},
    ports::WrittenSentence,
};

use super::{CleanText, DropCounts, Mark, Removal, Special, tag, unclosed, unseen::is_unseen};
use crate::compose::markers::{Shape, shape};

/// A line longer than this is not waited for; it is taken as it is.
const LINE_BYTES_MAX: usize = 8_192;
/// What is taken out may join what stood around it to something else that must go. Text that still changes after so many
/// times was made for it, and goes as a whole.
const CLEANED_MAX: usize = 8;
/// By so many bytes a bracket has shown whether it cites.
const SHAPE_BYTES_MAX: usize = 256;
/// What a sentence may end with, and what may close it.
const ENDS: &[char] = &['.', '!', '?', '…', '。'];
const CLOSERS: &[char] = &['"', '\'', ')', ']', '”', '’', '»', '*', '_'];

/// A sentence a writer wrote, with what it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSentence {
    /// The sentence.
    pub sentence: WrittenSentence,
    /// Whether it is the first of its line.
    pub begins_line: bool,
}

/// Cuts text into sentences as it comes.
#[derive(Debug)]
pub struct SentenceCutter {
    line: String,
    marks: VecDeque<Mark>,
    /// Where the sentence at hand begins; what is before it goes once all that has come was looked at.
    start: usize,
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
        let (line, marks) = (String::new(), VecDeque::new());
        Self { line, marks, start: 0, seen: 0, begins_line: true, own: own.to_vec() }
    }

    /// Takes what has run the gauntlet and answers the sentences that are whole.
    pub fn push(&mut self, clean: &mut CleanText, drops: &mut DropCounts) -> Vec<ModelSentence> {
        let before = self.line.len();
        self.line.push_str(&clean.text);
        self.marks.extend(clean.marks.iter().map(|mark| Mark { at: before + mark.at, ..*mark }));
        clean.text.clear();
        clean.marks.clear();
        let mut found = Vec::new();
        while let Some(end) = self.next_end() {
            self.emit(end, drops, &mut found);
        }
        self.forget();
        found
    }

    /// The rest, whole or not.
    pub fn finish(&mut self, drops: &mut DropCounts) -> Vec<ModelSentence> {
        let mut found = Vec::new();
        self.emit(End { at: self.line.len(), holds_marks: true }, drops, &mut found);
        self.forget();
        found
    }

    /// Lets go of what was told.
    fn forget(&mut self) {
        if self.start == 0 {
            return;
        }
        self.line.drain(..self.start);
        for mark in &mut self.marks {
            mark.at -= self.start;
        }
        self.seen -= self.start;
        self.start = 0;
    }

    /// Where the sentence at the front of the line ends, once that can be told.
    fn next_end(&mut self) -> Option<End> {
        let from = self.seen;
        for (offset, sign) in self.line.get(from..)?.char_indices() {
            let at = from + offset;
            self.seen = at + sign.len_utf8();
            let is_long = at - self.start >= LINE_BYTES_MAX && sign.is_whitespace();
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
        let before = self.line.get(self.start..at).unwrap_or_default();
        // Asked at every sign, so nothing is looked at unless white space has come.
        if !before.ends_with(char::is_whitespace) {
            return false;
        }
        let ended = before.trim_end().trim_end_matches(CLOSERS);
        let is_item = || ended.trim_end_matches('.').trim().bytes().all(|byte| byte.is_ascii_digit());
        // Of what follows the first sign alone is looked at, so that it does not matter how much has come.
        let next = self.line.get(at..).and_then(|rest| rest.chars().next()).map(String::from).unwrap_or_default();
        let is_short = || ended.strip_suffix('.').is_some_and(|word| is_abbreviation(word, &next) || is_item());
        ended.ends_with(ENDS) && !is_short()
    }

    fn emit(&mut self, end: End, drops: &mut DropCounts, found: &mut Vec<ModelSentence>) {
        let text = self.line.get(self.start..end.at).unwrap_or_default().to_owned();
        let is_line_end = text.ends_with('\n');
        let belongs = |mark: &Mark| mark.at < end.at || (mark.at == end.at && end.holds_marks);
        let own: Vec<Mark> = std::iter::from_fn(|| self.marks.pop_front_if(|mark| belongs(mark))).collect();
        (self.start, self.seen) = (end.at, end.at);
        let mut markers: Vec<u32> = Vec::new();
        for mark in own {
            if markers.contains(&mark.marker) {
                drops.count(Removal::Repeated);
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
            let sentence = WrittenSentence::answer(words, markers);
            found.push(ModelSentence { sentence, begins_line: std::mem::take(&mut self.begins_line) });
        }
        if !markers.is_empty() {
            drops.count(Removal::Malformed);
        }
        self.begins_line = self.begins_line || is_line_end;
    }

    /// Takes identifiers and citations out until none is left; answers whether that came to an end.
    fn cleaned(&self, text: &mut String, drops: &mut DropCounts) -> bool {
        for _ in 0..CLEANED_MAX {
            let mut is_clean = true;
            for own in &self.own {
                let found: Vec<Range<usize>> = apart(text, own).collect();
                drops.count_many(Removal::Leaked, found.len());
                if !found.is_empty() {
                    (*text, is_clean) = (without(text, &found), false);
                }
            }
            let found = citing_brackets(text);
            drops.count_many(Removal::Malformed, found.len());
            if !found.is_empty() {
                (*text, is_clean) = (without(text, &found), false);
            }
            let found = leaked_tags(text);
            drops.count_many(Removal::Leaked, found.len());
            if !found.is_empty() {
                (*text, is_clean) = (without(text, &found), false);
            }
            if is_clean {
                return true;
            }
        }
        drops.count(Removal::Malformed);
        false
    }

    /// The words without identifiers of the store, and without signs that change what is seen.
    fn seen_text(&self, text: &str, drops: &mut DropCounts) -> String {
        let mut text = text.to_owned();
        if text.chars().any(is_unseen) {
            drops.count(Removal::NotText);
            text.retain(|sign| !is_unseen(sign));
        }
        if !self.cleaned(&mut text, drops) {
            return String::new();
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

/// The brackets that look like citations, of whatever alphabet, in order and apart.
fn citing_brackets(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut close = 0;
    for (start, sign) in text.char_indices().filter(|(_, sign)| matches!(sign, '[' | '［' | '【')) {
        let inside_from = start + sign.len_utf8();
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        // Several brackets may open before one closes; that place is looked for once.
        if close < inside_from {
            let after = text.get(inside_from..).unwrap_or_default();
            close = inside_from + after.find([']', '］', '】', '[', '\n']).unwrap_or(after.len());
        }
        let closing = text.get(close..).and_then(|rest| rest.chars().next());
        let Some(closing) = closing.filter(|sign| matches!(sign, ']' | '］' | '】')) else {
            // A sign that was taken out may have kept half a citation from being seen.
            let half = beginning(text.get(start..).unwrap_or_default());
            if let ('[', Special::Drop(length, _)) = (sign, unclosed(half.as_bytes())) {
                found.push(start..start + length);
            }
            continue;
        };
        if shape(beginning(text.get(inside_from..close).unwrap_or_default())) != Shape::Plain {
            found.push(start..close + closing.len_utf8());
        }
    }
    found
}

/// The tags of a model's own language that show once what hid them was taken out.
fn leaked_tags(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (start, _) in text.match_indices('<') {
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let rest = beginning(text.get(start..).unwrap_or_default());
        match tag(rest.as_bytes(), true) {
            Special::Drop(length, _) | Special::Think(length, _) => found.push(start..start + length),
            Special::Open | Special::Text(_) | Special::Cite(..) => {}
        }
    }
    found
}

/// As much of a bracket's inside as its shape is told by.
fn beginning(inside: &str) -> &str {
    let mut end = inside.len().min(SHAPE_BYTES_MAX);
    while !inside.is_char_boundary(end) {
        end -= 1;
    }
    inside.get(..end).unwrap_or_default()
}

/// Where an identifier stands by itself and not as part of another word, in order and apart.
fn apart<'t>(text: &'t str, own: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '-' || sign == ':';
    text.match_indices(own).map(|(at, own)| at..at + own.len()).filter(move |range| {
        let before = text.get(..range.start).and_then(|text| text.chars().next_back());
        let after = text.get(range.end..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// The text without some of its parts, which are in order and apart.
fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for part in parts {
        left.push_str(text.get(from..part.start).unwrap_or_default());
        from = part.end;
    }
    left.push_str(text.get(from..).unwrap_or_default());
    left
}
