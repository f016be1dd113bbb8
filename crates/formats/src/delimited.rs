//! Values with commas, semicolons, tabs or bars between → a document of rows.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use csv::{ReaderBuilder, StringRecord};
use encoding_rs::Encoding;
use vouch_domain::{Document, ports::ParseError};

use crate::{
    fault::whole,
    front_matter::FrontMatter,
    manuscript::Manuscript,
    origin::Origin,
    rows::{Cell, Rows, is_figure},
};

const DELIMITERS: &[u8] = b",;\t|";
/// How much of a file is looked at for its delimiter.
const BYTES_LOOKED_AT: usize = 64 * 1024;
const RECORDS_LOOKED_AT: usize = 100;
const ROWS_MAX: u32 = 1_000_000;
const CELLS_MAX: usize = 2_000_000;
const CELL_BYTES_MAX: usize = 256 * 1024;

pub(super) fn parse(bytes: &[u8], origin: &Origin<'_>) -> Result<Document, ParseError> {
    let text = decoded(bytes)?;
    let (delimiter, text) = match stated_delimiter(&text) {
        Some(stated) => stated,
        None => (found_delimiter(&text), text.as_ref()),
    };
    let mut manuscript = Manuscript::default();
    let mut rows = Rows::new(&mut manuscript, "");
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    let mut cells_left = CELLS_MAX;
    let mut line_before = 1;
    let mut number = 0;
    while reader.read_record(&mut record).map_err(|error| not_read(number, &error))? {
        // Lines without anything are rows too; the reader passes over them on its way to the next record.
        let line = reader.position().line();
        let own = 1 + record.iter().map(|cell| cell.matches('\n').count()).sum::<usize>();
        let empty = line.saturating_sub(line_before).saturating_sub(u64::try_from(own).unwrap_or(u64::MAX));
        number += 1 + u32::try_from(empty).unwrap_or(ROWS_MAX).min(ROWS_MAX);
        line_before = line;
        cells_left = cells_left.saturating_sub(record.len());
        if number > ROWS_MAX || cells_left == 0 {
            return Err(whole(&format!("it has more than {ROWS_MAX} rows or {CELLS_MAX} values; split it")));
        }
        if record.iter().any(|cell| cell.len() > CELL_BYTES_MAX) {
            return Err(whole(&format!(
                "row {number} has a value of more than {CELL_BYTES_MAX} bytes; is a quotation mark missing there?"
            )));
        }
        let cells = (0..).zip(record.iter());
        let cell =
            |(column, text): (u32, &str)| Cell { column, text: text.to_owned(), is_words: !is_figure(text.trim()) };
        rows.push(number, cells.map(cell).collect())?;
    }
    rows.finish()?;
    manuscript.finish(origin, FrontMatter::default(), Some(origin.file_stem().to_owned()))
}

/// The text, in the encoding that its first bytes name, else UTF-8 if it is that, else the one that fits best.
fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    if bytes.is_empty() {
        return Err(whole(vouch_domain::ports::NO_TEXT));
    }
    let text = if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let (text, has_faults) = encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default());
        if has_faults {
            return Err(whole(&format!("it is not valid {}, which its first bytes say it is", encoding.name())));
        }
        text
    } else if let Ok(text) = std::str::from_utf8(bytes) {
        Cow::Borrowed(text)
    } else {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        let encoding = detector.guess(None, Utf8Detection::Deny);
        encoding.decode_without_bom_handling(bytes).0
    };
    if text.contains('\0') {
        return Err(whole("it is a binary file, not text"));
    }
    Ok(text)
}

/// What a first line such as `sep=;` says, which Excel reads and does not show.
fn stated_delimiter(text: &str) -> Option<(u8, &str)> {
    let (line, rest) = text.split_once('\n')?;
    match line.trim_end_matches('\r').as_bytes() {
        [b's', b'e', b'p', b'=', delimiter] if delimiter.is_ascii() && *delimiter != b'"' => Some((*delimiter, rest)),
        _ => None,
    }
}

/// The delimiter that gives most records the same number of values, and of these the one that gives more.
fn found_delimiter(text: &str) -> u8 {
    let mut end = text.len().min(BYTES_LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let beginning = text.get(..end).unwrap_or_default();
    let scored =
        DELIMITERS.iter().filter_map(|delimiter| score(beginning, *delimiter).map(|score| (score, *delimiter)));
    // Of equals the first: a comma.
    let best = scored.fold(None, |best: Option<((usize, usize), u8)>, one| match best {
        Some(best) if best.0 >= one.0 => Some(best),
        Some(_) | None => Some(one),
    });
    best.map_or(b',', |(_, delimiter)| delimiter)
}

/// Of ten records, how many have as many values as most have, and how many these are; nothing where most have one.
fn score(beginning: &str, delimiter: u8) -> Option<(usize, usize)> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(beginning.as_bytes());
    let mut widths: Vec<usize> =
        reader.records().take(RECORDS_LOOKED_AT).flatten().map(|record| record.len()).collect();
    widths.sort_unstable();
    let runs = widths.chunk_by(|one, next| one == next).filter(|run| run.first().is_some_and(|width| *width > 1));
    let most = runs.max_by_key(|run| run.len())?;
    Some((most.len() * 10 / widths.len(), *most.first()?))
}

fn not_read(number: u32, error: &csv::Error) -> ParseError {
    whole(&format!("it cannot be read after row {number} ({error})"))
}
