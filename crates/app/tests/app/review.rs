//! What comparing documents finds: duplicates are noted and listed, versions in force and guesses at contradictions only listed, and none is shown to who may not
//! read both.

use serde_json::{Value, json};
use vouch_domain::Role;

use crate::support::{Place, callers, replies, server::Server};

const POLICY: &str = "---\ndate: 2025-03-01\n---\n# Leave policy\n\nFull-time employees receive 28 days of annual leave per calendar year.\n";
const HANDBOOK: &str = "---\ndate: 2026-01-15\n---\n# Starter handbook\n\nFull-time employees receive 30 days of annual leave per calendar year.\n";

/// Two versions of a policy that both hold.
const LEAVE_2023: &str = "---\ndate: 2023-01-01\n---\n# Leave policy 2023\n\nFull-time employees receive 27 days of annual leave.\n\nAsk your manager four weeks before.\n";
const LEAVE_2026: &str = "---\ndate: 2026-01-01\n---\n# Leave policy 2026\n\nFull-time employees receive 25 days of annual leave.\n\nAsk your manager four weeks before.\n";

fn ingested(place: &Place) -> String {
    let ran = place.run(&["ingest", "docs", "--prune-many"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.err
}

fn findings(place: &Place, more: &[&str]) -> Vec<Value> {
    let listed = replies::json(&place.run(&[&["review", "--json"], more].concat()));
    listed.get("findings").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn id(findings: &[Value]) -> String {
    findings.first().and_then(|one| one.get("id")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn two_versions_of_a_policy_that_both_hold_are_listed_until_one_does_not() {
    let place = Place::new();
    place.write("docs/leave-2023.md", LEAVE_2023);
    place.write("docs/leave-2026.md", LEAVE_2026);
    let told = ingested(&place);
    assert!(!told.contains("in force") && !told.contains("to review"), "{told}");
    let open = findings(&place, &["--kind", "versions"]);
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!(findings(&place, &[]).len(), 1, "the two sentences are no contradiction besides");
    let shown = place.run(&["review"]).out;
    assert!(shown.contains("27 days") && shown.contains("25 days") && !shown.contains("guess"), "{shown}");
    place.write("docs/leave-2023.md", LEAVE_2023.replace("---\ndate", "---\nstatus: superseded\ndate"));
    ingested(&place);
    assert!(findings(&place, &[]).is_empty());
}

#[test]
fn a_contradiction_is_listed_as_a_guess_dismissed_and_open_again_after_a_change() {
    let place = Place::new();
    place.write("docs/policy.md", POLICY);
    place.write("docs/handbook.md", HANDBOOK);
    let told = ingested(&place);
    assert!(!told.contains("contradict") && !told.contains("to review"), "{told}");
    let shown = place.run(&["review"]).out;
    assert!(shown.contains("guess") && !shown.contains('%'), "{shown}");
    let open = findings(&place, &["--kind", "contradiction"]);
    assert_eq!(open.len(), 1, "{open:?}");
    assert!(findings(&place, &["--kind", "duplicate"]).is_empty());
    assert!(findings(&place, &["--tenant", "other"]).is_empty(), "tenants never mix");
    assert_eq!(place.run(&["review", "dismiss", &id(&open)]).code, Some(0));
    assert_eq!(place.run(&["review", "dismiss", "nothing"]).code, Some(2));
    place.write("docs/policy.md", format!("{POLICY}\nAsk your manager early.\n"));
    ingested(&place);
    assert!(findings(&place, &[]).is_empty(), "the two sentences are the same as before");
    place.write("docs/policy.md", POLICY.replace("28", "26"));
    ingested(&place);
    assert_eq!(findings(&place, &[]).len(), 1, "one of the two has changed");
    place.write("docs/policy.md", POLICY.replace("28", "30"));
    ingested(&place);
    assert!(findings(&place, &[]).is_empty(), "the two agree");
}

#[test]
fn a_guess_is_told_with_no_answer_and_listed_only_to_who_may_read_both() {
    let place = Place::new();
    place.write("docs/policy.md", POLICY);
    place.write("docs/handbook.md", HANDBOOK.replace("---\ndate", "---\naccess: [hr]\ndate"));
    ingested(&place);
    let question = "How many days of annual leave do full-time employees receive?";
    let answer = replies::json(&place.run(&["ask", question, "--tags", "hr", "--json"]));
    assert!(answer["answer"].as_str().is_some_and(|said| said.contains("days")), "{answer}");
    assert!(!answer["notices"].to_string().contains("disagree"), "{answer}");
    assert_eq!(findings(&place, &["--tags", "hr"]).len(), 1);
    assert!(findings(&place, &["--tags", "it"]).is_empty());
}

#[test]
fn a_document_that_is_superseded_contradicts_nothing() {
    let place = Place::new();
    place.write("docs/policy.md", POLICY.replace("---\ndate", "---\nstatus: superseded\ndate"));
    place.write("docs/handbook.md", HANDBOOK);
    assert!(!ingested(&place).contains("contradict"));
    assert!(findings(&place, &[]).is_empty());
}

#[test]
fn nearly_the_same_documents_are_told_and_go_with_one_of_them() {
    let place = Place::new();
    let page: String = (0..120).map(|at| format!("Step {at} of the survey asks about harbour {at}. ")).collect();
    place.write("docs/one.md", format!("# One\n\n{page}\n"));
    place.write("docs/two.md", format!("# Two\n\n{page} Thank you for reading.\n"));
    assert!(ingested(&place).contains("is nearly the same as"));
    assert_eq!(findings(&place, &["--kind", "duplicate"]).len(), 1);
    std::fs::remove_file(place.path("docs/two.md")).expect("it was there");
    ingested(&place);
    assert!(findings(&place, &[]).is_empty());
}

#[test]
fn the_report_of_an_ingest_holds_no_guesses_and_no_versions() {
    let place = Place::new();
    for (name, text) in [("policy", POLICY), ("handbook", HANDBOOK), ("old", LEAVE_2023), ("new", LEAVE_2026)] {
        place.write(&format!("docs/{name}.md"), text);
    }
    let report = replies::json(&place.run(&["ingest", "docs", "--json"]));
    assert_eq!((&report["findings"], &report["findings_total"]), (&json!([]), &json!(0)), "{report}");
    assert_eq!(findings(&place, &["--kind", "versions"]).len(), 3, "three leave policies, each beside both others");
    assert!(!findings(&place, &["--kind", "contradiction"]).is_empty());
}

#[test]
fn a_reply_to_documents_holds_what_was_found_as_far_as_the_caller_may_read_it() {
    let place = Place::new();
    let page: String = (0..120).map(|at| format!("Step {at} of the survey asks about harbour {at}. ")).collect();
    place.write("docs/survey.md", format!("---\naccess: [hr]\n---\n# Survey\n\n{page}\n"));
    ingested(&place);
    let admin = callers::key(&place, "default", Role::Admin, None);
    let part = callers::key(&place, "default", Role::Admin, Some(&["it"]));
    let server = Server::over(place);
    let own = json!({ "id": "it", "title": "Questions", "text": page, "tags": ["it"] }).to_string();
    let hidden = server.post("/v1/documents", &own, &part).json();
    assert_eq!((&hidden["added"], &hidden["findings"], &hidden["findings_total"]), (&json!(1), &json!([]), &json!(0)));
    let all = json!({ "id": "hr", "title": "Steps", "text": format!("{page} Thank you."), "tags": ["hr"] });
    let seen = server.post("/v1/documents", &all.to_string(), &admin).json();
    assert!(seen["findings_total"].as_u64() >= Some(1), "{seen}");
    assert_eq!(seen["findings"][0]["kind"], "duplicate", "{seen}");
}

#[test]
fn admins_list_and_dismiss_over_http() {
    let place = Place::new();
    place.write("docs/policy.md", POLICY);
    place.write("docs/handbook.md", HANDBOOK);
    ingested(&place);
    let admin = callers::key(&place, "default", Role::Admin, None);
    let reader = callers::key(&place, "default", Role::Reader, None);
    let server = Server::over(place);
    assert_eq!(server.get_with("/v1/findings", &reader).status, 403);
    let listed = server.get_with("/v1/findings?kind=contradiction", &admin).json();
    assert_eq!((&listed["total"], &listed["findings"][0]["is_guess"]), (&json!(1), &json!(true)), "{listed}");
    let body = json!({ "id": listed["findings"][0]["id"] }).to_string();
    assert_eq!(server.post("/v1/findings/dismiss", &body, &admin).status, 200);
    assert_eq!(server.get_with("/v1/findings", &admin).json()["total"], 0);
    let missing = json!({ "id": "nothing" }).to_string();
    assert_eq!(server.post("/v1/findings/dismiss", &missing, &admin).status, 404);
}
