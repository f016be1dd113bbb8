//! A few passages and vectors from all over a catalogue, read when it is opened, so that wide damage shows at once.

use rusqlite::{OptionalExtension, Transaction};

/// How many rows are read of each table.
const ROWS: u64 = 64;

/// Reads rows spread evenly over the keys; fails at the first that is damaged. Answers how many were read.
pub(super) fn read_some(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let last: Option<u64> = transaction.query_row("SELECT max(key) FROM passages", [], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    let mut passage = transaction.prepare("SELECT length(text) FROM checked_passages WHERE key = ?1")?;
    let mut vector = transaction.prepare("SELECT length(vector) FROM checked_embeddings WHERE passage = ?1")?;
    let mut read = 0;
    let step = (last / ROWS).max(1);
    for key in (1..=last).rev().step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let found: Option<u64> = passage.query_row([key], |row| row.get(0)).optional()?;
        vector.query_row([key], |row| row.get::<_, u64>(0)).optional()?;
        read += u64::from(found.is_some());
    }
    Ok(read)
}
