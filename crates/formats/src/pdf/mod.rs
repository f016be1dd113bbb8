//! PDF → a document with its pages, headings, lists and tables.
//!
//! A PDF says where letters stand and little else. `page` reads lines in the order of reading, with the help of `pdfboss`;
//! `margins`, `levels` and `notes` find out what each line is, by what the whole file looks like; `blocks` puts lines
//! together. Tags and outlines are believed where a file has them.
//!
//! Invariant: every word on a page is in the text once, running heads and feet and the numbers of pages aside.

mod blocks;
mod columns;
mod grid;
mod levels;
mod line;
mod margins;
mod marks;
mod notes;
mod page;
mod properties;
mod spacing;
mod words;

use pdfboss_core::{Document as PdfFile, Error};
use vouch_domain::{Document, PageUnit, ports::ParseError};

use crate::{fault::whole, manuscript::Manuscript, origin::Origin};
use blocks::{Block, Form};
use levels::Outline;
use line::{Kind, PageLines};
use page::{PageReader, Reading, Unread};
use spacing::Leading;
use words::Vocabulary;

const PAGES_MAX: usize = 20_000;
const OBJECTS_MAX: usize = 4_000_000;
/// The longest text of all lines, in bytes.
const TEXT_BYTES_MAX: usize = 128 << 20;
/// How many runs of pages a warning names.
const RUNS_SHOWN: usize = 10;
/// How many of a hundred letters may be unknown before it is told.
const UNKNOWN_PERCENT_MAX: usize = 5;

pub(super) fn parse(bytes: Vec<u8>, origin: &Origin<'_>) -> Result<Document, ParseError> {
    let file = open(bytes)?;
    let reader = PageReader::new(&file);
    let mut found = read(&file, &reader)?;
    let pages = &mut found.pages;
    margins::mark(pages);
    let body = levels::body_size(pages);
    for page in pages.iter_mut() {
        notes::mark(page, body as f32 / 2.0);
    }
    levels::mark(pages, &Outline::of(&file), body);
    let mut vocabulary = Vocabulary::of(pages);
    if properties::parts_words(&file) {
        vocabulary.assume_parted();
    }
    let blocks = blocks::build(pages, &vocabulary, &Leading::of_pages(pages));
    let mut manuscript = Manuscript::default();
    let mut page = 0;
    for block in &blocks {
        write(block, &mut page, &mut manuscript);
    }
    warn(&found, &reader, &mut manuscript);
    if manuscript.len() == 0 {
        return Err(no_text(&found));
    }
    manuscript.finish(origin, properties::read(&file), None)
}

fn open(bytes: Vec<u8>) -> Result<PdfFile, ParseError> {
    if bytes.is_empty() {
        return Err(whole(vouch_domain::ports::NO_TEXT));
    }
    if !bytes.windows(5).take(1_024).any(|window| window == b"%PDF-") {
        return Err(whole("it is not a PDF file, although its name says so"));
    }
    let file = PdfFile::load(bytes).map_err(|error| whole(&fault_of(&error)))?;
    if file.is_locked() {
        return Err(whole(&fault_of(&Error::Encrypted)));
    }
    if file.xref().len() > OBJECTS_MAX {
        return Err(whole(&format!("it has more than {OBJECTS_MAX} objects; split it")));
    }
    let count = file.page_count();
    if count > PAGES_MAX || file.flattened_page_count() > PAGES_MAX {
        return Err(whole(&format!("it has more than {PAGES_MAX} pages; split it")));
    }
    if file.flattened_page_count() == 0 {
        return Err(whole("it is damaged or cut off: none of its pages can be found"));
    }
    Ok(file)
}

fn fault_of(error: &Error) -> String {
    if matches!(error, Error::Encrypted) {
        "it is encrypted; save it without a password".to_owned()
    } else {
        format!("it is damaged or cut off and cannot be read as PDF ({error})")
    }
}

fn no_text(found: &Found) -> ParseError {
    if !found.too_large.is_empty() {
        return whole("its pages have too many drawing commands to be read");
    }
    if !found.damaged.is_empty() {
        return whole("the contents of its pages are damaged and cannot be read");
    }
    let pages = if found.pages.len() == 1 {
        "its page has".to_owned()
    } else {
        format!("its {} pages have", found.pages.len())
    };
    whole(&format!("{pages} no text, so it looks scanned; name a converter that reads images under ingest.convert"))
}

