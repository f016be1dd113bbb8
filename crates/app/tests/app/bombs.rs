//! Hostile documents sent to a server that may take a gigabyte: it lives, says what is wrong with each, and goes on.
#![cfg(target_os = "linux")]

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{
    Place,
    bombs::BOMBS,
    callers::key,
    give_time,
    server::{self, Server},
};

const GIGABYTE_KB: &str = "1048576";
/// As large as the one that took 3.6 GB.
const LARGE: usize = 300_000;
const USUAL: usize = 60_000;
/// What made a small document large: these are sent whole.
const GROWN: &[&str] = &["heading", "headings", "title", "tables", "table", "emphasis", "formatting", "aliases"];

/// A server with at most a gigabyte of data. Few passages are taken, so that little time goes into embedding them.
fn confined() -> Server {
    let place = Place::new();
    place.write("docs/leave.md", server::LEAVE);
    place.write("vouch.yaml", "ingest:\n  passages_max: 40\n");
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let limited = "ulimit -d \"$1\" && shift && exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", GIGABYTE_KB, env!("CARGO_BIN_EXE_vouch"), "serve", "--listen", "127.0.0.1:0"]);
    command.current_dir(place.path("")).env_clear().stdin(Stdio::null());
    give_time(&mut command);
    Server::started(place, command)
}

#[test]
fn no_bomb_takes_the_server_down_and_each_is_told_what_is_wrong_with_it() {
    let mut server = confined();
    let mut refused = 0;
    for bomb in BOMBS {
        let is_grown = GROWN.iter().any(|word| bomb.name.split(' ').any(|own| own == *word));
        let text = (bomb.make)(if is_grown { LARGE } else { USUAL });
        let got = server.post("/v1/documents", &json!({ "id": "bomb", "text": text }).to_string(), "");
        assert!(matches!(got.status, 200 | 400), "{}: {} {}", bomb.name, got.status, got.body);
        if got.status == 400 {
            refused += 1;
            let detail = got.json()["detail"].as_str().map(str::to_owned).unwrap_or_default();
            let is_sentence = detail.starts_with("no document was added: document 0: it") && detail.len() < 1_000;
            assert!(is_sentence, "{}: {detail}", bomb.name);
        }
        assert_eq!(server.get("/healthz").status, 200, "after {}", bomb.name);
        assert!(server.child.try_wait().expect("our own child").is_none(), "it ended with {}", bomb.name);
    }
    assert!(refused > BOMBS.len() / 2, "only {refused} of {} were refused", BOMBS.len());
    let tea = json!({ "id": "tea", "text": "The price of tea is four euros a tin." });
    assert_eq!(server.post("/v1/documents", &tea.to_string(), "").status, 200);
    let found = server.post("/v1/search", &json!({ "query": "price of tea" }).to_string(), "").json();
    assert_eq!(found["hits"][0]["document_id"], "tea", "{found}");
    let told =
        server.post("/v1/ask", &json!({ "query": "How many days of annual leave do staff have?" }).to_string(), "");
    assert!(told.body.contains("26 days"), "{}", told.body);
}

#[test]
fn one_tenants_long_document_keeps_no_other_tenant_waiting() {
    let place = Place::new();
    place.write("docs/leave.md", server::LEAVE);
    place.write("vouch.yaml", "serve: { timeout_ms: 600000 }\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let (slow, quick) = (key(&place, "slow", Role::Admin, None), key(&place, "quick", Role::Admin, None));
    let server = Server::over(place);
    let sentence = "The ferry crosses the lake at noon, and whoever misses it walks around by the northern shore. ";
    let long = json!({ "id": "long", "text": sentence.repeat(5_000) }).to_string();
    let short = json!({ "id": "short", "text": "Tea is four euros." }).to_string();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.post("/v1/documents", &long, &slow));
        // Time for the long one to be under way, of which it needs many times as much.
        std::thread::sleep(Duration::from_millis(300));
        let got = server.post("/v1/documents", &short, &quick);
        assert_eq!(got.status, 200, "{}", got.body);
        assert!(!waiting.is_finished(), "the long document was kept first");
        let got: Value = waiting.join().expect("a reply").json();
        assert_eq!(got["added"], 1, "{got}");
    });
}
