//! `vouch serve` as a process of its own, and a client that sends bytes.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]
#![allow(dead_code, clippy::allow_attributes, reason = "no test has use for all of it")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;

use crate::support::Place;

/// The one short document.
pub const LEAVE: &str =
    "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";

/// A server that ends with the test.
pub struct Server {
    pub child: Child,
    pub address: String,
    pub place: Place,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response: its status, its head and its body.
pub struct Got {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Got {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

impl Server {
    /// A server over one short document.
    pub fn start(settings: &str) -> Self {
        let place = Place::new();
        place.write("docs/leave.md", LEAVE);
        place.write("vouch.yaml", settings);
        let ran = place.run(&["ingest", "docs"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        Self::over(place)
    }

    /// A server over what a folder holds.
    pub fn over(place: Place) -> Self {
        let mut command = place.vouch(&["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let said = lines.next().expect("a line").expect("text");
        let address =
            said.split("http://").nth(1).and_then(|rest| rest.split(',').next()).expect("an address").to_owned();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let listener = Arc::clone(&heard);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| listener.lock().expect("a lock").push(line));
        });
        Self { child, address, place, heard }
    }

    /// What the server has said on standard error since it listens.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().expect("a lock").clone()
    }

    /// Sends bytes as they are and reads until the server closes.
    pub fn send(&self, raw: &str) -> Got {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a deadline");
        stream.write_all(raw.as_bytes()).expect("someone to ask");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Got { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub fn post(&self, path: &str, body: &str, headers: &str) -> Got {
        let length = body.len();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        ))
    }

    pub fn get(&self, path: &str) -> Got {
        self.get_with(path, "")
    }

    pub fn get_with(&self, path: &str, headers: &str) -> Got {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n{headers}\r\n"))
    }
}
