//! The bytes of a page → its text, in the encoding it says it is in.
//!
//! A page that is valid UTF-8 is read as that, whatever it says: tools convert pages and leave their old word in them.

use std::borrow::Cow;

use encoding_rs::Encoding;
use vouch_domain::ports::ParseError;

use crate::fault::whole;

/// How far into a page its encoding may be told, in bytes, as browsers have it.
const TOLD_WITHIN: usize = 1_024;
/// How much of a name that is no encoding is shown.
const NAME_CHARS_SHOWN: usize = 40;

pub(crate) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    if bytes.is_empty() {
        return Err(whole(vouch_domain::ports::NO_TEXT));
    }
    let (encoding, rest) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, bytes.get(length..).unwrap_or_default()),
        None => (told(bytes)?, bytes),
    };
    let text = encoding.decode_without_bom_handling_and_without_replacement(rest).ok_or_else(|| {
        let place = std::str::from_utf8(rest).err().map_or(0, |error| error.valid_up_to());
        if encoding == encoding_rs::UTF_8 {
            whole(&format!("it is not valid UTF-8 (first bad byte at {place})"))
        } else {
            whole(&format!("it is not valid {}, which it says it is in", encoding.name()))
        }
    })?;
    if text.contains('\0') { Err(whole("it is a binary file, not text")) } else { Ok(text) }
}

/// UTF-8 where the bytes are that, else what the page names.
fn told(bytes: &[u8]) -> Result<&'static Encoding, ParseError> {
    let head = String::from_utf8_lossy(bytes.get(..bytes.len().min(TOLD_WITHIN)).unwrap_or_default()).to_lowercase();
    let name = head.split_once("charset").and_then(|(_, after)| after.trim_start().strip_prefix('='));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let name =
        name.map(|after| after.trim_start_matches([' ', '"', '\'']).split(|c| !is_name(c)).next().unwrap_or_default());
    let Some(name) = name.filter(|name| !name.is_empty() && std::str::from_utf8(bytes).is_err()) else {
        return Ok(encoding_rs::UTF_8);
    };
    let shown: String = name.chars().take(NAME_CHARS_SHOWN).collect();
    Encoding::for_label(name.as_bytes())
        .ok_or_else(|| whole(&format!("it says it is in '{shown}', which is not a known encoding")))
}
