//! An embedder of a few lines: it gives every text the same vector, until it is told to fail or to keep waiting.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

pub struct EmbeddingServer {
    port: u16,
    told: Arc<Told>,
}

/// What the server was told to do.
#[derive(Default)]
struct Told {
    is_failing: AtomicBool,
    /// Whether it was asked what it never answers.
    is_waited_for: AtomicBool,
    unanswered: OnceLock<String>,
    /// What it gives for vectors, whatever it is asked.
    given: Mutex<Option<Value>>,
}

impl EmbeddingServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let told: Arc<Told> = Arc::default();
        let heard = Arc::clone(&told);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || serve(stream, &heard));
            }
        });
        Self { port, told }
    }

    /// From now on every request fails.
    pub fn fail(&self) {
        self.told.is_failing.store(true, Ordering::SeqCst);
    }

    /// From now on it gives these vectors, whatever it is asked.
    pub fn give(&self, vectors: &[&[f32]]) {
        let data = vectors.iter().zip(0..).map(|(vector, index)| json!({ "index": index, "embedding": vector }));
        *self.told.given.lock().expect("a lock") = Some(data.collect());
    }

    /// From now on it works again.
    pub fn recover(&self) {
        self.told.is_failing.store(false, Ordering::SeqCst);
    }

    /// From now on a request with this word in it is never answered.
    pub fn never_answer(&self, word: &str) {
        self.told.unanswered.set(word.to_owned()).expect("one word");
    }

    /// Whether somebody waits for what is never answered.
    pub fn is_waited_for(&self) -> bool {
        self.told.is_waited_for.load(Ordering::SeqCst)
    }

    /// Settings under which this server embeds.
    pub fn settings(&self) -> String {
        format!(
            "models:\n  servers:\n    here: {{ kind: openai, url: \"http://127.0.0.1:{}/v1\" }}\n  embedder: {{ server: here, model: \
             tiny, dimensions: 8, timeout_ms: 600000 }}\n",
            self.port
        )
    }
}

fn serve(mut stream: TcpStream, told: &Told) {
    let body = body(&mut stream);
    while told.unanswered.get().is_some_and(|word| body.contains(word)) {
        told.is_waited_for.store(true, Ordering::SeqCst);
        std::thread::park();
    }
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let texts = asked.get("input").and_then(Value::as_array).map_or(0, Vec::len);
    let given = told.given.lock().expect("a lock").clone();
    let (status, answer) = if let Some(data) = given {
        ("200 OK", json!({ "data": data }))
    } else if told.is_failing.load(Ordering::SeqCst) {
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
