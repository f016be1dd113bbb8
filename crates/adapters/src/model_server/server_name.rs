//! The server as its failures name it: what happened → a `ModelError` for a person.
//!
//! Invariant: no sentence carries a password from the address, the key, or a word of what was asked or answered.

use reqwest::StatusCode;
use vouch_domain::ModelError;

/// The longest name a server may have for a failure.
const WORD_BYTES_MAX: usize = 48;

/// How a server is called in sentences, and what must never be in one.
pub(crate) struct ServerName {
    kind: &'static str,
    place: String,
    secret: String,
}

impl ServerName {
    pub(super) fn new(kind: &'static str, place: String, secret: &str) -> Self {
        Self { kind, place, secret: secret.to_owned() }
    }

    /// Logs what the server said about its failure, at `debug`: it may repeat the question.
    pub(crate) fn note(&self, said: &[u8]) {
        let said = String::from_utf8_lossy(said);
        let said = if self.is_telling(&said) { "the key, among other words" } else { said.trim() };
        tracing::debug!(server = self.place, said, "a model server failed");
    }

    /// The server's name for a failure where it can be nothing else: one word of small letters.
    pub(crate) fn word<'a>(&self, text: &'a str) -> &'a str {
        let is_name =
            text.len() <= WORD_BYTES_MAX && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
        if is_name && !self.is_telling(text) { text } else { "" }
    }

    fn is_telling(&self, text: &str) -> bool {
        !self.secret.is_empty() && text.contains(&self.secret)
    }

    /// A failure of the connection.
    pub(crate) fn connection(&self, what: impl AsRef<str>) -> ModelError {
        ModelError::Connection { sentence: self.sentence(what) }
    }

    /// A missed deadline.
    pub(crate) fn timeout(&self, what: impl AsRef<str>) -> ModelError {
        ModelError::Timeout { sentence: self.sentence(what) }
    }

    pub(crate) fn sentence(&self, what: impl AsRef<str>) -> String {
        format!("the {} at {} {}", self.kind, self.place, what.as_ref())
    }

    pub(super) fn unreachable_server(&self, error: &reqwest::Error) -> ModelError {
        self.connection(match (error.is_connect(), error.is_timeout()) {
            (true, true) => "did not accept a connection in time",
            (true, false) => "cannot be reached",
            (false, _) => "closed the connection without an answer, or does not speak HTTP",
        })
    }

    pub(crate) fn stream_broken(&self) -> ModelError {
        self.connection("broke off in the middle of its answer")
    }

    pub(super) fn reply_too_large(&self, bytes_max: usize) -> ModelError {
        self.connection(format!("answered with more than the {bytes_max} bytes allowed"))
    }

    /// What the server sent cannot be read; a beginning that could have become something is an answer broken off.
    pub(crate) fn invalid_reply(&self, error: &serde_json::Error) -> ModelError {
        if error.is_eof() {
            return self.stream_broken();
        }
        self.connection(if error.is_data() {
            "answered with JSON that does not fit its protocol"
        } else {
            "answered with something that is not JSON"
        })
    }

    /// The answer is of a kind that was not asked for.
    pub(crate) fn unexpected_media_type(&self, kind: &str, wanted: &str) -> ModelError {
        let is_plain = !kind.is_empty() && kind.len() <= 64 && kind.bytes().all(|byte| byte.is_ascii_graphic());
        let kind = if is_plain { kind } else { "content of no stated type" };
        self.connection(format!("answered with {kind} instead of {wanted}"))
    }

    /// What a status says where the body does not say it better; `word` is the server's own name for the failure.
    pub(crate) fn status(&self, status: StatusCode, word: &str) -> ModelError {
        let number = status.as_u16();
        let told = if word.is_empty() { number.to_string() } else { format!("{number}, {word}") };
        self.connection(match number {
            300..=399 => format!("redirects elsewhere ({told}), and redirects are not followed"),
            401 | 403 => format!("refused the request ({told}): it asks for a key or a password"),
            404 | 405 => format!("has nothing at this address ({told}); the base address may be wrong"),
            429 => format!("is busy ({told})"),
            503 => format!("is busy or still starting ({told})"),
            400..=499 => format!("refused the request ({told})"),
            _ => format!("failed ({told})"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ServerName;

    #[test]
    fn a_name_for_a_failure_is_one_small_word_and_never_the_key() {
        let server = ServerName::new("server", "http://h".to_owned(), "opensesame");
        assert_eq!(server.word("server_error"), "server_error");
        for other in ["How tall is the mast?", "sk-1", "opensesame", "not_opensesame", &"x".repeat(49)] {
            assert_eq!(server.word(other), "", "{other}");
        }
        assert!(server.is_telling("Incorrect API key provided: opensesame."));
        assert!(!ServerName::new("server", String::new(), "").is_telling("anything"));
    }
}
