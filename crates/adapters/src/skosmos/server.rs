//! The server as its failures name it: what happened → a `PortError` that says what can be done.
//!
//! Invariant: no sentence carries a password from the address, nor the words that were looked up.

use std::time::Duration;

use reqwest::{StatusCode, Url};
use serde::de::DeserializeOwned;
use vouch_domain::{Fault, PortError};

use super::{reply::Reply, settings::PORT};

pub(super) struct Server {
    place: String,
    vocabularies: Vec<String>,
}

impl Server {
    pub(super) fn new(base: &Url, vocabularies: &[String]) -> Self {
        let place = format!("{}{}", base.origin().ascii_serialization(), base.path());
        Self { place, vocabularies: vocabularies.to_vec() }
    }

    pub(super) fn timed_out(&self, timeout: Duration) -> PortError {
        self.fault(Fault::Timeout, format!("did not answer within {} ms", timeout.as_millis()))
    }

    pub(super) fn invalid_request(&self, error: reqwest::Error) -> PortError {
        self.fault(Fault::Unavailable, "cannot be asked: the connection cannot be set up")
            .with_source(error.without_url())
    }

    pub(super) fn unreachable_server(&self, error: reqwest::Error) -> PortError {
        let fault = if error.is_timeout() {
            self.fault(Fault::Timeout, "did not accept a connection in time")
        } else if error.is_connect() {
            self.fault(Fault::Unavailable, "cannot be reached")
        } else {
            self.fault(Fault::Unavailable, "closed the connection without an answer, or does not speak HTTP")
        };
        fault.with_source(error.without_url())
    }

    pub(super) fn stream_broken(&self, error: reqwest::Error) -> PortError {
        self.fault(Fault::Unavailable, "broke off in the middle of its answer").with_source(error.without_url())
    }

    pub(super) fn reply_too_large(&self, bytes_max: usize) -> PortError {
        self.fault(Fault::Corrupt, format!("answered with more than the {bytes_max} bytes allowed"))
    }

    fn invalid_reply(&self, error: serde_json::Error) -> PortError {
        let what = if error.is_data() {
            "answered with JSON that does not look like Skosmos"
        } else {
            "answered with something that is not JSON"
        };
        self.fault(Fault::Corrupt, what).with_source(error)
    }

    /// The answer in a reply.
    pub(super) fn read<T: DeserializeOwned>(&self, reply: &Reply) -> Result<T, PortError> {
        if !reply.is_answer() {
            return Err(self.error_reply(reply));
        }
        serde_json::from_slice(&reply.body).map_err(|error| self.invalid_reply(error))
    }

    /// What a reply means that is not the answer asked for.
    fn error_reply(&self, reply: &Reply) -> PortError {
        let status = reply.status;
        if status.is_success() {
            let kind = if reply.kind().is_empty() { "content of no stated type" } else { reply.kind() };
            return self.fault(Fault::Corrupt, format!("answered with {kind} instead of JSON"));
        }
        if status.is_redirection() {
            let sentence =
                format!("redirects elsewhere ({}), and redirects are not followed: {}", status, reply.location);
            return self.fault(Fault::Invalid, sentence);
        }
        if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
            return self.fault(Fault::Invalid, self.objection(reply));
        }
        self.fault(Fault::Unavailable, self.breakdown(reply))
    }

    /// What a status from 400 on says: the fault lies with the request.
    fn objection(&self, reply: &Reply) -> String {
        let status = reply.status.as_u16();
        match reply.explanation() {
            Some(said) => format!("refused the request ({status}): {said}"),
            None if reply.status == StatusCode::NOT_FOUND => {
                "has nothing at this address (404); the base address may be wrong".to_owned()
            }
            None => format!("refused the request ({status})"),
        }
    }

    /// What a status from 500 on says: the fault lies with the server.
    fn breakdown(&self, reply: &Reply) -> String {
        let status = reply.status.as_u16();
        if reply.blames_its_store() {
            return format!("failed ({status}): it got no answer from its triple store");
        }
        if let Some(said) = reply.explanation() {
            return format!("failed ({status}): {said}");
        }
        // An unknown vocabulary in a list crashes the server; alone in the path it is told as a 404.
        if reply.body.is_empty() && self.vocabularies.len() > 1 {
            let among = self.vocabularies.join(", ");
            return format!(
                "failed without saying why ({status}); perhaps it does not know one of the vocabularies {among}"
            );
        }
        format!("failed ({status})")
    }

    fn fault(&self, fault: Fault, what: impl AsRef<str>) -> PortError {
        PortError::new(PORT, fault, format!("the Skosmos server at {} {}", self.place, what.as_ref()))
    }
}
