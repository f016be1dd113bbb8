//! A Milvus server out of a package of PyPI, in a network of its own: its ports are fixed, and but for a few it opens them to
//! everybody.
//!
//! Invariant: the server ends with this value, also where a test panics, and with this process, however that ends.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use tempfile::TempDir;

use crate::python::{self, Dependencies};

/// The server itself, in the last version that is packaged. It is of early 2024.
const PACKAGES: [&str; 1] = ["milvus==2.3.5"];
/// Unpacks and runs it.
const SERVE: &str = include_str!("serve.py");
/// Longer than `serve.py` waits for it, which unpacks it first.
const READY_WITHIN: Duration = Duration::from_secs(900);

/// A server that runs.
#[derive(Debug)]
pub struct Milvus {
    process: Child,
    folder: TempDir,
    port: u16,
    pid: u32,
}

impl Milvus {
    /// Starts a server. Its package is installed in a folder below this one, which is kept.
    ///
    /// # Errors
    /// The reason why there can be none on this machine.
    pub fn start(below: &Path) -> Result<Self, String> {
        let kept = below.join("milvus");
        let python = python::with_packages(&kept, &PACKAGES, Dependencies::LeftOut)?;
        let folder = tempfile::tempdir().map_err(|error| format!("no folder for Milvus: {error}"))?;
        let program = folder.path().join("serve.py");
        std::fs::write(&program, SERVE).map_err(|error| format!("no program for Milvus: {error}"))?;
        let data = folder.path().join("data");
        std::fs::create_dir(&data).map_err(|error| format!("no folder for Milvus: {error}"))?;
        let errors = std::fs::File::create(folder.path().join("errors")).map_err(|error| error.to_string())?;
        let mut command = Command::new(python);
        command
            .arg(&program)
            .arg(&data)
            .arg(kept.join("programs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors);
        let process = command.spawn().map_err(|error| format!("Milvus cannot be run: {error}"))?;
        let mut server = Self { process, folder, port: 0, pid: 0 };
        server.pid = server.wait_until_ready()?;
        server.port = relay(data.join("socket"))?;
        Ok(server)
    }

    /// How the server is addressed.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The process of the server.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Where the server keeps what it has.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("data/data")
    }

    fn wait_until_ready(&mut self) -> Result<u32, String> {
        let output = self.process.stdout.take().expect("an output");
        let (told, ready) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(output).read_line(&mut line);
            let _ = told.send(line);
        });
        let line = ready.recv_timeout(READY_WITHIN).unwrap_or_default();
        let pid = line.strip_prefix("ready ").and_then(|pid| pid.trim().parse().ok());
        pid.ok_or_else(|| {
            let said = std::fs::read_to_string(self.folder.path().join("errors")).unwrap_or_default();
            format!("Milvus did not start: {}", said.trim())
        })
    }
}

impl Drop for Milvus {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Listens on a port of this machine alone and passes everything on to a socket.
fn relay(socket: PathBuf) -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| format!("no port for Milvus: {error}"))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            // Whoever connects once the server is gone finds nobody.
            let Ok(far) = UnixStream::connect(&socket) else { return };
            let (Ok(near_again), Ok(far_again)) = (near.try_clone(), far.try_clone()) else { return };
            let _ = near.set_nodelay(true);
            thread::spawn(move || pass_on(near, far, |far| far.shutdown(Shutdown::Both)));
            thread::spawn(move || pass_on(far_again, near_again, |near: &TcpStream| near.shutdown(Shutdown::Both)));
        }
    });
    Ok(port)
}

fn pass_on<W: Write>(mut from: impl Read, mut to: W, close: impl Fn(&W) -> std::io::Result<()>) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = close(&to);
}
