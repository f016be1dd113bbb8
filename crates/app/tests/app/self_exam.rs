//! Documents without a golden set are examined by questions out of their own sentences, and the figures say what they are.

use crate::support::{Place, replies};

fn place() -> Place {
    let place = Place::new();
    for (name, text) in [
        (
            "ferry",
            "The ferry to Arran is 30 metres long. Bicycles must be booked within 14 days of the trip. Dogs may travel on the open deck.",
        ),
        (
            "library",
            "The reading room is the quiet part of the library. Books must be returned within 21 days of the loan. Members may borrow six books at a time.",
        ),
        (
            "pool",
            "The swimming pool is 25 metres long. Lockers must be emptied within 2 hours of closing. Children may use the shallow pool on weekdays.",
        ),
        (
            "mill",
            "The old mill was built in 1874. Visitors may climb the tower before noon. The mill wheel is the oldest in the valley.",
        ),
    ] {
        place.write(&format!("documents/{name}.md"), format!("---\nid: {name}\n---\n# {name}\n\n{text}\n"));
    }
    place
}

#[test]
fn documents_are_examined_and_what_could_not_be_answered_is_listed() {
    let place = place();
    let ingested = place.run(&["ingest", "documents", "--self-exam"]);
    assert_eq!(ingested.code, Some(0), "{}", ingested.err);
    assert!(ingested.out.contains("Questions made by rule"), "{}", ingested.out);
    let exam = || place.run(&["eval", "self", "--questions", "16", "--json"]);
    let outcome = replies::json(&exam());
    assert_eq!(exam().out, exam().out, "the same documents, the same figures");
    assert!(outcome["label"].as_str().is_some_and(|label| label.contains("easier than what people ask")));
    for sort in ["stated", "altered", "removed"] {
        assert!(outcome[sort]["of"].as_u64().is_some_and(|of| of > 0), "{sort}: {outcome}");
    }
    let right = outcome["stated"]["part"].as_u64().expect("a count");
    assert!(right * 2 > outcome["stated"]["of"].as_u64().expect("a count"), "{outcome}");
    // What is not right is listed, and nothing else.
    let listed = outcome["not_answered"].as_array().expect("a list").len() as u64;
    assert_eq!(right + listed, outcome["stated"]["of"].as_u64().expect("a count"), "{outcome}");
    assert!(outcome["health"].as_f64().is_some_and(|health| (0.0..=1.0).contains(&health)));
}

#[test]
fn an_engine_that_refuses_everything_is_not_healthy() {
    let place = place();
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    place.write("vouch.yaml", "decide: { confidence_at_least: 100 }\n");
    let outcome = replies::json(&place.run(&["eval", "self", "--json"]));
    assert_eq!(outcome["stated"]["part"], 0, "{outcome}");
    assert_eq!(outcome["removed"]["share"], 1.0, "{outcome}");
    let first = &outcome["not_answered"][0];
    assert_eq!(first["reason"], "refused");
    assert!(first["sentence"].as_str().is_some_and(|sentence| sentence.ends_with('.')));
}

#[test]
fn documents_without_a_plain_statement_give_no_figure() {
    let place = Place::new();
    place.write("documents/list.md", "# List\n\n- one\n- two\n");
    assert_eq!(place.run(&["ingest", "documents"]).code, Some(0));
    let ran = place.run(&["eval", "self"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no question could be made by rule"), "{}", ran.err);
}
