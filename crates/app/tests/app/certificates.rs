//! The certified rate of wrong answers: issued by a calibration, worked out again by anyone, withdrawn when something changed.

use serde_json::Value;

use vouch_domain::Role;

use crate::support::{Place, Ran, callers, finish, replies, server::Server};

const THINGS: [&str; 4] = ["mast", "crane", "boom", "flagpole"];

/// A corpus, and a golden set of which each half asks about every document, and about things that there are not.
fn place() -> Place {
    let place = Place::new();
    let mut golden = String::new();
    for (number, thing) in (10u32..).zip(THINGS) {
        place.write(
            &format!("documents/{thing}.md"),
            format!("# The {thing}\n\nThe {thing} is {number} metres tall. It stands on the quay.\n"),
        );
        for (split, query) in [("tune", "How tall is the"), ("test", "What is the height of the")] {
            golden += &format!(
                "{{\"id\":\"{split}-{thing}\",\"query\":\"{query} {thing}?\",\"split\":\"{split}\",\"gold_answers\":[\"{number} metres tall\"]}}\n\
                 {{\"id\":\"{split}-no-{thing}\",\"query\":\"Which bank financed the submarine {number}?\",\"split\":\"{split}\",\"answerable\":false}}\n"
            );
        }
    }
    place.write("golden.jsonl", golden);
    place.write("golden.version", "1.0.0\n");
    place.write("vouch.yaml", "# How the harbour answers.\ndecide:\n  confidence_at_least: 1\n");
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    place
}

/// Eight questions without an error rule out a rate of 31.3 %.
fn calibrate(place: &Place, words: &[&str]) -> Ran {
    let own = ["eval", "calibrate", "--golden", "golden.jsonl", "--max-hallucination", "0.32"];
    place.run(&[&own, words].concat())
}

fn verify(place: &Place, words: &[&str]) -> Ran {
    place.run(&[&["eval", "verify-certificate"], words].concat())
}

#[test]
fn a_calibration_writes_its_figures_and_the_certificate_and_anyone_can_work_it_out_again() {
    let place = place();
    let ran = calibrate(&place, &["--write", "--certificate", "copy.json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let settings = std::fs::read_to_string(place.path("vouch.yaml")).expect("settings");
    assert!(settings.starts_with("# How the harbour answers.\n"), "{settings}");
    let text = std::fs::read_to_string(place.path("copy.json")).expect("a certificate");
    let certificate: Value = serde_json::from_str(&text).expect("JSON");
    let figure = |place: &str| certificate.pointer(place).cloned().unwrap_or_default();
    assert_eq!((figure("/questions"), figure("/errors"), figure("/bound")), (8.into(), 0.into(), 0.32.into()));
    assert_eq!(figure("/sets/0/golden_set_version"), "1.0.0");
    for digest in ["/sets/0/corpus", "/sets/0/settings", "/sets/0/embedder", "/sets/0/judge", "/date"] {
        assert!(figure(digest).as_str().is_some_and(|own| own.len() > 8), "{digest}");
    }
    for words in [&["copy.json"][..], &["copy.json", "--golden", "golden.jsonl"]] {
        let ran = verify(&place, words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("It holds"), "{}", ran.out);
    }
    let doctor = replies::json(&place.run(&["doctor", "--json"]));
    let told = doctor["certificate"].as_str().expect("a sentence");
    assert!(told.starts_with("at most 32.0 % answered wrongly, with 95 % confidence"), "{told}");
}

#[test]
fn what_is_not_proved_is_not_written() {
    let place = place();
    let ran = calibrate(&place, &["--max-hallucination", "0.1", "--write", "--certificate", "copy.json"]);
    assert_eq!(ran.code, Some(2), "a flag given twice");
    let own = ["eval", "calibrate", "--golden", "golden.jsonl", "--max-hallucination", "0.1", "--write"];
    let ran = place.run(&own);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("Nothing was written"), "{}", ran.err);
    assert!(std::fs::read_to_string(place.path("vouch.yaml")).expect("settings").contains("confidence_at_least: 1\n"));
    assert!(!place.path(".vouch/certificate.json").exists() && !place.path("copy.json").exists());
    // Of the settings as they stand, what the counts prove can be stated all the same.
    let ran = place.run(&[&own[..6], &["--certificate", "copy.json"]].concat());
    assert_eq!(ran.code, Some(1), "the rate asked for is not reached");
    assert!(ran.out.contains("at most 31.2 % of questions such as these"), "{}", ran.out);
    assert_eq!(verify(&place, &["copy.json", "--golden", "golden.jsonl"]).code, Some(0));
}

#[test]
fn a_certificate_that_was_changed_does_not_hold() {
    let place = place();
    assert_eq!(calibrate(&place, &["--certificate", "copy.json"]).code, Some(0));
    let text = std::fs::read_to_string(place.path("copy.json")).expect("a certificate");
    let changed = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        place.write(name, text.replacen(from, to, 1));
        verify(&place, &[name])
    };
    let ran = changed("bound.json", "\"bound\": 0.31", "\"bound\": 0.01");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("0 errors of 8 questions prove 31.23 %, not 1.23 %"), "{}", ran.out);
    assert_eq!(changed("count.json", "\"questions\": 8", "\"questions\": 800").code, Some(1));
    let huge = changed("huge.json", "\"errors\": 0", "\"errors\": 900000000000");
    assert_eq!(huge.code, Some(1), "what does not add up is not worked out");
    assert_eq!(changed("kind.json", "vouch-certificate/1", "vouch-certificate/9").code, Some(2));
    assert_eq!(changed("key.json", "\"bound\"", "\"bond\"").code, Some(2));
    // Counts that add up are found out when the questions are asked again.
    place.write("errors.json", text.replace("\"answerable\": 4", "\"answerable\": 3"));
    assert_eq!(verify(&place, &["errors.json"]).code, Some(0));
    let ran = verify(&place, &["errors.json", "--golden", "golden.jsonl"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("answerable: 3 before, 4 now"), "{}", ran.out);
}

