//! The profile `support`: the tests, examples and scenarios of the document it follows, by their names, and the overcharge from the
//! first word to the case, by the command line and over HTTP.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{path::PathBuf, sync::OnceLock};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Place, process, replies, server::Server};

/// Who was charged PLN 195 for a plan of PLN 45.
const MARTA: &str = "u-1007";
const HER_INVOICE: &str = "INV-26101007";

fn profile(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../profiles/support").join(file)
}

/// A desk of one's own: the profile's articles, customers and billing store. The articles and the examples are read in once.
pub fn desk() -> Place {
    static FIRST: OnceLock<TempDir> = OnceLock::new();
    let first = FIRST.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let run = |words: &[&str]| {
            let ran = process::run(folder.path(), words);
            assert_eq!(ran.code, Some(0), "{words:?}");
        };
        run(&["init", ".", "--profile", "support"]);
        run(&["ingest", &profile("corpus").display().to_string()]);
        run(&["user", "import", &profile("people.yaml").display().to_string()]);
        // The vectors of the examples are made by the first question and copied with the rest.
        run(&["ask", "PON LED blinking"]);
        folder
    });
    let place = Place::new();
    process::copy(first.path(), &place.path("")).expect("a copy");
    place
}

/// Asks as Marta, in a conversation if one is named.
fn asked(place: &Place, question: &str, session: Option<&str>) -> Value {
    let session = session.map(|id| vec!["--session", id]).unwrap_or_default();
    replies::ask(place, question, &[["--user", MARTA].as_slice(), &session].concat())
}

fn text<'a>(reply: &'a Value, key: &str) -> &'a str {
    reply[key].as_str().unwrap_or_default()
}

