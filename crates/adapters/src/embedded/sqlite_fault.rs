//! What went wrong in SQLite → a fault that says what can be done.

use rusqlite::ErrorCode;
use vouch_domain::{Fault, PortError};

use super::row_sums;

const PORT: &str = "store";

pub(super) fn fault(error: rusqlite::Error) -> PortError {
    let (kind, sentence) = match error.sqlite_error_code() {
        _ if names_damage(&error) => (Fault::Corrupt, damage_sentence(&error.to_string())),
        Some(ErrorCode::DiskFull) => (Fault::Full, "no room left on the disk; nothing of this was stored".to_owned()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (Fault::Held, "another process is using the catalogue".to_owned())
        }
        Some(ErrorCode::SystemIoFailure) => (Fault::Full, format!("the disk refused to write ({error})")),
        _ => (Fault::Internal, format!("the catalogue failed ({error})")),
    };
    PortError::new(PORT, kind, sentence).with_source(error)
}

/// Whether an error says that what is stored is damaged.
pub(super) fn names_damage(error: &rusqlite::Error) -> bool {
    let is_sqlite = matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt));
    is_sqlite || error.to_string().contains(row_sums::DAMAGED)
}

/// What a person is told of damage, and what to do about it.
pub(super) fn damage_sentence(what: &str) -> String {
    format!(
        "stored data is damaged ({what}). `vouch doctor` lists the damage; `vouch store restore` brings back a backup, \
         `vouch store repair` keeps what is sound"
    )
}
