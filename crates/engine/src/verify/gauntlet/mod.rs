//! A writer's bytes as they come → text without anything that looks like a citation, and the citations that are real.
//!
//! Invariant: the same bytes give the same text however they are cut, also inside a character. What cannot be resolved
//! to a piece of this turn is taken out and counted: a missing citation is a safe failure, a false one is not.

mod drops;
mod sentences;
mod unseen;

use memchr::{memchr, memchr3};

use crate::{
    compose::markers::{MarkerTable, Shape, shape},
    model_registry::THOUGHTS,
};

pub use drops::{DropCounts, DroppedMarker, Removal};
pub use sentences::{ModelSentence, SentenceCutter};

use unseen::is_unseen;

/// No citation, token or tag is longer; what has not closed by then never does.
const HELD_BYTES_MAX: usize = 256;
/// Brackets inside brackets beyond this are not followed.
const DEPTH_MAX: usize = 4;
/// Tags the notes are fenced with.
const FENCES: &[&str] = &["note", "notes", "question"];
/// Where brackets of another alphabet begin (【, U+3010) and end (】, U+3011).
const LENTICULAR: u8 = 0xE3;

/// A citation and the place in the text it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// In bytes of the text.
    pub at: usize,
    /// The piece's number.
    pub marker: u32,
}

/// Text that has run the gauntlet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CleanText {
    /// The words.
    pub text: String,
    /// The citations, in order.
    pub marks: Vec<Mark>,
}

/// Takes a writer's bytes and lets through what is text or a real citation.
#[derive(Debug)]
pub struct Gauntlet {
    marker_table: MarkerTable,
    held: Vec<u8>,
    /// The tag that must close before the model speaks to others again.
    thinking: Option<&'static str>,
    drops: DropCounts,
}

/// What stands at a special byte.
enum Special {
    /// Not enough bytes to tell.
    Open,
    /// This many bytes of ordinary text.
    Text(usize),
    /// This many bytes to be removed, and why.
    Drop(usize, Removal),
    /// This many bytes that cite a piece.
    Cite(usize, u32),
    /// This many bytes after which a model speaks to itself.
    Think(usize, &'static str),
}

impl Gauntlet {
    /// A gauntlet for what was minted in one turn.
    #[must_use]
    pub fn new(marker_table: MarkerTable) -> Self {
        Self { marker_table, held: Vec::new(), thinking: None, drops: DropCounts::default() }
    }

    /// What was taken out so far.
    #[must_use]
    pub fn drops(&self) -> &DropCounts {
        &self.drops
    }

    /// Takes the next bytes and adds to the text what can be told of them.
    pub fn push(&mut self, bytes: &[u8], clean: &mut CleanText) {
        self.run(bytes, false, clean);
    }

    /// Takes the end: what was held back is decided.
    pub fn finish(&mut self, clean: &mut CleanText) {
        self.run(&[], true, clean);
    }

    fn run(&mut self, bytes: &[u8], is_end: bool, clean: &mut CleanText) {
        if self.held.is_empty() {
            let used = self.scan(bytes, is_end, clean);
            self.held.extend_from_slice(bytes.get(used..).unwrap_or_default());
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.extend_from_slice(bytes);
            let used = self.scan(&held, is_end, clean);
            held.drain(..used);
            self.held = held;
        }
    }