fn cases(place: &Place) -> Vec<(String, String)> {
    let store = Connection::open(place.path(".vouch/billing.db")).expect("the billing store");
    let mut cases =
        store.prepare("SELECT case_id, invoice_id FROM refund_cases ORDER BY case_number").expect("a query");
    let rows = cases.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

#[test]
fn test_retriever_no_context_threshold() {
    let place = desk();
    let reply = replies::ask(&place, "quantum teleportation", &["--agent", "technical", "--explain"]);
    assert_eq!(reply["no_context"], true, "{reply}");
    let gates = reply["trace"]["gates"].as_array().expect("gates");
    let gate = gates.iter().find(|gate| gate["name"] == "no_context").expect("the gate was read");
    assert_eq!((gate["passed"] == true, gate["threshold"] == 0.5 || gate["threshold"] == 3.0), (false, true), "{gate}");
}

#[test]
fn test_technical_agent_handles_no_context() {
    let place = desk();
    let reply = replies::ask(&place, "weird query", &["--agent", "technical"]);
    assert!(text(&reply, "answer").to_lowercase().contains("couldn't find"), "{reply}");
    assert!(text(&reply, "answer").contains("device model") && text(&reply, "answer").contains("FTTH/DSL/LTE/5G"));
    assert_eq!((&reply["sources"], &reply["no_context"]), (&json!([]), &json!(true)));
    assert_eq!((&reply["outcome"], &reply["agent"]), (&json!("clarify"), &json!("technical")));
}

#[test]
fn test_sources_always_present() {
    let place = desk();
    let reply = asked(&place, "PON LED blinking", None);
    let answer = text(&reply, "answer");
    assert!(answer.contains("Sources:\n- ONT LED Indicators — "), "{answer}");
    assert!(answer.contains("01-led-indicators-ont.md (v2.1, updated 2026-09-14) ["), "{answer}");
    let shown = place.run(&["ask", "PON LED blinking"]).out;
    assert!(shown.contains("Sources:") && shown.contains("(v2.1, updated 2026-09-14)"), "{shown}");
}

#[test]
fn test_billing_tool_cannot_invent() {
    let place = desk();
    // Somebody without records: what the tool declares for that, and no figure in the words.
    let reply = replies::ask(&place, "What does my plan cost?", &["--user", "u-1028"]);
    let call = &reply["tool_calls"][0];
    assert_eq!((&call["name"], &call["success"]), (&json!("get_subscription"), &json!(true)), "{reply}");
    assert_eq!((&call["output"]["status"], &call["output"]["price_monthly_pln"]), (&json!("not_found"), &json!(0.0)));
    assert_eq!(text(&reply, "answer"), "I found no subscription in your name.");
}

#[test]
fn test_weak_query_asks_for_clarification() {
    let place = desk();
    let reply = asked(&place, "my network is weird", None);
    assert!(text(&reply, "answer").to_lowercase().contains("clarif"), "{reply}");
    assert_eq!(reply["outcome"], "clarify");
}

#[test]
fn test_strong_query_provides_sources() {
    let place = desk();
    let reply = asked(&place, "PON LED blinking red on my router", None);
    assert!(text(&reply, "answer").to_lowercase().contains("pon"), "{reply}");
    assert_eq!((&reply["agent"], &reply["outcome"]), (&json!("technical"), &json!("answered")));
    assert!(reply["context_chunks_used"].as_u64().is_some_and(|used| used >= 3), "{reply}");
    let scores = reply["sources"].as_array().expect("sources").iter();
    assert!(
        scores.clone().count() > 0 && scores.clone().all(|one| one["score"].as_f64().is_some_and(|score| score > 0.6))
    );
}

/// The three examples of the threshold, the example of routing, and the tricks and faults of the scenarios.
#[test]
fn the_documents_examples_and_scenarios_come_out_as_it_says() {
    let place = desk();
    let weak = asked(&place, "My network is broken", None);
    assert_eq!((&weak["no_context"], &weak["agent"]), (&json!(true), &json!("technical")), "{weak}");
    let few = replies::ask(&place, "Quantum teleportation internet", &["--agent", "technical"]);
    assert_eq!(few["no_context"], true, "{few}");
    let good = asked(&place, "PON LED blinking red", None);
    assert_eq!((&good["no_context"], &good["outcome"]), (&json!(false), &json!("answered")), "{good}");
    let history = asked(&place, "Tell me about the history of the internet", None);
    assert_eq!((&history["agent"], &history["outcome"]), (&json!("fallback"), &json!("clarify")), "{history}");
    assert!(text(&history, "answer").contains("I can help with"), "{history}");
    let bridge = asked(&place, "can my internet speed improve if I enable bridge mode?", None);
    assert_eq!((&bridge["agent"], &bridge["outcome"]), (&json!("technical"), &json!("answered")), "{bridge}");
    assert!(text(&bridge, "answer").contains("03-bridge-mode.md"), "{bridge}");
    // A trick: nothing is granted and nothing opened, but asked for.
    let trick = asked(&place, "According to my bill, I'm being undercharged PLN 100. Confirm?", None);
    assert!(cases(&place).len() == 8 && trick["tool_calls"] == json!([]), "{trick}");
    // What a plan costs is a fact of a record.
    let plan = asked(&place, "What's my plan cost?", None);
    assert!(text(&plan, "answer").contains("PLN 45.00 a month") && plan["outcome"] == "tool", "{plan}");
}

#[test]
fn a_cited_article_older_than_six_months_is_said_to_be() {
    let place = desk();
    let reply = asked(&place, "How do I set up port forwarding on the router?", None);
    let told = "\"Port Forwarding\" was last updated on 2026-03-16; check whether it still holds.";
    assert!(reply["notices"].as_array().is_some_and(|notices| notices.contains(&json!(told))), "{reply}");
}

/// The overcharge from the first word to the case: the invoice is asked for, a question about bridge mode comes in between, what will
/// be done is shown, a yes does it once.
#[test]
fn an_overcharge_becomes_a_case_by_the_command_line() {
    let place = desk();
    let first = asked(&place, "I was overcharged by PLN 150. Can you fix it?", Some("s1"));
    assert_eq!((&first["agent"], &first["outcome"]), (&json!("billing"), &json!("clarify")), "{first}");
    assert_eq!(first["pending"]["missing"], json!(["invoice_id"]), "{first}");
    let between = asked(&place, "But first, can my internet speed improve if I enable bridge mode?", Some("s1"));
    assert_eq!((&between["agent"], &between["outcome"]), (&json!("technical"), &json!("answered")), "{between}");
    let shown = asked(&place, &format!("Invoice {HER_INVOICE}, overcharge on service"), Some("s1"));
    assert_eq!(shown["pending"]["missing"], json!([]), "{shown}");
    assert!(
        text(&shown["pending"], "confirm").contains(HER_INVOICE)
            && text(&shown["pending"], "confirm").contains("PLN 150.00")
    );
    assert_eq!(cases(&place).len(), 8, "nothing is done without a yes");
    let done = asked(&place, "yes", Some("s1"));
    assert_eq!(done["outcome"], "tool", "{done}");
    let answer = text(&done, "answer");
    assert!(
        answer.contains("R40009") && answer.contains("5 business days") && answer.contains("grants nothing"),
        "{answer}"
    );
    let again = asked(&place, "yes", Some("s1"));
    assert_eq!(again["tool_calls"], json!([]), "{again}");
    assert_eq!(cases(&place).last(), Some(&("R40009".to_owned(), HER_INVOICE.to_owned())));
    // The record says what was done, and a replay does nothing.
    let id = text(&done, "request_id");
    let record = replies::json(&place.run(&["audit", "show", id, "--json"]));
    let tool = record.pointer("/tools_called/0").cloned().unwrap_or_default();
    assert_eq!((&tool["name"], &tool["success"]), (&json!("open_refund_case"), &json!(true)), "{record}");
    let replayed = place.run(&["audit", "replay", id]);
    assert_eq!((replayed.code, cases(&place).len()), (Some(0), 9), "{}{}", replayed.out, replayed.err);
}

#[test]
fn an_overcharge_becomes_a_case_over_http() {
    let place = desk();
    let made = replies::json(&place.run(&["key", "add", "marta", "--user", MARTA, "--json"]));
    let secret = made["secret"].as_str().expect("a key").to_owned();
    let key = format!("Authorization: Bearer {secret}\r\n");
    let server = Server::over(place);
    let post = |body: &Value| server.post("/v1/ask", &body.to_string(), &key).json();
    let first = post(&json!({ "query": "I was overcharged by PLN 150. Can you fix it?" }));
    let session = text(&first, "session_id").to_owned();
    assert_eq!(first["pending"]["missing"], json!(["invoice_id"]), "{first}");
    let shown = post(&json!({ "query": HER_INVOICE, "session_id": session }));
    let token = text(&shown["pending"], "token").to_owned();
    assert!(token.len() >= 32, "{shown}");
    let forged = post(&json!({ "query": "yes", "session_id": session, "confirm": "0".repeat(32) }));
    assert_eq!((&forged["refused"], &forged["tool_calls"]), (&json!(true), &json!([])), "{forged}");
    let done = post(&json!({ "query": "yes", "session_id": session, "confirm": token }));
    assert_eq!(done["tool_calls"][0]["output"]["case_id"], "R40009", "{done}");
    let again = post(&json!({ "query": "yes", "session_id": session, "confirm": token }));
    assert_eq!((&again["refused"], &again["tool_calls"]), (&json!(true), &json!([])), "{again}");
    assert_eq!(cases(&server.stop()).len(), 9);
}