/// What was read of all pages.
#[derive(Default)]
struct Found {
    pages: Vec<PageLines>,
    too_large: Vec<u32>,
    damaged: Vec<u32>,
    /// Pages with many letters that nobody can tell the meaning of.
    unknown: Vec<u32>,
}

fn read(file: &PdfFile, reader: &PageReader<'_>) -> Result<Found, ParseError> {
    let mut found = Found::default();
    let mut bytes = 0;
    for (index, number) in (0..file.flattened_page_count()).zip(1..) {
        let lines = match reader.read(index, number) {
            Ok(Reading { page, unknown_letters }) => {
                let letters: usize = page.lines.iter().map(line::Line::weight).sum();
                if unknown_letters * 100 > (letters + unknown_letters) * UNKNOWN_PERCENT_MAX {
                    found.unknown.push(number);
                }
                page
            }
            Err(reason) => {
                match reason {
                    Unread::TooLarge => found.too_large.push(number),
                    Unread::Damaged => found.damaged.push(number),
                }
                PageLines { number, ..PageLines::default() }
            }
        };
        bytes += lines.lines.iter().map(|line| line.text.len()).sum::<usize>();
        if bytes > TEXT_BYTES_MAX {
            return Err(whole(&format!("its text is longer than {TEXT_BYTES_MAX} bytes; split it")));
        }
        found.pages.push(lines);
    }
    Ok(found)
}

/// Writes a block down; `page` is the page written on.
fn write(block: &Block, page: &mut u32, manuscript: &mut Manuscript) {
    for (at, piece) in block.pieces.iter().enumerate() {
        if *page != piece.page {
            manuscript.page(piece.page, PageUnit::Page);
            *page = piece.page;
        }
        match block.form {
            Form::Table if at > 0 => manuscript.rows(&piece.rows),
            Form::Table => manuscript.table(&piece.rows),
            _ if at > 0 => manuscript.go_on(&piece.text),
            Form::Heading(level) => manuscript.heading(level, &piece.text),
            Form::Paragraph | Form::Note => manuscript.paragraph(&piece.text),
            Form::Item { depth, number } => manuscript.item(depth, number, &piece.text),
            Form::Code => manuscript.code(&piece.text),
            Form::Quote => manuscript.quote(&piece.text),
        }
    }
}

/// Names the pages whose text is missing.
fn warn(found: &Found, reader: &PageReader<'_>, manuscript: &mut Manuscript) {
    let is_read = |number: &u32| !found.too_large.contains(number) && !found.damaged.contains(number);
    let is_empty = |page: &PageLines| page.lines.iter().all(|line| line.kind == Kind::Margin);
    let empty = found.pages.iter().enumerate().filter(|(_, page)| is_empty(page) && is_read(&page.number));
    let empty: Vec<u32> = empty.filter(|(index, _)| reader.is_drawn(*index)).map(|(_, page)| page.number).collect();
    let told = [
        (empty, "no text; they may be scanned", "no text; it may be scanned"),
        (found.damaged.clone(), "damaged contents, which are left out", "damaged contents, which are left out"),
        (
            found.too_large.clone(),
            "too many drawing commands and are left out",
            "too many drawing commands and is left out",
        ),
        (found.unknown.clone(), "letters of unknown meaning", "letters of unknown meaning"),
    ];
    for (pages, many, one) in told {
        match pages.as_slice() {
            [] => {}
            [page] => manuscript.warn(format!("page {page} has {one}")),
            pages => manuscript.warn(format!("pages {} have {many}", runs(pages))),
        }
    }
}

/// `3, 7-9`, and how many more there are.
fn runs(pages: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => runs.push((*page, *page)),
        }
    }
    let shown = runs.iter().take(RUNS_SHOWN);
    let shown = shown.map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    let more: u32 = runs.iter().skip(RUNS_SHOWN).map(|(first, last)| last - first + 1).sum();
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}
