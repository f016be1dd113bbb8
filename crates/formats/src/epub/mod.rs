//! EPUB → the text of a book, chapter by chapter in the order it is read.

mod chapter;
mod package;

use vouch_domain::{Document, ports::ParseError};

use crate::{archive::Archive, fault::whole, front_matter::FrontMatter, html, manuscript::Manuscript, origin::Origin};
use package::Package;

/// How many chapters that cannot be read are told one by one.
const WARNINGS_MAX: usize = 20;

pub(super) fn parse(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    let archive = Archive::open(bytes, "epub", is_wanted)?;
    let package = Package::read(&archive)?;
    let mut manuscript = Manuscript::default();
    let mut unread = 0;
    for place in &package.chapters {
        let Some(mut page) = archive.part(place).map(chapter::text) else {
            unread += 1;
            if unread <= WARNINGS_MAX {
                manuscript.warn(format!("its chapter {place} is missing"));
            }
            continue;
        };
        // A chapter whose title is a picture, or stands in the table of contents alone.
        if !chapter::has_heading(&page)
            && let Some(title) = package.titles.get(place)
        {
            match chapter::with_heading(&page, title) {
                Some(headed) => page = headed,
                None => manuscript.heading(1, title),
            }
        }
        html::write(&page, &mut manuscript)
            .map_err(|fault| ParseError { place: place.clone(), sentence: fault.sentence })?;
    }
    if package.chapters.is_empty() {
        return Err(whole("it is damaged: its package names no chapters"));
    }
    let own = FrontMatter { date: package.date, ..FrontMatter::default() };
    manuscript.finish(origin, own, package.title)
}

/// What words, and what is said about them, stand in.
fn is_wanted(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["xml", "opf", "ncx", "xhtml", "html", "htm"].contains(&ending.as_str())
}
