//! Tags in front matter are topics; who may see a document is said elsewhere, and silence never shows it to more people.

use serde_json::{Value, json as value};

use crate::support::{
    Place, Ran,
    replies::{ask, json},
};

const BOAT: &str = "---\ntags: [sailing, lake]\n---\n# The Boat\n\nThe boat in the boathouse is nine metres long.\n";
const LENGTH: &str = "How long is the boat in the boathouse?";
const PAY: &str = "---\naccess: [hr]\n---\n# Pay Day\n\nThe pay day of lock keepers is the 25th of each month.\n";
const STRANGER: &[&str] = &["--tags", "visitors"];

fn place() -> Place {
    let place = Place::new();
    place.write("docs/boat.md", BOAT);
    place.write("docs/pay.md", PAY);
    place
}

fn ingest(place: &Place, more: &[&str]) -> Ran {
    let ran = place.run(&[&["ingest", "docs"], more].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran
}

fn is_answered(place: &Place, question: &str, who: &[&str]) -> bool {
    ask(place, question, who).get("outcome").is_some_and(|outcome| outcome == "answered")
}

#[test]
fn a_folder_of_a_site_with_tags_hides_nothing() {
    let place = place();
    ingest(&place, &[]);
    assert!(is_answered(&place, LENGTH, STRANGER));
    let pay = "When is the pay day of lock keepers?";
    assert!(!is_answered(&place, pay, STRANGER));
    assert!(is_answered(&place, pay, &["--tags", "hr"]));
}

#[test]
fn a_setting_makes_tags_say_who_may_see_a_page() {
    let place = place();
    place.write("vouch.yaml", "ingest: { access_from: [tags] }\n");
    ingest(&place, &[]);
    assert!(!is_answered(&place, LENGTH, STRANGER));
    assert!(is_answered(&place, LENGTH, &["--tags", "lake"]));
}

#[test]
fn what_was_said_once_is_kept_until_something_else_is_said() {
    let place = place();
    ingest(&place, &["--tags", "board"]);
    assert!(!is_answered(&place, LENGTH, STRANGER));
    place.write("docs/boat.md", BOAT.replace("nine", "ten"));
    place.write("docs/new.md", "# Oars\n\nThe boat has four oars of ash.\n");
    let again = ingest(&place, &[]);
    assert!(again.err.contains("1 document keeps the tags it was given before"), "{}", again.err);
    assert!(again.err.contains("1 document is new and has the tags of all others"), "{}", again.err);
    assert!(!is_answered(&place, "How many oars does the boat have?", STRANGER));
    assert!(!is_answered(&place, LENGTH, STRANGER));
    assert!(is_answered(&place, LENGTH, &["--tags", "board"]));
    ingest(&place, &["--open"]);
    assert!(is_answered(&place, LENGTH, STRANGER));
    assert_eq!(ingest(&place, &[]).err, "");
}

#[test]
fn a_new_file_beside_open_and_closed_ones_is_open_and_told() {
    let place = place();
    ingest(&place, &[]);
    let ran = place.run(&["ingest", "docs/boat.md", "--tags", "board"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.write("docs/open.md", "# Lake\n\nThe lake is two miles long.\n");
    ingest(&place, &["--open"]);
    let ran = place.run(&["ingest", "docs/boat.md", "--tags", "board"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.write("docs/new.md", "# Oars\n\nThe boat has four oars of ash.\n");
    let told = ingest(&place, &[]).err;
    assert!(told.contains("1 document is new and open to everyone, unlike those"), "{told}");
}

#[test]
fn a_file_that_is_gone_is_told_until_it_is_pruned() {
    let place = place();
    ingest(&place, &[]);
    std::fs::remove_file(place.path("docs/pay.md")).expect("a file");
    assert!(ingest(&place, &[]).err.contains("the files of 1 stored document are gone; --prune removes it"));
    assert_eq!(ingest(&place, &["--prune-many"]).err, "");
    assert_eq!(ingest(&place, &[]).err, "");
}

#[test]
fn a_section_that_a_work_gains_is_seen_by_those_who_see_the_work() {
    let place = Place::new();
    let work = "---\naddresses: \"LK {}\"\n---\n# Locks\n\n## 1 Gates\n\nThe gates of the lock are made of oak.\n";
    place.write("docs/locks.md", work);
    ingest(&place, &["--tags", "board"]);
    place.write("docs/locks.md", format!("{work}\n## 2 Paddles\n\nThe paddles of the lock are made of iron.\n"));
    ingest(&place, &[]);
    let paddles = "What are the paddles of the lock made of?";
    assert!(!is_answered(&place, paddles, STRANGER));
    assert!(is_answered(&place, paddles, &["--tags", "board"]));
}

#[test]
fn topics_are_listed_by() {
    let place = place();
    ingest(&place, &[]);
    let listed = place.run(&["list", "document", "--topic", "Lake"]);
    assert_eq!(listed.out, "1 document of kind document:\nThe Boat\n");
    let kinds: Value = json(&place.run(&["list", "--json"]));
    assert_eq!(kinds, value!({ "kinds": [{ "kind": "document", "documents": 2 }] }));
    assert_eq!(place.run(&["list"]).out, "document  2\n");
}

#[test]
fn the_owner_of_a_topic_is_whom_to_ask() {
    let place = place();
    place.write("vouch.yaml", "decide: { route_below: 100, admin_email: desk@tarnside.example }\n");
    ingest(&place, &[]);
    for words in
        [&["user", "add", "mira", "--email", "mira@tarnside.example"][..], &["tag", "add", "lake", "--owner", "mira"]]
    {
        let ran = place.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
    let reply = ask(&place, LENGTH, STRANGER);
    assert_eq!(reply["route_to"]["owner_email"], "mira@tarnside.example", "{}", reply["route_to"]);
}
