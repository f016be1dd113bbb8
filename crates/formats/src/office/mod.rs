//! Documents and presentations of Office → documents.
//!
//! `office_oxide` reads them; what its tree of blocks has is written down here. Parts it could only read in part are an
//! error: a text with a hole in it must not answer questions.

mod contents;
mod signs;
mod slides;

use std::io::Cursor;

use office_oxide::{Document as OfficeFile, DocumentFormat, OfficeError, ir::Metadata, options::ParseOptions};
use vouch_domain::{Document, ports::ParseError};

use crate::{
    archive::{Archive, is_text_part},
    blocks,
    fault::whole,
    manuscript::Manuscript,
    origin::Origin,
    properties,
};

const DOCUMENT: &str = "word/document.xml";

/// A document of Word.
pub(super) fn docx(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    let mut archive = Archive::open(bytes, "docx", is_text_part)?;
    let pages = signs::put(&mut archive)?;
    let file = open(archive, DocumentFormat::Docx)?;
    let ir = file.to_ir();
    check_complete(&ir.metadata)?;
    let contents = contents::of_sections(&ir.sections);
    contents.check()?;
    let mut manuscript = Manuscript::default();
    blocks::write(&contents.blocks, &pages, &mut manuscript);
    // Where the properties have no title, the library takes the first heading for one; that is done here.
    let stated = file.as_docx().and_then(|docx| docx.core_properties.as_ref()).and_then(|own| own.title.as_deref());
    let own = properties::front_matter(stated, ir.metadata.modified.as_deref());
    manuscript.finish(origin, own, contents.title)
}

/// A presentation of PowerPoint.
pub(super) fn pptx(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    let mut archive = Archive::open(bytes, "pptx", is_text_part)?;
    signs::forget_places(&mut archive)?;
    let file = open(archive, DocumentFormat::Pptx)?;
    let ir = file.to_ir();
    check_complete(&ir.metadata)?;
    let Some(pptx) = file.as_pptx() else { return Err(whole("there is no presentation in it")) };
    let mut manuscript = Manuscript::default();
    let title = slides::write(&ir.sections, pptx, &mut manuscript)?;
    let stated = pptx.core_properties.as_ref().and_then(|own| own.title.as_deref());
    let own = properties::front_matter(stated, ir.metadata.modified.as_deref());
    manuscript.finish(origin, own, title)
}

fn open(archive: Archive, format: DocumentFormat) -> Result<OfficeFile, ParseError> {
    OfficeFile::from_reader_with(Cursor::new(archive.into_zip()?), format, &ParseOptions::strict())
        .map_err(|error| not_read(&error))
}

fn check_complete(metadata: &Metadata) -> Result<(), ParseError> {
    if metadata.text_truncated {
        let reason = metadata.warnings.first().map_or("a part of it is too large", String::as_str);
        return Err(whole(&format!("it can be read only in part: {reason}")));
    }
    Ok(())
}

fn not_read(error: &OfficeError) -> ParseError {
    whole(&format!("it is damaged or incomplete ({error})"))
}
