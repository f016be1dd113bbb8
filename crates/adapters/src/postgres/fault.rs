//! What went wrong in PostgreSQL → a fault that says what can be done.

use tokio_postgres::error::SqlState;
use vouch_domain::{Fault, PortError};

/// The name of the port in errors.
pub(crate) const PORT: &str = "database";

/// The fault of an error; the cause may repeat what was stored, so it is for the log alone.
pub(crate) fn fault(error: tokio_postgres::Error) -> PortError {
    let (kind, sentence) = match error.code() {
        Some(code) if *code == SqlState::QUERY_CANCELED => {
            (Fault::Timeout, "the database took too long; nothing was changed")
        }
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => {
            (Fault::Held, "another node is changing the store and has not finished in time; nothing was changed")
        }
        Some(code) if *code == SqlState::DISK_FULL => {
            (Fault::Full, "the database has no room left; nothing was changed")
        }
        Some(code) if *code == SqlState::UNTRANSLATABLE_CHARACTER || *code == SqlState::CHARACTER_NOT_IN_REPERTOIRE => {
            (Fault::Invalid, "a text holds the character U+0000, which PostgreSQL cannot keep; nothing was changed")
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => (
            Fault::Invalid,
            "the database does not allow this to the role that Vouch uses; see deploy/postgres-roles.sql",
        ),
        Some(code) if code.code().starts_with("28") => {
            (Fault::Invalid, "the database does not accept the user or password of store.postgres")
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            (Fault::Invalid, "the server has no database of the name that store.postgres gives")
        }
        Some(code) if ["08", "53", "55", "57"].iter().any(|class| code.code().starts_with(class)) => {
            (Fault::Unavailable, "the database is not available; nothing was changed")
        }
        Some(_) => (Fault::Internal, "a statement failed in the database; nothing was changed"),
        None => (Fault::Unavailable, "the database cannot be reached; nothing was changed"),
    };
    PortError::new(PORT, kind, sentence).with_source(error)
}

/// Whether a database may be there again later.
pub(crate) fn is_away(error: &PortError) -> bool {
    matches!(error.fault, Fault::Unavailable | Fault::Timeout | Fault::CircuitOpen)
}

pub(crate) fn late() -> PortError {
    PortError::new(PORT, Fault::Unavailable, "the database did not answer in time")
}
