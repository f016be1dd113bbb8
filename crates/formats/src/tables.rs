//! Markdown → whether its tables stay in proportion.
//!
//! A table's rows are filled up to the width of its head by the Markdown parser, so a table of many columns whose rows
//! have one cell each grows with the product of both: 300 kB of such tables took 1.5 GB.

use vouch_domain::ports::ParseError;

use crate::fault::whole;

/// How many cells may be missing in any document, and how many bytes of it stand for one more.
const MISSING_FLOOR: usize = 100_000;
const BYTES_PER_MISSING: usize = 8;

/// Refuses a document whose tables lack more cells than a table written by a person.
///
/// The count is an upper bound, made without parsing: whatever could be the rule below a table's head counts as one, up
/// to the next empty line.
pub(super) fn check(body: &str) -> Result<(), ParseError> {
    let limit = MISSING_FLOOR + body.len() / BYTES_PER_MISSING;
    let (mut columns, mut missing) = (0usize, 0usize);
    for line in body.split(['\n', '\r']) {
        let cells = line.bytes().filter(|byte| *byte == b'|').count() + 1;
        missing += columns.saturating_sub(cells);
        if missing > limit {
            return Err(whole(&format!(
                "its tables lack more than {limit} cells in their rows; fill the rows or split the tables"
            )));
        }
        if line.trim().is_empty() {
            columns = 0;
        } else if line.contains('-') && !line.contains(char::is_alphabetic) {
            columns = columns.max(cells);
        }
    }
    Ok(())
}
