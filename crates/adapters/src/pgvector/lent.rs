//! A connection of the pool for one piece of work.
//!
//! Invariant: one whose work was given up in the middle is closed. The server would go on with that work first, and whoever was lent
//! the connection next would wait for it.

use deadpool_postgres::Object;
use vouch_domain::{Fault, PortError};

use crate::postgres::{fault::PORT, server::Server};

/// The connection; it goes back to the pool where `give_back` is reached.
pub(super) struct Lent {
    connection: Option<Object>,
}

impl Lent {
    /// A connection, to be used on the runtime of the server.
    pub(super) async fn from(server: &Server) -> Result<Self, PortError> {
        Ok(Self { connection: Some(server.connection().await?) })
    }

    pub(super) fn client(&mut self) -> Result<&mut Object, PortError> {
        let gone = || PortError::new(PORT, Fault::Internal, "the connection was given back");
        self.connection.as_mut().ok_or_else(gone)
    }

    /// Says that the work is over, whatever came of it.
    pub(super) fn give_back(mut self) {
        drop(self.connection.take());
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}
