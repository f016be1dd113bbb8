//! What is under way when a kill comes: clients of a server, or one command.

use std::{
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    ledger::{Key, Ledger, edition_of, text, word},
    scene::{self, QUESTIONS},
};

use crate::support::{
    draw::Draw,
    process::{Client, Ended, Server, run_for, vouch},
};

const CLIENTS: u64 = 2;
/// Documents of one client, and files of the folder.
const DOCUMENTS: u64 = 6;
/// How long clients may take to get one change through.
const PATIENCE: Duration = Duration::from_secs(60);

/// Changes that can be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Http,
    Ingest,
    Terms,
    Memory,
    KeyAdd,
    KeyRevoke,
    Reembed,
}

impl Kind {
    /// Every other round is the server's, the rest are the commands' in turn.
    pub fn of(round: u64) -> Self {
        const COMMANDS: [Kind; 6] =
            [Kind::Ingest, Kind::Terms, Kind::Memory, Kind::KeyAdd, Kind::KeyRevoke, Kind::Reembed];
        match round % 2 {
            0 => Self::Http,
            _ => usize::try_from(round / 2 % 6).ok().and_then(|at| COMMANDS.get(at)).copied().unwrap_or(Self::Ingest),
        }
    }
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets clients change a server until it is killed, so long after the first acknowledged change; how many were acknowledged,
/// and why others were refused.
pub fn hammer(
    server: &mut Server,
    secret: &str,
    ledger: &Mutex<Ledger>,
    seed: u64,
    after: Duration,
) -> (u32, Vec<String>) {
    let (is_over, count, refused) = (AtomicBool::new(false), AtomicU32::new(0), Mutex::new(Vec::new()));
    let client = scene::admin(server, secret);
    std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (client, is_over, count, refused) = (client.clone(), &is_over, &count, &refused);
            scope.spawn(move || {
                let mut draw = Draw::from(seed ^ (number << 48));
                while !is_over.load(Ordering::Acquire) {
                    match change(&client, ledger, number, &mut draw) {
                        Some(Ok(())) => drop(count.fetch_add(1, Ordering::AcqRel)),
                        Some(Err(why)) => refused.lock().unwrap_or_else(PoisonError::into_inner).push(why),
                        // The connection broke: whatever was under way stays open.
                        None => return,
                    }
                }
            });
        }
        let started = Instant::now();
        while count.load(Ordering::Acquire) == 0 && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(after);
        server.kill();
        is_over.store(true, Ordering::Release);
    });
    (count.into_inner(), refused.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Makes one change; nothing if no reply came, and why if it was refused.
fn change(client: &Client, ledger: &Mutex<Ledger>, number: u64, draw: &mut Draw) -> Option<Result<(), String>> {
    match draw.below(10) {
        0..5 => post(client, ledger, number, draw),
        5 | 6 => remove(client, ledger, number, draw),
        7 => remember(client, ledger, number, draw),
        8 => forget(client, ledger, number, draw),
        _ => ask(client, ledger, number, draw),
    }
}

fn told((status, reply): (u16, Value)) -> Result<Value, String> {
    if status == 200 { Ok(reply) } else { Err(format!("{status} {reply}")) }
}

fn post(client: &Client, ledger: &Mutex<Ledger>, number: u64, draw: &mut Draw) -> Option<Result<(), String>> {
    let first = draw.below(DOCUMENTS);
    let ids: Vec<String> =
        (0..=draw.below(2)).map(|next| format!("c{number}-{}", (first + next) % DOCUMENTS)).collect();
    let edition = lock(ledger).next();
    ids.iter().for_each(|id| lock(ledger).document(id).begin(Some(edition)));
    let body: Vec<Value> =
        ids.iter().map(|id| json!({ "id": id, "title": format!("Shed {id}"), "text": text(edition) })).collect();
    let reply = client.call("POST", "/v1/documents", &Value::from(body).to_string(), "post")?;
    Some(told(reply).map(|_| ids.iter().for_each(|id| lock(ledger).document(id).acknowledge(Some(edition)))))
}

fn remove(client: &Client, ledger: &Mutex<Ledger>, number: u64, draw: &mut Draw) -> Option<Result<(), String>> {
    let living = lock(ledger).living(&format!("c{number}-"));
    let at = usize::try_from(draw.below(living.len().max(1) as u64)).unwrap_or_default();
    let Some(id) = living.get(at) else { return Some(Ok(())) };
    lock(ledger).document(id).begin(None);
    let reply = client.call("DELETE", &format!("/v1/documents/{id}"), "", "remove")?;
    Some(told(reply).map(|_| lock(ledger).document(id).acknowledge(None)))
}

fn remember(client: &Client, ledger: &Mutex<Ledger>, number: u64, draw: &mut Draw) -> Option<Result<(), String>> {
    let id = format!("m{number}-{}", draw.below(3));
    let edition = lock(ledger).next();
    lock(ledger).entry(&id).begin(Some(edition));
    let phrase = format!("Edition {edition}: where is {}?", word(edition));
    let body = json!({ "id": id, "phrases": [phrase], "references": ["keep/leave.md"] });
    let reply = client.call("POST", "/v1/memory", &body.to_string(), "remember")?;
    Some(told(reply).map(|_| lock(ledger).entry(&id).acknowledge(Some(edition))))
}

fn forget(client: &Client, ledger: &Mutex<Ledger>, number: u64, draw: &mut Draw) -> Option<Result<(), String>> {
    let id = format!("m{number}-{}", draw.below(3));
    if lock(ledger).entry(&id).sure().is_none() {
        return Some(Ok(()));
    }
    lock(ledger).entry(&id).begin(None);
    let reply = client.call("DELETE", &format!("/v1/memory/{id}"), "", "forget")?;
    Some(told(reply).map(|_| lock(ledger).entry(&id).acknowledge(None)))
}

fn ask(client: &Client, ledger: &Mutex<Ledger>, number: u64, draw: &mut Draw) -> Option<Result<(), String>> {
    let id = format!("q{number}-{}", lock(ledger).next());
    let question = QUESTIONS.get(usize::try_from(draw.below(3)).unwrap_or_default()).copied().unwrap_or_default();
    let reply = client.call("POST", "/v1/ask", &json!({ "query": question }).to_string(), &id)?;
    if let Err(why) = told(reply) {
        return Some(Err(why));
    }
    lock(ledger).told.insert(id.clone());
    if draw.below(2) == 0 {
        return Some(Ok(()));
    }
    let body = json!({ "request_id": id, "helpful": true, "comment": "liked" });
    let reply = client.call("POST", "/v1/feedback", &body.to_string(), "like")?;
    Some(told(reply).map(|_| {
        lock(ledger).liked.insert(id);
    }))
}

/// Runs the command of a kind for at most so long; what it refused.
pub fn command(
    kind: Kind,
    folder: &Path,
    ledger: &mut Ledger,
    draw: &mut Draw,
    limit: Duration,
) -> (Ended, Vec<String>) {
    let run = |words: &[&str]| run_for(vouch(folder, words), limit);
    let edition = ledger.next();
    let ended = match kind {
        Kind::Http | Kind::Reembed => run(&["reembed"]),
        Kind::Ingest => ingest(folder, ledger, draw, &run),
        Kind::Terms => {
            write(folder, "terms.ttl", &scene::terms(edition));
            ledger.terms.begin(Some(edition));
            let ended = run(&["vocab", "import", "terms.ttl"]);
            if ended.code == Some(0) {
                ledger.terms.acknowledge(Some(edition));
            }
            ended
        }
        Kind::Memory => {
            write(folder, "memory.yaml", &scene::memory(edition));
            let ids: Vec<String> = (0..scene::ENTRIES).map(|number| format!("file-{number}")).collect();
            ids.iter().for_each(|id| ledger.entry(id).begin(Some(edition)));
            let ended = run(&["memory", "import", "memory.yaml"]);
            if ended.code == Some(0) {
                ids.iter().for_each(|id| ledger.entry(id).acknowledge(Some(edition)));
            }
            ended
        }
        Kind::KeyAdd => {
            let ended = run(&["key", "add", &format!("key {edition}"), "--json"]);
            // A secret that was printed was told, however the command ended.
            if let (Some(id), Some(secret)) = (ended.field("id").as_str(), ended.field("secret").as_str()) {
                let mut key = Key { id: id.to_owned(), secret: secret.to_owned(), valid: Default::default() };
                key.valid.acknowledge(Some(0));
                ledger.keys.push(key);
            }
            ended
        }
        Kind::KeyRevoke => revoke(ledger, &run),
    };
    let refused = match ended.code {
        None | Some(0) => Vec::new(),
        Some(code) => vec![format!("{kind:?} ended with {code}: {}", ended.err.trim())],
    };
    (ended, refused)
}

fn ingest(folder: &Path, ledger: &mut Ledger, draw: &mut Draw, run: &dyn Fn(&[&str]) -> Ended) -> Ended {
    let mut changed = Vec::new();
    for number in 0..DOCUMENTS {
        let (id, edition) = (format!("docs/{number}.txt"), ledger.next());
        match draw.below(6) {
            0 => {
                let _ = std::fs::remove_file(folder.join(&id));
                changed.push((id, None));
            }
            1..5 => {
                write(folder, &id, &text(edition));
                changed.push((id, Some(edition)));
            }
            // A change an earlier kill cut off is taken in by this run.
            _ => changed.extend(pending(folder, &id)),
        }
    }
    changed.iter().for_each(|(id, edition)| ledger.document(id).begin(*edition));
    let ended = run(&["ingest", "docs", "--prune-many", "--json"]);
    if ended.code == Some(0) {
        changed.iter().for_each(|(id, edition)| ledger.document(id).acknowledge(*edition));
    }
    ended
}

/// What the file on the disk says now.
fn pending(folder: &Path, id: &str) -> Option<(String, Option<u32>)> {
    let there = std::fs::read_to_string(folder.join(id)).ok();
    Some((id.to_owned(), there.as_deref().and_then(edition_of)))
}

fn revoke(ledger: &mut Ledger, run: &dyn Fn(&[&str]) -> Ended) -> Ended {
    let valid = ledger.keys.iter_mut().find(|key| key.valid.sure().is_some());
    let Some(key) = valid else { return run(&["key", "list"]) };
    key.valid.begin(None);
    let ended = run(&["key", "revoke", &key.id]);
    if ended.code == Some(0) {
        key.valid.acknowledge(None);
    }
    ended
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("files can be written");
}
