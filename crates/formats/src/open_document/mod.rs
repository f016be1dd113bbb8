//! `OpenDocument` → a document: texts here, and what texts and sheets have in common.

mod inline;
mod lists;
mod styles;
mod tables;
mod text;

use vouch_domain::{Document, ports::ParseError};

use crate::{
    archive::{Archive, ENCRYPTED, is_text_part},
    blocks::{self, Pages},
    fault::whole,
    front_matter::FrontMatter,
    manuscript::Manuscript,
    origin::Origin,
    properties,
    xml::{Token, Xml},
};

pub(crate) use inline::paragraph;
pub(crate) use styles::Styles;

pub(super) fn parse(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    let archive = Archive::open(bytes, "odt", is_text_part)?;
    check_encryption(&archive)?;
    let meta = Meta::read(&archive)?;
    let read = text::read(&archive)?;
    let mut manuscript = Manuscript::default();
    let pages = match meta.pages {
        Some(pages) => Pages::Stated(pages),
        None if read.has_soft_breaks => Pages::AllMarked,
        None => Pages::Unknown,
    };
    blocks::write(&read.blocks, &pages, &mut manuscript);
    manuscript.finish(origin, meta.own, read.title)
}

/// What a document says of itself.
pub(crate) struct Meta {
    pub(crate) own: FrontMatter,
    pages: Option<u32>,
}

impl Meta {
    pub(crate) fn read(archive: &Archive) -> Result<Self, ParseError> {
        let (mut title, mut changed, mut pages) = (None, None, None);
        if let Some(bytes) = archive.part("meta.xml") {
            let mut xml = Xml::new(bytes, "meta.xml")?;
            while let Some(token) = xml.token()? {
                let Token::Open(tag) = token else { continue };
                match tag.name() {
                    "dc:title" => title = Some(xml.words()?),
                    "dc:date" => changed = Some(xml.words()?),
                    "meta:document-statistic" => pages = tag.number("meta:page-count"),
                    _ => {}
                }
            }
        }
        Ok(Self { own: properties::front_matter(title.as_deref(), changed.as_deref()), pages })
    }
}

/// Parts of an encrypted document are noise, and its list of parts says so.
pub(crate) fn check_encryption(archive: &Archive) -> Result<(), ParseError> {
    const PART: &str = "META-INF/manifest.xml";
    let Some(bytes) = archive.part(PART) else { return Ok(()) };
    let mut xml = Xml::new(bytes, PART)?;
    while let Some(token) = xml.token()? {
        if let Token::Open(tag) = token
            && tag.local_name() == "encryption-data"
        {
            return Err(whole(ENCRYPTED));
        }
    }
    Ok(())
}

/// The part that has the words.
pub(crate) fn content(archive: &Archive) -> Result<Xml<'_>, ParseError> {
    let bytes = archive.part("content.xml").ok_or_else(|| whole("its part content.xml is missing"))?;
    Xml::new(bytes, "content.xml")
}