#[test]
fn figures_that_were_chosen_prove_no_more_when_they_are_counted_again() {
    let place = place();
    assert_eq!(calibrate(&place, &["--write"]).code, Some(0));
    let again = calibrate(&place, &["--certificate", "again.json"]);
    assert!(again.out.contains("at most 32.0 % of questions such as these"), "{}", again.out);
    let mut command =
        place.vouch(&["eval", "calibrate", "--golden", "golden.jsonl", "--max-hallucination", "0.32", "--write"]);
    command.env("VOUCH_DECIDE_CONFIDENCE_AT_LEAST", "2");
    let ran = finish(command);
    assert!(ran.code == Some(2) && ran.err.contains("a variable of the environment"), "{}", ran.err);
}

#[test]
fn figures_in_a_file_of_their_own_are_settings_too() {
    let place = place();
    let thresholds = "default: { distance_threshold: 0.9, min_query_coverage: 0.01 }\n";
    place.write("thresholds.yaml", thresholds);
    place.write("vouch.yaml", "judge: { thresholds: thresholds.yaml }\n");
    assert_eq!(calibrate(&place, &["--certificate", "copy.json"]).code, Some(0));
    assert_eq!(verify(&place, &["copy.json"]).code, Some(0));
    place.write("thresholds.yaml", thresholds.replace("0.01", "0.02"));
    let ran = verify(&place, &["copy.json"]);
    assert!(ran.code == Some(1) && ran.out.contains("changed: The settings"), "{}", ran.out);
}

#[test]
fn a_certificate_is_of_the_tenants_that_were_asked_and_live_figures_are_for_monitors() {
    let place = place();
    assert_eq!(calibrate(&place, &["--write"]).code, Some(0));
    let own = callers::key(&place, "default", Role::Reader, None);
    let other = callers::key(&place, "tarn", Role::Reader, None);
    let monitor = callers::key(&place, "default", Role::Monitor, None);
    let server = Server::over(place);
    let get = |key: &str| server.get_with("/v1/certificate", &format!("{}\r\n", key.trim())).json();
    let told = get(&own);
    assert_eq!((&told["standing"], told["live"].is_null()), (&"valid".into(), true), "{told}");
    assert_eq!(get(&other)["standing"], "none");
    assert_eq!(get(&monitor)["live"]["answered"], 0);
    assert_eq!(server.get("/v1/certificate").status, 401);
}

#[test]
fn the_server_shows_a_certificate_and_withdraws_it_when_something_changed() {
    let place = place();
    let server = Server::over(place);
    assert_eq!(server.get("/v1/certificate").json()["standing"], "none");
    let place = server.stop();
    assert_eq!(calibrate(&place, &["--write"]).code, Some(0));
    let server = Server::over(place);
    let valid = server.get("/v1/certificate").json();
    assert_eq!((&valid["standing"], &valid["certificate"]["errors"]), (&"valid".into(), &0.into()), "{valid}");
    // What the judge reads of live questions is kept to compare it.
    server.post("/v1/ask", r#"{"query":"How tall is the mast?"}"#, "");
    assert_eq!(server.get("/v1/certificate").json()["live"]["readings"], 1);
    // A document came in while it runs.
    let body = r#"{"id":"new","text":"The gangway is 4 metres long."}"#;
    assert_eq!(server.post("/v1/documents", body, "").status, 200);
    let withdrawn = server.get("/v1/certificate").json();
    assert_eq!(withdrawn["standing"], "withdrawn", "{withdrawn}");
    assert_eq!(withdrawn["withdrawn"][0]["reason"], "corpus");
    let place = server.stop();
    let ran = verify(&place, &[".vouch/certificate.json"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("changed: The documents, entries or vocabularies have changed"), "{}", ran.out);
    let again = place.run(&["ingest", "documents"]);
    assert!(again.err.contains("The certificate of the answers is withdrawn"), "{}", again.err);
    // Other settings, and a file that is none.
    assert_eq!(calibrate(&place, &["--write"]).code, Some(0));
    let settings = std::fs::read_to_string(place.path("vouch.yaml")).expect("settings");
    place.write("vouch.yaml", settings + "retrieve: { lane_limit: 99 }\n");
    let server = Server::over(place);
    assert_eq!(server.get("/v1/certificate").json()["withdrawn"][0]["reason"], "settings");
    let place = server.stop();
    place.write(".vouch/certificate.json", "{}");
    let server = Server::over(place);
    let damaged = server.get("/v1/certificate").json();
    assert_eq!((&damaged["standing"], &damaged["withdrawn"][0]["reason"]), (&"withdrawn".into(), &"damaged".into()));
}
