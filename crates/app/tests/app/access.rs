//! Whoever may not read a document learns nothing of it through any endpoint, and whoever may finds it there.
//!
//! Documents, tags and keys are drawn from a seed. Every response is searched for whatever is secret about every document
//! its key may not read. A new endpoint is one more line of `WAYS`.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, fmt::Write};

use serde_json::{Value, json};

use crate::support::{Place, draw::Draw, server::Server};

const SEED: u64 = 20_260_301;
const TENANTS: [&str; 2] = ["tarn", "fell"];
const TAGS: [&str; 5] = ["hr", "it", "legal", "board", "field"];
const DOCUMENTS: usize = 10;
const KEYS: usize = 4;

/// Nothing may be late: this is about what is told, not about when.
const SETTINGS: &str = "\
understand: {addresses: [{kind: null, pattern: 'CARD-(?P<number>[0-9]+)', normal: 'CARD-{number}'}]}
judge: {read_timeout_ms: 60000}
retrieve: {lane_timeout_ms: 60000}
memory: {judge_timeout_ms: 60000}
verify: {support_timeout_ms: 60000}
";

struct Document {
    tenant: &'static str,
    id: String,
    title: String,
    /// Where it is about: in both tenants there is a document about each place.
    place: String,
    codeword: String,
    address: String,
    tags: BTreeSet<&'static str>,
    is_pinned: bool,
}

struct Key {
    name: String,
    tenant: &'static str,
    /// None reads the whole tenant.
    tags: Option<BTreeSet<&'static str>>,
    secret: String,
}

/// One request: what is asked, about which document, and the tags it narrows itself to.
struct Probe<'a> {
    query: String,
    about: Option<&'a Document>,
    asks: Asks,
    tags: Option<BTreeSet<&'static str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// For the place's codeword, in the words of the document.
    Plainly,
    /// For a codeword that is nearly the right one.
    Misspelt,
    /// For the document by its address.
    ByAddress,
    /// For everything at once.
    Generally,
}

/// One way to ask.
struct Way {
    name: &'static str,
    /// Method, path and body.
    request: fn(&Probe<'_>) -> (&'static str, String, Value),
    /// Whether what may be read must be found by such a probe.
    finds: fn(&Probe<'_>, &Document) -> bool,
    /// Whether it takes tags to narrow itself to.
    narrows: bool,
}

const WAYS: &[Way] = &[
    Way { name: "ask", request: |probe| post("/v1/ask", probe, json!({})), finds: plainly, narrows: true },
    Way {
        name: "ask, explained",
        request: |probe| post("/v1/ask", probe, json!({"explain": true})),
        finds: plainly,
        narrows: true,
    },
    Way {
        name: "stream",
        request: |probe| post("/v1/ask/stream", probe, json!({"explain": true})),
        finds: plainly,
        narrows: true,
    },
    Way { name: "search", request: |probe| search("all", probe), finds: |_, _| true, narrows: true },
    Way { name: "search, dense", request: |probe| search("dense", probe), finds: |_, _| true, narrows: true },
    Way { name: "search, lexical", request: |probe| search("lexical", probe), finds: plainly, narrows: true },
    Way { name: "search, address", request: |probe| search("address", probe), finds: by_address, narrows: true },
    Way { name: "search, memory", request: |probe| search("memory", probe), finds: pinned, narrows: true },
    Way { name: "completion", request: completion, finds: plainly, narrows: true },
    Way {
        name: "mcp ask",
        request: |probe| tool("ask", json!({"query": probe.query})),
        finds: plainly,
        narrows: false,
    },
    Way {
        name: "mcp search",
        request: |probe| tool("search", json!({"query": probe.query})),
        finds: |_, _| false,
        narrows: false,
    },
    Way {
        name: "mcp fetch",
        request: |probe| tool("fetch", json!({"id": address(probe)})),
        finds: by_address,
        narrows: false,
    },
    Way {
        name: "documents",
        request: |_| get("/v1/documents?limit=1000".to_owned()),
        finds: |_, _| false,
        narrows: false,
    },
    Way { name: "memory", request: |_| get("/v1/memory?limit=1000".to_owned()), finds: |_, _| false, narrows: false },
    Way {
        name: "term",
        request: |probe| get(format!("/v1/terms?term={}", address(probe))),
        finds: |_, _| false,
        narrows: false,
    },
    Way { name: "versions", request: |probe| past("/v1/versions", probe), finds: |_, _| false, narrows: false },
    Way { name: "version", request: |probe| past("/v1/versions/1", probe), finds: |_, _| false, narrows: false },
    Way { name: "changes", request: |probe| past("/v1/changes", probe), finds: |_, _| false, narrows: false },
    Way { name: "recalls", request: |_| get("/v1/recalls".to_owned()), finds: |_, _| false, narrows: false },
    Way { name: "people", request: |_| get("/v1/people".to_owned()), finds: |_, _| false, narrows: false },
    Way { name: "audit", request: |_| get("/v1/audit".to_owned()), finds: |_, _| false, narrows: false },
    Way { name: "metrics", request: |_| get("/metrics".to_owned()), finds: |_, _| false, narrows: false },
];

fn get(path: String) -> (&'static str, String, Value) {
    ("GET", path, Value::Null)
}

/// A document as it was.
fn past(path: &str, probe: &Probe<'_>) -> (&'static str, String, Value) {
    let id = probe.about.map_or("nothing", |about| about.id.as_str());
    get(format!("{path}?id={}", id.replace(' ', "%20")))
}

/// In OpenAI's shape.
fn completion(probe: &Probe<'_>) -> (&'static str, String, Value) {
    let message = json!({"role": "user", "content": probe.query});
    let (method, path, mut body) = post("/v1/chat/completions", probe, json!({"messages": [message], "explain": true}));
    body.as_object_mut().expect("an object").remove("query");
    (method, path, body)
}

/// A tool called over MCP.
fn tool(name: &str, arguments: Value) -> (&'static str, String, Value) {
    let params = json!({"name": name, "arguments": arguments});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    ("POST", "/mcp".to_owned(), body)
}

fn address<'a>(probe: &'a Probe<'_>) -> &'a str {
    probe.about.map_or("CARD-1", |about| about.address.as_str())
}

fn post(path: &str, probe: &Probe<'_>, mut body: Value) -> (&'static str, String, Value) {
    let fields = body.as_object_mut().expect("an object");
    fields.insert("query".to_owned(), json!(probe.query));
    if let Some(tags) = &probe.tags {
        fields.insert("tags".to_owned(), json!(tags));
    }
    ("POST", path.to_owned(), body)
}

fn search(lane: &str, probe: &Probe<'_>) -> (&'static str, String, Value) {
    post("/v1/search", probe, json!({"lane": lane, "k": 100}))
}

fn is_about(probe: &Probe<'_>, document: &Document) -> bool {
    probe.about.is_some_and(|about| about.place == document.place)
}

fn plainly(probe: &Probe<'_>, document: &Document) -> bool {
    probe.asks == Asks::Plainly && is_about(probe, document)
}

fn by_address(probe: &Probe<'_>, document: &Document) -> bool {
    probe.asks == Asks::ByAddress && probe.about.is_some_and(|about| about.id == document.id)
}

fn pinned(probe: &Probe<'_>, document: &Document) -> bool {
    plainly(probe, document) && document.is_pinned
}

impl Document {
    fn text(&self) -> String {
        let Self { place, codeword, .. } = self;
        format!(
            "The lighthouse of {place} keeps its lamp oil in cellar {codeword}. \
             The keeper of {place} fills the lamp at dusk and writes the level into the ledger."
        )
    }

