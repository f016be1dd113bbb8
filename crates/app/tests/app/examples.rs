//! The examples run as their first lines say, and show what they promise.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{Ran, finish, server::Server};

/// An example as it was built beside this test. Cargo builds examples with the tests of a whole workspace, not with one
/// test alone.
fn example(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("this test is a file");
    let built = own.ancestors().nth(2).expect("a folder of builds").join("examples").join(name);
    assert!(built.exists(), "{name} is not built: run `cargo build --workspace --examples` first");
    built
}

fn ran(command: Command) -> String {
    let Ran { code, out, err } = finish(command);
    assert_eq!(code, Some(0), "{out}{err}");
    out
}

/// The client; none where there is no Python, which is said.
fn client() -> Option<Command> {
    let is_there = Command::new("python3").arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "python3 is needed");
    if !is_there {
        // Past the test runner, which keeps what is printed to itself.
        let _ = writeln!(std::io::stderr().lock(), "SKIPPED: the client of the examples needs python3");
        return None;
    }
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/client.py"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    Some(command)
}

#[test]
fn the_library_answers_one_question_and_refuses_the_other() {
    let out = ran(Command::new(example("ask")));
    let (answered, refused) = out.split_once("\n\n").expect("two questions");
    assert!(answered.contains("answered: The locks on the Tarn open at seven in the morning"), "{out}");
    assert!(answered.contains("[^1] The locks (locks:"), "{out}");
    assert!(refused.contains("refused (") && !refused.contains("answered:"), "{out}");
}

#[test]
fn a_writer_of_ones_own_is_not_believed() {
    let out = ran(Command::new(example("own_writer")));
    let (both, invention) = out.split_once("A writer that only invents").expect("two writers");
    assert!(both.contains("answered: A crossing takes eight minutes and costs 2.50 euros. [^1]"), "{out}");
    assert!(!both.contains("three hours"), "{out}");
    assert!(invention.contains("refused (nothing_verified)") && !invention.contains("answered:"), "{out}");
    assert!(invention.contains("not shown: A crossing takes three hours"), "{out}");
}

#[test]
fn the_client_streams_from_a_server_it_starts() {
    let Some(mut command) = client() else { return };
    command.args(["--vouch", env!("CARGO_BIN_EXE_vouch")]);
    let out = ran(command);
    assert!(out.contains("A crossing takes eight minutes and costs 2.50 euros. [^1]"), "{out}");
    assert!(out.contains("[^1] The ferry (ferry:0)"), "{out}");
}

#[test]
fn the_client_asks_a_server_that_runs_and_tells_a_refusal() {
    let server = Server::start("");
    let url = format!("http://{}", server.address);
    let Some(mut command) = client() else { return };
    command.args(["--url", &url, "Who designed the cathedral?"]);
    let Ran { code, out, err } = finish(command);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains("refused ("), "{out}{err}");
}
