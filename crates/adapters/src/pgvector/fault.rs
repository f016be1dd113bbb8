//! What went wrong in the database → what went wrong with the vector index.

use vouch_domain::{Fault, PortError};

const PORT: &str = "dense";

pub(super) fn of_the_index(error: PortError) -> PortError {
    let sentence = match error.fault {
        Fault::Unavailable | Fault::CircuitOpen => "the vector index's database cannot be reached",
        Fault::Timeout => "the vector index's database took too long",
        Fault::Held => "another node is changing the vector index",
        Fault::Full => "the vector index's database has no room left",
        Fault::Invalid => {
            "the vector index's database does not accept the address or the role of dense.url, see docs/guide/nodes.md"
        }
        Fault::Corrupt | Fault::OtherEmbedder | Fault::Internal => "a statement failed in the vector index's database",
    };
    PortError::new(PORT, error.fault, sentence).with_source(error)
}

/// The same where tables are made, for which rights or the extension may be missing.
pub(super) fn of_the_making(error: PortError) -> PortError {
    match error.fault {
        Fault::Invalid | Fault::Internal => {
            let sentence = "the vector index cannot be made: the database needs the extension `vector` (0.8 or newer), and the \
                            role of dense.url a schema `vouch_dense` of its own or the right to make one";
            PortError::new(PORT, Fault::Invalid, sentence).with_source(error)
        }
        Fault::Unavailable
        | Fault::CircuitOpen
        | Fault::Timeout
        | Fault::Held
        | Fault::Full
        | Fault::Corrupt
        | Fault::OtherEmbedder => of_the_index(error),
    }
}
