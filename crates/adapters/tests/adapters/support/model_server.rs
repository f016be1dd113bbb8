//! A server that does what a test tells it, in the words of either protocol, and notes what became of it.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
};
use vouch_adapters::{
    ollama::{Ollama, OllamaSettings},
    openai_compatible::{OpenAiCompatible, OpenAiSettings},
};
use vouch_domain::{
    ModelError,
    ports::{CompletionRequest, LanguageModel, Message, Role},
};

/// What is asked in every test; no failure may repeat it.
pub const PROMPT: &str = "Zanzibar prompt";
/// The key shown in every test; no failure may repeat it.
pub const KEY: &str = "sk-verysecretkey";
/// Longer than any test waits where a deadline has no part in the matter.
pub const LONG: Duration = Duration::from_secs(20);

/// Something a server does on a connection.
#[derive(Clone)]
pub enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Sends these bytes so many times, or until nobody takes them.
    Repeat(Vec<u8>, usize),
    /// A byte a second of these, over and over.
    Drip(Vec<u8>),
    /// Does nothing until the other side closes.
    Hang,
}

impl Step {
    pub fn send(text: impl AsRef<[u8]>) -> Self {
        Self::Send(text.as_ref().to_vec())
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub head: String,
    pub body: String,
    pub json: Value,
}

impl Request {
    /// The method and the path.
    pub fn line(&self) -> String {
        self.head.split(" HTTP/").next().unwrap_or_default().to_owned()
    }
}

/// What the server has seen.
#[derive(Default)]
pub struct Seen {
    pub connections: AtomicUsize,
    pub sent_bytes: AtomicUsize,
    pub requests: Mutex<Vec<Request>>,
    /// When the other side closed a connection on which the server hung.
    pub closed_at: Mutex<Option<Instant>>,
}

impl Seen {
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("a lock").clone()
    }

    pub async fn closed_within(&self, limit: Duration) -> bool {
        let start = Instant::now();
        loop {
            let is_late = start.elapsed() >= limit;
            let is_closed = self.closed_at.lock().expect("a lock").is_some();
            if is_closed || is_late {
                return is_closed;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// An address where nobody listens, and what keeps it from everybody else.
pub fn silent_address() -> (String, TcpSocket) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    (socket.local_addr().expect("an address").to_string(), socket)
}

pub struct TestServer {
    pub address: String,
    pub seen: Arc<Seen>,
}

type Script = Arc<dyn Fn(&Request) -> Vec<Step> + Send + Sync>;

impl TestServer {
    /// Answers every request as the script says, then closes the connection.
    pub async fn start(script: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let seen = Arc::new(Seen::default());
        let (script, noting): (Script, _) = (Arc::new(script), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                noting.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&noting)));
            }
        });
        Self { address, seen }
    }

    /// Does the same whatever is asked.
    pub async fn doing(steps: Vec<Step>) -> Self {
        Self::start(move |_| steps.clone()).await
    }
}

