//! The binary as processes that can be killed: commands, and a server with a client that survives it.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::{Duration, Instant},
};

use serde_json::Value;

/// Nothing here takes nearly as long; what does hangs.
const DEADLINE: Duration = Duration::from_secs(600);
/// How long a process may take to be gone after it has closed everything.
const GRACE: Duration = Duration::from_secs(2);

/// `VOUCH_BINARY`, or the one that was built with this test.
pub fn vouch(folder: &Path, words: &[&str]) -> Command {
    let binary = std::env::var("VOUCH_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_vouch").to_owned());
    let mut command = Command::new(binary);
    command.args(words).current_dir(folder).env_clear().stdin(Stdio::null());
    command.env("VOUCH_INGEST_BATCH_PASSAGES", "4");
    // A busy machine must not change an answer.
    for wait in ["TERMINOLOGY_", "RETRIEVE_LANE_", "MEMORY_JUDGE_", "JUDGE_READ_", "VERIFY_SUPPORT_", "AUDIT_CHECK_"] {
        command.env(format!("VOUCH_{wait}TIMEOUT_MS"), "30000");
    }
    command
}

/// How a command ended that was given so much time.
pub struct Ended {
    /// None where it was killed.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    pub took: Duration,
}

impl Ended {
    /// Standard output as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_default()
    }

    /// One field of it; null where there is none.
    pub fn field(&self, name: &str) -> Value {
        self.json().get(name).cloned().unwrap_or_default()
    }
}

fn gather(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Runs a command and kills it where it has not ended by then.
pub fn run_for(mut command: Command, limit: Duration) -> Ended {
    let started = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let out = gather(child.stdout.take().expect("piped"));
    let err = gather(child.stderr.take().expect("piped"));
    let has_ended = has_ended(&mut child, limit);
    let _ = child.kill();
    let code = child.wait().expect("our own child").code();
    // A signal that was not ours is the command's own fault.
    let code = if has_ended { code.or(Some(-1)) } else { code };
    let text = |receiver: mpsc::Receiver<String>| receiver.recv_timeout(DEADLINE).unwrap_or_default();
    Ended { code, out: text(out), err: text(err), took: started.elapsed() }
}

pub fn run(folder: &Path, words: &[&str]) -> Ended {
    run_for(vouch(folder, words), DEADLINE)
}

/// Whether a process ends within a time.
fn has_ended(child: &mut Child, limit: Duration) -> bool {
    let started = Instant::now();
    while started.elapsed() < limit {
        if child.try_wait().expect("our own child").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

/// A server that did not come to listen.
#[derive(Debug, Clone)]
pub struct NotStarted {
    /// Neither did it end.
    pub is_hung: bool,
    /// None where a signal ended it.
    pub code: Option<i32>,
    pub said: String,
}

/// A server, ended with its owner.
pub struct Server {
    child: Child,
    pub address: String,
    said: Arc<Mutex<Vec<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Server {
    /// Starts a server; how it ended where it does not come to listen.
    pub fn start(folder: &Path) -> Result<Self, NotStarted> {
        let mut command = vouch(folder, &["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let (sender, receiver) = mpsc::channel();
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let noting = Arc::clone(&said);
        // Read to the end, since a server that cannot write its log would wait.
        std::thread::spawn(move || {
            for line in lines {
                let address = line.split("Listening on http://").nth(1).and_then(|rest| rest.split([',', ' ']).next());
                let _ = address.map(|address| sender.send(address.to_owned()));
                noting.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        let started = Instant::now();
        match receiver.recv_timeout(DEADLINE) {
            Ok(address) => Ok(Self { child, address, said }),
            Err(_) => {
                // Standard error closes a moment before the process is gone.
                let is_hung = !has_ended(&mut child, DEADLINE.saturating_sub(started.elapsed()) + GRACE);
                let _ = child.kill();
                let status = child.wait().expect("our own child");
                let said = said.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
                Err(NotStarted { is_hung, code: status.code(), said })
            }
        }
    }

    /// What it wrote to standard error so far, line by line.
    pub fn said(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends it as a power switch would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls of one caller.
#[derive(Clone)]
pub struct Client {
    pub address: String,
    pub secret: String,
}

impl Client {
    /// One request; nothing if no whole response came back.
    pub fn call(&self, method: &str, path: &str, body: &str, id: &str) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(DEADLINE)).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {}\r\nx-request-id: {id}\r\nContent-Length: {}\r\n\r\n",
            self.secret,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let (mut bytes, mut chunk) = (Vec::new(), [0; 16_384]);
        while let Ok(count @ 1..) = stream.read(&mut chunk) {
            bytes.extend(chunk.iter().take(count));
        }
        let text = String::from_utf8(bytes).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
        if length != Some(body.len()) {
            return None;
        }
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(body).unwrap_or_default()))
    }

    pub fn get(&self, path: &str) -> Option<(u16, Value)> {
        self.call("GET", path, "", "check")
    }
}

/// Copies a folder with every file in it.
pub fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path: PathBuf = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else if path.is_file() {
            std::fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
