//! `vouch mcp` as a process of its own, and a client that writes lines.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::Place;

const DEADLINE: Duration = Duration::from_secs(60);

/// A process that ends with the test.
pub struct Lines {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Lines {
    pub fn start(place: &Place, words: &[&str]) -> Self {
        let mut command = place.vouch(words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let (sender, output) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { input: child.stdin.take(), child, output }
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("someone to tell");
    }

    pub fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// The next line, which is always a message of the protocol.
    pub fn hear(&self) -> Value {
        let line = self.output.recv_timeout(DEADLINE).expect("an answer in time");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(message.get("jsonrpc"), Some(&"2.0".into()), "{line}");
        message
    }

    /// The handshake.
    pub fn open(&mut self) -> Value {
        let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        self.say(&json!({ "jsonrpc": "2.0", "id": "open", "method": "initialize", "params": about }));
        let answer = loop {
            let heard = self.hear();
            if heard.get("id") == Some(&"open".into()) {
                break heard;
            }
        };
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// Closes its input; answers its exit code once it has left.
    pub fn end(mut self) -> Option<i32> {
        self.input.take();
        for _ in 0..600 {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        None
    }
}
