//! A client's connection: writes do not wait for ever, and a client that has closed its side still gets its answer for
//! a while.
//!
//! A client that has left for good looks exactly like one that has only finished sending, until something is sent to
//! it. So the end of its bytes is passed on at once where no reply is due or on its way, and after a while where one is due.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::exchange::Exchange;

/// How long it may take until it shows whether a request that ends with the client's bytes is whole. It is read at once, so
/// this only has to be longer than a moment.
const SETTLING: Duration = Duration::from_millis(200);
/// Buffer size for reading bytes that are discarded.
const DRAINED_BYTES: usize = 16 << 10;

pub(super) struct ClientStream {
    stream: TcpStream,
    write_timeout: Duration,
    half_closed: Duration,
    exchange: Arc<Exchange>,
    /// Ends a write that waits.
    writing: Option<Pin<Box<Sleep>>>,
    /// Ends the time in which a client that has closed its side is answered.
    closing: Option<Closing>,
}

/// The end of a client's bytes, kept back.
struct Closing {
    is_reply_due: bool,
    until: Pin<Box<Sleep>>,
}

impl ClientStream {
    pub(super) fn new(
        stream: TcpStream,
        write_timeout: Duration,
        half_closed: Duration,
        exchange: Arc<Exchange>,
    ) -> Self {
        Self { stream, write_timeout, half_closed, exchange, writing: None, closing: None }
    }

    /// Closes our side, and reads on until the client has sent everything: a client that is cut off while it
    /// sends does not see the reply.
    pub(super) async fn drain(mut self) -> io::Result<()> {
        std::future::poll_fn(|context| Pin::new(&mut self.stream).poll_shutdown(context)).await?;
        let mut dropped = vec![0; DRAINED_BYTES];
        loop {
            self.stream.readable().await?;
            match self.stream.try_read(&mut dropped) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The result of a write; one that has waited too long is an error.
    fn in_time<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.writing = None;
            return outcome;
        }
        let limit = self.write_timeout;
        let waiting = self.writing.get_or_insert_with(|| Box::pin(sleep(limit)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }

    /// The end of a client's bytes: at once, while a reply is due only after a while, and never while one is on its way.
    fn ended(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The handler is done with a reply before the client has received it. The write wakes this task, and has a
        // deadline.
        if self.writing.is_some() {
            return Poll::Pending;
        }
        if !self.exchange.is_under_way() {
            return Poll::Ready(Ok(()));
        }
        let is_reply_due = self.exchange.is_reply_due();
        let limit = if is_reply_due { self.half_closed } else { SETTLING };
        let fresh = || Closing { is_reply_due, until: Box::pin(sleep(limit)) };
        if self.closing.as_ref().is_some_and(|closing| closing.is_reply_due != is_reply_due) {
            self.closing = None;
        }
        self.closing.get_or_insert_with(fresh).until.as_mut().poll(context).map(Ok)
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.closing.is_some() {
            return self.ended(context);
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() == before => self.ended(context),
            outcome @ (Poll::Ready(_) | Poll::Pending) => outcome,
        }
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.in_time(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.in_time(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.in_time(context, outcome)
    }
}
