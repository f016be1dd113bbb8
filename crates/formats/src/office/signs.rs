//! What the library leaves out of its tree → signs in the words, which stay where they are while a file is read.

use std::collections::BTreeMap;

use vouch_domain::ports::ParseError;

use super::DOCUMENT;
use crate::{
    archive::Archive,
    blocks::{PAGE_BREAK, Pages},
    fault::whole,
    xml::{Token, Xml},
};

/// Where a page began when Word last drew it, and where its author wants one to begin.
const RENDERED: &str = "<w:lastRenderedPageBreak/>";
const WANTED: &str = "<w:br w:type=\"page\"/>";
/// How deep an item stands in its list.
const LEVEL: &str = "<w:ilvl w:val=\"";
const PROPERTIES_END: &str = "</w:pPr>";
const LEVEL_SIGNS: std::ops::RangeInclusive<char> = '\u{fdd1}'..='\u{fdd9}';

/// Puts signs for the pages and levels of a document of Word into its words; answers how many pages it says it has.
pub(super) fn put(archive: &mut Archive) -> Result<Pages, ParseError> {
    let Some(bytes) = archive.part(DOCUMENT) else { return Ok(Pages::Unknown) };
    let text = std::str::from_utf8(bytes)
        .map_err(|_| whole(&format!("its part {DOCUMENT} is damaged: it is not valid UTF-8")))?;
    // The library leaves out what lies too deep and says so in the text itself.
    Xml::check(bytes, DOCUMENT)?;
    let pages = match stated_pages(archive)? {
        Some(pages) => Pages::Stated(pages),
        None if text.contains(RENDERED) => Pages::AllMarked,
        None => Pages::Unknown,
    };
    let sign = format!("<w:t>{PAGE_BREAK}</w:t>");
    let clean = text.replace(|c| c == PAGE_BREAK || LEVEL_SIGNS.contains(&c), "");
    let marked = with_levels(&clean).replace(RENDERED, &sign).replace(WANTED, &sign);
    archive.replace(DOCUMENT, marked.into_bytes());
    Ok(pages)
}

/// A run with the level's sign at the beginning of each paragraph below the outermost level.
fn with_levels(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    // No piece reaches to the next level, so each end is looked for once.
    for (at, piece) in text.split(LEVEL).enumerate() {
        if at > 0 {
            marked.push_str(LEVEL);
        }
        let level = piece.split('"').next().and_then(|level| level.parse::<u32>().ok()).filter(|_| at > 0).unwrap_or(0);
        let sign = char::from_u32(u32::from(*LEVEL_SIGNS.start()).saturating_add(level).saturating_sub(1));
        let sign = sign.filter(|sign| level > 0 && LEVEL_SIGNS.contains(sign));
        match (sign, piece.split_once(PROPERTIES_END)) {
            // Properties that a tracked change replaced have an end of their own.
            (Some(sign), Some((properties, rest))) if !properties.contains("<w:pPr") => {
                marked.push_str(properties);
                marked.push_str(&format!("{PROPERTIES_END}<w:r><w:t>{sign}</w:t></w:r>"));
                marked.push_str(rest);
            }
            _ => marked.push_str(piece),
        }
    }
    marked
}

/// Words without the signs of levels, and the level of the first one.
pub(super) fn level_of(words: &str) -> (String, Option<usize>) {
    let level = words.chars().find(|c| LEVEL_SIGNS.contains(c));
    let level = level.and_then(|sign| usize::try_from(u32::from(sign) - u32::from(*LEVEL_SIGNS.start()) + 1).ok());
    (words.replace(|c| LEVEL_SIGNS.contains(&c), ""), level)
}

/// Takes the places of shapes out of all slides. The library orders shapes by their places, and most have none of their own;
/// without any, they stay in the order of the file, in which screen readers read them.
pub(super) fn forget_places(archive: &mut Archive) -> Result<(), ParseError> {
    let mut slides = BTreeMap::new();
    for (name, part) in archive.parts().filter(|(name, _)| name.starts_with("ppt/slides/slide")) {
        let text = std::str::from_utf8(part)
            .map_err(|_| whole(&format!("its part {name} is damaged: it is not valid UTF-8")))?;
        Xml::check(part, name)?;
        let placeless = without(&without(text, "<a:xfrm", "</a:xfrm>"), "<p:xfrm", "</p:xfrm>");
        slides.insert(name.to_owned(), placeless);
    }
    for (name, slide) in slides {
        archive.replace(&name, slide.into_bytes());
    }
    Ok(())
}

/// The text without the elements that begin and end so; one that is empty stays, as it says nothing.
fn without(text: &str, begin: &str, end: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(begin) {
        // Where one has no end, none after it has.
        let Some((tag, _)) = after.split_once('>') else { break };
        if tag.ends_with('/') {
            left.push_str(before);
            left.push_str(begin);
            rest = after;
            continue;
        }
        let Some((_, after)) = after.split_once(end) else { break };
        left.push_str(before);
        rest = after;
    }
    left.push_str(rest);
    left
}

fn stated_pages(archive: &Archive) -> Result<Option<u32>, ParseError> {
    const PART: &str = "docProps/app.xml";
    let Some(bytes) = archive.part(PART) else { return Ok(None) };
    let mut xml = Xml::new(bytes, PART)?;
    while let Some(token) = xml.token()? {
        if let Token::Open(tag) = token
            && tag.local_name() == "Pages"
        {
            return Ok(xml.words()?.trim().parse().ok().filter(|pages| *pages > 0));
        }
    }
    Ok(None)
}
