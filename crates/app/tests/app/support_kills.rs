//! The support desk killed while customers say yes: every case has its record, and what a client was told
//! or the trail says is the case of that invoice.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    support::{Place, replies, server::Server},
    support_desk::desk,
};

const ROUNDS: usize = 6;
const CUSTOMERS: usize = 4;

/// A customer with a call that waits for a yes.
struct Waiting {
    invoice: String,
    key: String,
    session: String,
    token: String,
}

/// The text at a place of a JSON value.
fn text(value: &Value, place: &str) -> Option<String> {
    value.pointer(place).and_then(Value::as_str).map(str::to_owned)
}

fn key(place: &Place, user: &str) -> String {
    let made = replies::json(&place.run(&["key", "add", user, "--user", user, "--json"]));
    format!("Authorization: Bearer {}\r\n", text(&made, "/secret").expect("a secret"))
}

/// Brings each customer of a round up to the question whether a case shall be opened.
fn shown(server: &Server, keys: &BTreeMap<usize, String>, round: usize) -> Vec<Waiting> {
    let customers = (0..CUSTOMERS).map(|number| round * CUSTOMERS + number + 1);
    let waiting = customers.map(|customer| {
        let invoice = format!("INV-261010{customer:02}");
        let query = format!("I was overcharged by PLN 5 on {invoice}, please open a refund case.");
        let key = keys.get(&customer).expect("a key").clone();
        let reply = server.post("/v1/ask", &json!({ "query": query }).to_string(), &key).json();
        let said = |place: &str| text(&reply, place).unwrap_or_default();
        Waiting { invoice, key, session: said("/session_id"), token: said("/pending/token") }
    });
    waiting.collect()
}

/// What came back to a yes, as far as it came: a connection that breaks off has still told what it told.
fn answered(address: &str, one: &Waiting) -> Option<String> {
    let body = json!({ "query": "yes", "session_id": one.session, "confirm": one.token }).to_string();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let head = format!(
        "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{}Content-Length: {}\r\n\r\n",
        one.key,
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4_096]);
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        bytes.extend(chunk.iter().take(count));
    }
    String::from_utf8(bytes).ok()
}

/// Says yes for all of them at once and kills the server a moment later, or when the first is told of a case; the invoices whose
/// case a client was told of, and the case.
fn killed_in_between(server: &mut Server, waiting: Vec<Waiting>, after: Option<Duration>) -> BTreeMap<String, String> {
    let (telling, hearing) = std::sync::mpsc::channel();
    let clients: Vec<_> = waiting
        .into_iter()
        .map(|one| {
            let (address, telling) = (server.address.clone(), telling.clone());
            std::thread::spawn(move || {
                let told = answered(&address, &one)?;
                let case = told.split("\"case_id\":\"").nth(1)?.split('"').next()?.to_owned();
                telling.send(()).ok();
                case.starts_with('R').then_some((one.invoice, case))
            })
        })
        .collect();
    match after {
        Some(after) => std::thread::sleep(after),
        None => hearing.recv_timeout(Duration::from_secs(60)).expect("somebody is told of a case"),
    }
    server.child.kill().expect("our own child can be killed");
    server.child.wait().expect("it is gone");
    clients.into_iter().filter_map(|client| client.join().expect("a client")).collect()
}

/// The case of each invoice that has one.
fn cases(place: &Place) -> BTreeMap<String, String> {
    let store = Connection::open(place.path(".vouch/billing.db")).expect("the billing store");
    let mut rows = store.prepare("SELECT invoice_id, case_id FROM refund_cases").expect("a query");
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// The calls in the trail that open a case: the invoice, and the case it came to where the end was recorded.
fn recorded(place: &Place) -> Vec<(String, Option<String>)> {
    let trail = Connection::open(place.path(".vouch/audit.sqlite")).expect("the trail");
    let mut records = trail.prepare("SELECT record FROM entries").expect("a query");
    let records = records.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let calls = records.flat_map(|record| {
        let record: Value = serde_json::from_str(&record.expect("a row")).expect("a record");
        record.pointer("/tools_called").and_then(Value::as_array).cloned().unwrap_or_default()
    });
    let opened = calls.filter(|call| text(call, "/name").as_deref() == Some("open_refund_case"));
    opened.filter_map(|call| Some((text(&call, "/args/invoice_id")?, text(&call, "/output/case_id")))).collect()
}

#[test]
fn a_kill_leaves_no_case_without_its_record_and_nothing_told_that_is_not_so() {
    let place = desk();
    let before = cases(&place);
    let keys: BTreeMap<usize, String> =
        (1..=(ROUNDS + 1) * CUSTOMERS).map(|number| (number, key(&place, &format!("u-{}", 1000 + number)))).collect();
    let mut server = Server::over(place);
    let (mut told, mut random) = (BTreeMap::new(), 0x5eed_u64);
    for round in 0..ROUNDS {
        let waiting = shown(&server, &keys, round);
        let is_shown = waiting.iter().filter(|one| !one.token.is_empty()).count();
        // An invoice that has a case gets no other.
        let had_one = waiting.iter().filter(|one| before.contains_key(&one.invoice)).count();
        assert!(is_shown + had_one >= CUSTOMERS - 1, "round {round}: {is_shown} were shown what would be done");
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The last is killed when a client has been told, however slow the machine is.
        let after = (round + 1 < ROUNDS).then(|| Duration::from_millis((random >> 33) % 60));
        told.extend(killed_in_between(&mut server, waiting, after));
        server = Server::over(std::mem::replace(&mut server.place, Place::new()));
    }
    // After all that the records can be looked at and a case be opened.
    let again =
        shown(&server, &keys, ROUNDS).into_iter().find(|one| !one.token.is_empty()).expect("something is shown");
    assert!(answered(&server.address, &again).is_some_and(|reply| reply.contains("\"case_id\":\"R")));
    let place = server.stop();
    let (cases, recorded) = (cases(&place), recorded(&place));
    assert!(!told.is_empty());
    for (invoice, case) in &told {
        assert_eq!(cases.get(invoice), Some(case), "{invoice} was told");
    }
    for (invoice, case) in &recorded {
        let is_nothing = case.as_ref().is_none_or(String::is_empty);
        assert!(is_nothing || cases.get(invoice) == case.as_ref(), "{invoice}: {case:?} is recorded");
    }
    let is_recorded = |invoice: &String| recorded.iter().any(|(own, _)| own == invoice);
    let unrecorded: Vec<&String> =
        cases.keys().filter(|invoice| !before.contains_key(*invoice) && !is_recorded(invoice)).collect();
    assert!(unrecorded.is_empty(), "{unrecorded:?} have a case and no record");
}
