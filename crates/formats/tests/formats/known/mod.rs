//! Files of every format that real programs made of texts that are known: how much of them is read, and where.
#![cfg(unix)]

mod book;
mod count;
mod flat_text;
mod groff;
mod markdown;
mod others;
mod printed;
mod prose;
mod sheets;
mod slides;
mod texts;
mod web_page;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use vouch_domain::{Document, RawDocument, SourceFormat, document::Labels, ports::Parser};
use vouch_formats::FileParser;

use book::Book;

/// One book for each seed. Readers were written with the first half at hand, and not with the second.
const SEEDS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn books() -> Vec<Book> {
    SEEDS.into_iter().map(Book::of).collect()
}

/// Writes the source of each book to a file of this ending.
fn write(
    folder: &Path,
    books: &[Book],
    ending: &str,
    source: impl Fn(&Book) -> String,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    books
        .iter()
        .map(|book| {
            let file = folder.join(&book.name).with_extension(ending);
            fs::write(&file, source(book))?;
            Ok(file)
        })
        .collect()
}

/// Every document of a file.
fn documents(file: &Path) -> Result<Vec<Document>, Box<dyn Error>> {
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    let format = SourceFormat::of_ending(&ending).ok_or("no format of its ending")?;
    let (source, fallback_id) = (file.display().to_string(), file.display().to_string());
    let bytes = fs::read(file)?;
    let raw = RawDocument { source, fallback_id, url: None, format, bytes, labels: Labels::default() };
    let read: Result<Vec<Document>, _> = FileParser::default().parse(raw).into_iter().collect();
    Ok(read.map_err(|fault| format!("{}: {}", file.display(), fault.sentence))?)
}

/// The only document of a file.
fn document(file: &Path) -> Result<Document, Box<dyn Error>> {
    let mut documents = documents(file)?;
    let document = documents.pop().ok_or("no document")?;
    if documents.is_empty() { Ok(document) } else { Err(format!("{} has several", file.display()).into()) }
}

/// Says that something was not tested.
fn skipped(what: &str, reason: &str) -> Result<(), Box<dyn Error>> {
    vouch_testkit::skip(what, reason);
    Ok(())
}
