//! A router that tracks each exchange: whether a reply is due, and whether a body was left unread.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    http::{Request, Response},
};
use http_body::{Frame, SizeHint};
use hyper::{body::Incoming, service::Service};
use hyper_util::service::TowerToHyperService;

/// How far the exchange on a connection is.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    is_under_way: AtomicBool,
    is_due: AtomicBool,
    has_left_over: AtomicBool,
}

impl Exchange {
    /// Whether a request has begun and its reply has not ended.
    pub(super) fn is_under_way(&self) -> bool {
        self.is_under_way.load(Ordering::Acquire)
    }

    /// Whether a whole request is there and its reply is not.
    pub(super) fn is_reply_due(&self) -> bool {
        self.is_due.load(Ordering::Acquire)
    }

    /// Whether a request was answered before all of it was read.
    pub(super) fn has_left_over(&self) -> bool {
        self.has_left_over.load(Ordering::Acquire)
    }
}

/// A router behind one connection.
pub(super) struct ConnectionService {
    router: TowerToHyperService<Router>,
    exchange: Arc<Exchange>,
}

impl ConnectionService {
    pub(super) fn new(router: Router, exchange: Arc<Exchange>) -> Self {
        Self { router: TowerToHyperService::new(router), exchange }
    }
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let exchange = Arc::clone(&self.exchange);
        let answered = self.router.call(request.map(|body| Body::new(RequestBody::new(body, Arc::clone(&exchange)))));
        Box::pin(async move { Ok(answered.await?.map(|body| Body::new(ResponseBody { body, exchange }))) })
    }
}

/// A request's body.
struct RequestBody {
    body: Incoming,
    exchange: Arc<Exchange>,
    has_ended: bool,
}

impl RequestBody {
    fn new(body: Incoming, exchange: Arc<Exchange>) -> Self {
        let has_ended = body.is_end_stream();
        exchange.is_due.store(has_ended, Ordering::Release);
        exchange.is_under_way.store(true, Ordering::Release);
        Self { body, exchange, has_ended }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.has_ended {
            self.exchange.has_left_over.store(true, Ordering::Release);
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.has_ended = true;
            self.exchange.is_due.store(true, Ordering::Release);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response's body; no reply is due any more once it is gone.
struct ResponseBody {
    body: Body,
    exchange: Arc<Exchange>,
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.exchange.is_due.store(false, Ordering::Release);
        self.exchange.is_under_way.store(false, Ordering::Release);
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
