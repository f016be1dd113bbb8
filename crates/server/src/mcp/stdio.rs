//! The protocol on standard input and output, one message per line, until input ends.
//!
//! Invariant: only the end of input ends the process, and no more requests are read than can be
//! answered soon.

use std::{
    collections::HashSet,
    io,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
        ServerJsonRpcMessage,
    },
    serve_server,
    service::ServerInitializeError,
    transport::{Transport, async_rw::AsyncRwTransport, stdio},
};
use tokio::{
    io::{Stdin, Stdout},
    sync::Notify,
};
use vouch_domain::Caller;

use super::toolbox::Toolbox;
use crate::service::Service;

/// Most requests that are under way or wait to be written; what comes then waits in the pipe.
const UNDER_WAY_MAX: usize = 256;

/// Serves one client on behalf of one caller, until its input ends.
///
/// # Errors
/// Fails if standard output cannot be written.
pub async fn serve(service: Service, caller: Caller) -> io::Result<()> {
    let (input, output) = stdio();
    let lines = AsyncRwTransport::new_server(input, output).with_max_line_length(service.body_bytes_max);
    let line = StdioTransport { lines, is_open: false, in_flight: Arc::default() };
    let toolbox = Toolbox { service, local: Some(caller) };
    match serve_server(toolbox, line).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The lines of one client.
struct StdioTransport {
    lines: AsyncRwTransport<RoleServer, Stdin, Stdout>,
    /// Whether the client has opened the session; notifications are ignored before.
    is_open: bool,
    in_flight: Arc<InFlight>,
}

/// The requests that have no written answer yet.
#[derive(Default)]
struct InFlight {
    ids: Mutex<HashSet<RequestId>>,
    ended: Notify,
}

impl InFlight {
    fn is_full(&self) -> bool {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).len() >= UNDER_WAY_MAX
    }

    fn begin(&self, id: RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    fn end(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.ended.notify_one();
    }
}

impl StdioTransport {
    /// Whether a message is passed on; takes note of what it begins or ends.
    fn takes(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            self.is_open |= opens(&request.request);
            self.in_flight.begin(request.id.clone());
            return true;
        }
        if let JsonRpcMessage::Notification(told) = message
            && let ClientNotification::CancelledNotification(cancelled) = &told.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.in_flight.end(id);
        }
        self.is_open
    }
}

/// Whether a conversation begins with a request: the handshake, or one that says itself which protocol it speaks.
fn opens(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    let is_known = meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
    let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
    let is_bare = matches!(request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
    matches!(request, ClientRequest::InitializeRequest(_)) || (is_known && is_whole && !is_bare)
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let (written, in_flight) = (self.lines.send(item), Arc::clone(&self.in_flight));
        async move {
            let outcome = written.await;
            if let Some(id) = answered {
                in_flight.end(&id);
            }
            outcome
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while self.in_flight.is_full() {
                self.in_flight.ended.notified().await;
            }
            let message = self.lines.receive().await?;
            if self.takes(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await
    }
}
