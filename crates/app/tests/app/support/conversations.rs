//! Everything a reader and an admin try with the MCP package of PyPI, both ways in, once for all tests.
#![expect(clippy::expect_used, reason = "a test that cannot set its scene has failed")]

use std::{
    collections::BTreeSet,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::LazyLock,
};

use serde_json::{Value, json};
use vouch_adapters::embedded::{EmbeddedKeys, EmbeddedTrail, NewKey, TrailLimits};
use vouch_domain::{AuditEntry, AuditScope, Role, ports::AuditTrail};
use vouch_testkit::{
    python::{self, Dependencies},
    skip,
};

use crate::support::{Place, server::Server};

const PACKAGES: [&str; 1] = ["mcp==2.3.0"];

const LEAVE: &str = "---\naddress: P-7\nurl: https://handbook.example/leave\n---\n# Annual Leave\n\n\
    Staff have 26 days of paid annual leave a year. Unused leave is carried over with form P-04.\n";
const SALARY: &str =
    "---\naddress: HR-1\n---\n# Salary Bands\n\nThe salary band of a senior keeper is 5200 crowns a month.\n";
const LAMP: &str =
    "# Lamp Log\n\nOn 3 May the spare mantle was fitted by Odile Prenn. The tower door was painted green.\n";
const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
    <https://terms.test/busbar> a skos:Concept ; skos:prefLabel \"Busbar\"@en ;\n\
    skos:definition \"A conductor that joins several circuits.\"@en .\n";

const ASKED: &str = "How many days of paid annual leave do staff have?";
const PINNED: &str = "Whom do I call when the great light goes dark?";
const PARAPHRASED: &str = "Whom should I call when the great light goes dark?";

/// What every reader tries; the names are what tests look the results up by.
pub fn tries() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("found", "search", json!({ "query": "annual leave", "k": 3 })),
        ("passage", "fetch", json!({ "id": "docs/leave.md:0" })),
        ("document", "fetch", json!({ "id": "docs/leave.md" })),
        ("address", "fetch", json!({ "id": "p-7" })),
        ("hidden address", "fetch", json!({ "id": "HR-1" })),
        ("hidden document", "fetch", json!({ "id": "hr/salary.md" })),
        ("hidden passage", "fetch", json!({ "id": "hr/salary.md:0" })),
        ("missing", "fetch", json!({ "id": "hr/nothing.md:0" })),
        ("beyond", "fetch", json!({ "id": "p-7", "offset": 100_000 })),
        ("answered", "ask", json!({ "query": ASKED, "explain": true })),
        ("followed up", "ask", json!({ "query": ASKED, "history": [{ "role": "user", "content": "Hello" }] })),
        ("refused", "ask", json!({ "query": "What is the salary band of a senior keeper?" })),
        (
            "supported",
            "check",
            json!({ "claim": "Staff have 26 days of paid annual leave a year.", "evidence": [LEAVE] }),
        ),
        (
            "contradicted",
            "check",
            json!({ "claim": "Staff have 27 days of paid annual leave a year.", "evidence": [LEAVE] }),
        ),
        ("defined", "define_term", json!({ "term": "busbar" })),
        ("undefined", "define_term", json!({ "term": "flux capacitor" })),
        ("no query", "ask", json!({})),
        ("a number", "ask", json!({ "query": 7 })),
        ("an empty query", "ask", json!({ "query": " " })),
        ("a wish too many", "search", json!({ "query": "leave", "tenant": "hr" })),
        ("none wanted", "search", json!({ "query": "leave", "k": 0 })),
        ("an empty term", "define_term", json!({ "term": "" })),
        ("an admin's tool", "pin_question", json!({ "phrases": [PINNED], "references": ["docs/lamp.md"] })),
        ("no tool", "destroy", json!({})),
    ]
}

pub fn admin_tries() -> Vec<(&'static str, &'static str, Value)> {
    let pin = json!({ "phrases": [PINNED, "The big lamp is out, who helps?"], "references": ["docs/lamp.md"] });
    vec![
        ("before", "ask", json!({ "query": PARAPHRASED })),
        ("pinned to nothing", "pin_question", json!({ "phrases": [PINNED], "references": ["docs/nothing.md"] })),
        ("pinned", "pin_question", pin.clone()),
        ("pinned again", "pin_question", pin),
        ("after", "ask", json!({ "query": PARAPHRASED })),
        (
            "noted",
            "add_note",
            json!({ "phrases": ["tower door"], "note": "The door matters to visitors.", "id": "door" }),
        ),
        ("an empty note", "add_note", json!({ "phrases": ["tower door"], "note": " " })),
        ("listed", "list_memory", json!({})),
        ("listed in part", "list_memory", json!({ "limit": 1, "offset": 1 })),
        ("seen", "fetch", json!({ "id": "HR-1" })),
        ("tried", "wordings", json!({ "action": "try", "texts": ["tower doors"] })),
        (
            "worded",
            "wordings",
            json!({ "action": "add", "entry": "door", "texts": ["Which door does the tower have?"] }),
        ),
        ("worded nowhere", "wordings", json!({ "action": "add", "entry": "nothing", "texts": ["Which door?"] })),
        ("worded wrongly", "wordings", json!({ "action": "list", "entry": "door" })),
        ("waiting", "wordings", json!({ "action": "list" })),
        ("removed", "remove_entry", json!({ "id": "door" })),
        ("removed again", "remove_entry", json!({ "id": "door" })),
        ("listed after", "list_memory", json!({})),
    ]
}

