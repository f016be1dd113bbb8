//! HTML → the text a person would read, with its headings as sections.
//!
//! The page goes to the tokenizer in small pieces, and after each it is looked at what has become of it: a page that
//! nests too deep, grows out of proportion or has a tag of endless attributes is refused before it takes more.

mod attributes;
mod charset;
mod elements;
mod grid;
mod main_content;
mod marks;
mod page;
mod reading;
mod tags;

use html5ever::{
    TokenizerResult,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tokenizer, TokenizerOpts},
};
use vouch_domain::{Document, ports::ParseError};

use crate::{
    fault::whole,
    front_matter::{self, FrontMatter},
    manuscript::Manuscript,
    origin::Origin,
};
use attributes::Attributes;
use main_content::{MainContent, main_content};
use page::{Page, ROOT};
use reading::Reading;
use tags::Tags;

pub(super) use charset::text;

/// The longest piece, in bytes: what a page may grow by between two looks.
const PIECE_BYTES: usize = 1_024;
/// As deep as browsers go. A tag takes time in proportion to the elements that are open.
const NESTING_MAX: u32 = 512;
const ATTRIBUTES_MAX: usize = 1_000;
/// How many elements and texts any page may have; a longer page may have three for every four bytes more.
const NODES_FLOOR: usize = 50_000;

pub(super) fn parse(text: &str, origin: &Origin<'_>) -> Result<Document, ParseError> {
    // The pages of a site that is yet to be built have front matter above them.
    let (front_matter, text) = front_matter::split(text, origin.access_from)?;
    let mut manuscript = Manuscript::default();
    let own = write(text, &mut manuscript)?;
    let stated = FrontMatter { date: own.date, ..FrontMatter::default() };
    manuscript.finish(origin, front_matter.or(stated), own.title)
}

/// What a page says of itself.
pub(crate) struct PageCard {
    pub(crate) title: Option<String>,
    pub(crate) date: Option<String>,
}

/// Writes down what a page is about.
pub(crate) fn write(text: &str, manuscript: &mut Manuscript) -> Result<PageCard, ParseError> {
    let tags = read(text)?;
    let page = tags.page();
    let own = PageCard { title: page.words_of("title"), date: page.modified() };
    let MainContent { roots, is_whole_page, layouts } = main_content(page);
    let before = manuscript.len();
    for root in roots {
        let mut reading = Reading::new(manuscript, &layouts, is_whole_page);
        page.walk(root, |edge| reading.step(&edge));
        reading.finish();
    }
    // A page that has nothing else is about what stands in its header.
    if manuscript.len() == before {
        let mut reading = Reading::new(manuscript, &layouts, false);
        page.walk(ROOT, |edge| reading.step(&edge));
        reading.finish();
    }
    Ok(own)
}

/// The page as a tree.
fn read(text: &str) -> Result<Tags, ParseError> {
    let nodes_max = NODES_FLOOR + text.len() / 4 * 3;
    let tokenizer = Tokenizer::new(Tags::new(Page::new()), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut attributes = Attributes::new();
    for piece in pieces(text) {
        let told = tokenizer.sink.told();
        input.push_back(StrTendril::from_slice(piece));
        // A script's end and a named encoding are told here; neither changes how the rest is read.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        if attributes.note(piece, tokenizer.sink.told() > told) > ATTRIBUTES_MAX {
            return Err(whole(&format!("one of its tags has more than {ATTRIBUTES_MAX} attributes")));
        }
        let page = tokenizer.sink.page();
        if page.depth_max() > NESTING_MAX {
            return Err(whole(&format!("its elements are nested more than {NESTING_MAX} levels deep")));
        }
        if page.nodes_count() > nodes_max {
            return Err(whole(&format!("it has more than {nodes_max} elements, too many for a page of its size")));
        }
    }
    tokenizer.end();
    Ok(tokenizer.sink)
}

/// A text in pieces of bounded length, with `<` at the start of a piece alone.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(PIECE_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let tag = rest.bytes().take(end).skip(1).position(|byte| byte == b'<');
        let (piece, after) = rest.split_at_checked(tag.map_or(end, |before| before + 1))?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
