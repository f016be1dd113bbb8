//! What went wrong in the index library → a fault that says what can be done.

use tantivy::{
    TantivyError,
    directory::error::{LockError, OpenWriteError},
};
use vouch_domain::{Fault, PortError};

pub(super) const PORT: &str = "lexical";

pub(super) fn fault(error: TantivyError) -> PortError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum that may grow")]
    let kind = match &error {
        TantivyError::IoError(io)
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. })
        | TantivyError::LockFailure(LockError::IoError(io), _) => crate::embedded::files::io_fault(io),
        TantivyError::LockFailure(..) => Fault::Held,
        TantivyError::DataCorruption(_) => Fault::Corrupt,
        _ => Fault::Internal,
    };
    let sentence = match kind {
        Fault::Full => "no room left on the disk for the word index".to_owned(),
        Fault::Unavailable
        | Fault::CircuitOpen
        | Fault::Timeout
        | Fault::Held
        | Fault::Corrupt
        | Fault::OtherEmbedder
        | Fault::Invalid
        | Fault::Internal => format!("the word index failed ({error})"),
    };
    PortError::new(PORT, kind, sentence).with_source(error)
}