async fn serve(mut stream: TcpStream, script: Script, seen: Arc<Seen>) {
    let Some(request) = read_request(&mut stream).await else { return };
    seen.requests.lock().expect("a lock").push(request.clone());
    stream.set_nodelay(true).expect("a socket");
    for step in script(&request) {
        match step {
            Step::Send(bytes) => send(&mut stream, &bytes, &seen).await,
            Step::Wait(time) => tokio::time::sleep(time).await,
            Step::Repeat(bytes, times) => {
                for _ in 0..times {
                    if stream.write_all(&bytes).await.is_err() {
                        break;
                    }
                    seen.sent_bytes.fetch_add(bytes.len(), Ordering::SeqCst);
                }
            }
            Step::Drip(bytes) => {
                for byte in bytes.iter().cycle() {
                    if stream.write_all(&[*byte]).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
            Step::Hang => {
                let mut rest = [0; 64];
                while matches!(stream.read(&mut rest).await, Ok(1..)) {}
                *seen.closed_at.lock().expect("a lock") = Some(Instant::now());
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn send(stream: &mut TcpStream, bytes: &[u8], seen: &Seen) {
    if stream.write_all(bytes).await.is_ok() {
        seen.sent_bytes.fetch_add(bytes.len(), Ordering::SeqCst);
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Request { head, body: String::from_utf8_lossy(&body).into_owned(), json })
}

/// The two protocols, as far as tests tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Ollama,
    OpenAi,
}

pub const BOTH: [Protocol; 2] = [Protocol::Ollama, Protocol::OpenAi];

impl Protocol {
    pub fn base_url(self, scheme: &str, address: &str) -> String {
        match self {
            Self::Ollama => format!("{scheme}://{address}"),
            Self::OpenAi => format!("{scheme}://{address}/v1"),
        }
    }

    pub fn model_at(self, base_url: String, connect_timeout: Duration) -> Arc<dyn LanguageModel> {
        match self {
            Self::Ollama => Arc::new(Ollama::new(&OllamaSettings { base_url, connect_timeout }).expect("an adapter")),
            Self::OpenAi => {
                let settings = OpenAiSettings { base_url, api_key: Some(KEY.to_owned()), connect_timeout };
                Arc::new(OpenAiCompatible::new(&settings).expect("an adapter"))
            }
        }
    }

    pub fn model(self, server: &TestServer) -> Arc<dyn LanguageModel> {
        self.model_at(self.base_url("http", &server.address), LONG)
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Ollama => "application/x-ndjson",
            Self::OpenAi => "text/event-stream",
        }
    }

    /// The head of an answer that ends where the connection does.
    pub fn head(self) -> String {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nConnection: close\r\n\r\n", self.content_type())
    }

    /// A whole answer in pieces, each a chunk of its own, so that it is read piece by piece.
    pub fn in_chunks(self, pieces: &[&[u8]]) -> Vec<u8> {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n", self.content_type());
        let mut bytes = format!("{head}Connection: close\r\n\r\n").into_bytes();
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
            bytes.extend_from_slice(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\n\r\n");
        bytes
    }

    /// A JSON value as one of the protocol's messages.
    pub fn line(self, json: &Value) -> String {
        match self {
            Self::Ollama => format!("{json}\n"),
            Self::OpenAi => format!("data: {json}\n\n"),
        }
    }

    pub fn word(self, text: &str) -> String {
        self.line(&match self {
            Self::Ollama => {
                serde_json::json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": false})
            }
            Self::OpenAi => serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
        })
    }

    /// Something that is sent and says nothing.
    pub fn keep_alive(self) -> String {
        match self {
            Self::Ollama => format!("\n{}", self.word("")),
            Self::OpenAi => format!(": keep-alive\n\n{}", self.word("")),
        }
    }

    pub fn end(self) -> String {
        match self {
            Self::Ollama => self.line(&serde_json::json!({"model": "m", "done": true, "done_reason": "stop"})),
            Self::OpenAi => "data: [DONE]\n\n".to_owned(),
        }
    }

    pub fn error(self, words: &str) -> String {
        self.line(&match self {
            Self::Ollama => serde_json::json!({"error": words}),
            Self::OpenAi => serde_json::json!({"error": {"message": words, "type": "server_error", "code": 500}}),
        })
    }

    /// A refusal with this status.
    pub fn refusal(self, status: u16, words: &str) -> Vec<u8> {
        let body = match self {
            Self::Ollama => serde_json::json!({"error": words}),
            Self::OpenAi => serde_json::json!({"error": {"message": words, "type": "some_error", "code": status}}),
        };
        reply(status, "application/json", &body.to_string())
    }
}

pub fn reply(status: u16, content_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Said\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n");
    format!("{head}Connection: close\r\n\r\n{body}").into_bytes()
}

pub fn completion_request() -> CompletionRequest {
    CompletionRequest {
        model: "m".to_owned(),
        messages: vec![Message { role: Role::Asker, text: PROMPT.to_owned() }],
        temperature: 0.0,
        context_window: 2048,
        response_tokens_max: 64,
        response_bytes_max: 4096,
        first_token_timeout: LONG,
        timeout: LONG,
        gap_timeout: LONG,
        schema: None,
        tools: Vec::new(),
    }
}

/// Everything a model says, and how it ended.
pub async fn hear(model: &dyn LanguageModel, completion_request: CompletionRequest) -> (String, Option<ModelError>) {
    let mut said = Vec::new();
    let mut completion = match model.stream_completion(completion_request).await {
        Ok(completion) => completion,
        Err(error) => return (String::new(), Some(error)),
    };
    let ended = loop {
        match completion.next().await {
            Ok(Some(bytes)) => said.extend(bytes),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    assert_eq!(completion.next().await, Ok(None), "nothing comes after the end");
    (String::from_utf8(said).expect("text"), ended)
}
