//! What a client and the process that runs its command send each other: one line of JSON each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The longest line that is read of whoever asks: a command line of the longest that systems take, with what its paths lead to.
pub(crate) const REQUEST_BYTES_MAX: u64 = 8 << 20;

/// A command to be run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Both must be the same program.
    pub(crate) version: String,
    /// The command line, with the program's name first.
    pub(crate) words: Vec<String>,
    /// The folder that paths are seen from.
    pub(crate) folder: PathBuf,
    /// What the command's paths lead to for whoever asks, one after the other. Where an earlier version names none, its version
    /// is what is told.
    #[serde(default)]
    pub(crate) identities: Vec<PathIdentity>,
    /// What the settings of whoever asks come to.
    pub(crate) settings: String,
    pub(crate) terminal: Terminal,
}

/// What a process finds at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PathIdentity {
    /// This file or folder.
    There { device: u64, inode: u64 },
    /// Nothing, in this folder.
    Absent { device: u64, inode: u64 },
    /// Not even the folder, or nothing that it may look at.
    Nowhere,
}

/// Where the words of a command are read.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Terminal {
    /// How many columns standard output has, and whether it knows styles; none if no person reads there.
    pub(crate) screen: Option<(usize, bool)>,
    /// How many columns standard error has, if a person reads there.
    pub(crate) bar_columns: Option<u16>,
    /// Whether messages are objects.
    pub(crate) has_json_messages: bool,
}

/// What comes back, piece by piece.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    /// The command runs.
    Begun,
    /// It does not, and why.
    Refused(String),
    /// For standard output.
    Out(String),
    /// For standard error.
    Err(String),
    /// For the terminal that standard error is: how far things have come.
    Bar(String),
    /// The command has ended with this code.
    Ended(u8),
}
