//! A chapter as a book has it → a page as the HTML reader takes it.
//!
//! Chapters are XML: an element that is closed in its own tag would be open to the end for HTML. Notes move to below the
//! paragraph that refers to them.

use std::collections::BTreeMap;

use crate::manuscript::joined;

/// The elements that are never closed in HTML.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// The elements that notes stand in.
const NOTES: &[&str] = &["aside", "li", "div", "p", "section", "dd"];
const HEADINGS: &[&str] = &["<h1", "<h2", "<h3", "<h4", "<h5", "<h6"];

pub(super) fn text(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned(),
    };
    arranged(&text)
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok()).map(unit);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

pub(super) fn has_heading(page: &str) -> bool {
    HEADINGS.iter().any(|heading| page.contains(heading))
}

/// The page with its first paragraph as a heading, if that is the title it has in the table of contents: some programs
/// write headings as paragraphs that are only larger.
pub(super) fn with_heading(page: &str, title: &str) -> Option<String> {
    let pieces = pieces(page);
    let start = pieces.iter().position(|piece| piece.name == "p")?;
    let end = start + pieces.get(start..)?.iter().position(|piece| piece.name == "/p")?;
    let words = |pieces: &[Piece<'_>]| {
        let words: String = pieces.iter().filter(|piece| piece.name.is_empty()).map(|piece| piece.text).collect();
        joined(&words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    };
    let is_title = words(pieces.get(start..end)?) == joined(title) && !joined(title).is_empty();
    let body = pieces.iter().position(|piece| piece.name == "body").map_or(0, |body| body + 1);
    if !is_title || !words(pieces.get(body..start)?).is_empty() {
        return None;
    }
    let all = |pieces: &[Piece<'_>]| pieces.iter().map(|piece| piece.text).collect::<String>();
    let (before, inside, after) = (pieces.get(..start)?, pieces.get(start + 1..end)?, pieces.get(end + 1..)?);
    Some(format!("{}<h1>{}</h1>{}", all(before), all(inside), all(after)))
}

/// A piece of a page: a tag with its name and attributes, or what stands between two.
struct Piece<'a> {
    text: &'a str,
    /// Empty for what is no tag; with a slash for one that closes.
    name: &'a str,
}

fn arranged(text: &str) -> String {
    let pieces = pieces(text);
    let notes = notes(&pieces);
    let moved: BTreeMap<usize, usize> = notes.values().map(|note| (note.start, note.end)).collect();
    let mut page = String::with_capacity(text.len() + text.len() / 8);
    let mut waiting: Vec<(&Note, &str)> = Vec::new();
    let mut is_reference = false;
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        if let Some(end) = moved.get(&at) {
            at = *end;
            continue;
        }
        if let Some(note) = reference(piece).and_then(|id| notes.get(id)) {
            let label = pieces.get(at + 1).filter(|next| next.name.is_empty()).map_or("", |next| next.text.trim());
            waiting.push((note, label.trim_matches(['[', ']'])));
            is_reference = true;
        }
        let is_label = is_reference && piece.name.is_empty() && !piece.text.trim().is_empty();
        if is_label {
            is_reference = false;
            page.push_str(&format!(" [{}]", piece.text.trim().trim_matches(['[', ']'])));
        } else {
            push(&mut page, piece);
        }
        if piece.name == "/p" {
            for (note, label) in waiting.drain(..) {
                write(&mut page, pieces.get(note.start..note.end).unwrap_or_default(), label);
            }
        }
        at += 1;
    }
    for (note, label) in waiting {
        write(&mut page, pieces.get(note.start..note.end).unwrap_or_default(), label);
    }
    page
}

