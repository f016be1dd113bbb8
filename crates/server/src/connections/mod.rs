//! Connections with their deadlines, limits in all and per address, and a shutdown that waits for running requests, but
//! not for ever.

mod client_stream;
mod connection_slots;
mod exchange;

use std::{future::poll_fn, net::IpAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

use client_stream::ClientStream;
use connection_slots::{ConnectionSlot, ConnectionSlots};
use exchange::{ConnectionService, Exchange};

/// Most headers of one request.
const HEADERS_MAX: usize = 100;
/// The largest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long to wait when no connection can be accepted, such as for lack of file handles.
const BREATH: Duration = Duration::from_millis(100);
/// How long a rejected client may take to receive the rejection.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the rest of an unwanted body is read, so that its sender receives the reason.
const LINGER: Duration = Duration::from_secs(2);

/// Sent to an address that has too many connections already.
const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nConnection: close\r\n\
    Retry-After: 1\r\nCache-Control: no-store\r\nContent-Length: 164\r\n\r\n{\"type\":\"about:blank\",\"title\":\"The \
    server is overloaded\",\"status\":503,\"code\":\"overloaded\",\"detail\":\"Too many connections from this address.\",\
    \"request_id\":\"refused\"}";

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many at once; others wait to be accepted.
    pub connections_max: usize,
    /// How many per address; more are rejected.
    pub connections_per_address: usize,
    /// How long a client may take to send a request's head, or to begin one.
    pub head_timeout: Duration,
    /// How long a client may take to receive what it is sent.
    pub client_timeout: Duration,
    /// How long a client that has closed its side is still answered.
    pub half_closed: Duration,
    /// How long a shutdown waits for running requests.
    pub shutdown: Duration,
}

/// Serves connections until told to stop, then lets running requests finish within a deadline.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stopped: impl Future<Output = ()>) {
    let all = Arc::new(Semaphore::new(limits.connections_max.max(1)));
    let places = ConnectionSlots::new(limits.connections_per_address);
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stopped = pin!(stopped);
    loop {
        let taken = async {
            let permit = Arc::clone(&all).acquire_owned().await.ok();
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            taken = taken => taken,
            () = &mut stopped => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, from)) => {
                let room = Room { place: places.take(from.ip()), from: from.ip(), _permit: permit };
                connections.spawn(connection(stream, router.clone(), limits, room, stopping.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "connection could not be accepted");
                sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    drop(stopping);
    // Idle connections notice and close; no other is interrupted.
    let _ = stop.send(());
    let ended = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.shutdown, ended).await.is_err() {
        tracing::warn!(connections = connections.len(), "requests were cut off at shutdown");
    }
}

/// What a connection occupies, released with it.
struct Room {
    /// None where its address has too many.
    place: Option<ConnectionSlot>,
    from: IpAddr,
    _permit: Option<OwnedSemaphorePermit>,
}

async fn connection(stream: TcpStream, router: Router, limits: Limits, room: Room, mut stopping: watch::Receiver<()>) {
    if room.place.is_none() {
        tracing::debug!(from = %room.from, "address has too many connections");
        return refuse(&stream).await;
    }
    // Answers are small and sent at once.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX);
    let exchange = Arc::new(Exchange::default());
    let stream = ClientStream::new(stream, limits.client_timeout, limits.half_closed, Arc::clone(&exchange));
    let mut served =
        builder.serve_connection(TokioIo::new(stream), ConnectionService::new(router, Arc::clone(&exchange)));
    let outcome = tokio::select! {
        outcome = poll_fn(|context| served.poll_without_shutdown(context)) => outcome,
        _ = stopping.changed() => {
            Pin::new(&mut served).graceful_shutdown();
            poll_fn(|context| served.poll_without_shutdown(context)).await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "connection ended early");
    }
    let stream = served.into_parts().io.into_inner();
    if exchange.has_left_over() {
        let _ = timeout(LINGER, stream.drain()).await;
    }
}

async fn refuse(stream: &TcpStream) {
    if timeout(REFUSAL_TIMEOUT, stream.writable()).await.is_ok() {
        // A client that does not read is rejected all the same.
        let _ = stream.try_write(REFUSAL);
    }
}

#[cfg(test)]
mod tests {
    use super::REFUSAL;

    #[test]
    fn a_refusal_is_as_long_as_it_says() {
        let text = str::from_utf8(REFUSAL).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        assert!(
            head.contains(&format!("Content-Length: {}\r\n", body.len()))
                || head.ends_with(&format!("Content-Length: {}", body.len())),
            "{}",
            body.len()
        );
        let _: serde_json::Value = serde_json::from_str(body).expect("JSON");
    }
}
