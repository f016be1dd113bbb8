//! Tools over an HTTP server that keeps the office in memory.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use vouch_adapters::tools::ProfileToolbox;
use vouch_domain::{Fault, PortError, ToolCall, ports::Toolbox};
use vouch_testkit::contracts::toolbox::{INVOICES, check, customer_call, record, refund_call};

use super::office::{TIMEOUT_MS, case_output, declared, id, object, refund_input};
use crate::support::model_server::{Request, Step, TestServer};

const LONG: Duration = Duration::from_secs(20);
const KEY: &str = "sk-verysecretkey";

fn reply(status: &str, body: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    vec![Step::send(format!("{head}Connection: close\r\n\r\n{body}"))]
}

/// The office behind a server, as its programmers would have written it.
fn office() -> impl Fn(&Request) -> Vec<Step> {
    let cases: Mutex<Vec<(String, Value)>> = Mutex::default();
    move |request| {
        let line = request.line();
        let url =
            reqwest::Url::parse(&format!("http://h{}", line.split(' ').nth(1).expect("a target"))).expect("a target");
        let parts: Vec<String> = url.path_segments().expect("a path").map(decoded).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let mut cases = cases.lock().expect("a lock");
        let answer = match parts.as_slice() {
            ["api", "customers", user, "invoices"] => {
                let of_user = INVOICES.iter().filter(|(one, ..)| one == user);
                Some(of_user.map(|(_, id, amount, _)| json!({"invoice_id": id, "amount_pln": amount})).collect())
            }
            ["api", "customers", user, "invoices", invoice] => {
                let found = INVOICES.iter().find(|(one, id, ..)| one == user && id == invoice);
                found.map(|(_, id, amount, status)| json!({"invoice_id": id, "amount_pln": amount, "status": status}))
            }
            ["api", "cases"] if line.starts_with("GET ") => {
                let (_, user) = url.query_pairs().find(|(name, _)| name == "user").expect("a customer");
                Some(json!({"cases": cases.iter().filter(|(one, _)| *one == user).count()}))
            }
            ["api", "cases"] => {
                let asked = &request.json;
                let is_known =
                    INVOICES.iter().any(|(user, id, ..)| asked["user"] == *user && asked["invoice_id"] == *id);
                let known = cases.iter().find(|(_, case)| case["invoice_id"] == asked["invoice_id"]).cloned();
                let made = known.or_else(|| {
                    let mut case = asked.clone();
                    let fields = case.as_object_mut().expect("an object");
                    let user = fields.remove("user")?.as_str()?.to_owned();
                    fields.insert("case_id".to_owned(), json!(format!("R{}", 40_001 + cases.len())));
                    cases.extend(is_known.then(|| (user.clone(), case.clone())));
                    Some((user, case))
                });
                made.filter(|(user, _)| is_known && asked["user"] == **user).map(|(_, case)| case)
            }
            _ => None,
        };
        answer.map_or_else(|| reply("404 Not Found", "{}"), |answer: Value| reply("200 OK", &answer.to_string()))
    }
}

/// What a part of a path stands for.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&digits, 16).expect("two digits"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("text")
}

