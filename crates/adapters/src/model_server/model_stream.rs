//! A reply's lines, as its protocol reads them → text as it comes.
//!
//! Invariant: text ends where the protocol says so and nowhere else; after the end and after an error nothing comes,
//! and the connection is closed.

use async_trait::async_trait;
use vouch_domain::{
    ModelError, ToolCall,
    ports::{CompletionRequest, CompletionStream},
};

use super::{
    Allowance, Deadlines, Reply,
    reply::Lines,
    tool_calls::{CallPiece, CalledTools},
};

/// How a protocol's lines are to be read.
pub(crate) trait LineDecoder: Send {
    /// Reads a line.
    fn decode(&mut self, line: &[u8]) -> Result<Fragment, ModelError>;

    /// The server has nothing more to say: fine where it had finished.
    fn close(&mut self) -> Result<Fragment, ModelError>;
}

/// What there is in a line.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    /// Text that was said, if any.
    pub(crate) text: String,
    /// Whether this was the end.
    pub(crate) is_over: bool,
    /// Whether the model was stopped at the limit of its answer.
    pub(crate) is_cut: bool,
    /// Pieces of calls that were asked for, if any.
    pub(crate) calls: Vec<CallPiece>,
}

/// Text as it comes from a server.
pub(crate) struct ModelStream<T> {
    lines: Option<Lines>,
    decoder: T,
    text_bytes_max: usize,
    text_bytes_left: usize,
    is_cut: bool,
    called: CalledTools,
    tool_calls: Vec<ToolCall>,
}

impl<T: LineDecoder> ModelStream<T> {
    pub(crate) fn new(reply: Reply, decoder: T, text_bytes_max: usize) -> Self {
        Self {
            lines: Some(reply.lines()),
            decoder,
            text_bytes_max,
            text_bytes_left: text_bytes_max,
            is_cut: false,
            called: CalledTools::default(),
            tool_calls: Vec::new(),
        }
    }

    async fn listen(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        while let Some(lines) = &mut self.lines {
            let line = lines.next().await?;
            let heard = match &line {
                Some(line) => self.decoder.decode(line)?,
                None => self.decoder.close()?,
            };
            let Some(left) = self.text_bytes_left.checked_sub(heard.text.len()) else {
                return Err(lines.server().reply_too_large(self.text_bytes_max));
            };
            self.text_bytes_left = left;
            self.is_cut |= heard.is_cut;
            if !heard.text.is_empty() || !heard.calls.is_empty() {
                lines.note_word();
            }
            heard.calls.into_iter().for_each(|piece| self.called.add(piece));
            if heard.is_over || line.is_none() {
                self.lines = None;
            }
            if !heard.text.is_empty() {
                return Ok(Some(heard.text.into_bytes()));
            }
        }
        self.tell_calls();
        Ok(None)
    }

    fn tell_calls(&mut self) {
        if self.tool_calls.is_empty() {
            self.tool_calls = std::mem::take(&mut self.called).close(self.is_cut);
        }
    }
}

#[async_trait]
impl<T: LineDecoder> CompletionStream for ModelStream<T> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, ModelError> {
        let heard = self.listen().await;
        if heard.is_err() {
            self.lines = None;
            self.called = CalledTools::default();
        }
        heard
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn tool_calls(&self) -> &[ToolCall] {
        &self.tool_calls
    }
}

impl Allowance {
    /// What a dictation allows. Around a token of three letters a server sends some 250 bytes, so that the bytes of the
    /// text alone are no measure; a model that thinks aloud counts its thoughts among its tokens.
    pub(crate) fn for_request(completion_request: &CompletionRequest) -> Self {
        let around_text = completion_request.response_bytes_max.saturating_mul(16);
        let around_tokens = completion_request.response_tokens_max.saturating_mul(1024);
        Self {
            deadlines: Deadlines::for_stream(completion_request),
            bytes_max: around_text.saturating_add(around_tokens).saturating_add(64 * 1024),
        }
    }
}
