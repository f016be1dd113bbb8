//! A model server of a few lines: it lists one model and says what it is told to, or misbehaves.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
};

/// How long a server that hangs is waited for.
const HURRY_MS: u32 = 2_000;
/// The same for one that answers at once, also on a machine with much else to do.
const PATIENCE_MS: u32 = 60_000;

/// How the server answers a request to write.
#[derive(Clone)]
pub enum Manner {
    /// Streams these pieces and ends.
    Says(Vec<String>),
    /// Streams this and then nothing, without an end, until it is let go.
    Hangs(String),
    /// Answers this, whatever it is.
    Sends(Vec<u8>),
    /// Says what it makes of its instructions.
    Judges(fn(&str) -> String),
}

pub struct ModelServer {
    port: u16,
    /// How long it is waited for where nothing else is said.
    wait_ms: u32,
    /// The bodies of every request to write.
    pub asked: Arc<Mutex<Vec<String>>>,
    hold: Arc<Hold>,
}

/// What keeps a server that hangs.
#[derive(Default)]
struct Hold {
    is_over: Mutex<bool>,
    ended: Condvar,
}

impl ModelServer {
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let hold: Arc<Hold> = Arc::default();
        let wait_ms = if matches!(manner, Manner::Hangs(_)) { HURRY_MS } else { PATIENCE_MS };
        let (heard, held) = (Arc::clone(&asked), Arc::clone(&hold));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (manner, heard, held) = (manner.clone(), Arc::clone(&heard), Arc::clone(&held));
                std::thread::spawn(move || serve(stream, &manner, &heard, &held));
            }
        });
        Self { port, wait_ms, asked, hold }
    }

    /// Settings under which this server writes; more of the `models` section may follow.
    pub fn settings(&self, rest: &str) -> String {
        self.settings_within(self.wait_ms, rest)
    }

    /// The same where so much time is given to all it says, and to each part of it.
    pub fn settings_within(&self, wait_ms: u32, rest: &str) -> String {
        format!(
            "models:\n  servers:\n    here: {{ kind: openai, url: \"http://127.0.0.1:{}/v1\" }}\n  allowed:\n    \"tiny:1b\": {{ \
             context_window: 4096, max_response: 256 }}\n  answer: {{ server: here, model: \"tiny:1b\", timeout_ms: {wait_ms}, \
             first_token_timeout_ms: {wait_ms}, gap_timeout_ms: {wait_ms} }}\n{rest}",
            self.port
        )
    }

    /// Closes the connections of a server that hangs.
    pub fn let_go(&self) {
        *self.hold.is_over.lock().expect("a lock") = true;
        self.hold.ended.notify_all();
    }
}

fn serve(mut stream: TcpStream, manner: &Manner, heard: &Mutex<Vec<String>>, hold: &Hold) {
    let (head, body) = request(&mut stream);
    let ok = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: ";
    if head.starts_with("GET") {
        let list = r#"{"object":"list","data":[{"id":"tiny:1b","object":"model"}]}"#;
        let _ = stream
            .write_all(format!("{ok}application/json\r\nContent-Length: {}\r\n\r\n{list}", list.len()).as_bytes());
        return;
    }
    let instructions = serde_json::from_str::<serde_json::Value>(&body)
        .ok()
        .and_then(|body| Some(body.pointer("/messages/0/content")?.as_str()?.to_owned()));
    heard.lock().expect("a lock").push(body);
    let event = |text: &str| {
        let delta = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
        format!("data: {delta}\n\n")
    };
    let begin = format!("{ok}text/event-stream\r\n\r\n");
    match manner {
        Manner::Sends(bytes) => drop(stream.write_all(bytes)),
        Manner::Says(pieces) => {
            let _ = stream.write_all(begin.as_bytes());
            for piece in pieces {
                let _ = stream.write_all(event(piece).as_bytes());
            }
            let _ = stream.write_all(b"data: [DONE]\n\n");
        }
        Manner::Judges(judge) => {
            let said = judge(&instructions.unwrap_or_default());
            let _ = stream.write_all(format!("{begin}{}data: [DONE]\n\n", event(&said)).as_bytes());
        }
        Manner::Hangs(text) => {
            let _ = stream.write_all(format!("{begin}{}", event(text)).as_bytes());
            let is_over = hold.is_over.lock().expect("a lock");
            drop(hold.ended.wait_while(is_over, |is_over| !*is_over));
        }
    }
}

/// The head and the body of a request.
fn request(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    let mut chunk = [0_u8; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return (head.to_owned(), body.to_owned());
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return (String::new(), String::new()),
            Ok(read) => bytes.extend(chunk.iter().take(read)),
        }
    }
}
