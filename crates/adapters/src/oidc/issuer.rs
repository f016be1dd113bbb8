//! The issuer as it is asked: for its configuration, for the keys that names, and for tokens in exchange for a code.
//!
//! Invariant: configuration and keys come within one deadline; no answer is read further than a bound; no redirect is
//! followed; nothing is asked for over a connection that can be intercepted.

use std::time::Duration;

use reqwest::{RequestBuilder, Response, StatusCode, Url, header, redirect};
use serde::Deserialize;
use vouch_domain::{Fault, PortError};

use super::{
    configuration::{Configuration, SignInAddresses},
    keys::PublicKeys,
    settings::{OidcSettings, PORT},
};

/// Longest answer that is read, in bytes.
const BYTES_MAX: usize = 256 << 10;

pub(super) struct Issuer {
    http: reqwest::Client,
    name: String,
    place: String,
    configuration: Url,
    timeout: Duration,
}

/// What an issuer publishes.
pub(super) struct Published {
    pub(super) keys: PublicKeys,
    /// Where people sign in, or why they cannot.
    pub(super) sign_in: Result<SignInAddresses, &'static str>,
}

/// A code as it is sent to the issuer.
pub(super) struct CodeForm {
    pub(super) address: Url,
    /// The fields, as forms write them.
    pub(super) body: String,
    /// The client's name and secret, where they go into a header.
    pub(super) credentials: Option<(String, String)>,
}

/// What the issuer makes of a code.
pub(super) enum CodeReply {
    Tokens(Vec<u8>),
    Refused,
}

#[derive(Deserialize)]
struct CodeFault {
    error: String,
}

impl Issuer {
    pub(super) fn new(base: &Url, settings: &OidcSettings) -> Result<Self, PortError> {
        // The first to install a provider chooses the cryptography for the whole process, and any will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("vouch/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(settings.timeout)
            .redirect(redirect::Policy::none())
            .pool_max_idle_per_host(1)
            .no_proxy();
        if base.scheme() == "http" {
            // Without this the system's certificates are read at start, and a system without any is an error.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().map_err(|error| {
            PortError::new(PORT, Fault::Unavailable, "the issuer cannot be asked: no connection can be set up")
                .with_source(error.without_url())
        })?;
        let path = format!("{}/.well-known/openid-configuration", base.path().trim_end_matches('/'));
        let mut configuration = base.clone();
        configuration.set_path(&path);
        Ok(Self {
            http,
            name: settings.issuer.clone(),
            place: base.origin().ascii_serialization(),
            configuration,
            timeout: settings.timeout,
        })
    }

    /// What it shows now.
    pub(super) async fn published(&self) -> Result<Published, PortError> {
        match tokio::time::timeout(self.timeout, self.asked()).await {
            Ok(published) => published,
            Err(_) => {
                Err(self
                    .fault(Fault::Timeout, &format!("did not return its keys within {} ms", self.timeout.as_millis())))
            }
        }
    }

    pub(super) fn failed_just_now(&self) -> PortError {
        self.fault(Fault::CircuitOpen, "failed a moment ago and is not asked again for a few seconds")
    }

    /// Its tokens for a code; whoever asks sets the deadline.
    pub(super) async fn exchange(&self, form: CodeForm) -> Result<CodeReply, PortError> {
        let CodeForm { address, body, credentials } = form;
        let mut request = self.http.post(address).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some((name, secret)) = credentials {
            request = request.basic_auth(name, Some(secret));
        }
        let response = self.sent(request.body(body)).await?;
        let status = response.status();
        let body = self.read(response).await?;
        if status == StatusCode::OK {
            return Ok(CodeReply::Tokens(body));
        }
        // Whatever else an issuer writes could repeat what it was sent, so it is not told.
        let fault: Option<CodeFault> = serde_json::from_slice(&body).ok().filter(|_| status.is_client_error());
        match fault.as_ref().map(|fault| fault.error.as_str()) {
            Some("invalid_grant") => Ok(CodeReply::Refused),
            Some("invalid_client" | "unauthorized_client") => Err(self.fault(
                Fault::Unavailable,
                "does not exchange codes for this client: check serve.oidc.client_id and the client's secret",
            )),
            Some(_) | None => Err(self.fault(Fault::Unavailable, &format!("answers {} to a code", status.as_u16()))),
        }
    }

    async fn asked(&self) -> Result<Published, PortError> {
        let wrong = |sentence: &str| self.fault(Fault::Unavailable, sentence);
        let found = self.fetch(self.configuration.clone()).await?;
        let Configuration { keys, sign_in } =
            Configuration::parse(&found, &self.name, &self.configuration).map_err(wrong)?;
        let shown = self.fetch(keys).await?;
        let keys = PublicKeys::parse(&shown).map_err(|sentence| wrong(&sentence))?;
        Ok(Published { keys, sign_in })
    }

    async fn fetch(&self, address: Url) -> Result<Vec<u8>, PortError> {
        let response = self.sent(self.http.get(address)).await?;
        if response.status() != StatusCode::OK {
            return Err(self.fault(Fault::Unavailable, &format!("answers {}", response.status().as_u16())));
        }
        self.read(response).await
    }

    async fn sent(&self, request: RequestBuilder) -> Result<Response, PortError> {
        let request = request.header(header::ACCEPT, "application/json");
        request.send().await.map_err(|error| self.failed(error))
    }

    async fn read(&self, mut response: Response) -> Result<Vec<u8>, PortError> {
        let mut body = Vec::new();
        let is_long = |bytes: usize| bytes > BYTES_MAX;
        let is_said_to_be_long = |response: &Response| {
            response.content_length().is_some_and(|bytes| usize::try_from(bytes).map_or(true, is_long))
        };
        let too_long = || self.fault(Fault::Unavailable, &format!("answered with more than {BYTES_MAX} bytes"));
        if is_said_to_be_long(&response) {
            return Err(too_long());
        }
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failed(error))? {
            if is_long(body.len().saturating_add(chunk.len())) {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn failed(&self, error: reqwest::Error) -> PortError {
        let fault = if error.is_timeout() { Fault::Timeout } else { Fault::Unavailable };
        self.fault(fault, "cannot be reached or closed the connection early").with_source(error.without_url())
    }

    pub(super) fn fault(&self, fault: Fault, what: &str) -> PortError {
        PortError::new(PORT, fault, format!("the issuer at {} {what}", self.place))
    }
}
