//! Calls of a Milvus server over gRPC, each with a deadline, on a thread of their own.
//!
//! Invariant: without TLS nothing leaves this machine; no wait is without end.

use std::{future::Future, path::PathBuf, str::FromStr, time::Duration};

use tokio::{runtime::Runtime, time::timeout};
use tonic::{
    Request,
    client::Grpc,
    codegen::http::uri::PathAndQuery,
    metadata::{Ascii, MetadataValue},
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint},
};
use tonic_prost::ProstCodec;
use vouch_domain::{Fault, PortError};

use super::messages::{Reply, Status};

pub(super) const PORT: &str = "dense";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// What the server calls a collection that is not there, and one that is not loaded.
const NOT_FOUND: i32 = 100;
const NOT_LOADED: i32 = 101;
/// The older numbers of the same.
const NOT_FOUND_BEFORE: i32 = 4;

/// Where a server is, and how it is spoken to.
#[derive(Debug, Clone)]
pub struct MilvusServer {
    /// Its address, `http://127.0.0.1:19530`.
    pub url: String,
    /// A file of certificates that sign the server's; needed for an address that begins with https.
    pub ca_file: Option<PathBuf>,
    /// `user:password`. It is never repeated.
    pub token: Option<String>,
    /// How long a search may take.
    pub timeout: Duration,
    /// How long a change may take.
    pub write_timeout: Duration,
}

pub(super) struct Client {
    channel: Channel,
    token: Option<MetadataValue<Ascii>>,
    pub(super) timeout: Duration,
    pub(super) write_timeout: Duration,
    /// Taken when this is dropped, since a runtime may not be dropped where nothing may block.
    runtime: Option<Runtime>,
}

impl Client {
    /// Reads the address; nobody is asked yet.
    pub(super) fn new(server: &MilvusServer) -> Result<Self, PortError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("milvus")
            .enable_all()
            .build()
            .map_err(|error| {
                PortError::new(PORT, Fault::Internal, "no thread could be started for Milvus").with_source(error)
            })?;
        let endpoint = endpoint(server)?;
        let channel = {
            let _inside = runtime.enter();
            endpoint.connect_lazy()
        };
        let token = server.token.as_ref().map(|token| authorization(token)).transpose()?;
        let (timeout, write_timeout) = (server.timeout, server.write_timeout);
        Ok(Self { channel, token, timeout, write_timeout, runtime: Some(runtime) })
    }

    /// Calls a method; a reply that says that the request was not met is an error.
    pub(super) async fn call<Q, A>(&self, method: &str, request: Q, limit: Duration) -> Result<A, PortError>
    where
        Q: prost::Message + 'static,
        A: Reply,
    {
        let invalid = |error| PortError::new(PORT, Fault::Internal, "no such method").with_source(error);
        let path = PathAndQuery::from_str(&format!("/milvus.proto.milvus.MilvusService/{method}")).map_err(invalid)?;
        let mut request = Request::new(request);
        request.set_timeout(limit);
        if let Some(token) = &self.token {
            request.metadata_mut().insert("authorization", token.clone());
        }
        let mut grpc = Grpc::new(self.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX);
        let work = async move {
            grpc.ready().await.map_err(unreachable)?;
            let codec: ProstCodec<Q, A> = ProstCodec::default();
            grpc.unary(request, path, codec).await.map(tonic::Response::into_inner).map_err(refused)
        };
        let reply = self.run(limit, work).await?;
        match reply.status() {
            Some(status) if status.code != 0 || status.error_code != 0 => Err(not_met(method, status)),
            Some(_) | None => Ok(reply),
        }
    }

    async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, PortError>> + Send + 'static,
    ) -> Result<T, PortError> {
        let Some(runtime) = &self.runtime else { return Err(late()) };
        let work = async move { timeout(limit, work).await.unwrap_or_else(|_| Err(late())) };
        runtime.spawn(work).await.unwrap_or_else(|error| {
            Err(PortError::new(PORT, Fault::Internal, "the call of Milvus was stopped").with_source(error))
        })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Whether an error says that there is no such collection, or none that is loaded.
pub(super) fn is_missing(error: &PortError) -> bool {
    let mut source = error.source.as_ref().map(|source| source.as_ref() as &dyn std::error::Error);
    source.take().and_then(|source| source.downcast_ref::<NotMet>()).is_some_and(|not_met| not_met.is_missing)
}

/// What a server said instead of doing it; it may repeat what was sent, so it is for the log alone.
#[derive(Debug)]
struct NotMet {
    is_missing: bool,
    reason: String,
}

impl std::fmt::Display for NotMet {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.reason)
    }
}

