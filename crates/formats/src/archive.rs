//! Bytes of a zip archive → the parts of it that are text, before any reader of a format sees them.
//!
//! Office files are zip archives, and every reader of them trusts its archive to some degree. Here it is read once, counting
//! while it is inflated; readers are given the parts, or an archive written anew of nothing but these parts.
//!
//! Invariant: memory stays within `INFLATED_BYTES_MAX` whatever the archive says of its own sizes.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
};

use vouch_domain::ports::ParseError;
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::fault::whole;

const ENTRIES_MAX: usize = 10_000;
const INFLATED_BYTES_MAX: usize = 256 * 1024 * 1024;
/// How many bytes may come out of one byte, once there are more than the floor. Sheets of alike rows reach a hundred.
const RATIO_MAX: usize = 300;
const RATIO_FLOOR: usize = 32 * 1024 * 1024;

/// What the old binary formats of Office begin with, and documents of the new ones that are encrypted.
const COMPOUND_FILE: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

pub(crate) const ENCRYPTED: &str = "it is encrypted; save it without a password";

/// The parts of an archive, by name. A part that is not wanted is there and empty, since others may refer to it.
pub(crate) struct Archive {
    parts: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    /// Reads the wanted parts of what should be a file with this ending.
    pub(crate) fn open(bytes: &[u8], ending: &str, is_wanted: fn(&str) -> bool) -> Result<Self, ParseError> {
        check_beginning(bytes, ending)?;
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        if zip.len() > ENTRIES_MAX {
            return Err(whole(&format!("its archive has {} entries, the limit is {ENTRIES_MAX}", zip.len())));
        }
        check_places(&mut zip)?;
        let limit = bytes.len().saturating_mul(RATIO_MAX).clamp(RATIO_FLOOR, INFLATED_BYTES_MAX);
        let (mut parts, mut left) = (BTreeMap::new(), limit);
        for index in 0..zip.len() {
            let entry = zip.by_index(index).map_err(|error| damaged(&error))?;
            let name = entry.name().map_err(|error| damaged(&error))?.trim_start_matches('/').to_owned();
            let mut part = Vec::new();
            if is_wanted(&name) && !entry.is_dir() {
                let most = u64::try_from(left).unwrap_or(u64::MAX).saturating_add(1);
                entry.take(most).read_to_end(&mut part).map_err(|error| broken(&name, &error))?;
            }
            let Some(rest) = left.checked_sub(part.len()) else {
                return Err(whole(&format!("its archive inflates to more than {limit} bytes; split it")));
            };
            left = rest;
            parts.insert(name, part);
        }
        Ok(Self { parts })
    }

    /// A part by its name, if it is there and not empty.
    pub(crate) fn part(&self, name: &str) -> Option<&[u8]> {
        self.parts.get(name).map(Vec::as_slice).filter(|part| !part.is_empty())
    }

    /// All parts that are not empty, with their names.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let parts = self.parts.iter().map(|(name, part)| (name.as_str(), part.as_slice()));
        parts.filter(|(_, part)| !part.is_empty())
    }

    /// Puts other bytes in a part's place.
    pub(crate) fn replace(&mut self, name: &str, bytes: Vec<u8>) {
        self.parts.insert(name.to_owned(), bytes);
    }

    /// An archive of these parts alone, each stored as it is: there is nothing left to inflate.
    pub(crate) fn into_zip(self) -> Result<Vec<u8>, ParseError> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, part) in self.parts {
            if name.ends_with('/') {
                continue;
            }
            zip.start_file(name.as_str(), options).map_err(|error| damaged(&error))?;
            zip.write_all(&part).map_err(|error| broken(&name, &error))?;
        }
        Ok(zip.finish().map_err(|error| damaged(&error))?.into_inner())
    }
}

/// The parts that Office and `OpenDocument` write their words in; pictures and what is embedded are none.
pub(crate) fn is_text_part(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    name == "mimetype" || ["xml", "rels"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn check_beginning(bytes: &[u8], ending: &str) -> Result<(), ParseError> {
    if bytes.is_empty() {
        return Err(whole(vouch_domain::ports::NO_TEXT));
    }
    if bytes.starts_with(COMPOUND_FILE) {
        let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        if bytes.windows(name.len()).any(|there| there == name) {
            return Err(whole(ENCRYPTED));
        }
        return Err(whole(&format!("it is in the old binary Office format; save it again as .{ending}")));
    }
    if !bytes.starts_with(b"PK") {
        return Err(whole(&format!("its ending says .{ending}, but its contents are not in that format")));
    }
    Ok(())
}

/// Entries that lie in each other inflate the same bytes again and again.
fn check_places(zip: &mut ZipArchive<Cursor<&[u8]>>) -> Result<(), ParseError> {
    let mut places = Vec::with_capacity(zip.len());
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(|error| damaged(&error))?;
        if entry.encrypted() {
            return Err(whole(ENCRYPTED));
        }
        let size = entry.compressed_size();
        let start = entry.data_start().unwrap_or_else(|| entry.header_start());
        places.push((entry.header_start(), start.saturating_add(size)));
    }
    places.sort_unstable();
    let overlap = places.iter().zip(places.iter().skip(1)).any(|(one, next)| one.1 > next.0);
    if overlap { Err(whole("its archive is damaged: two of its entries overlap")) } else { Ok(()) }
}

fn damaged(error: &ZipError) -> ParseError {
    whole(&format!("its archive is damaged or incomplete ({error})"))
}

fn broken(name: &str, error: &std::io::Error) -> ParseError {
    whole(&format!("its archive is damaged or incomplete: {name} cannot be read ({error})"))
}
