//! A workload → every change its worker made to files, in order, as the kernel saw them.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// One change to a file or folder below the recorded folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    Create(String),
    Mkdir(String),
    Write { path: String, at: usize, bytes: Vec<u8> },
    Truncate { path: String, length: usize },
    Sync(String),
    Rename { from: String, to: String },
    Unlink(String),
    Rmdir(String),
}

impl Op {
    pub fn path(&self) -> &str {
        match self {
            Self::Create(path)
            | Self::Mkdir(path)
            | Self::Write { path, .. }
            | Self::Truncate { path, .. }
            | Self::Sync(path)
            | Self::Unlink(path)
            | Self::Rmdir(path)
            | Self::Rename { to: path, .. } => path,
        }
    }

    pub fn verb(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Mkdir(_) => "mkdir",
            Self::Write { .. } => "write",
            Self::Truncate { .. } => "truncate",
            Self::Sync(_) => "sync",
            Self::Rename { .. } => "rename",
            Self::Unlink(_) => "unlink",
            Self::Rmdir(_) => "rmdir",
        }
    }
}

/// The recorder, compiled; the reason where it cannot be had.
pub fn recorder(folder: &Path) -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters/faults/recorder.c");
    let program = folder.join("recorder");
    let ran = Command::new("cc").arg("-O1").arg("-o").arg(&program).arg(source).output();
    let ran = ran.map_err(|error| format!("no C compiler: {error}"))?;
    if ran.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&ran.stderr).into_owned()) }
}

/// Runs one test of this executable under the recorder.
pub fn record(
    recorder: &Path,
    (root, log): (&Path, &Path),
    test: &str,
    variables: &[(&str, String)],
) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(recorder);
    command.arg(root).arg(log).arg(own).args(["--exact", test, "--nocapture"]);
    command.envs(variables.iter().map(|(name, value)| (*name, value)));
    let ran = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
    // A name that no test has runs nothing, and that is a success to the test runner.
    let is_run = ran.status.success() && said.contains("1 passed");
    if is_run { Ok(()) } else { Err(format!("{}: {said}", ran.status)) }
}

/// The operations of a log.
pub fn parse(log: &[u8]) -> Result<Vec<Op>, String> {
    let mut rest = log;
    let mut ops = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let line = String::from_utf8_lossy(line).into_owned();
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |text: &str| text.parse::<usize>().map_err(|_| format!("no number in {line}"));
        let op = match fields.as_slice() {
            ["create", path] => Op::Create((*path).to_owned()),
            ["mkdir", path] => Op::Mkdir((*path).to_owned()),
            ["truncate", path, length] => Op::Truncate { path: (*path).to_owned(), length: number(length)? },
            ["sync", path] => Op::Sync((*path).to_owned()),
            ["rename", from, to] => Op::Rename { from: (*from).to_owned(), to: (*to).to_owned() },
            ["unlink", path] => Op::Unlink((*path).to_owned()),
            ["rmdir", path] => Op::Rmdir((*path).to_owned()),
            ["write", path, at, length] => {
                let length = number(length)?;
                let bytes = rest.get(..length).ok_or("the log ends inside a write")?.to_vec();
                rest = rest.get(length + 1..).unwrap_or_default();
                Op::Write { path: (*path).to_owned(), at: number(at)?, bytes }
            }
            _ => return Err(format!("an operation that cannot be replayed: {line}")),
        };
        // SQLite's shared memory is written through a mapping, and is rebuilt by whoever opens the file first.
        let is_mapped = op.path().ends_with("-shm");
        let is_empty = matches!(&op, Op::Write { bytes, .. } if bytes.is_empty());
        if !is_mapped && !is_empty {
            ops.push(op);
        }
    }
    Ok(ops)
}

/// The last operations before a cut, for people.
pub fn shown(ops: &[Op], cut: usize) -> String {
    let from = cut.saturating_sub(4);
    let mut text = String::new();
    for (number, op) in ops.iter().enumerate().skip(from).take(6) {
        let mark = if number == cut { ">" } else { " " };
        let size = match op {
            Op::Write { at, bytes, .. } => format!(" {} bytes at {at}", bytes.len()),
            Op::Truncate { length, .. } => format!(" to {length}"),
            Op::Rename { from, .. } => format!(" from {from}"),
            Op::Create(_) | Op::Mkdir(_) | Op::Sync(_) | Op::Unlink(_) | Op::Rmdir(_) => String::new(),
        };
        let _ = write!(text, "\n    {mark} {number} {} {}{size}", op.verb(), op.path());
    }
    text
}
