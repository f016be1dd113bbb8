//! An address → what the server replied, read no further than it has to be.
//!
//! Invariant: no answer takes more memory than the limit and one chunk, no redirect is followed, and no failure carries
//! the address that was asked, which holds the asker's words.

use reqwest::{Response, Url, header, redirect};
use vouch_domain::PortError;

use super::{reply::Reply, server::Server, settings::SkosmosSettings};

/// How much of an error's explanation is read.
const ERROR_BYTES_MAX: usize = 4096;

/// How many connections wait for the next look-up.
const IDLE_CONNECTIONS_MAX: usize = 8;

pub(super) struct Client {
    http: reqwest::Client,
    server: Server,
    response_bytes_max: usize,
}

impl Client {
    pub(super) fn new(base: &Url, settings: &SkosmosSettings) -> Result<Self, PortError> {
        let server = Server::new(base, &settings.vocabularies);
        // The first to install a provider chooses the cryptography for the whole process, and any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("vouch/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(settings.timeout)
            .redirect(redirect::Policy::none())
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .no_proxy();
        if base.scheme() == "http" {
            // Without this the system's certificates are read at start, and a system without any is an error.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| server.invalid_request(error))?;
        Ok(Self { http, server, response_bytes_max: settings.response_bytes_max })
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) async fn fetch(&self, address: Url) -> Result<Reply, PortError> {
        let request = self.http.get(address).header(header::ACCEPT, "application/json");
        let mut response = request.send().await.map_err(|error| self.server.unreachable_server(error))?;
        let mut reply = Reply {
            status: response.status(),
            content_type: header_text(&response, header::CONTENT_TYPE),
            location: header_text(&response, header::LOCATION),
            body: Vec::new(),
        };
        if reply.is_answer() {
            self.read_whole(&mut response, &mut reply.body).await?;
        } else if !reply.status.is_success() {
            self.read_start(&mut response, &mut reply.body).await;
        }
        Ok(reply)
    }

    async fn read_whole(&self, response: &mut Response, body: &mut Vec<u8>) -> Result<(), PortError> {
        let is_too_long = |bytes: usize| bytes > self.response_bytes_max;
        let declared = response.content_length().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if declared.is_some_and(is_too_long) {
            return Err(self.server.reply_too_large(self.response_bytes_max));
        }
        while let Some(chunk) = response.chunk().await.map_err(|error| self.server.stream_broken(error))? {
            if is_too_long(body.len().saturating_add(chunk.len())) {
                return Err(self.server.reply_too_large(self.response_bytes_max));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(())
    }

    /// The beginning of an error's explanation; that it is an error is known without it.
    async fn read_start(&self, response: &mut Response, body: &mut Vec<u8>) {
        while body.len() < ERROR_BYTES_MAX {
            let Ok(Some(chunk)) = response.chunk().await else { return };
            body.extend_from_slice(&chunk);
        }
        body.truncate(ERROR_BYTES_MAX);
    }
}

fn header_text(response: &Response, name: header::HeaderName) -> String {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}