impl std::error::Error for NotMet {}

fn not_met(method: &str, status: &Status) -> PortError {
    let is_missing = [NOT_FOUND, NOT_LOADED].contains(&status.code) || status.error_code == NOT_FOUND_BEFORE;
    let reason = format!("{method}: {} ({}, {})", status.reason, status.code, status.error_code);
    // What the server cannot do now it may do later: it loads, is short of memory, or has lost one of its parts.
    PortError::new(PORT, Fault::Unavailable, "Milvus rejected the request").with_source(NotMet { is_missing, reason })
}

fn unreachable(error: tonic::transport::Error) -> PortError {
    PortError::new(PORT, Fault::Unavailable, "Milvus cannot be reached").with_source(error)
}

fn refused(status: tonic::Status) -> PortError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum that may grow")]
    let (fault, sentence) = match status.code() {
        tonic::Code::DeadlineExceeded | tonic::Code::Cancelled => (Fault::Timeout, "Milvus took too long"),
        tonic::Code::Unauthenticated | tonic::Code::PermissionDenied => {
            (Fault::Invalid, "Milvus does not accept the user or password of dense.token_variable")
        }
        tonic::Code::Unimplemented => (Fault::Invalid, "the server at dense.url is not a supported Milvus"),
        _ => (Fault::Unavailable, "Milvus cannot be reached"),
    };
    PortError::new(PORT, fault, sentence).with_source(status)
}

fn late() -> PortError {
    PortError::new(PORT, Fault::Timeout, "Milvus did not answer in time")
}

fn endpoint(server: &MilvusServer) -> Result<Endpoint, PortError> {
    let wrong = |what: &str| PortError::new(PORT, Fault::Invalid, format!("dense.url: {what}"));
    let shape = "the address must look like `http://127.0.0.1:19530`";
    let url = reqwest::Url::parse(&server.url).map_err(|_| wrong(shape))?;
    let host = url.host_str().ok_or_else(|| wrong(shape))?;
    if url.has_authority() && (!url.username().is_empty() || url.password().is_some()) {
        return Err(wrong("the user and password belong in the variable that dense.token_variable names"));
    }
    let endpoint = Endpoint::from_shared(server.url.clone()).map_err(|_| wrong(shape))?;
    let endpoint = endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .tcp_nodelay(true);
    match url.scheme() {
        "http" if is_on_this_machine(host) => Ok(endpoint),
        "http" => Err(wrong("a server on another machine must have an https address")),
        "https" => {
            let path = server.ca_file.as_ref();
            let path =
                path.ok_or_else(|| wrong("an https address needs dense.ca_file, the certificates that sign it"))?;
            let pem =
                std::fs::read(path).map_err(|error| wrong(&format!("{} cannot be read ({error})", path.display())))?;
            let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
            endpoint.tls_config(tls).map_err(|_| wrong(&format!("{} contains no certificates", path.display())))
        }
        _ => Err(wrong(shape)),
    }
}

fn is_on_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn authorization(token: &str) -> Result<MetadataValue<Ascii>, PortError> {
    use base64::Engine;
    let encoded = base64::engine::general_purpose::STANDARD.encode(token);
    let invalid = |_| {
        PortError::new(PORT, Fault::Invalid, "the variable named by dense.token_variable does not hold user:password")
    };
    encoded.parse().map_err(invalid)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MilvusServer, endpoint};

    #[test]
    fn whatever_leaves_this_machine_goes_over_tls_and_no_address_is_repeated() {
        let server = |url: &str| MilvusServer {
            url: url.to_owned(),
            ca_file: None,
            token: None,
            timeout: Duration::from_secs(1),
            write_timeout: Duration::from_secs(1),
        };
        for url in ["http://127.0.0.1:19530", "http://localhost:19530", "http://[::1]:19530"] {
            assert!(endpoint(&server(url)).is_ok(), "{url}");
        }
        for url in [
            "http://milvus.example.org:19530",
            "https://milvus.example.org:19530",
            "http://user:sesame@127.0.0.1:19530",
            "sesame",
            "ftp://127.0.0.1:19530",
        ] {
            let error = endpoint(&server(url)).expect_err("no address");
            assert!(!format!("{error} {error:?}").contains("sesame"), "{error:?}");
        }
    }
}
