//! `vouch serve` as a process of its own, and a client that sends bytes.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::Place;

/// No request takes nearly as long, also on a machine with much else to do; one that does hangs.
const DEADLINE: Duration = Duration::from_secs(600);

/// The one short document.
pub const LEAVE: &str =
    "# Annual Leave\n\nStaff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";

/// A server that ends with the test.
pub struct Server {
    pub child: Child,
    pub address: String,
    pub place: Place,
    /// What it said when it began to listen.
    pub listening: String,
    /// What it wrote to standard error since it listens, line by line.
    pub said: Arc<Mutex<Vec<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response: its status, its head and its body.
pub struct HttpReply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl HttpReply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

impl Server {
    /// A server over one short document.
    pub fn start(settings: &str) -> Self {
        Self::start_with(settings, &[])
    }

    /// The same with variables of the environment.
    pub fn start_with(settings: &str, variables: &[(&str, &str)]) -> Self {
        let place = Place::new();
        place.write("docs/leave.md", LEAVE);
        place.write("vouch.yaml", settings);
        let ran = place.run(&["ingest", "docs"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        Self::over_with(place, variables)
    }

    /// A server over what a folder holds.
    pub fn over(place: Place) -> Self {
        Self::over_with(place, &[])
    }

    /// The same with variables of the environment.
    pub fn over_with(place: Place, variables: &[(&str, &str)]) -> Self {
        Self::listening(place, "127.0.0.1:0", variables)
    }

    /// A server at an address of one's choice, with variables in its environment.
    pub fn listening(place: Place, address: &str, environment: &[(&str, &str)]) -> Self {
        let mut command = place.vouch(&["serve", "--listen", address]);
        command.envs(environment.iter().copied());
        Self::started(place, command)
    }

    /// Whatever a command serves once it says where.
    pub fn started(place: Place, mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let note = |said: &Mutex<Vec<String>>, line: &str| said.lock().expect("a lock").push(line.to_owned());
        let started = lines.by_ref().find(|line| line.contains("Listening on http://"));
        let started = started.unwrap_or_else(|| String::from("nothing"));
        let address = started.split("http://").nth(1).and_then(|rest| rest.split(',').next());
        let address = address.expect("an address").replace("0.0.0.0", "127.0.0.1");
        let noting = Arc::clone(&said);
        std::thread::spawn(move || lines.for_each(|line| note(&noting, &line)));
        Self { child, address, place, listening: started, said }
    }

    /// Ends the server; what it worked on stays.
    pub fn stop(mut self) -> Place {
        self.child.kill().expect("our own child");
        self.child.wait().expect("an end");
        std::mem::replace(&mut self.place, Place::new())
    }

    /// Everything it said on standard error so far.
    pub fn said(&self) -> String {
        self.said.lock().expect("a lock").join("\n")
    }

    /// The same, line by line.
    pub fn heard(&self) -> Vec<String> {
        self.said.lock().expect("a lock").clone()
    }

    /// The lines of one request, as JSON, once its response is noted as sent.
    pub fn log_of(&self, id: &str) -> Vec<Value> {
        let started = Instant::now();
        loop {
            let lines: Vec<Value> = self
                .said
                .lock()
                .expect("a lock")
                .iter()
                .map(|line| serde_json::from_str(line).expect("every line is JSON"))
                .filter(|line: &Value| line["request_id"] == id)
                .collect();
            if lines.iter().any(|line| line["event"] == "response_sent") {
                return lines;
            }
            assert!(started.elapsed() < Duration::from_secs(120), "no end of {id}: {lines:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A figure by its name and labels as `/metrics` writes them; none if it is not there.
    pub fn figure(&self, series: &str) -> Option<f64> {
        let text = self.get("/metrics").body;
        text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
    }

    /// Sends bytes as they are and reads until the server closes.
    pub fn send(&self, raw: &str) -> HttpReply {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
        stream.write_all(raw.as_bytes()).expect("someone to ask");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        HttpReply { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub fn post(&self, path: &str, body: &str, headers: &str) -> HttpReply {
        let length = body.len();
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        ))
    }

    pub fn get(&self, path: &str) -> HttpReply {
        self.get_with(path, "")
    }

    pub fn get_with(&self, path: &str, headers: &str) -> HttpReply {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"))
    }
}