fn over_server(address: &str) -> Value {
    let invoice = json!({"invoice_id": id(), "amount_pln": {"type": "number"}});
    let whole = json!({"invoice_id": id(), "amount_pln": {"type": "number"}, "status": {"type": "string"}});
    let customer = object(json!({"user_id": id()}));
    let get = |path: &str| json!({"server": "billing", "method": "GET", "path": path});
    let count = json!({"server": "billing", "method": "GET", "path": "/cases", "query": {"user": "{user_id}"}});
    json!({
        "servers": {"billing": {"url": format!("http://{address}/api"), "key_variable": "BILLING_KEY"}},
        "tools": [
            {"name": "get_invoice", "timeout_ms": TIMEOUT_MS,
             "input": object(json!({"user_id": id(), "invoice_id": id()})),
             "output": object(whole), "not_found": {"is_known": false},
             "http": get("/customers/{user_id}/invoices/{invoice_id}")},
            {"name": "list_invoices", "timeout_ms": TIMEOUT_MS, "input": customer, "list": "invoices",
             "output": object(json!({"invoices": {"type": "array", "items": object(invoice)}})),
             "http": get("/customers/{user_id}/invoices")},
            {"name": "count_cases", "timeout_ms": TIMEOUT_MS, "input": customer,
             "output": object(json!({"cases": {"type": "integer"}})), "http": count},
            {"name": "open_refund_case", "changes": true, "input": refund_input(), "output": case_output(),
             "not_found": {"is_known": false}, "timeout_ms": TIMEOUT_MS,
             "http": {"server": "billing", "method": "POST", "path": "/cases", "body": {
                "user": "{user_id}", "invoice_id": "{invoice_id}", "reason": "{reason}", "amount_pln": "{amount_pln}",
                "opened_on": "{opened_on}", "status": "open", "sla_days": 14}}},
        ],
    })
}

