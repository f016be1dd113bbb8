//! A reply that has begun → its lines, its whole, or the beginning of an error's explanation.
//!
//! Invariant: no more is read than the allowance has bytes, and no later than its deadlines.

use std::sync::Arc;

use reqwest::{Response, StatusCode, header};
use serde::de::DeserializeOwned;
use vouch_domain::ModelError;

use super::{Allowance, ServerName, line_reader::LineReader};

/// How much of an error's explanation is read.
const ERROR_BYTES_MAX: usize = 4096;

/// The longest line a server may send.
const LINE_BYTES_MAX: usize = 1024 * 1024;

/// A reply of which nothing but the head was read.
pub(crate) struct Reply {
    response: Response,
    allowance: Allowance,
    bytes_left: usize,
    server: Arc<ServerName>,
}

/// What a server said instead of an answer.
pub(crate) struct RefusedReply {
    /// The status; none if it came in the middle of an answer.
    pub(crate) status: Option<StatusCode>,
    /// The beginning of its explanation.
    pub(crate) body: Vec<u8>,
}

impl RefusedReply {
    /// Whether the server could not make sense of the request.
    pub(crate) fn is_bad_request(&self) -> bool {
        matches!(self.status, Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY))
    }
}

impl Reply {
    pub(super) fn new(response: Response, allowance: Allowance, server: Arc<ServerName>) -> Self {
        Self { response, bytes_left: allowance.bytes_max, allowance, server }
    }

    /// What kind of content it is, without its parameters.
    pub(crate) fn kind(&self) -> String {
        let header = self.response.headers().get(header::CONTENT_TYPE);
        let kind = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// The reply where it is an answer, else what was said instead.
    pub(crate) async fn accepted(mut self) -> Result<Self, RefusedReply> {
        let status = self.response.status();
        if status.is_success() {
            return Ok(self);
        }
        let mut body = Vec::new();
        while body.len() < ERROR_BYTES_MAX {
            let Ok(Some(piece)) = self.next().await else { break };
            body.extend_from_slice(piece.as_ref());
        }
        body.truncate(ERROR_BYTES_MAX);
        Err(RefusedReply { status: Some(status), body })
    }

    /// The whole answer, read as JSON.
    pub(crate) async fn json<T: DeserializeOwned>(mut self) -> Result<T, ModelError> {
        let kind = self.kind();
        if kind != "application/json" {
            return Err(self.server.unexpected_media_type(&kind, "JSON"));
        }
        let mut body = Vec::new();
        while let Some(piece) = self.next().await? {
            body.extend_from_slice(piece.as_ref());
        }
        serde_json::from_slice(&body).map_err(|error| self.server.invalid_reply(&error))
    }

    /// The whole answer, as it came.
    pub(crate) async fn bytes(mut self) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while let Some(piece) = self.next().await? {
            body.extend_from_slice(piece.as_ref());
        }
        Ok(body)
    }

    /// The whole answer, as text; what is none is replaced.
    pub(crate) async fn text(self) -> Result<String, ModelError> {
        Ok(String::from_utf8_lossy(&self.bytes().await?).into_owned())
    }

    /// The answer line by line.
    pub(super) fn lines(self) -> Lines {
        Lines { reply: self, reader: LineReader::new(LINE_BYTES_MAX), is_read: false }
    }

    async fn next(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, ModelError> {
        let read = self.allowance.deadlines.run(&self.server, self.response.chunk()).await?;
        let Some(piece) = read.map_err(|_| self.server.stream_broken())? else { return Ok(None) };
        let Some(left) = self.bytes_left.checked_sub(piece.len()) else {
            return Err(self.server.reply_too_large(self.allowance.bytes_max));
        };
        self.bytes_left = left;
        Ok(Some(piece))
    }
}

/// An answer's lines.
pub(super) struct Lines {
    reply: Reply,
    reader: LineReader,
    is_read: bool,
}

impl Lines {
    /// The next line; the last one may lack its end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        loop {
            let line = self.reader.next_line().map_err(|_| self.reply.server.reply_too_large(LINE_BYTES_MAX))?;
            if line.is_some() {
                return Ok(line);
            }
            if self.is_read {
                return Ok(self.reader.rest());
            }
            match self.reply.next().await? {
                Some(piece) => self.reader.push(piece.as_ref()),
                None => self.is_read = true,
            }
        }
    }

    pub(super) fn note_word(&mut self) {
        self.reply.allowance.deadlines.note_word();
    }

    pub(super) fn server(&self) -> &ServerName {
        &self.reply.server
    }
}
