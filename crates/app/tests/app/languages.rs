//! What editors prepared, in the language of whoever asks.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use serde_json::{Value, json};

use crate::support::{Place, server::Server};

const ENGLISH: &str = "What happens with water in a dry year?";
const DUTCH: &str = "Wat gebeurt er met het water in een droog jaar?";
const MEMORY: &str = "\
- id: dry-years
  kind: note
  triggers:
    en: [\"What happens with water in a dry year?\"]
    nl: [\"Wat gebeurt er met het water in een droog jaar?\"]
    pt-BR: [\"O que acontece com a água em um ano seco?\"]
  note:
    en: The order for dry years replaces the usual turn.
    nl: De volgorde voor droge jaren vervangt de gewone beurt.
    pt-BR: A ordem dos anos secos substitui a vez comum.
  for_readers: true
  references: [turns]
";

fn place() -> Place {
    let place = Place::new();
    place.write(
        "docs/turns.md",
        "---\nid: turns\n---\n# Water in a dry year\n\nWhat happens with water in a dry year is this: gardens drink before \
         fields. Wat gebeurt er met het water in een droog jaar: tuinen drinken voor de velden.\n",
    );
    place.write("memory.yaml", MEMORY);
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let imported = place.run(&["memory", "import", "memory.yaml"]);
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    place
}

/// What the reply says of an editor's note.
fn note(reply: &Value) -> Option<String> {
    let notices = reply["notices"].as_array().expect("notices").iter().filter_map(Value::as_str);
    notices.filter_map(|notice| notice.strip_prefix("Editor's note: ")).map(str::to_owned).next()
}

fn asked(place: &Place, args: &[&str]) -> Option<String> {
    let ran = place.run(&[&["ask", "--json"], args].concat());
    let reply: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(reply.get("outcome"), Some(&json!("answered")), "{reply}");
    note(&reply)
}

#[test]
fn a_note_is_told_in_the_language_of_the_question() {
    let place = place();
    let (english, dutch) =
        ("The order for dry years replaces the usual turn.", "De volgorde voor droge jaren vervangt de gewone beurt.");
    assert_eq!(asked(&place, &[ENGLISH]).as_deref(), Some(english));
    assert_eq!(asked(&place, &[DUTCH]).as_deref(), Some(dutch));
    // What a request asks for wins over what its words tell, and what nobody wrote is told in the profile's language.
    assert_eq!(asked(&place, &[ENGLISH, "--language", "NL"]).as_deref(), Some(dutch));
    assert_eq!(asked(&place, &[ENGLISH, "--language", "nl-be"]).as_deref(), Some(dutch));
    assert_eq!(asked(&place, &[DUTCH, "--language", "en"]).as_deref(), Some(english));
    assert_eq!(asked(&place, &[ENGLISH, "--language", "fi"]).as_deref(), Some(english));
    let portuguese = asked(&place, &[ENGLISH, "--language", "pt-br"]);
    assert_eq!(portuguese.as_deref(), Some("A ordem dos anos secos substitui a vez comum."));
    assert_eq!(place.run(&["ask", ENGLISH, "--language", "dutch please"]).code, Some(2));
}

#[test]
fn every_surface_takes_a_language_and_the_trail_keeps_it() {
    let server = Server::over(place());
    let dutch = Some("De volgorde voor droge jaren vervangt de gewone beurt.".to_owned());
    let reply = server.post("/v1/ask", &json!({ "query": ENGLISH, "language": "nl" }).to_string(), "").json();
    assert_eq!(note(&reply), dutch, "{reply}");
    let entry = server.get(&format!("/v1/audit/{}", reply["request_id"].as_str().expect("an id"))).json();
    assert_eq!(entry["asked"]["language"], "nl", "{entry}");
    let body = json!({ "messages": [{ "role": "user", "content": ENGLISH }], "language": "nl" }).to_string();
    let reply = server.post("/v1/chat/completions", &body, "").json();
    assert_eq!(note(&reply["vouch"]), dutch, "{reply}");
    let wrong = server.post("/v1/ask", &json!({ "query": ENGLISH, "language": "!" }).to_string(), "");
    assert_eq!((wrong.status, wrong.json()["code"].clone()), (400, json!("invalid_request")));
}
