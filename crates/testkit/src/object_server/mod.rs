//! An S3-compatible server that checks signatures, out of a package of PyPI: put in place once, started and stopped here.
//!
//! Invariant: the server ends with this value, also where a test panics, and with this process, however that ends.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::python::{self, Dependencies};

const PACKAGES: [&str; 3] = ["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];

/// A server that runs, with an empty bucket `docs`.
#[derive(Debug)]
pub struct ObjectServer {
    process: Child,
    told: BufReader<ChildStdout>,
    start: Value,
}

impl ObjectServer {
    /// Starts a server whose packages lie in a folder below this one, which is kept for the next run.
    ///
    /// # Errors
    /// The reason why there can be none on this machine.
    pub fn start(below: &Path) -> Result<Self, String> {
        let python = python::with_packages(&below.join("object-server"), &PACKAGES, Dependencies::Brought)?;
        let mut process = Command::new(python)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/object_server/server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the server cannot be run: {error}"))?;
        let told = process.stdout.take().ok_or("the server has no output")?;
        let mut server = Self { process, told: BufReader::new(told), start: Value::Null };
        server.start = server.line().expect("a server that starts");
        Ok(server)
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &str {
        self.word("address")
    }

    /// The access key that it knows.
    #[must_use]
    pub fn key(&self) -> &str {
        self.word("key")
    }

    /// The secret of the key.
    #[must_use]
    pub fn secret(&self) -> &str {
        self.word("secret")
    }

    /// Puts an object there, or another in its place.
    pub fn put(&mut self, key: &str, text: &str) {
        self.tell(&json!(["put", key, text]));
    }

    /// Takes an object away.
    pub fn delete(&mut self, key: &str) {
        self.tell(&json!(["delete", key]));
    }

    /// Puts so many empty objects there, whose keys begin like this.
    pub fn fill(&mut self, prefix: &str, count: usize) {
        self.tell(&json!(["fill", prefix, count]));
    }

    /// What it was asked for since the last word, and the status of each reply.
    pub fn asked(&mut self) -> Vec<String> {
        let asked = self.tell(&json!(["asked"]));
        asked.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn tell(&mut self, words: &Value) -> Value {
        let input = self.process.stdin.as_mut().expect("an open input");
        writeln!(input, "{words}").expect("a server that reads");
        self.line().expect("a server that answers")
    }

    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.told.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    fn word(&self, name: &str) -> &str {
        self.start.get(name).and_then(Value::as_str).expect("a word")
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
