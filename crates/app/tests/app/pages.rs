//! Pages of documents that have them, from the file to the citation.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};

use crate::support::Place;

fn asked(place: &Place, question: &str) -> Value {
    let ran = place.run(&["ask", question, "--json"]);
    let reply: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(reply.get("outcome"), Some(&json!("answered")), "{question}: {reply}");
    reply.pointer("/citations/0").expect("a citation").clone()
}

#[test]
fn a_citation_names_the_page_where_a_document_has_pages() {
    let place = Place::new();
    let printed = "The ferry to Holm leaves at nine in the morning.\n\u{c}A crossing of the sound takes forty minutes.\n\
                   \u{c}Bicycles travel free of charge on\n\u{c}every crossing of the ferry.\n\u{c}";
    place.write("docs/ferry.txt", printed);
    place.write("docs/mill.txt", "The mill at Holm grinds rye on every Thursday.\n");
    let line = json!({ "id": "toll", "title": "Tolls", "text": "Tolls are old.\u{c}The bridge toll is four crowns." });
    place.write("docs/tolls.jsonl", format!("{line}\n"));
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    for (question, page) in [
        ("When does the ferry to Holm leave?", json!(1)),
        ("How long does a crossing of the sound take?", json!(2)),
        ("Do bicycles travel free of charge?", json!(3)),
        ("How much is the bridge toll?", json!(2)),
        ("When does the mill at Holm grind rye?", Value::Null),
    ] {
        let citation = asked(&place, question);
        let locator = page.as_u64().map_or(Value::Null, |page| format!("p. {page}").into());
        assert_eq!((&citation["page_number"], &citation["locator"]), (&page, &locator), "{question}: {citation}");
        assert!(!citation["snippet_full"].as_str().expect("text").contains('\u{c}'), "{citation}");
    }
    let shown = place.run(&["ask", "How long does a crossing of the sound take?"]).out;
    assert!(shown.contains("p. 2"), "{shown}");
}
