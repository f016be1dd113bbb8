//! A client that keeps its connection: one request at a time, and how long each took.

use std::time::{Duration, Instant};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// What one request came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) status: u16,
    pub(super) took: Duration,
}

/// Where the server is, and who asks.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) address: String,
    pub(super) key: Option<String>,
}

/// A client of one server.
pub(super) struct Client {
    target: Target,
    stream: Option<BufReader<TcpStream>>,
}

const PATIENCE: Duration = Duration::from_secs(120);

impl Client {
    pub(super) fn new(target: &Target) -> Self {
        Self { target: target.clone(), stream: None }
    }

    /// Asks once; a status of 0 stands for no answer at all.
    pub(super) async fn ask(&mut self, query: &str) -> Sample {
        let started = Instant::now();
        let status = match tokio::time::timeout(PATIENCE, self.post(query)).await {
            Ok(Ok(status)) => status,
            Ok(Err(_)) | Err(_) => {
                self.stream = None;
                0
            }
        };
        Sample { status, took: started.elapsed() }
    }

    async fn post(&mut self, query: &str) -> std::io::Result<u16> {
        let body = serde_json::json!({ "query": query }).to_string();
        let key = self.target.key.as_ref().map_or(String::new(), |key| format!("Authorization: Bearer {key}\r\n"));
        let head = format!(
            "POST /v1/ask HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{key}Content-Length: {}\r\n\r\n",
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
        let (status, closes) = read(stream).await?;
        if closes {
            self.stream = None;
        }
        Ok(status)
    }
}

/// Reads one response to its end; answers its status and whether the connection ends with it.
async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<(u16, bool)> {
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
    Ok((status, closes))
}