    fn question(&self) -> String {
        format!("In which cellar does the lighthouse of {} keep its lamp oil?", self.place)
    }

    /// What nobody may learn who may not read it.
    fn secrets(&self) -> [&str; 3] {
        [&self.codeword, &self.id, &self.title]
    }
}

impl Key {
    /// The rule, said once more and in other words than the product says it.
    fn may_read(&self, document: &Document, narrowed: Option<&BTreeSet<&'static str>>) -> bool {
        let is_open =
            |own: &BTreeSet<&str>| document.tags.is_empty() || document.tags.iter().any(|tag| own.contains(tag));
        self.tenant == document.tenant && self.tags.as_ref().is_none_or(is_open) && {
            // A request's tags count only as far as they are the key's.
            narrowed.is_none_or(|narrowed| match &self.tags {
                None => is_open(narrowed),
                Some(own) => is_open(&own.intersection(narrowed).copied().collect()),
            })
        }
    }
}

fn some_tags(draw: &mut Draw) -> BTreeSet<&'static str> {
    TAGS.into_iter().filter(|_| draw.below(5) < 2).collect()
}

fn documents(draw: &mut Draw) -> Vec<Document> {
    let places: Vec<String> = (0..DOCUMENTS).map(|_| draw.name()).collect();
    let mut all = Vec::new();
    for tenant in TENANTS {
        for place in &places {
            all.push(Document {
                tenant,
                id: format!("doc-{}", draw.word(10)),
                title: format!("Ledger {}", draw.word(10)),
                place: place.clone(),
                codeword: draw.word(10),
                address: format!("CARD-{}", 100 + all.len()),
                tags: some_tags(draw),
                is_pinned: draw.below(2) == 0,
            });
        }
    }
    all
}

