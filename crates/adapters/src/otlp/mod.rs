//! Spans → a collector, as OTLP over HTTP in its JSON form.
//!
//! Invariant: whoever hands spans over never waits, and never learns of a failure; what a collector cannot take in time, or
//! does not fit the line, is lost and said so in the log.

mod form;

use std::time::Duration;

use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinHandle,
};
use vouch_domain::{Fault, PortError};

use crate::model_server::{Access, Allowance, Connection, Deadlines, ServerAddress};

const PORT: &str = "traces";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const TIMEOUT: Duration = Duration::from_secs(5);
const REPLY_BYTES_MAX: usize = 1 << 16;
/// Traces that wait to be sent.
const WAITING_MAX: usize = 1_024;
/// Traces sent at once.
const BATCH_MAX: usize = 64;
/// How long the first of a batch waits for others.
const BATCH_WAIT: Duration = Duration::from_millis(500);
/// How long the last traces have at the end.
const LAST_WAIT: Duration = Duration::from_millis(1_500);

/// One span.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// What it is called.
    pub name: String,
    /// When it began, in nanoseconds since 1970.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// What is known of it.
    pub attributes: Vec<(&'static str, String)>,
}

/// A request's span with those below it.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanTree {
    /// The trace and the span above, where somebody else began it.
    pub parent: Option<([u8; 16], [u8; 8])>,
    /// The whole.
    pub whole: Span,
    /// Its parts.
    pub parts: Vec<Span>,
}

/// Where spans are handed over.
#[derive(Debug, Clone)]
pub struct OtlpExporter {
    line: Sender<SpanTree>,
}

/// The work that sends them.
#[derive(Debug)]
pub struct OtlpSender {
    work: JoinHandle<()>,
}

impl OtlpExporter {
    /// Begins to send to a collector, such as `http://localhost:4318`; needs a runtime.
    ///
    /// # Errors
    /// Fails if the address is invalid.
    pub fn start(endpoint: &str) -> Result<(Self, OtlpSender), PortError> {
        let address = ServerAddress::parse(PORT, endpoint, "http://localhost:4318").map_err(|_| {
            PortError::new(PORT, Fault::Invalid, "a collector's address must look like `http://localhost:4318`")
        })?;
        let access = Access { kind: "collector", address, key: "", connect_timeout: CONNECT_TIMEOUT };
        let connection = Connection::new(PORT, access)?;
        let (line, waiting) = channel(WAITING_MAX);
        let work = tokio::spawn(send_all(connection, waiting));
        Ok((Self { line }, OtlpSender { work }))
    }

    /// Queues spans for sending; they are dropped if too many wait.
    pub fn send(&self, tree: SpanTree) {
        if self.line.try_send(tree).is_err() {
            tracing::debug!("spans were dropped: too many are waiting to be sent");
        }
    }
}

impl OtlpSender {
    /// Waits until everything handed over is sent, or its time is over. Every exporter must be gone by then.
    pub async fn finish(mut self) {
        if tokio::time::timeout(LAST_WAIT, &mut self.work).await.is_err() {
            self.work.abort();
        }
    }
}

async fn send_all(connection: Connection, mut waiting: Receiver<SpanTree>) {
    let mut is_failing = false;
    while let Some(first) = waiting.recv().await {
        let mut batch = vec![first];
        let gather = async {
            while batch.len() < BATCH_MAX {
                let Some(tree) = waiting.recv().await else { return };
                batch.push(tree);
            }
        };
        let _ = tokio::time::timeout(BATCH_WAIT, gather).await;
        let allowance = Allowance { deadlines: Deadlines::whole(TIMEOUT), bytes_max: REPLY_BYTES_MAX };
        let sent = match connection.post("v1/traces", &form::request(&batch), allowance).await {
            Ok(reply) => match reply.accepted().await {
                Ok(_) => Ok(()),
                Err(refused) => Err(refused.status.map_or_else(|| "no status".to_owned(), |status| status.to_string())),
            },
            Err(error) => Err(error.to_string()),
        };
        match sent {
            Ok(()) => is_failing = false,
            // Said once, not for every batch.
            Err(error) if !is_failing => {
                tracing::warn!(error, "spans could not be sent");
                is_failing = true;
            }
            Err(_) => {}
        }
    }
}
