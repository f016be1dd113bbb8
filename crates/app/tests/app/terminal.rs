//! No command lets a document, a question or a name steer the terminal it is printed on.

use crate::support::Place;

/// Clears the screen, colours it by a control of the second set, rings, goes back, turns the order of the text.
const STEERING: &str = "\u{1b}[2J\u{9b}31m\u{7}\u{8}\u{202e}\u{2066}";

fn is_steering(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[test]
fn what_is_printed_steers_no_terminal() {
    let place = Place::new();
    place.write("vouch.yaml", "judge: { model: none, gates: [{ gate: query_coverage, at_least: 0.5 }] }\n");
    let title = format!("Annual{STEERING} Leave");
    let document = serde_json::json!({
        "id": format!("leave{STEERING}"), "title": title, "kind": format!("policy{STEERING}"),
        "collection": format!("hand{STEERING}book"), "version": format!("2{STEERING}"),
        "text": format!("# {title}\n\nStaff have 26 days{STEERING} of paid annual leave a year.\n"),
    });
    place.write("docs.jsonl", format!("{document}\n"));
    place.write(&format!("bad{STEERING}.jsonl"), "no JSON\n");
    let asked = format!("How many days of paid annual leave do staff have?{STEERING}");
    let named = format!("no such thing{STEERING}");
    let kind = format!("policy{STEERING}");
    let bad = format!("bad{STEERING}.jsonl");
    for words in [
        &["ingest", "docs.jsonl"][..],
        &["ingest", &bad],
        &["ask", &asked],
        &["ask", &asked, "--json"],
        &["ask", &asked, "--explain"],
        &["ask", &asked, "--stream"],
        &["ask", &named],
        &["search", "annual leave"],
        &["search", "annual leave", "--json"],
        &["list", &kind],
        &["show", &named],
        &["show", &format!("leave{STEERING}")],
        &["term", &named],
        &["audit", "list"],
        &["audit", "show", &named],
        &["key", "revoke", &named],
        &["memory", "list"],
        &["doctor"],
    ] {
        let ran = place.run(words);
        for text in [&ran.out, &ran.err] {
            assert!(!text.contains(is_steering), "{words:?}: {text:?}");
        }
    }
    let ran = place.run(&["ask", &asked]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("26 days"), "what is read is still there: {}{}", ran.out, ran.err);
    let ran = place.run(&["search", "annual leave", "--json"]);
    assert!(ran.out.contains("\\u009b"), "programs are told all of it: {}", ran.out);
}
