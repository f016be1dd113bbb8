//! What a command says on standard error beside its log: sentences for people, or an object per line where the log is wanted as
//! JSON, so that whoever collects the lines can read all of them.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use serde_json::json;
use vouch_service::wire::timestamp;

use crate::{
    delegation::{protocol::Event, remote_output::RemoteOutput},
    terminal,
};

static IS_JSON: AtomicBool = AtomicBool::new(false);

/// From now on every message is an object.
pub(crate) fn use_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Whether every message is an object.
pub(crate) fn is_json() -> bool {
    match RemoteOutput::current() {
        Some(output) => output.terminal.has_json_messages,
        None => IS_JSON.load(Ordering::Relaxed),
    }
}

/// Says how things go.
pub(crate) fn inform(sentence: &str) {
    write(sentence, sentence, "INFO");
}

/// Says why a command fails.
pub(crate) fn complain(sentence: &str) {
    write(&format!("vouch: {sentence}"), sentence, "ERROR");
}

fn write(for_people: &str, sentence: &str, level: &str) {
    if !is_json() {
        return put(&terminal::sanitize(for_people));
    }
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let timestamp = timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
    let line = json!({
        "component": "cli", "event": "message", "level": level, "message": sentence.trim(), "timestamp": timestamp,
    });
    put(&terminal::escaped(&line.to_string()));
}

fn put(line: &str) {
    match RemoteOutput::current() {
        // Whoever is gone reads no message.
        Some(output) => drop(output.send(&Event::Err(line.to_owned()))),
        None => pass_on(line),
    }
}

/// Prints a message that another process has made ready to be printed.
#[expect(clippy::print_stderr, reason = "messages go to standard error")]
pub(crate) fn pass_on(line: &str) {
    eprintln!("{line}");
}
