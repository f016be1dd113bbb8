//! Generations whose documents are still kept: not those that were compacted away or turned back over.

use rusqlite::{Transaction, types::Type};
use vouch_domain::{Fault, PortError, ports::Generation};

use super::{
    facts::{generation, kept_from, meta, set_meta},
    sqlite_fault::fault,
};

const PORT: &str = "catalogue";
/// Under which name the generations are kept that were turned back over: a JSON array of the one that was turned back to and
/// the last one then, of each time.
const TURNED_BACK: &str = "turned_back";

/// Refuses a generation whose documents are not all kept.
pub(super) fn check_kept(transaction: &Transaction<'_>, wanted: Generation) -> Result<(), PortError> {
    let (then, now) = (wanted.0, generation(transaction).map_err(fault)?.0);
    if then > now {
        return Err(invalid(format!("the catalogue is at generation {now} and has never been at {then}")));
    }
    let from = kept_from(transaction).map_err(fault)?.0;
    if then < from {
        return Err(invalid(format!(
            "the documents as they were at generation {then} are no longer kept: `vouch store compact` removed versions from \
             before generation {from}"
        )));
    }
    match span_of(transaction, wanted).map_err(fault)? {
        None => Ok(()),
        Some((to, last)) => Err(invalid(format!(
            "the documents as they were at generation {then} are not in this store: it was turned back from generation {last} \
             to generation {to}"
        ))),
    }
}

/// Whether the store was turned back over a generation, so that what was there then is not here.
pub(super) fn is_left_out(transaction: &Transaction<'_>, generation: Generation) -> rusqlite::Result<bool> {
    Ok(span_of(transaction, generation)?.is_some())
}

/// What was turned back to, and the last generation then, where a generation came between the two.
fn span_of(transaction: &Transaction<'_>, generation: Generation) -> rusqlite::Result<Option<(u64, u64)>> {
    Ok(spans(transaction)?.into_iter().find(|(to, last)| *to < generation.0 && generation.0 <= *last))
}

/// The generations that were turned back over, each time.
fn spans(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<(u64, u64)>> {
    let Some(text) = meta(transaction, TURNED_BACK)? else { return Ok(Vec::new()) };
    serde_json::from_str(&text).map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into()))
}

/// Notes that a store was turned back: to which generation, and which was the last one then.
pub(super) fn note_span(transaction: &Transaction<'_>, span: (u64, u64)) -> Result<(), PortError> {
    let mut spans = spans(transaction).map_err(fault)?;
    spans.push(span);
    let written = serde_json::to_string(&spans)
        .map_err(|error| PortError::new(PORT, Fault::Internal, "cannot be written down").with_source(error))?;
    set_meta(transaction, TURNED_BACK, &written).map_err(fault)
}

pub(super) fn invalid(sentence: String) -> PortError {
    PortError::new(PORT, Fault::Invalid, sentence)
}