fn build(value: Value) -> Result<ProfileToolbox, PortError> {
    let variable = |name: &str| (name == "BILLING_KEY").then(|| KEY.to_owned());
    ProfileToolbox::build_with(&declared(value), Path::new("."), &variable)
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_over_an_http_server_are_a_toolbox() {
    check(|| async {
        let server = TestServer::start(office()).await;
        Arc::new(build(over_server(&server.address)).expect("tools")) as Arc<dyn Toolbox>
    })
    .await;
}

#[tokio::test]
async fn a_value_stays_in_its_place_and_has_its_type() {
    let server = TestServer::doing(reply("404 Not Found", "{}")).await;
    let toolbox = build(over_server(&server.address)).expect("tools");
    let hostile = "../u-1002?a=b#c%2F\\ü";
    toolbox.call(&customer_call("list_invoices", hostile), LONG).await.expect_err("nothing is declared for 404");
    toolbox.call(&customer_call("count_cases", hostile), LONG).await.expect_err("nothing is declared for 404");
    let refund = refund_call("u-1001", "F-1", hostile);
    for _ in 0..2 {
        assert!(!toolbox.call(&refund, LONG).await.expect("an answer").is_found);
    }
    toolbox.call(&refund_call("u-1001", "F-2", hostile), LONG).await.expect("an answer");
    let seen = server.seen.requests();
    let encoded = "..%2Fu-1002%3Fa=b%23c%252F%5C%C3%BC";
    assert_eq!(seen[0].line(), format!("GET /api/customers/{encoded}/invoices"));
    assert_eq!(seen[1].line(), "GET /api/cases?user=..%2Fu-1002%3Fa%3Db%23c%252F%5C%C3%BC");
    assert_eq!(seen[2].line(), "POST /api/cases");
    let body = json!({"user": "u-1001", "invoice_id": "F-1", "reason": hostile, "amount_pln": 49.99,
                      "opened_on": "2026-11-17", "status": "open", "sla_days": 14});
    assert_eq!(seen[2].json, body);
    assert!(seen.iter().all(|one| one.head.to_lowercase().contains(&format!("authorization: bearer {KEY}"))));
    let keys: Vec<Option<&str>> = seen
        .iter()
        .map(|one| one.head.lines().find(|line| line.to_lowercase().starts_with("idempotency-key:")))
        .collect();
    assert!(keys[0].is_none() && keys[2].is_some() && keys[2] == keys[3] && keys[3] != keys[4], "{keys:?}");
    for way_up in ["..", "."] {
        let call = customer_call("list_invoices", way_up);
        assert_eq!(toolbox.call(&call, LONG).await.expect_err("the way up").fault, Fault::Invalid);
    }
    assert_eq!(server.seen.requests().len(), 5, "what is refused is not sent");
}

#[tokio::test]
async fn what_a_server_does_wrong_is_an_error() {
    let large = format!("{{\"cases\": 1, \"more\": \"{}\"}}", "x".repeat(70_000));
    let redirect =
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    for (steps, fault) in [
        (reply("500 Internal Server Error", "{}"), Fault::Unavailable),
        (reply("401 Unauthorized", "{}"), Fault::Unavailable),
        (vec![Step::send(redirect)], Fault::Unavailable),
        (vec![], Fault::Unavailable),
        (reply("200 OK", &large), Fault::Unavailable),
        (reply("200 OK", "{\"cases\": \"many\"}"), Fault::Corrupt),
        (reply("200 OK", "{\"cases\": 1, \"more\": 2}"), Fault::Corrupt),
        (reply("200 OK", "[1]"), Fault::Corrupt),
        (reply("200 OK", "cases"), Fault::Corrupt),
        (vec![Step::Hang], Fault::Timeout),
    ] {
        let server = TestServer::doing(steps).await;
        let mut tools = over_server(&server.address);
        tools["tools"][2]["timeout_ms"] = json!(if fault == Fault::Timeout { 50 } else { TIMEOUT_MS });
        let toolbox = build(tools).expect("tools");
        let error = toolbox.call(&customer_call("count_cases", "u-1001"), LONG).await.expect_err("a failure");
        assert_eq!(error.fault, fault, "{error}");
        assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    }
}

#[test]
fn a_request_that_makes_no_sense_is_refused_when_it_is_built() {
    for (place, wrong, told) in [
        ("/tools/0/http/path", json!("customers"), "begin with `/`"),
        ("/tools/0/http/path", json!("/a/../b"), "`..`"),
        ("/tools/0/http/path", json!("/a//b"), "empty part"),
        ("/tools/0/http/path", json!("/a?b={user_id}"), "`?`"),
        ("/tools/0/http/path", json!("/{password}"), "`{password}` is not a property"),
        ("/tools/0/http/path", json!("/{user_id"), "has no `}`"),
        ("/tools/0/http/server", json!("elsewhere"), "no server `elsewhere`"),
        ("/tools/2/http/query/user", json!("{password}"), "`{password}` is not a property"),
        ("/tools/3/http/body/user", json!("{password}"), "`{password}` is not a property"),
        ("/tools/3/http/method", json!("GET"), "use POST"),
        ("/servers/billing/url", json!("billing"), "server `billing`"),
        ("/servers/billing/url", json!("http://u:sesame@h/"), "must not contain a password"),
        ("/servers/billing/key_variable", json!("OTHER_KEY"), "OTHER_KEY is not set"),
    ] {
        let mut tools = over_server("127.0.0.1:1");
        *tools.pointer_mut(place).expect(place) = wrong;
        let error = build(tools).err().expect(told);
        assert!(error.sentence.contains(told) && !error.sentence.contains("sesame"), "{error}");
    }
}

#[tokio::test]
async fn an_input_that_is_absent_is_left_out_of_the_query_and_the_body() {
    let server = TestServer::doing(reply("200 OK", "{}")).await;
    let tool = json!({
        "name": "search", "timeout_ms": TIMEOUT_MS, "output": {"type": "object"},
        "input": {"type": "object", "properties": {"word": {"type": "string"}, "page": {"type": "integer"}}},
        "http": {"server": "billing", "method": "POST", "path": "/search", "query": {"page": "{page}", "size": "10"},
                 "body": {"word": "{word}"}}});
    let servers = json!({"billing": {"url": format!("http://{}", server.address)}});
    let toolbox = build(json!({"servers": servers, "tools": [tool]})).expect("tools");
    let call = ToolCall { tool: "search".to_owned(), args: record([]) };
    toolbox.call(&call, LONG).await.expect("an output");
    let seen = server.seen.requests();
    assert_eq!((seen[0].line().as_str(), &seen[0].json), ("POST /search?size=10", &json!({})));
}