    /// Reads as far as can be told; answers how far that is.
    fn scan(&mut self, bytes: &[u8], is_end: bool, clean: &mut CleanText) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(tag) = self.thinking {
                match thought_end(rest, tag, is_end) {
                    (used, true) => (self.thinking, at) = (None, at + used),
                    (used, false) => return at + used,
                }
                continue;
            }
            let special = memchr3(b'[', b'<', LENTICULAR, rest).unwrap_or(rest.len());
            let used = self.plain(rest.get(..special).unwrap_or_default(), is_end || special < rest.len(), clean);
            at += used;
            if used < special || special == rest.len() {
                break;
            }
            match self.special(rest.get(special..).unwrap_or_default(), is_end) {
                Special::Open => break,
                Special::Text(length) => {
                    let text = rest.get(special..special + length).unwrap_or_default();
                    at += self.plain(text, true, clean).max(1);
                }
                Special::Drop(length, drop) => {
                    let claimed = rest.get(special..special + length).unwrap_or_default();
                    self.drops.count_marker(drop, claimed, self.marker_table.largest());
                    at += length;
                }
                Special::Cite(length, marker) => {
                    clean.marks.push(Mark { at: clean.text.len(), marker });
                    at += length;
                }
                Special::Think(length, tag) => {
                    self.drops.count(Removal::Thinking);
                    (self.thinking, at) = (Some(tag), at + length);
                }
            }
        }
        at
    }

    /// Adds bytes that hold nothing special; an unfinished character waits for its end, other bytes that are no text go.
    fn plain(&mut self, bytes: &[u8], is_whole: bool, clean: &mut CleanText) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    clean.text.push_str(text);
                    return bytes.len();
                }
                Err(error) => {
                    let (good, bad) = rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
                    clean.text.push_str(std::str::from_utf8(good).unwrap_or_default());
                    at += good.len();
                    match error.error_len() {
                        None if !is_whole => return at,
                        length => {
                            self.drops.count(Removal::NotText);
                            at += length.unwrap_or(bad.len());
                        }
                    }
                }
            }
        }
        at
    }

    fn special(&self, rest: &[u8], is_end: bool) -> Special {
        match rest.first() {
            Some(b'[') => self.bracket(rest, is_end),
            Some(b'<') => tag(rest, is_end),
            _ => lenticular(rest, is_end),
        }
    }

    fn bracket(&self, rest: &[u8], is_end: bool) -> Special {
        let window = rest.get(..rest.len().min(HELD_BYTES_MAX)).unwrap_or_default();
        let is_decided = is_end || window.len() == HELD_BYTES_MAX;
        let mut depth = 0_usize;
        for (at, byte) in window.iter().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b'\n' => return unclosed(window),
                _ => {}
            }
            if depth > DEPTH_MAX {
                return unclosed(window);
            }
            if depth == 0 {
                return self.closed(window.get(..=at).unwrap_or_default());
            }
        }
        if is_decided { unclosed(window) } else { Special::Open }
    }

    fn closed(&self, bracket: &[u8]) -> Special {
        let length = bracket.len();
        let inside = bracket.get(1..length - 1).unwrap_or_default();
        let Ok(inside) = std::str::from_utf8(inside) else {
            return if looks_citing(bracket) { Special::Drop(length, Removal::Malformed) } else { Special::Text(1) };
        };
        if inside.contains('[') {
            return if looks_citing(bracket) { Special::Drop(length, Removal::Malformed) } else { Special::Text(1) };
        }
        if let Some(marker) = self.marker_table.resolve(inside) {
            return Special::Cite(length, marker);
        }
        match shape(inside) {
            Shape::Plain if self.marker_table.own().iter().any(|own| inside.contains(own.as_str())) => {
                Special::Drop(length, Removal::Leaked)
            }
            Shape::Plain => Special::Text(1),
            Shape::Action => Special::Drop(length, Removal::ActionNotDone),
            Shape::Card => Special::Drop(length, Removal::UnknownSource),
            Shape::Footnote if is_footnote(inside) => Special::Drop(length, Removal::NeverMinted),
            Shape::Footnote => Special::Drop(length, Removal::Malformed),
        }
    }
}

fn is_footnote(inside: &str) -> bool {
    let number = inside.strip_prefix('^').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a bracket holds, at any depth, what looks like a citation.
fn looks_citing(bracket: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bracket);
    text.split('[').skip(1).any(|inside| shape(inside.split(']').next().unwrap_or_default()) != Shape::Plain)
}

