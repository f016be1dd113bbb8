//! A file that is not read → why, for whoever wants it read. Told by its name alone, so that every way in says the same of it.

use crate::document::SourceFormat;

/// What Office puts before the name of a document while somebody has it open.
const OPEN_MARK: &str = "~$";

/// Whether a file only says that a document beside it is open: it has that document's name and nothing of its text.
#[must_use]
pub fn is_open_mark(file_name: &str) -> bool {
    file_name.starts_with(OPEN_MARK)
}

/// Why a file of this name is not read; for one that Vouch has a reader for, that it is of no form it could be read as.
#[must_use]
pub fn reason_unread(file_name: &str) -> String {
    if is_open_mark(file_name) {
        return "it is a lock file that Office keeps while a document is open; it contains no text".to_owned();
    }
    let ending = file_name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match ending.as_str() {
        "doc" => "the old Word format cannot be read; save it as .docx".to_owned(),
        "xls" => "the old Excel format cannot be read; save it as .xlsx".to_owned(),
        "ppt" | "odp" => "this format cannot be read; save it as .pptx or .pdf".to_owned(),
        "rtf" => "this format cannot be read; save it as .docx or .odt".to_owned(),
        "msg" => "Outlook messages cannot be read; save it as .eml".to_owned(),
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "ico" | "tif" | "tiff" => {
            "it is an image; name a program that reads images under ingest.convert".to_owned()
        }
        _ => format!("its format is not supported; Vouch reads {}", known_endings()),
    }
}

/// The endings of files that are read, for a person.
fn known_endings() -> String {
    let endings = SourceFormat::ALL.into_iter().filter_map(|format| format.endings().first());
    endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
}
