//! Connections, each with its deadlines; so many at once, and an end that waits for what runs but not for ever.

use std::{
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{Sleep, sleep, timeout},
};

/// Most headers of one request.
const HEADERS_MAX: usize = 100;
/// The largest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long to wait where no connection can be taken, such as for want of file handles.
const BREATH: Duration = Duration::from_millis(100);

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many at once; others wait to be taken.
    pub connections_max: usize,
    /// How long a client may take to send a request's head, to say anything between two requests, or to take what it is sent.
    pub client_timeout: Duration,
    /// How long the end waits for what runs.
    pub shutdown: Duration,
}

/// Serves connections until told to stop, then lets what runs come to its end within its time.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stopped: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(limits.connections_max.max(1)));
    let (stop, stopping) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stopped = pin!(stopped);
    loop {
        let taken = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            taken = taken => taken,
            () = &mut stopped => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let connection = connection(stream, router.clone(), limits, stopping.clone());
                connections.spawn(async move {
                    let _place = place;
                    connection.await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "connection could not be taken");
                sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    drop(stopping);
    // Those who wait for the next request hear it and close; nobody else is interrupted.
    let _ = stop.send(());
    let ended = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.shutdown, ended).await.is_err() {
        tracing::warn!(connections = connections.len(), "requests were cut off at the end");
    }
}

async fn connection(stream: TcpStream, router: Router, limits: Limits, mut stopping: watch::Receiver<()>) {
    // Answers are small and told at once.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.client_timeout)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX);
    let io = TokioIo::new(Impatient { stream, limit: limits.client_timeout, waiting: None });
    let mut served = pin!(builder.serve_connection(io, TowerToHyperService::new(router)));
    let outcome = tokio::select! {
        outcome = served.as_mut() => outcome,
        _ = stopping.changed() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "connection ended early");
    }
}

/// A stream that does not wait for ever for a client to take what it is sent.
struct Impatient {
    stream: TcpStream,
    limit: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    /// What came of a write; one that has waited too long is an error.
    fn patient<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let limit = self.limit;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(limit)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patient(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.patient(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.patient(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.patient(context, outcome)
    }
}
