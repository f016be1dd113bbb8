//! Which Ollama server is asked.

use std::time::Duration;

use vouch_domain::PortError;

use crate::model_server::{Access, Connection, ServerAddress};

/// An Ollama server.
#[derive(Debug, Clone)]
pub struct OllamaSettings {
    /// Where it is, such as `http://localhost:11434`.
    pub base_url: String,
    /// How long it may take to accept a connection.
    pub connect_timeout: Duration,
}

impl OllamaSettings {
    /// The default address of an Ollama server.
    pub const BASE_URL: &str = "http://localhost:11434";

    pub(super) fn connection(&self, port: &'static str) -> Result<Connection, PortError> {
        let address = ServerAddress::parse(port, &self.base_url, Self::BASE_URL)?;
        let access = Access { kind: "Ollama server", address, key: "", connect_timeout: self.connect_timeout };
        Connection::new(port, access)
    }
}
