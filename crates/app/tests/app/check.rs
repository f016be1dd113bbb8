//! `vouch check`: one verdict per claim, in order, with its reasons; and settings that do without a judge.

use serde_json::{Value, json as value};

use crate::support::{
    Place, Ran,
    replies::{ask, json},
};

const MAST: &str = "The mast of the station is 27 metres high. Its crew works in shifts.";

/// Runs a batch of these lines, one JSON text per line.
fn batch(lines: &[String], words: &[&str]) -> Ran {
    let place = Place::new();
    place.write("claims.jsonl", lines.join("\n"));
    place.run(&[&["check", "--batch", "claims.jsonl"], words].concat())
}

/// The verdicts on these lines.
fn verdicts(lines: &[Value]) -> Vec<Value> {
    let ran = batch(&lines.iter().map(Value::to_string).collect::<Vec<_>>(), &["--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
}

fn verdict(claim: &str, evidence: Value) -> Value {
    verdicts(&[value!({"id": 1, "claim": claim, "evidence": evidence})]).pop().unwrap_or(Value::Null)
}

#[test]
fn a_batch_has_a_verdict_a_line_in_order() {
    let line = |n: usize| value!({"id": format!("c{n}"), "claim": format!("Claim {n}."), "evidence": [MAST]});
    let lines: Vec<Value> = (0..12).map(line).collect();
    let ids: Vec<Value> = verdicts(&lines).iter().map(|verdict| verdict["id"].clone()).collect();
    assert_eq!(ids, lines.iter().map(|line| line["id"].clone()).collect::<Vec<_>>());
}

#[test]
fn a_verdict_has_id_supported_score_and_reasons() {
    let told = verdict("The crew is tired.", value!([MAST]));
    let is_told = told["id"] == 1 && told["supported"].is_boolean() && told["reasons"].is_array();
    let is_scored = told["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score));
    assert!(is_told && is_scored, "{told}");
}

#[test]
fn a_sentence_word_for_word_is_supported_with_a_score_of_one() {
    let told = verdict("Its crew works in shifts.", value!(["Nothing.", MAST]));
    assert_eq!((&told["supported"], &told["score"], &told["reasons"]), (&value!(true), &value!(1.0), &value!([])));
}

#[test]
fn a_changed_number_is_not_supported_and_the_reason_has_both_figures() {
    let told = verdict("The mast of the station is 29 metres high.", value!([MAST]));
    let reasons = told["reasons"].to_string();
    assert!(told["supported"] == false && reasons.contains("29 metres") && reasons.contains("27 metres"), "{told}");
}

#[test]
fn evidence_may_be_one_text() {
    assert_eq!(
        verdict("Its crew works in shifts.", value!(MAST)),
        verdict("Its crew works in shifts.", value!([MAST]))
    );
}

#[test]
fn without_evidence_nothing_is_supported() {
    for evidence in [value!([]), value!(""), value!(["", " "])] {
        assert_eq!(verdict("Its crew works in shifts.", evidence.clone())["supported"], false, "{evidence}");
    }
}

#[test]
fn a_malformed_line_is_a_usage_error_with_its_number() {
    let good = value!({"id": 1, "claim": "A.", "evidence": "A."}).to_string();
    let bad = [
        r#"{"id": 2, "claim": "A.""#.to_owned(),
        value!({"id": 2, "claim": "A."}).to_string(),
        value!({"id": 2, "claim": "A.", "evidence": 5}).to_string(),
        "no JSON".to_owned(),
    ];
    for line in bad {
        let ran = batch(&[good.clone(), String::new(), line.clone(), good.clone()], &["--json"]);
        let is_named = ran.err.contains("claims.jsonl, line 3") && ran.out.is_empty();
        assert_eq!((ran.code, is_named), (Some(2), true), "{line}: {}", ran.err);
    }
}

#[test]
fn a_batch_that_is_not_there_is_an_error() {
    let ran = Place::new().run(&["check", "--batch", "nowhere.jsonl"]);
    assert!(ran.code.is_some_and(|code| code > 0) && ran.err.contains("nowhere.jsonl"), "{}", ran.err);
}

#[test]
fn hostile_texts_have_a_verdict_each() {
    let texts = [
        String::new(),
        " \n\t".to_owned(),
        "🗼🌧️👩‍🔧🇳🇴".to_owned(),
        "é".repeat(10_000),
        "桅杆高两米。雨量计每天早上清空。".to_owned(),
        "\0\u{1}\u{7}\u{8}\u{1b}[31m\u{7f}\u{85}\u{200b}\u{202e}".to_owned(),
        "... ?! | --- | ``` ***".to_owned(),
        "The mast is 27 metres high. ".repeat(50_000 / 28),
    ];
    let mut lines = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        lines.push(value!({"id": format!("claim {at}"), "claim": text, "evidence": MAST}));
        lines.push(value!({"id": format!("evidence {at}"), "claim": "The mast is high.", "evidence": [text]}));
        lines.push(value!({"id": format!("both {at}"), "claim": text, "evidence": [text, MAST]}));
    }
    let told = verdicts(&lines);
    assert_eq!(told.len(), lines.len());
    for (line, told) in lines.iter().zip(&told) {
        let is_scored = told["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score));
        let is_reasoned = told["supported"] == true || told["reasons"].as_array().is_some_and(|all| !all.is_empty());
        assert!(told["id"] == line["id"] && is_scored && is_reasoned, "{told}");
    }
}

#[test]
fn one_claim_is_checked_against_files() {
    let place = Place::new();
    place.write("mast.txt", MAST);
    let ran = place.run(&["check", "Its crew works in shifts.", "--evidence", "mast.txt", "--json"]);
    assert_eq!((ran.code, &json(&ran)["supported"]), (Some(0), &value!(true)), "{}", ran.err);
    let ran = place.run(&["check", "The mast of the station is 29 metres high.", "--evidence", "mast.txt"]);
    assert!(ran.out.starts_with("contradicted") && ran.out.contains("27 metres"), "{}", ran.out);
}

#[test]
fn a_claim_without_evidence_is_a_usage_error() {
    assert_eq!(Place::new().run(&["check", "The mast is high."]).code, Some(2));
}

#[test]
fn no_judge_with_the_gate_of_the_judge_is_a_usage_error_that_names_the_key() {
    let gates = ["", "  gates:\n    - { gate: answerability, at_least: 0.5 }\n"];
    for gates in gates {
        let place = Place::new();
        place.write("vouch.yaml", format!("judge:\n  model: none\n{gates}"));
        let ran = place.run(&["ask", "Anything?"]);
        assert_eq!((ran.code, ran.err.contains("judge.gates")), (Some(2), true), "{gates:?}: {}", ran.err);
    }
}

#[test]
fn no_judge_with_other_gates_answers() {
    let place = Place::new();
    place.write("vouch.yaml", "judge:\n  model: none\n  gates:\n    - { gate: coverage, strong: 0.65, fair: 0.55, fair_passages: 2, main_kind: null }\n    - { gate: query_coverage, at_least: 0.5 }\n");
    place.write("docs/pond.txt", "The north pond holds carp. It is drained in October.");
    place.run(&["ingest", "docs"]);
    let reply = ask(&place, "Which pond holds carp?", &[]);
    assert!(reply["answer"].as_str().is_some_and(|answer| answer.contains("north pond holds carp")), "{reply}");
}