/// A bracket that does not close: the half citation it begins with goes, the rest is read on.
fn unclosed(window: &[u8]) -> Special {
    let inside = window.get(1..).unwrap_or_default();
    let end = memchr(b'\n', inside).unwrap_or(inside.len());
    let line = String::from_utf8_lossy(inside.get(..end).unwrap_or_default());
    let words = line.split(['[', ']']).next().unwrap_or_default();
    let name =
        |text: &str| text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b":-_^".contains(byte)).count();
    match shape(words) {
        Shape::Plain => Special::Text(1),
        Shape::Footnote | Shape::Card | Shape::Action => {
            let spaces = words.len() - words.trim_start().len();
            let word = name(words.trim_start());
            // "SourceId: name" is two words.
            let after = words.get(spaces + word..).unwrap_or_default();
            let gap = after.len() - after.trim_start_matches(' ').len();
            let is_named = words.get(..spaces + word).is_some_and(|said| said.ends_with(':'));
            let second = if is_named { gap + name(after.trim_start_matches(' ')) } else { 0 };
            Special::Drop(1 + spaces + word + second, Removal::Malformed)
        }
    }
}

/// `<think>`, `<|im_end|>`, `</note>`; other tags are text.
fn tag(rest: &[u8], is_end: bool) -> Special {
    let window = rest.get(..rest.len().min(HELD_BYTES_MAX)).unwrap_or_default();
    let Some(end) = memchr(b'>', window) else {
        let is_decided = is_end || window.len() == HELD_BYTES_MAX || window.contains(&b'\n');
        return if is_decided { Special::Text(1) } else { Special::Open };
    };
    let mut inside = String::from_utf8_lossy(window.get(1..end).unwrap_or_default()).into_owned();
    // What is taken out later must not keep a tag from being seen now.
    inside.retain(|sign| sign != char::REPLACEMENT_CHARACTER && !is_unseen(sign));
    if inside.contains('\n') {
        return Special::Text(1);
    }
    let name = inside.trim_start_matches('/').split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    if let Some(tag) = THOUGHTS.iter().find(|tag| **tag == name) {
        return if inside.starts_with('/') {
            Special::Drop(end + 1, Removal::Leaked)
        } else {
            Special::Think(end + 1, tag)
        };
    }
    let is_token = inside.len() > 1 && inside.starts_with('|') && inside.ends_with('|');
    let is_leaked = is_token || FENCES.contains(&name.as_str());
    if is_leaked { Special::Drop(end + 1, Removal::Leaked) } else { Special::Text(1) }
}

/// Citations in brackets of another alphabet, which nothing here ever mints.
fn lenticular(rest: &[u8], is_end: bool) -> Special {
    let window = rest.get(..rest.len().min(HELD_BYTES_MAX)).unwrap_or_default();
    let opening = "【".as_bytes();
    if window.len() < opening.len() {
        return if is_end { Special::Text(window.len()) } else { Special::Open };
    }
    if !window.starts_with(opening) {
        return Special::Text(character_length(window));
    }
    let line = window.get(..memchr(b'\n', window).unwrap_or(window.len())).unwrap_or_default();
    match line.windows(3).position(|bytes| bytes == "】".as_bytes()) {
        Some(end) => Special::Drop(end + 3, Removal::Malformed),
        None if is_end || window.len() == HELD_BYTES_MAX || line.len() < window.len() => Special::Text(opening.len()),
        None => Special::Open,
    }
}

/// How long the character is that begins with a byte of the lenticular kind, broken or not.
fn character_length(bytes: &[u8]) -> usize {
    1 + bytes.iter().skip(1).take(2).take_while(|byte| (0x80..0xC0).contains(*byte)).count()
}

/// How many bytes of thought there are, and whether it ended.
fn thought_end(rest: &[u8], tag: &str, is_end: bool) -> (usize, bool) {
    let close = format!("</{tag}>");
    let close = close.as_bytes();
    if let Some(at) = rest.windows(close.len()).position(|bytes| bytes.eq_ignore_ascii_case(close)) {
        return (at + close.len(), true);
    }
    // The last bytes may begin the closing tag.
    let keep = if is_end { 0 } else { close.len() - 1 };
    (rest.len().saturating_sub(keep), false)
}