/// Documents in both tenants, pinned questions for some, and a key for every set of tags that was drawn.
fn scene(draw: &mut Draw) -> (Place, Vec<Document>, Vec<Key>) {
    let (place, documents) = (Place::new(), documents(draw));
    place.write("vouch.yaml", SETTINGS);
    let done = |words: &[&str]| {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        ran.out.trim_end().to_owned()
    };
    for tenant in TENANTS {
        let (mut lines, mut entries) = (String::new(), String::new());
        for document in documents.iter().filter(|document| document.tenant == tenant) {
            let Document { id, title, address, tags, .. } = document;
            let line = json!({"id": id, "title": title, "text": document.text(), "tags": tags, "address": address});
            writeln!(lines, "{line}").expect("a string");
            if document.is_pinned {
                let entry = json!({"id": format!("pin-{id}"), "kind": "pinned", "questions": [document.question()],
                    "references": [id], "tags": tags});
                writeln!(entries, "- {entry}").expect("a string");
            }
        }
        place.write(&format!("{tenant}.jsonl"), lines);
        place.write(&format!("{tenant}.yaml"), entries);
        done(&["ingest", &format!("{tenant}.jsonl"), "--tenant", tenant]);
        done(&["memory", "import", &format!("{tenant}.yaml"), "--tenant", tenant]);
    }
    let mut keys = Vec::new();
    for (number, tenant) in (0..KEYS).zip(TENANTS.into_iter().cycle()) {
        // The first key of each tenant reads all of it.
        let tags = (number >= TENANTS.len()).then(|| some_tags(draw)).filter(|tags| !tags.is_empty());
        let mut words = vec!["key".to_owned(), "add".to_owned(), format!("key {number}")];
        words.extend(["--tenant".to_owned(), tenant.to_owned()]);
        if let Some(tags) = &tags {
            words.extend(["--tags".to_owned(), tags.iter().copied().collect::<Vec<_>>().join(",")]);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let name = format!("key {number} of {tenant} with {tags:?}");
        keys.push(Key { name, tenant, tags, secret: done(&words) });
    }
    (place, documents, keys)
}

/// Everything one key asks.
fn probes<'a>(documents: &'a [Document], draw: &mut Draw) -> Vec<Probe<'a>> {
    let mut all = Vec::new();
    for document in documents {
        let tags = (draw.below(3) == 0).then(|| some_tags(draw));
        let about = Some(document);
        if document.tenant == TENANTS[0] {
            // Places are the same in both tenants, and so are the questions about them.
            all.push(Probe { query: document.question(), about, asks: Asks::Plainly, tags: tags.clone() });
        }
        let nearly = draw.misspelt(&document.codeword);
        let query = format!("What does the lighthouse keep in cellar {nearly}?");
        all.push(Probe { query, about, asks: Asks::Misspelt, tags: tags.clone() });
        let query = format!("What does {} say of lamp oil?", document.address);
        all.push(Probe { query, about, asks: Asks::ByAddress, tags });
    }
    let query = "Which lighthouses keep lamp oil in which cellars?".to_owned();
    all.push(Probe { query, about: None, asks: Asks::Generally, tags: None });
    all
}

/// What is wrong with a response, if anything is.
fn fault(way: &Way, probe: &Probe<'_>, key: &Key, documents: &[Document], server: &Server) -> Option<String> {
    let (method, path, body) = (way.request)(probe);
    let bearer = format!("Authorization: Bearer {}\r\nAccept: application/json, text/event-stream\r\n", key.secret);
    let got = match method {
        "POST" => server.post(&path, &body.to_string(), &bearer),
        _ => server.get_with(&path, &bearer),
    };
    let told = format!("{}\n{}", got.head, got.body);
    let said = |what: String| Some(format!("{} by {}: {what}: {path} {body}\n{told}", way.name, key.name));
    // What a reader may not do, or what is not there, is told so; what must be found is looked for below.
    if ![200, 403, 404].contains(&got.status) {
        return said(format!("status {}", got.status));
    }
    let narrowed = probe.tags.as_ref().filter(|_| way.narrows);
    for document in documents {
        let may_read = key.may_read(document, narrowed);
        let leaked = document.secrets().into_iter().find(|secret| told.contains(secret));
        if let Some(secret) = leaked.filter(|_| !may_read) {
            return said(format!("{secret} of {} with tags {:?} leaked", document.id, document.tags));
        }
        if may_read && (way.finds)(probe, document) && !told.contains(&document.codeword) {
            return said(format!("{} was not found", document.id));
        }
    }
    None
}

#[test]
fn no_endpoint_tells_anything_of_what_a_key_may_not_read() {
    let mut draw = Draw::from(SEED);
    let (place, documents, keys) = scene(&mut draw);
    let hidden = keys.iter().flat_map(|key| documents.iter().filter(|document| !key.may_read(document, None))).count();
    let seen = keys.len() * documents.len() - hidden;
    assert!(hidden > 20 && seen > 15, "the seed draws a scene worth looking at: {hidden} hidden, {seen} seen");
    let server = Server::over(place);
    let asked: usize = std::thread::scope(|scope| {
        let work = keys.iter().map(|key| {
            let probes = probes(&documents, &mut draw);
            let (documents, server) = (&documents, &server);
            scope.spawn(move || {
                for (probe, way) in probes.iter().flat_map(|probe| WAYS.iter().map(move |way| (probe, way))) {
                    let fault = fault(way, probe, key, documents, server);
                    assert!(fault.is_none(), "{}", fault.unwrap_or_default());
                }
                probes.len() * WAYS.len()
            })
        });
        let work: Vec<_> = work.collect();
        work.into_iter().map(|one| one.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault))).sum()
    });
    assert_eq!(asked, keys.len() * WAYS.len() * (documents.len() * 5 / 2 + 1));
}
