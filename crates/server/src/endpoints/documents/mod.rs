//! `/v1/documents`: which there are, one whole, taken in, changed, taken out.

pub(crate) mod delete;
pub(crate) mod edit;
pub(crate) mod ingest;
pub(crate) mod list;
pub(crate) mod read;

use axum::extract::{Path, rejection::PathRejection};
use vouch_domain::DocumentId;

use crate::problem::{Code, Problem};

/// The id in a path, slashes included; an invalid id is reported as not found.
fn id_of(path: Result<Path<String>, PathRejection>, id: &str) -> Result<DocumentId, Problem> {
    let Path(text) = path.map_err(|rejection| Problem::new(Code::InvalidRequest, rejection.body_text(), id))?;
    DocumentId::parse(&text).ok_or_else(|| missing(id))
}

fn missing(id: &str) -> Problem {
    Problem::new(Code::NotFound, "There is no document with this id.", id)
}
