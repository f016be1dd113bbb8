//! The support desk over HTTP and the command line: what waits beside other questions, what cannot succeed, whose record is told, and what
//! the trail keeps of a conversation. And that no question that is tested is one that its router learnt from.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, path::PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    support::{Place, replies, server::Server},
    support_desk::desk,
};

const MARTA: &str = "u-1007";

fn file(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(path).expect("a file of the project")
}

fn text<'a>(reply: &'a Value, place: &str) -> &'a str {
    reply.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

fn cases(place: &Place) -> usize {
    let store = Connection::open(place.path(".vouch/billing.db")).expect("the billing store");
    store.query_row("SELECT count(*) FROM refund_cases", [], |row| row.get(0)).expect("a number")
}

/// Its words in lower case without punctuation: what the router takes for the same question.
fn plain(question: &str) -> String {
    let lower = question.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[test]
fn no_question_that_is_tested_is_one_that_the_router_learnt_from() {
    let settings: Value = serde_saphyr::from_str(&file("profiles/support/vouch.yaml")).expect("settings");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let examples = |one: &Value| list(&one["examples"]).into_iter().filter_map(|own| own.as_str().map(plain)).collect();
    let owners = [
        list(&settings["tools"]["list"]),
        list(&settings["agents"]["list"]),
        vec![settings["agents"]["fallback"].clone()],
    ];
    let mut learnt: BTreeSet<String> =
        owners.iter().flatten().flat_map(|one| -> Vec<String> { examples(one) }).collect();
    let further = settings["agents"]["examples"].as_object().expect("further examples");
    learnt.extend(further.values().filter_map(Value::as_str).flat_map(str::lines).map(plain));
    learnt.remove("");
    assert!(learnt.len() > 1_500, "{}", learnt.len());
    for path in ["profiles/support/golden.jsonl", "crates/bench/data/support/router.jsonl"] {
        let told = file(path);
        let asked = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let both: Vec<String> =
            asked.map(|one| text(&one, "/query").to_owned()).filter(|one| learnt.contains(&plain(one))).collect();
        assert!(both.is_empty(), "{path} asks what the router learnt from: {both:#?}");
    }
    // What the tests of this program ask the desk in double quotes.
    for path in ["support_desk.rs", "support_waiting.rs"] {
        let told = file(&format!("crates/app/tests/app/{path}"));
        let both: Vec<&str> = told.split('"').filter(|one| one.len() > 8 && learnt.contains(&plain(one))).collect();
        assert!(both.is_empty(), "{path} asks what the router learnt from: {both:#?}");
    }
}

#[test]
fn a_case_waits_beside_other_questions_and_the_trail_tells_who_acted() {
    let place = desk();
    let made = replies::json(&place.run(&["key", "add", "marta", "--user", MARTA, "--json"]));
    let key = format!("Authorization: Bearer {}\r\n", text(&made, "/secret"));
    let before = cases(&place);
    let server = Server::over(place);
    let ask =
        |query: &str| server.post("/v1/ask", &json!({ "query": query, "session_id": "s-9" }).to_string(), &key).json();
    // More than the invoice, and somebody else's: refused, and nothing waits.
    for refused in ["I was overcharged by PLN 900 on INV-26101007", "I was overcharged by PLN 5 on INV-26101003"] {
        let reply = ask(refused);
        assert_eq!((&reply["refused"], &reply["pending"]), (&json!(true), &Value::Null), "{reply}");
        assert_eq!(reply["abstain_reason"], "cannot_succeed", "{reply}");
    }
    let shown = ask("I was overcharged by PLN 150 on INV-26101007");
    let token = text(&shown, "/pending/token").to_owned();
    assert!(token.len() >= 32, "{shown}");
    let looked = ask("show me my invoices");
    assert_eq!(
        (text(&looked, "/tool_calls/0/name"), text(&looked, "/pending/token")),
        ("list_invoices", token.as_str()),
        "{looked}"
    );
    assert!(text(&looked, "/answer").contains("Still waiting for your answer: I will open a refund case"), "{looked}");
    let unclear = ask("yes, but only if it is free");
    assert_eq!((&unclear["outcome"], &unclear["tool_calls"]), (&json!("clarify"), &json!([])), "{unclear}");
    let changed = ask("yes but make it 20");
    assert!(text(&changed, "/pending/confirm").contains("PLN 20.00"), "{changed}");
    let done = ask("yes please go ahead");
    assert_eq!(done["tool_calls"][0]["args"]["amount_pln"], 20.0, "{done}");
    let again = ask("ok do it");
    assert_eq!((&again["abstain_reason"], &again["tool_calls"]), (&json!("nothing_waits"), &json!([])), "{again}");
    let second = ask("I was overcharged by PLN 10 on INV-26101007");
    assert_eq!(second["abstain_reason"], "cannot_succeed", "an invoice has one case: {second}");
    // A price list and a record are not the same.
    let listed = ask("What does plan L cost?");
    assert!(listed["outcome"] != "tool" && !text(&listed, "/answer").contains("Your plan"), "{listed}");
    let record = |reply: &Value| server.get_with(&format!("/v1/audit/{}", text(reply, "/request_id")), &key).json();
    let (first, last) = (record(&shown), record(&done));
    assert_eq!((&first["turn"], &last["turn"]), (&json!(3), &json!(7)), "{last}");
    assert_eq!((text(&last, "/agent"), text(&last, "/router_decision/route")), ("billing", "billing"), "{last}");
    assert_eq!(text(&last, "/reply"), text(&done, "/answer"));
    let place = server.stop();
    assert_eq!(cases(&place), before + 1);
}

#[test]
fn the_trail_keeps_the_sources_that_were_shown_and_a_replay_finds_the_same() {
    let place = desk();
    let reply = replies::ask(&place, "PON LED blinking", &["--user", MARTA]);
    assert_eq!(text(&reply, "/answer").matches("Sources:").count(), 1, "{reply}");
    let id = text(&reply, "/request_id");
    let record = replies::json(&place.run(&["audit", "show", id, "--json"]));
    assert_eq!(text(&record, "/reply"), text(&reply, "/answer"));
    let replayed = place.run(&["audit", "replay", id]);
    assert_eq!(replayed.code, Some(0), "{}{}", replayed.out, replayed.err);
}
