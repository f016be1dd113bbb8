//! The blocks of a page → one shell script, run in a folder of its own.
//!
//! A server is started in the background, is waited for until it listens, on a port that was free, and ends with the page.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
};

use vouch_testkit::skip;

use super::page::{Page, Tag};
use crate::support::{Place, finish};

/// The address that pages name.
const WRITTEN: &str = "127.0.0.1:8080";

/// `curl` fails if the server reports an error, and every wait has an end.
const PRELUDE: &str = r#"set -eu
root=$(pwd)
servers=
ended() {
    code=$?
    for server in $servers; do
        kill "$server" || true
        wait "$server" || true
    done
    if [ "$code" != 0 ]; then cat "$root/server.log" >&2 || true; fi
}
trap ended EXIT
serve() {
    : >"$root/server.log"
    "$@" >>"$root/server.log" 2>&1 &
    servers="$servers $!"
    tries=0
    until grep -q 'Listening on' "$root/server.log"; do
        kill -0 "$!"
        tries=$((tries + 1))
        [ "$tries" -lt 3000 ]
        sleep 0.1
    done
}
if command -v curl >/dev/null; then
    curl() { command curl --fail-with-body --show-error --max-time 300 "$@"; }
else
    curl() { :; }
fi
"#;

/// Runs the blocks of a page that can run; fails with what was said where a command does.
pub fn run(name: &str, page: &Page) {
    let place = Place::new();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles"), &place.path("profiles"));
    std::fs::create_dir(place.path("bin")).expect("a folder for the binary");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_vouch"), place.path("bin/vouch")).expect("a link to the binary");
    let script = script(page);
    if script.lines().any(|line| line.starts_with("curl ")) && Command::new("curl").arg("--version").output().is_err() {
        skip(&format!("the requests of {name}"), "there is no curl");
    }
    let ran = finish(shell(&place, &script));
    assert_eq!(ran.code, Some(0), "{name} fails after the last line named here:\n{}\n{}", ran.err, ran.out);
}

fn script(page: &Page) -> String {
    let mut script = PRELUDE.to_owned();
    for block in page.blocks.iter().filter(|block| block.tag == Tag::Run) {
        script.push_str(&format!("echo '== line {}' >&2\n", block.line));
        for line in block.text.lines() {
            let line = line.replace("cargo run --release --", "vouch");
            let is_server =
                line.starts_with("vouch serve") || line.starts_with("vouch demo") && !line.contains("--chat");
            script.push_str(if is_server { "serve " } else { "" });
            script.push_str(&line);
            script.push('\n');
        }
    }
    script.replace(WRITTEN, &free_address())
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

fn shell(place: &Place, script: &str) -> Command {
    place.write("page.sh", script);
    let mut command = Command::new("sh");
    let path = std::env::var("PATH").unwrap_or_default();
    command.arg("page.sh").current_dir(place.path("")).env_clear().stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", place.path("bin").display()));
    // A busy machine must not change an answer.
    for wait in ["TERMINOLOGY_", "RETRIEVE_LANE_", "MEMORY_JUDGE_", "JUDGE_READ_", "VERIFY_SUPPORT_", "AUDIT_CHECK_"] {
        command.env(format!("VOUCH_{wait}TIMEOUT_MS"), "30000");
    }
    command
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a copy");
        }
    }
}
