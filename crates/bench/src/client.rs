//! An HTTP client that keeps its connection: one request at a time, and how long each took.

use std::time::{Duration, Instant};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// What one request came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) status: u16,
    pub(crate) took: Duration,
}

/// Where the server is, and who asks.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) address: String,
    pub(crate) key: Option<String>,
}

/// One request with a body, which may be empty.
#[derive(Debug, Clone)]
pub(crate) struct HttpRequest {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The id that the request is to have in the trail; one of the server's own if absent.
    pub(crate) id: Option<String>,
    pub(crate) body: String,
}

impl HttpRequest {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: "GET", path: path.into(), id: None, body: String::new() }
    }

    pub(crate) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self { method: "POST", path: path.into(), id: None, body: body.to_string() }
    }

    pub(crate) fn ask(query: &str) -> Self {
        Self::post("/v1/ask", &serde_json::json!({ "query": query }))
    }
}

/// What a server replied.
#[derive(Debug, Clone)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Whether the connection ends with it.
    closes: bool,
}

impl HttpReply {
    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// A client of one server.
pub(crate) struct Client {
    target: Target,
    stream: Option<BufReader<TcpStream>>,
    used: Instant,
}

/// A connection that lay idle for so long is not used again: a server closes it any moment.
const IDLE_MAX: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_secs(120);

impl Client {
    pub(crate) fn new(target: &Target) -> Self {
        Self { target: target.clone(), stream: None, used: Instant::now() }
    }

    /// Asks once; a status of 0 stands for no answer at all.
    pub(crate) async fn ask(&mut self, query: &str) -> Sample {
        let started = Instant::now();
        let status = self.send(&HttpRequest::ask(query)).await.map_or(0, |reply| reply.status);
        Sample { status, took: started.elapsed() }
    }

    /// Sends a request and reads its reply to the end; after an error the next request has a connection of its own.
    pub(crate) async fn send(&mut self, request: &HttpRequest) -> std::io::Result<HttpReply> {
        if self.used.elapsed() > IDLE_MAX {
            self.stream = None;
        }
        let sent = tokio::time::timeout(PATIENCE, self.exchange(request)).await;
        self.used = Instant::now();
        let reply = sent.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        if reply.as_ref().map_or(true, |reply| reply.closes) {
            self.stream = None;
        }
        reply
    }

    async fn exchange(&mut self, request: &HttpRequest) -> std::io::Result<HttpReply> {
        let HttpRequest { method, path, id, body } = request;
        let key = self.target.key.as_ref().map_or(String::new(), |key| format!("Authorization: Bearer {key}\r\n"));
        let id = id.as_ref().map_or(String::new(), |id| format!("X-Request-Id: {id}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{key}{id}Content-Length: {}\r\n\r\n",
            self.target.address,
            body.len()
        );
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(&self.target.address).await?;
                stream.set_nodelay(true)?;
                self.stream.insert(BufReader::new(stream))
            }
        };
        stream.write_all(format!("{head}{body}").as_bytes()).await?;
        read(stream).await
    }
}

/// Reads one response to its end.
async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<HttpReply> {
    let broken = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(|| broken("no status"))?;
    let (mut length, mut closes) = (None, false);
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse::<usize>().ok();
        }
        closes |= header == "connection: close";
    }
    let mut body = vec![0; length.ok_or_else(|| broken("no length"))?];
    stream.read_exact(&mut body).await?;
    Ok(HttpReply { status, body, closes })
}
