//! A store whose vectors another embedder made is not searched, and `vouch reembed` makes them again.

use crate::support::{
    Place,
    embedding_server::EmbeddingServer,
    replies::{ask, json},
    shapes,
};

const DEEP: &str = "How deep is the old well?";

/// A store filled here, and what it answers.
fn filled() -> (Place, String) {
    let place = Place::new();
    place.write("well.md", "# The Old Well\n\nThe old well in the orchard is 23 metres deep.\n");
    place.write("gate.md", "# The Gate\n\nThe gate of the orchard is green.\n");
    place.run(&["ingest", "well.md", "gate.md"]);
    let reply = place.run(&["ask", DEEP, "--json", "--explain"]).out;
    (place, shapes::without_times(&reply))
}

/// The same store, its vectors made by another embedder.
fn estranged() -> (Place, String) {
    let (place, reply) = filled();
    place.write("other.yaml", EmbeddingServer::start().settings());
    let ran = place.run(&["reembed", "--config", "other.yaml"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    (place, reply)
}

/// Ends with code 1 and says what to do.
fn check_is_turned_away(words: &[&str]) {
    let ran = estranged().0.run(words);
    assert_eq!((ran.code, ran.err.contains("vouch reembed")), (Some(1), true), "{}{}", ran.out, ran.err);
}

#[test]
fn a_question_to_a_foreign_store_is_turned_away() {
    check_is_turned_away(&["ask", DEEP]);
}

#[test]
fn a_search_of_a_foreign_store_is_turned_away() {
    check_is_turned_away(&["search", "well"]);
}

#[test]
fn an_ingest_into_a_foreign_store_is_turned_away() {
    check_is_turned_away(&["ingest", "well.md"]);
}

#[test]
fn reembed_tells_how_many_passages_it_made() {
    let ran = estranged().0.run(&["reembed"]);
    assert!(ran.code == Some(0) && ran.out.starts_with("2 passages"), "{}{}", ran.out, ran.err);
}

#[test]
fn after_reembed_the_answer_is_the_same() {
    let (place, before) = estranged();
    place.run(&["reembed"]);
    let after = place.run(&["ask", DEEP, "--json", "--explain"]).out;
    assert_eq!(shapes::without_times(&after), before);
}

#[test]
fn after_reembed_the_store_is_sound() {
    let (place, _) = estranged();
    place.run(&["reembed"]);
    assert_eq!(json(&place.run(&["doctor", "--json"]))["sound"], true);
}

#[test]
fn reembed_of_an_own_store_changes_no_answer() {
    let (place, _) = filled();
    place.run(&["reembed"]);
    assert_eq!(ask(&place, DEEP, &[])["outcome"], "answered");
}
