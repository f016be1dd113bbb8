//! A folder of its own for every test, and the binary run in it.

#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

pub mod bombs;
pub mod callers;
pub mod conversations;
pub mod counting;
pub mod draw;
pub mod embedding_server;
pub mod issuer;
pub mod lines;
pub mod malformed_requests;
pub mod model;
pub mod process;
pub mod promtool;
pub mod replies;
pub mod server;
pub mod shapes;

use std::{
    io::Read,
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use tempfile::TempDir;

/// No command of these tests takes nearly as long, also on a machine with much else to do; one that does hangs.
const DEADLINE: Duration = Duration::from_secs(600);

/// A folder that goes away with the test.
pub struct Place {
    folder: TempDir,
}

/// What a command did.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Where a name lies: the real path, as the product tells it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder is there").join(name)
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }

    /// The binary in this folder, with nothing of the tester's environment.
    pub fn vouch(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vouch"));
        command.args(words).current_dir(self.path("")).env_clear().stdin(Stdio::null());
        give_time(&mut command);
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, words: &[&str]) -> Ran {
        finish(self.vouch(words))
    }
}

/// A busy machine must not change an answer. These go before what `vouch.yaml` says.
pub fn give_time(command: &mut Command) {
    for wait in ["TERMINOLOGY_", "RETRIEVE_LANE_", "MEMORY_JUDGE_", "JUDGE_READ_", "VERIFY_SUPPORT_", "AUDIT_CHECK_"] {
        command.env(format!("VOUCH_{wait}TIMEOUT_MS"), "60000");
    }
}

/// Runs a command to its end; one that hangs is ended and fails the test.
pub fn finish(command: Command) -> Ran {
    finish_within(command, DEADLINE)
}

/// The same for a command that may take longer than others.
pub fn finish_within(mut command: Command, deadline: Duration) -> Ran {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let out = gather(child.stdout.take().expect("standard output is piped"));
    let err = gather(child.stderr.take().expect("standard error is piped"));
    let texts = out.recv_timeout(deadline).and_then(|out| err.recv_timeout(deadline).map(|err| (out, err)));
    if texts.is_err() {
        child.kill().expect("our own child can be ended");
    }
    let code = child.wait().expect("our own child can be waited for").code();
    let (out, err) = texts.expect("the command ends in time");
    Ran { code, out, err }
}

fn gather(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let outcome = pipe.read_to_end(&mut bytes);
        // Nobody listens any more where the test has already failed.
        let _ = sender.send(outcome.map_or_else(|error| error.to_string(), |_| String::from_utf8_lossy(&bytes).into()));
    });
    receiver
}
