//! A path and what to ask there → the server's reply, once it has begun to answer.
//!
//! Invariant: a request is sent twice only where the first time no connection could be made, so that no server does the
//! same work twice; no redirect is followed; nothing but the address decides where the key goes.

use std::{sync::Arc, time::Duration};

use reqwest::{
    RequestBuilder, Url,
    header::{self, HeaderValue},
    redirect, retry,
};
use serde::Serialize;
use vouch_domain::{Fault, ModelError, PortError};

use super::allowance::Allowance;
use super::{Reply, ServerAddress, ServerName};

/// How long to wait before a refused connection is tried again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// How to speak with one server.
pub(crate) struct Connection {
    http: reqwest::Client,
    address: ServerAddress,
    server: Arc<ServerName>,
    authorization: Option<HeaderValue>,
}

/// A server and its credentials.
pub(crate) struct Access<'a> {
    /// What it is, as in `the … at http://localhost`.
    pub(crate) kind: &'static str,
    /// Where it is.
    pub(crate) address: ServerAddress,
    /// The key shown with every request; empty for none.
    pub(crate) key: &'a str,
    /// How long it may take to accept a connection.
    pub(crate) connect_timeout: Duration,
}

/// A request whose address is made of values.
pub(crate) struct PlainRequest {
    /// The parts of the path; each stays one part, whatever is in it. None is empty, `.` or `..`.
    pub(crate) segments: Vec<String>,
    /// The query.
    pub(crate) query: Vec<(String, String)>,
    /// The body, JSON; none for a request that only asks.
    pub(crate) body: Option<Vec<u8>>,
    /// What tells a repetition from another request.
    pub(crate) idempotency_key: Option<String>,
}

impl Connection {
    /// Prepares to speak; nothing is sent yet.
    pub(crate) fn new(port: &'static str, access: Access<'_>) -> Result<Self, PortError> {
        let Access { kind, address, key, connect_timeout } = access;
        let server = Arc::new(ServerName::new(kind, address.place(), key));
        let invalid = |what: &str| PortError::new(port, Fault::Invalid, server.sentence(what));
        if connect_timeout.is_zero() {
            return Err(invalid("needs a connect timeout above zero"));
        }
        if !key.is_empty() && address.has_password() {
            return Err(invalid("can have a key or a password in its address, not both"));
        }
        let bearer = |key: &str| {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let authorization = match key {
            "" => None,
            key => Some(bearer(key).ok_or_else(|| {
                invalid("cannot be sent its key: the key has characters that an HTTP header cannot hold")
            })?),
        };
        let http = client(&address, connect_timeout).map_err(|error| {
            let sentence = server.sentence("cannot be asked: the connection cannot be set up");
            PortError::new(port, Fault::Unavailable, sentence).with_source(error.without_url())
        })?;
        Ok(Self { http, address, server, authorization })
    }

    pub(crate) fn server(&self) -> &Arc<ServerName> {
        &self.server
    }

    pub(crate) fn has_key(&self) -> bool {
        self.authorization.is_some()
    }

    pub(crate) async fn get(&self, path: &str, allowance: Allowance) -> Result<Reply, ModelError> {
        self.send(|http, url| http.get(url), self.address.endpoint(path), allowance).await
    }

    pub(crate) async fn post(
        &self,
        path: &str,
        question: &impl Serialize,
        allowance: Allowance,
    ) -> Result<Reply, ModelError> {
        let json = serde_json::to_vec(question)
            .map_err(|_| self.server.connection("cannot be asked: the request cannot be written as JSON"))?;
        let request = |http: &reqwest::Client, url| {
            http.post(url).header(header::CONTENT_TYPE, "application/json").body(json.clone())
        };
        self.send(request, self.address.endpoint(path), allowance).await
    }

    /// Sends a request whose address is made of values.
    pub(crate) async fn exchange(&self, plain: &PlainRequest, allowance: Allowance) -> Result<Reply, ModelError> {
        let request = |http: &reqwest::Client, url| {
            let request = match &plain.body {
                Some(json) => http.post(url).header(header::CONTENT_TYPE, "application/json").body(json.clone()),
                None => http.get(url),
            };
            match &plain.idempotency_key {
                Some(key) => request.header("Idempotency-Key", key),
                None => request,
            }
        };
        self.send(request, self.address.place_of(&plain.segments, &plain.query), allowance).await
    }

    async fn send(
        &self,
        request: impl Fn(&reqwest::Client, Url) -> RequestBuilder,
        url: Url,
        allowance: Allowance,
    ) -> Result<Reply, ModelError> {
        let prepare = || {
            let request = request(&self.http, url.clone());
            match &self.authorization {
                Some(value) => request.header(header::AUTHORIZATION, value.clone()),
                None => request,
            }
        };
        let deadlines = &allowance.deadlines;
        let mut sent = deadlines.run(&self.server, prepare().send()).await?;
        // A connection that timed out is not tried again.
        if sent.as_ref().is_err_and(|error| error.is_connect() && !error.is_timeout()) {
            deadlines.run(&self.server, tokio::time::sleep(RETRY_PAUSE)).await?;
            sent = deadlines.run(&self.server, prepare().send()).await?;
        }
        let response = sent.map_err(|error| self.server.unreachable_server(&error))?;
        Ok(Reply::new(response, allowance, Arc::clone(&self.server)))
    }
}

fn client(address: &ServerAddress, connect_timeout: Duration) -> reqwest::Result<reqwest::Client> {
    // The first to install a provider chooses the cryptography for the whole process, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("vouch/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_timeout)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        // A connection that waits may be closed by the server in the moment it is used again, and a request that was
        // lost so could not be told from one that was read. Compared with a model's time, a new connection costs
        // nothing.
        .pool_max_idle_per_host(0)
        .no_proxy();
    // Without this the system's certificates are read at start, and a system without any is an error.
    let builder = if address.is_encrypted() { builder } else { builder.tls_certs_only([]) };
    builder.build()
}
