//! Who may see what: a document of another tag or tenant is invisible in answers, searches, suggestions and traces,
//! and whether it is there at all changes nothing for a reader who cannot see it.

use crate::support::{
    Place,
    replies::{ask, json},
    shapes,
};

const SALARY: &str = "# Salary Bands\n\nThe salary band of a senior lighthouse keeper is 5200 crowns a month.\n";
const LAPTOPS: &str = "# Laptops\n\nA lighthouse laptop is replaced every four years by the support desk.\n";
const OPEN: &str =
    "# The Lighthouse\n\nThe lighthouse lamp is lit at dusk. Visitors may climb the lighthouse on Sundays.\n";
const RIVAL: &str = "# Rival Tower\n\nThe rival lighthouse tower of the other tenant is 61 metres tall.\n";

const BAND: &str = "What is the salary band of a senior lighthouse keeper?";

fn filled() -> Place {
    let place = Place::new();
    place.write("hr/salary.md", SALARY);
    place.write("it/laptops.md", LAPTOPS);
    place.write("open/lighthouse.md", OPEN);
    place.write("rival/tower.md", RIVAL);
    for words in [
        &["ingest", "hr", "--tags", "hr"][..],
        &["ingest", "it", "--tags", "it"],
        &["ingest", "open"],
        &["ingest", "rival", "--tenant", "rival"],
    ] {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    place
}

#[test]
fn a_reader_with_the_tag_is_answered() {
    assert_eq!(ask(&filled(), BAND, &["--tags", "hr"])["outcome"], "answered");
}

#[test]
fn a_reader_without_the_tag_is_refused() {
    assert_eq!(ask(&filled(), BAND, &["--tags", "it"])["outcome"], "refused");
}

#[test]
fn a_reader_with_several_tags_sees_what_any_of_them_opens() {
    assert_eq!(ask(&filled(), BAND, &["--tags", "it,hr"])["outcome"], "answered");
}

#[test]
fn a_document_without_tags_is_open_to_every_tag() {
    let reply = ask(&filled(), "When is the lighthouse lamp lit?", &["--tags", "it"]);
    assert_eq!(reply["outcome"], "answered");
}

#[test]
fn a_whole_reply_says_nothing_of_a_hidden_document() {
    let ran = filled().run(&["ask", BAND, "--json", "--explain", "--tags", "it"]);
    assert!(!ran.out.contains("salary.md") && !ran.out.contains("Salary Bands"), "{}", ran.out);
}

#[test]
fn suggestions_name_no_hidden_document() {
    let reply = ask(&filled(), BAND, &["--tags", "it"]);
    assert!(!reply["suggestions"].to_string().contains("Salary"), "{}", reply["suggestions"]);
}

#[test]
fn a_search_finds_no_hidden_document_in_any_lane() {
    let place = filled();
    for lane in ["all", "dense", "lexical"] {
        let ran = place.run(&["search", "salary band lighthouse keeper", "--json", "--tags", "it", "--lane", lane]);
        assert!(!ran.out.contains("salary.md"), "lane {lane}: {}", ran.out);
    }
}

#[test]
fn a_search_still_finds_what_the_reader_may_see() {
    let hits = json(&filled().run(&["search", "salary band lighthouse laptop", "--json", "--tags", "it"]));
    let ids: Vec<&str> = hits.as_array().expect("hits").iter().filter_map(|hit| hit["document_id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
}

#[test]
fn tags_in_a_batch_line_narrow_that_question_only() {
    let place = filled();
    let lines = [
        serde_json::json!({"id": 1, "query": BAND, "tags": ["it"]}),
        serde_json::json!({"id": 2, "query": BAND, "tags": ["hr"]}),
    ];
    place.write("batch.jsonl", lines.map(|line| format!("{line}\n")).concat());
    let ran = place.run(&["ask", "--batch", "batch.jsonl", "--json"]);
    let outcomes: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&outcomes[0]["outcome"], &outcomes[1]["outcome"]), (&"refused".into(), &"answered".into()));
}

#[test]
fn another_tenants_document_is_invisible() {
    let ran = filled().run(&["search", "rival lighthouse tower", "--json"]);
    assert!(!ran.out.contains("tower.md"), "{}", ran.out);
}

#[test]
fn a_tenant_is_answered_from_its_own_documents() {
    let reply = ask(&filled(), "How tall is the rival lighthouse tower?", &["--tenant", "rival"]);
    assert_eq!(reply["outcome"], "answered");
}

/// What a reader with tag `it` is told, before and after the hidden documents are taken out.
fn before_and_after(words: &[&str]) -> (String, String) {
    let place = filled();
    let words = [words, &["--json", "--tags", "it"]].concat();
    let before = place.run(&words).out;
    assert!(std::fs::remove_file(place.path("hr/salary.md")).is_ok(), "it is there");
    assert!(std::fs::remove_file(place.path("rival/tower.md")).is_ok(), "it is there");
    for words in [&["ingest", "hr", "--prune-many"][..], &["ingest", "rival", "--prune-many", "--tenant", "rival"]] {
        let ran = place.run(words);
        assert!(ran.out.contains("removed 1"), "{} {}", ran.out, ran.err);
    }
    // That something has changed shows in the generation, and nothing else does.
    let seen = |told: &str| shapes::without_generation(&shapes::without_times(told));
    (seen(&before), seen(&place.run(&words).out))
}

#[test]
fn taking_hidden_documents_out_changes_no_answer() {
    let (before, after) = before_and_after(&["ask", "Who replaces a lighthouse laptop?", "--explain"]);
    assert_eq!(before, after);
}

#[test]
fn taking_hidden_documents_out_changes_no_refusal() {
    let (before, after) = before_and_after(&["ask", BAND, "--explain"]);
    assert_eq!(before, after);
}

#[test]
fn taking_hidden_documents_out_changes_no_search() {
    let (before, after) = before_and_after(&["search", "lighthouse keeper laptop tower"]);
    assert_eq!(before, after);
}
