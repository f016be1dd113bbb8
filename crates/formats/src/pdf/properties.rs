//! What a file says of itself: its title and when it was changed.

use pdfboss_core::{Document, Object};

use crate::front_matter::FrontMatter;

/// Titles that programs put there when nobody else did.
const NO_TITLES: [&str; 8] =
    ["untitled", "unknown", "microsoft word", "microsoft powerpoint", "powerpoint", "document", "slide 1", "no title"];
/// Endings that show a title to be the name of a file.
const ENDINGS: [&str; 14] = [
    ".doc", ".docx", ".pdf", ".tex", ".dvi", ".ppt", ".pptx", ".xls", ".xlsx", ".odt", ".indd", ".qxd", ".html", ".rtf",
];
/// Names of programs that part words.
const TYPESETTERS: [&str; 5] = ["tex", "groff", "gropdf", "indesign", "xdvipdfmx"];
const TITLE_CHARS_MAX: usize = 300;
/// The longest packet of metadata that is looked into, in bytes.
const PACKET_BYTES_MAX: usize = 1 << 20;

/// The date and the title of a file, where it names real ones.
pub(super) fn read(document: &Document) -> FrontMatter {
    let own = document.metadata();
    let title = own.title.as_deref().and_then(real_title);
    let title = title.or_else(|| packet_title(document).as_deref().and_then(real_title));
    let date = own.mod_date_parsed().or_else(|| own.creation_date_parsed());
    let date = date.map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day));
    FrontMatter { title, date, ..FrontMatter::default() }
}

/// Whether its program parts words at the ends of lines, as office programs and browsers do not unless they are told to.
pub(super) fn parts_words(document: &Document) -> bool {
    let own = document.metadata();
    let programs = [own.producer, own.creator].into_iter().flatten().map(|name| name.to_lowercase());
    programs.into_iter().any(|name| TYPESETTERS.iter().any(|program| name.contains(program)))
}

/// A title that somebody gave.
fn real_title(title: &str) -> Option<String> {
    let title = crate::manuscript::joined(&without_escapes(title));
    let lower = title.to_lowercase();
    let is_name = NO_TITLES.contains(&lower.as_str())
        || lower.starts_with("microsoft word - ")
        || lower.starts_with("microsoft powerpoint - ")
        || lower.starts_with("untitled")
        || ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || lower.contains("://");
    let has_words = title.chars().filter(|c| c.is_alphabetic()).count() >= 2;
    (has_words && !is_name && title.chars().nth(TITLE_CHARS_MAX).is_none()).then_some(title)
}

/// A title with its letters for what groff writes there instead of them, as `[u00FC]` for ü.
fn without_escapes(title: &str) -> String {
    let mut pieces = title.split('[');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let letter = piece.split_once(']').and_then(|(name, rest)| Some((groff_letter(name)?, rest)));
        match letter {
            Some((letter, rest)) => {
                text.push(letter);
                text.push_str(rest);
            }
            None => {
                text.push('[');
                text.push_str(piece);
            }
        }
    }
    text
}

fn groff_letter(name: &str) -> Option<char> {
    match name {
        "cq" => Some('’'),
        "oq" => Some('‘'),
        "lq" => Some('“'),
        "rq" => Some('”'),
        "en" => Some('–'),
        "em" => Some('—'),
        _ => {
            let code = name.strip_prefix('u').filter(|code| (4..=6).contains(&code.len()))?;
            char::from_u32(u32::from_str_radix(code, 16).ok()?)
        }
    }
}

/// The title in the XML packet of the file's catalog.
fn packet_title(document: &Document) -> Option<String> {
    let catalog = document.resolve(document.xref().trailer.get("Root")?).ok()?;
    let packet = document.resolve(catalog.as_dict()?.get("Metadata")?).ok()?;
    let Object::Stream(stream) = &packet else { return None };
    let bytes = document.stream_data(stream).ok()?;
    let packet = std::str::from_utf8(bytes.get(..bytes.len().min(PACKET_BYTES_MAX))?).ok()?;
    let (_, after) = packet.split_once("<dc:title")?;
    let (inside, _) = after.split_once("</dc:title>")?;
    let (_, words) = inside.split_once("<rdf:li")?;
    let (_, words) = words.split_once('>')?;
    let (words, _) = words.split_once('<')?;
    let plain = words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    Some(plain.replace("&apos;", "'").replace("&amp;", "&"))
}
