//! Which OpenAI-compatible server is asked, and with what key.
//!
//! Invariant: the key is in no text that is made of the settings.

use std::{fmt, time::Duration};

use vouch_domain::PortError;

use crate::model_server::{Access, Connection, ServerAddress};

/// A server that speaks as OpenAI's does.
#[derive(Clone)]
pub struct OpenAiSettings {
    /// Where its paths begin, such as `http://localhost:8080/v1`; taken as given, nothing but paths is added.
    pub base_url: String,
    /// The key it asks for, if it does.
    pub api_key: Option<String>,
    /// How long it may take to accept a connection.
    pub connect_timeout: Duration,
}

impl OpenAiSettings {
    pub(super) fn connection(&self, port: &'static str) -> Result<Connection, PortError> {
        let address = ServerAddress::parse(port, &self.base_url, "http://localhost:8080/v1")?;
        let key = self.api_key.as_deref().unwrap_or_default().trim();
        let access = Access { kind: "model server", address, key, connect_timeout: self.connect_timeout };
        Connection::new(port, access)
    }
}

impl fmt::Debug for OpenAiSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OpenAiSettings")
            .field("base_url", &self.base_url)
            .field("api_key", &self.api_key.as_ref().map(|_| "…"))
            .field("connect_timeout", &self.connect_timeout)
            .finish()
    }
}
