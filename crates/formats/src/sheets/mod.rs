//! Workbooks → a document in which each sheet is a section and each row a block.

mod hidden;
mod number_format;
mod ods;
mod values;
mod xlsx;

use vouch_domain::{Document, ports::ParseError};

use crate::{
    archive::{Archive, is_text_part},
    fault::whole,
    front_matter::FrontMatter,
    manuscript::Manuscript,
    origin::Origin,
};

/// How many cells of a workbook are read, empty ones that are written down too.
const CELLS_MAX: usize = 2_000_000;

pub(super) fn parse(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    let ending = if origin.fallback_id.to_ascii_lowercase().ends_with(".ods") { "ods" } else { "xlsx" };
    let archive = Archive::open(bytes, ending, is_text_part)?;
    let mut manuscript = Manuscript::default();
    let own: FrontMatter = if archive.part("xl/workbook.xml").is_some() {
        xlsx::read(archive, &mut manuscript)?
    } else if archive.part("content.xml").is_some() {
        ods::read(&archive, &mut manuscript)?
    } else {
        return Err(whole(&format!("its ending says .{ending}, but there is no workbook in it")));
    };
    // A workbook is called by its file: the name of its first sheet says little.
    manuscript.finish(origin, own, Some(origin.file_stem().to_owned()))
}

fn too_many_cells() -> ParseError {
    whole(&format!("it has more than {CELLS_MAX} cells; split it"))
}

/// What is told of sheets that are left out.
fn warn_of_hidden(names: &[String], manuscript: &mut Manuscript) {
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        manuscript.warn(format!("its hidden sheets are left out: {}", names.join(", ")));
    }
}
