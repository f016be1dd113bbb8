//! The issuer as it is asked for its keys: its configuration first, then what that names.
//!
//! Invariant: both answers come within one deadline and are read no further than a bound; no redirect is followed; keys are
//! fetched only over a connection that cannot be intercepted.

use std::time::Duration;

use reqwest::{Response, StatusCode, Url, header, redirect};
use serde::Deserialize;
use vouch_domain::{Fault, PortError};

use super::{
    keys::PublicKeys,
    settings::{OidcSettings, PORT, is_trusted},
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

#[derive(Deserialize)]
struct Configuration {
    issuer: String,
    jwks_uri: String,
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

    /// The keys it shows now.
    pub(super) async fn keys(&self) -> Result<PublicKeys, PortError> {
        match tokio::time::timeout(self.timeout, self.asked()).await {
            Ok(keys) => keys,
            Err(_) => {
                Err(self
                    .fault(Fault::Timeout, &format!("did not return its keys within {} ms", self.timeout.as_millis())))
            }
        }
    }

    pub(super) fn failed_just_now(&self) -> PortError {
        self.fault(Fault::CircuitOpen, "failed a moment ago and is not asked again for a few seconds")
    }

    async fn asked(&self) -> Result<PublicKeys, PortError> {
        let wrong = |sentence: &str| self.fault(Fault::Unavailable, sentence);
        let found = self.fetch(self.configuration.clone()).await?;
        let found: Configuration =
            serde_json::from_slice(&found).map_err(|_| wrong("did not return a valid OpenID configuration"))?;
        if found.issuer != self.name {
            return Err(wrong("returned the configuration of another issuer"));
        }
        let place = Url::parse(&found.jwks_uri).map_err(|_| wrong("has no valid jwks_uri in its configuration"))?;
        let is_as_safe = is_trusted(&place) && (place.scheme() == "https" || self.configuration.scheme() == "http");
        if !is_as_safe {
            return Err(wrong("has a jwks_uri that is neither https nor on this machine"));
        }
        let shown = self.fetch(place).await?;
        PublicKeys::parse(&shown).map_err(|sentence| wrong(&sentence))
    }

    async fn fetch(&self, address: Url) -> Result<Vec<u8>, PortError> {
        let failed = |error: reqwest::Error| {
            let fault = if error.is_timeout() { Fault::Timeout } else { Fault::Unavailable };
            self.fault(fault, "cannot be reached or closed the connection early").with_source(error.without_url())
        };
        let request = self.http.get(address).header(header::ACCEPT, "application/json");
        let mut response = request.send().await.map_err(failed)?;
        if response.status() != StatusCode::OK {
            return Err(self.fault(Fault::Unavailable, &format!("answers {}", response.status().as_u16())));
        }
        let mut body = Vec::new();
        let is_long = |bytes: usize| bytes > BYTES_MAX;
        let is_said_to_be_long = |response: &Response| {
            response.content_length().is_some_and(|bytes| usize::try_from(bytes).map_or(true, is_long))
        };
        let too_long = || self.fault(Fault::Unavailable, &format!("answered with more than {BYTES_MAX} bytes"));
        if is_said_to_be_long(&response) {
            return Err(too_long());
        }
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if is_long(body.len().saturating_add(chunk.len())) {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn fault(&self, fault: Fault, what: &str) -> PortError {
        PortError::new(PORT, fault, format!("the issuer at {} {what}", self.place))
    }
}
