//! An embedder of a few lines: it gives every text the same vector, until it is told to fail.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

pub struct EmbeddingServer {
    port: u16,
    is_failing: Arc<AtomicBool>,
}

impl EmbeddingServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let is_failing: Arc<AtomicBool> = Arc::default();
        let told = Arc::clone(&is_failing);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let told = Arc::clone(&told);
                std::thread::spawn(move || serve(stream, &told));
            }
        });
        Self { port, is_failing }
    }

    /// From now on every request fails.
    pub fn fail(&self) {
        self.is_failing.store(true, Ordering::SeqCst);
    }

    /// From now on it works again.
    pub fn recover(&self) {
        self.is_failing.store(false, Ordering::SeqCst);
    }

    /// Settings under which this server embeds.
    pub fn settings(&self) -> String {
        format!(
            "models:\n  servers:\n    here: {{ kind: openai, url: \"http://127.0.0.1:{}/v1\" }}\n  embedder: {{ server: here, model: \
             tiny, dimensions: 8, timeout_ms: 2000 }}\n",
            self.port
        )
    }
}

fn serve(mut stream: TcpStream, is_failing: &AtomicBool) {
    let body = body(&mut stream);
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let texts = asked.get("input").and_then(Value::as_array).map_or(0, Vec::len);
    let (status, answer) = if is_failing.load(Ordering::SeqCst) {
        ("500 No", json!({ "error": { "message": "out of memory" } }))
    } else {
        let vector = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let data: Vec<Value> = (0..texts).map(|index| json!({ "index": index, "embedding": vector })).collect();
        ("200 OK", json!({ "data": data }))
    };
    let answer = answer.to_string();
    let length = answer.len();
    let head =
        format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}");
    let _ = stream.write_all(format!("{head}\r\n\r\n{answer}").as_bytes());
}

/// What a request says after its head.
fn body(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0_u8; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return body.to_owned();
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return String::new(),
            Ok(read) => bytes.extend(chunk.iter().take(read)),
        }
    }
}
