//! The support desk killed while customers say yes: no invoice has two cases, every case has its record, and what a client was told holds.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::{BTreeMap, BTreeSet},
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

fn key(place: &Place, user: &str) -> String {
    let made = replies::json(&place.run(&["key", "add", user, "--user", user, "--json"]));
    format!("Authorization: Bearer {}\r\n", made["secret"].as_str().expect("a secret"))
}

/// Brings each customer of a round up to the question whether a case shall be opened.
fn shown(server: &Server, keys: &BTreeMap<usize, String>, round: usize) -> Vec<Waiting> {
    let customers = (0..CUSTOMERS).map(|number| round * CUSTOMERS + number + 1);
    let waiting = customers.map(|customer| {
        let invoice = format!("INV-261010{customer:02}");
        let query = format!("I was overcharged by PLN 5 on {invoice}, please open a refund case.");
        let key = keys.get(&customer).expect("a key").clone();
        let reply = server.post("/v1/ask", &json!({ "query": query }).to_string(), &key).json();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Waiting { invoice, key, session: text(&reply["session_id"]), token: text(&reply["pending"]["token"]) }
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

/// Says yes for all of them at once and kills the server a moment later; the invoices whose case a client was told of.
fn killed_in_between(server: &mut Server, waiting: Vec<Waiting>, after: Duration) -> BTreeSet<String> {
    let clients: Vec<_> = waiting
        .into_iter()
        .map(|one| {
            let address = server.address.clone();
            std::thread::spawn(move || {
                let told = answered(&address, &one);
                told.filter(|told| told.contains("\"case_id\":\"R")).map(|_| one.invoice)
            })
        })
        .collect();
    std::thread::sleep(after);
    server.child.kill().expect("our own child can be killed");
    server.child.wait().expect("it is gone");
    clients.into_iter().filter_map(|client| client.join().expect("a client")).collect()
}

/// How many cases each invoice has.
fn cases(place: &Place) -> BTreeMap<String, usize> {
    let store = Connection::open(place.path(".vouch/billing.db")).expect("the billing store");
    let mut rows = store.prepare("SELECT invoice_id, count(*) FROM refund_cases GROUP BY invoice_id").expect("a query");
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// The invoices for which the trail has a call that opens a case.
fn recorded(place: &Place) -> BTreeSet<String> {
    let trail = Connection::open(place.path(".vouch/audit.sqlite")).expect("the trail");
    let mut records = trail.prepare("SELECT record FROM entries").expect("a query");
    let records = records.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let calls = records.flat_map(|record| {
        let record: Value = serde_json::from_str(&record.expect("a row")).expect("a record");
        record["tools_called"].as_array().cloned().unwrap_or_default()
    });
    let opened = calls.filter(|call| call["name"] == "open_refund_case");
    opened.filter_map(|call| call["args"]["invoice_id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_kill_leaves_no_second_case_and_no_case_without_its_record() {
    let place = desk();
    let before = cases(&place);
    let keys: BTreeMap<usize, String> =
        (1..=ROUNDS * CUSTOMERS).map(|number| (number, key(&place, &format!("u-{}", 1000 + number)))).collect();
    let mut server = Server::over(place);
    let (mut told, mut random) = (BTreeSet::new(), 0x5eed_u64);
    for round in 0..ROUNDS {
        let waiting = shown(&server, &keys, round);
        let is_shown = waiting.iter().filter(|one| !one.token.is_empty()).count();
        assert!(is_shown >= CUSTOMERS - 1, "round {round}: {is_shown} were shown what would be done");
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        told.extend(killed_in_between(&mut server, waiting, Duration::from_millis((random >> 33) % 60)));
        server = Server::over(std::mem::replace(&mut server.place, Place::new()));
    }
    // The records can be looked at again after every kill, and a yes that went unheard may be said again.
    let again = shown(&server, &keys, 0);
    assert!(again.iter().all(|one| !one.session.is_empty()));
    let place = server.stop();
    let (cases, recorded) = (cases(&place), recorded(&place));
    assert!(cases.len() > before.len(), "no yes came through, so nothing was tried");
    assert!(cases.values().all(|count| *count == 1), "{cases:?}");
    let unrecorded: Vec<&String> =
        cases.keys().filter(|invoice| !before.contains_key(*invoice) && !recorded.contains(*invoice)).collect();
    assert!(unrecorded.is_empty(), "{unrecorded:?} have a case and no record");
    let lost: Vec<&String> = told.iter().filter(|invoice| !cases.contains_key(*invoice)).collect();
    assert!(lost.is_empty(), "{lost:?} were told and are not there");
}