/// Writes a note as a part of its own, with its label before its words.
fn write(page: &mut String, note: &[Piece<'_>], label: &str) {
    let inside = note.get(1..note.len().saturating_sub(1)).unwrap_or_default();
    let first = inside.iter().position(|piece| piece.name.is_empty() && !piece.text.trim().is_empty());
    page.push_str("<div>");
    for (at, piece) in inside.iter().enumerate() {
        let has_label = piece.text.trim().trim_start_matches(['[', '(']).starts_with(label) && !label.is_empty();
        if Some(at) == first && (!has_label || piece.text.trim() == label) {
            page.push_str(&format!("[{label}] "));
            // A label in an element of its own may stand right beside the words.
            if has_label {
                continue;
            }
        }
        push(page, piece);
    }
    page.push_str("</div>");
}

fn push(page: &mut String, piece: &Piece<'_>) {
    let is_void = VOID.contains(&piece.name);
    match piece.text.strip_suffix("/>").filter(|_| !piece.name.is_empty() && !is_void) {
        Some(open) => page.push_str(&format!("{open}></{}>", piece.name)),
        None => page.push_str(piece.text),
    }
}

/// A note: the pieces from its first to after its last.
struct Note {
    start: usize,
    end: usize,
}

/// The notes of a page that one place refers to, by their ids; others stay where they are.
fn notes<'a>(pieces: &[Piece<'a>]) -> BTreeMap<&'a str, Note> {
    let mut references: BTreeMap<&str, usize> = BTreeMap::new();
    for id in pieces.iter().filter_map(reference) {
        *references.entry(id).or_default() += 1;
    }
    let mut notes: BTreeMap<&str, Note> = BTreeMap::new();
    let mut open: Option<(&str, usize, usize)> = None;
    for (at, piece) in pieces.iter().enumerate() {
        let Some((id, start, depth)) = &mut open else {
            let id = Some(piece).filter(|piece| NOTES.contains(&piece.name)).and_then(|piece| value(piece.text, "id="));
            let is_closed = piece.text.ends_with("/>");
            open = id.filter(|id| references.get(id) == Some(&1) && !is_closed).map(|id| (id, at, 1));
            continue;
        };
        let name = pieces.get(*start).map_or("", |first| first.name);
        if piece.name == name && !piece.text.ends_with("/>") {
            *depth += 1;
        } else if piece.name.strip_prefix('/') == Some(name) {
            *depth -= 1;
            if *depth == 0 {
                notes.insert(id, Note { start: *start, end: at + 1 });
                open = None;
            }
        }
    }
    notes
}

/// The id of the note that a tag refers to.
fn reference<'a>(piece: &Piece<'a>) -> Option<&'a str> {
    let kind = (piece.name == "a").then(|| value(piece.text, "epub:type="))??;
    let is_reference = kind.split_whitespace().any(|kind| kind == "noteref");
    value(piece.text, "href=")?.strip_prefix('#').filter(|_| is_reference)
}

/// The value of an attribute, given with its equals sign.
fn value<'a>(tag: &'a str, key: &str) -> Option<&'a str> {
    let after = tag.split_once(key).filter(|(before, _)| before.ends_with(char::is_whitespace))?.1;
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    after.get(1..)?.split(quote).next()
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let begins = rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'));
        let length = if rest.starts_with("<!--") {
            rest.find("-->").map_or(rest.len(), |end| end + 3)
        } else if rest.starts_with('<') && begins {
            tag_length(rest)
        } else {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            rest.get(first..).and_then(|after| after.find('<')).map_or(rest.len(), |end| first + end)
        };
        let Some((piece, after)) = rest.split_at_checked(length) else { break };
        let is_tag = piece.starts_with('<') && begins;
        let name = piece.get(1..).filter(|_| is_tag).unwrap_or_default();
        let name = name.split(|c: char| c.is_whitespace() || c == '>').next().unwrap_or_default();
        let name = if name.len() > 1 { name.trim_end_matches('/') } else { name };
        pieces.push(Piece { text: piece, name });
        rest = after;
    }
    pieces
}

/// How long a tag is; a sign in quotes does not end it.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if byte == open => quote = None,
            (None | Some(_), _) => {}
        }
    }
    text.len()
}