/// Everything that was said, and what the trail holds of it.
pub struct Conversations {
    pub readers: [Value; 2],
    pub admins: [Value; 2],
    pub stranger: Value,
    pub trail: Vec<AuditEntry>,
}

/// None where the package cannot be had.
pub static SAID: LazyLock<Option<Conversations>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp");
    let python = python::with_packages(&folder, &PACKAGES, Dependencies::Brought);
    Some(converse(&python.map_err(|reason| skip("the tools through the MCP package of PyPI", &reason)).ok()?))
});

/// A folder with documents of two audiences and a vocabulary.
fn filled() -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    place.write("docs/lamp.md", LAMP);
    place.write("hr/salary.md", SALARY);
    place.write("terms.ttl", TERMS);
    for words in [&["ingest", "docs"][..], &["ingest", "hr", "--tags", "hr"], &["vocab", "import", "terms.ttl"]] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    place
}

fn key(place: &Place, role: Role, tags: Option<&str>) -> String {
    let keys = EmbeddedKeys::open(&place.path(".vouch"), None).expect("keys");
    let tags = tags.map(|tag| BTreeSet::from([tag.to_owned()]));
    let (name, tenant) = (role.as_str().to_owned(), "default".to_owned());
    let new = NewKey { name, tenant, role, person: None, tags, per_minute: None, made_ms: 0, expires_ms: None };
    waited(keys.make(new)).expect("a key").1
}

fn waited<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

fn plan(to: &Value, mode: &str, tries: &[(&str, &str, Value)]) -> Value {
    let calls: Vec<_> = tries.iter().map(|(_, tool, arguments)| json!([tool, arguments])).collect();
    json!({ "to": to, "mode": mode, "calls": calls })
}

/// Holds conversations through the client of the package.
fn talk(python: &Path, plans: &Value) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/app/support/mcp_client.py");
    let mut command = Command::new(python);
    let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("an interpreter");
    child.stdin.take().expect("piped").write_all(plans.to_string().as_bytes()).expect("a reader");
    let ended = child.wait_with_output().expect("an end");
    let out = String::from_utf8(ended.stdout).expect("text");
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn converse(python: &Path) -> Conversations {
    let place = filled();
    let pipe = |words: &[&str]| {
        let args = [&["mcp"], words].concat();
        json!({ "command": env!("CARGO_BIN_EXE_vouch"), "args": args, "cwd": place.path("") })
    };
    let over_pipes = json!([
        plan(&pipe(&["--tags", "staff"]), "auto", &tries()),
        plan(&pipe(&["--admin"]), "legacy", &admin_tries()),
    ]);
    let mut piped = talk(python, &over_pipes).into_iter();
    let removed = place.run(&["memory", "remove", &pinned_name()]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    let (reader, admin) = (key(&place, Role::Reader, Some("staff")), key(&place, Role::Admin, None));
    let server = Server::over(place);
    let url = format!("http://{}/mcp", server.address);
    let bearer = |key: &str| json!({ "url": url, "key": key });
    let over_http = json!([
        plan(&bearer(&reader), "legacy", &tries()),
        plan(&bearer(&admin), "auto", &admin_tries()),
        plan(&bearer("vk_nobody_nothing"), "legacy", &[]),
    ]);
    let mut served = talk(python, &over_http).into_iter();
    let trail = EmbeddedTrail::open(&server.place.path(".vouch"), TrailLimits::default()).expect("a trail");
    let next = |from: &mut dyn Iterator<Item = Value>| from.next().expect("a conversation");
    Conversations {
        readers: [next(&mut piped), next(&mut served)],
        admins: [next(&mut piped), next(&mut served)],
        stranger: next(&mut served),
        trail: waited(trail.newest(&AuditScope::for_tenant("default"), 1_000)).expect("entries"),
    }
}

pub fn pinned_name() -> String {
    format!("pinned: {PINNED}")
}

pub fn tools(said: &Value) -> Vec<&str> {
    let tools = said.get("tools").and_then(Value::as_array).expect("tools");
    tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect()
}

/// What came of a try, both ways it went.
pub fn both<'a>(said: &'a [Value; 2], tries: &[(&str, &str, Value)], name: &str) -> [&'a Value; 2] {
    let at = tries.iter().position(|(own, _, _)| *own == name).expect("a try of this name");
    said.each_ref().map(|one| one.get("calls").and_then(|calls| calls.get(at)).unwrap_or_else(|| unheard(one)))
}

#[expect(clippy::panic, reason = "a conversation that failed is told as it failed")]
fn unheard(said: &Value) -> &Value {
    panic!("{said}")
}

pub fn problem(came: &Value) -> Value {
    assert_eq!(came.get("error"), Some(&true.into()), "{came}");
    serde_json::from_str(came.get("text").and_then(Value::as_str).expect("a text")).expect("a problem")
}
