//! `vouch ingest` over edits, moves and deletions: what is counted, what is kept, what is gone, and under which id.

use serde_json::Value;

use crate::support::{
    Place, Ran, finish,
    replies::{ask, json},
};

const WELL: &str = "# The Old Well\n\nThe old well in the orchard is 23 metres deep.\n";
const GATE: &str = "# The North Gate\n\nThe north gate of the orchard is locked at nine in the evening.\n";
const DEEP: &str = "How deep is the old well in the orchard?";
const LOCKED: &str = "When is the north gate of the orchard locked?";

fn filled() -> Place {
    let place = Place::new();
    place.write("docs/well.md", WELL);
    place.write("docs/gate.md", GATE);
    check_counts(&place, &["ingest", "docs"], [2, 0, 0, 0, 0]);
    place
}

/// Runs an ingest and compares added, updated, unchanged, removed, failed.
fn check_counts(place: &Place, words: &[&str], expected: [u64; 5]) {
    let ran = place.run(&[words, &["--json"]].concat());
    let report = json(&ran);
    let found =
        ["added", "updated", "unchanged", "removed", "failed"].map(|key| report.get(key).and_then(Value::as_u64));
    let code = i32::from(expected.last() > Some(&0));
    assert_eq!((found, ran.code), (expected.map(Some), Some(code)), "{}{}", ran.out, ran.err);
}

fn document_of(reply: &Value) -> &Value {
    reply.pointer("/citations/0/document_id").unwrap_or(&Value::Null)
}

#[test]
fn new_files_are_added() {
    filled();
}

#[test]
fn a_key_that_is_there_twice_is_a_warning_and_the_file_is_added() {
    let place = Place::new();
    place.write("docs/well.md", format!("---\ntitle: Well\ntitle: Pit\n---\n{WELL}"));
    let ran = place.run(&["ingest", "docs", "--json"]);
    let report = json(&ran);
    assert_eq!(
        (ran.code, &report["added"], &report["failed"]),
        (Some(0), &Value::from(1), &Value::from(0)),
        "{report}"
    );
    let sentence = "its front matter has 'title' more than once (line 3); the first one counts";
    assert_eq!(report["warnings"][0]["reason"], sentence);
    assert!(ran.err.contains("warning: ") && ran.err.contains(sentence), "{}", ran.err);
}

#[test]
fn what_is_not_read_is_told_with_its_reason_and_is_no_failure() {
    let place = Place::new();
    place.write("docs/well.md", WELL);
    place.write("docs/.git/config", "hidden");
    let skipped = [
        ("plan.doc", "old", "the old Word format cannot be read; save it as .docx"),
        ("logo.png", "png", "it is an image"),
        ("index.md", "---\ntitle: Index\n---\n", "it contains no text"),
        ("titles.md", "# Only a title\n", "it has headings but no text"),
        ("index.rst", "Manual\n======\n\n.. toctree::\n\n   one\n", "it has headings but no text"),
        ("~$plan.docx", "a mark", "it is a lock file that Office keeps while a document is open"),
    ];
    skipped.iter().for_each(|(name, text, _)| place.write(&format!("docs/{name}"), text));
    let ran = place.run(&["ingest", "docs"]);
    assert!(ran.code == Some(0) && ran.out.ends_with(" failed 0, skipped 6\n"), "{}{}", ran.out, ran.err);
    for (name, _, told) in skipped {
        assert!(ran.err.contains(&format!("{name}: {told}")), "{}", ran.err);
    }
    let report = json(&place.run(&["ingest", "docs", "--json"]));
    assert_eq!((report["skipped_files"].as_array().map(Vec::len), &report["failed"]), (Some(6), &Value::from(0)));
}

#[test]
fn where_nothing_was_ingested_questions_say_so_and_create_nothing() {
    let place = Place::new();
    for command in
        [&["ask", "How deep is the well?"][..], &["search", "well"], &["list", "adr"], &["show", "well"], &["chat"]]
    {
        let ran = place.run(command);
        assert_eq!(ran.code, Some(3), "{command:?}: {}", ran.err);
        assert!(ran.err.contains("nothing has been ingested yet"), "{command:?}: {}", ran.err);
        assert!(!place.path(".vouch").exists(), "{command:?}");
    }
}

#[test]
fn files_that_did_not_change_are_unchanged() {
    check_counts(&filled(), &["ingest", "docs"], [0, 0, 2, 0, 0]);
}

#[test]
fn an_edited_file_is_updated() {
    let place = filled();
    place.write("docs/well.md", WELL.replace("23", "31"));
    check_counts(&place, &["ingest", "docs"], [0, 1, 1, 0, 0]);
}

#[test]
fn an_edited_file_answers_with_its_new_words() {
    let place = filled();
    place.write("docs/well.md", WELL.replace("23", "31"));
    place.run(&["ingest", "docs"]);
    assert_eq!(ask(&place, DEEP, &[])["answer"], "The old well in the orchard is 31 metres deep. [^1]");
}

#[test]
fn a_change_of_tags_alone_is_an_update() {
    check_counts(&filled(), &["ingest", "docs", "--tags", "hr"], [0, 2, 0, 0, 0]);
}

#[test]
fn the_counts_are_told_in_one_line_for_people() {
    let ran = filled().run(&["ingest", "docs"]);
    assert_eq!(ran.out, "added 0, updated 0, unchanged 2, removed 0, failed 0\n");
}

#[test]
fn prune_follows_a_deletion() {
    let place = filled();
    std::fs::remove_file(place.path("docs/well.md")).expect("it is there");
    check_counts(&place, &["ingest", "docs", "--prune-many"], [0, 0, 1, 1, 0]);
}

#[test]
fn a_pruned_document_is_answered_from_no_more() {
    let place = filled();
    std::fs::remove_file(place.path("docs/well.md")).expect("it is there");
    place.run(&["ingest", "docs", "--prune-many"]);
    assert_eq!(ask(&place, DEEP, &[])["outcome"], "refused");
}

#[test]
fn a_document_that_comes_back_after_pruning_is_added() {
    let place = filled();
    std::fs::remove_file(place.path("docs/well.md")).expect("it is there");
    place.run(&["ingest", "docs", "--prune-many"]);
    place.write("docs/well.md", WELL);
    check_counts(&place, &["ingest", "docs"], [1, 0, 1, 0, 0]);
}

#[test]
fn a_deletion_without_prune_removes_nothing() {
    let place = filled();
    std::fs::remove_file(place.path("docs/well.md")).expect("it is there");
    check_counts(&place, &["ingest", "docs"], [0, 0, 1, 0, 0]);
}

#[test]
fn pruning_a_path_that_is_not_there_removes_nothing() {
    let place = filled();
    std::fs::rename(place.path("docs"), place.path("elsewhere")).expect("it can be moved");
    check_counts(&place, &["ingest", "docs", "--prune-many"], [0, 0, 0, 0, 1]);
}

#[test]
fn pruning_one_folder_leaves_its_namesake_alone() {
    let place = filled();
    place.write("docs-old/cart.md", "# The Cart\n\nThe orchard cart has three wheels.\n");
    place.run(&["ingest", "docs-old"]);
    check_counts(&place, &["ingest", "docs", "--prune-many"], [0, 0, 2, 0, 0]);
}

#[test]
fn a_file_that_cannot_be_parsed_is_not_pruned() {
    let place = filled();
    place.write("docs/well.md", [0xff, 0xfe, 0xfd]);
    check_counts(&place, &["ingest", "docs", "--prune-many"], [0, 0, 1, 0, 1]);
}

#[test]
fn the_old_version_of_a_file_that_cannot_be_parsed_still_answers() {
    let place = filled();
    place.write("docs/well.md", [0xff, 0xfe, 0xfd]);
    place.run(&["ingest", "docs", "--prune-many"]);
    assert_eq!(ask(&place, DEEP, &[])["outcome"], "answered");
}

#[test]
fn a_file_that_grew_over_the_limit_is_not_pruned() {
    let place = filled();
    place.write("docs/well.md", WELL.repeat(100));
    let mut command = place.vouch(&["ingest", "docs", "--prune-many", "--json"]);
    command.env("VOUCH_INGEST_FILE_BYTES_MAX", "1000");
    let report = json(&finish(command));
    assert_eq!((report["failed"].as_u64(), report["removed"].as_u64()), (Some(1), Some(0)), "{report}");
}

#[test]
fn a_json_line_that_went_bad_is_not_pruned() {
    let place = Place::new();
    place.write("a.jsonl", "{\"id\":\"one\",\"text\":\"One orchard.\"}\n{\"id\":\"two\",\"text\":\"Two wells.\"}\n");
    place.run(&["ingest", "a.jsonl"]);
    place.write("a.jsonl", "{\"id\":\"one\",\"text\":\"One orchard.\"}\n{\"id\":\"two\",\n");
    check_counts(&place, &["ingest", "a.jsonl", "--prune-many"], [0, 0, 1, 0, 1]);
}

#[test]
fn a_json_line_taken_out_is_pruned() {
    let place = Place::new();
    place.write("a.jsonl", "{\"id\":\"one\",\"text\":\"One orchard.\"}\n{\"id\":\"two\",\"text\":\"Two wells.\"}\n");
    place.run(&["ingest", "a.jsonl"]);
    place.write("a.jsonl", "{\"id\":\"one\",\"text\":\"One orchard.\"}\n");
    check_counts(&place, &["ingest", "a.jsonl", "--prune-many"], [0, 0, 1, 1, 0]);
}

#[test]
fn a_json_line_keeps_its_id_whatever_its_characters() {
    let place = Place::new();
    let id = "Ünï/cöde: #3 \"quoted\" [^1] 🐝\\n%20';--";
    let line = serde_json::json!({"id": id, "title": "Bees", "text": "The abbey keeps 37 beehives behind the chapel."});
    place.write("a.jsonl", format!("{line}\n"));
    place.run(&["ingest", "a.jsonl"]);
    let reply = ask(&place, "How many beehives does the abbey keep behind the chapel?", &[]);
    assert_eq!(document_of(&reply), id);
}

#[test]
fn a_search_tells_the_same_odd_id() {
    let place = Place::new();
    let id = "Ünï/cöde: #3 \"quoted\" 🐝";
    place.write("a.jsonl", format!("{}\n", serde_json::json!({"id": id, "text": "The abbey keeps 37 beehives."})));
    place.run(&["ingest", "a.jsonl"]);
    assert_eq!(json(&place.run(&["search", "beehives", "--json"]))[0]["document_id"], id);
}

#[test]
fn the_fields_of_front_matter_stand_in_the_citation() {
    let place = Place::new();
    let own = "---\nid: rule-7\ntitle: Rule Seven\nkind: ADR\ncollection: rules\nversion: \"2.10\"\n\
               updated: 2026-02-01\naddress: ADR.7\nurl: https://rules.example/7\n---\n";
    place.write("seven.md", format!("{own}The orchard ladder must be tied to the trunk at two points.\n"));
    place.run(&["ingest", "seven.md"]);
    let reply = ask(&place, "At how many points must the orchard ladder be tied to the trunk?", &[]);
    let cited = &reply["citations"][0];
    let keys = ["document_id", "document_name", "kind", "collection", "version", "updated", "locator", "url"];
    let expected = ["rule-7", "Rule Seven", "ADR", "rules", "2.10", "2026-02-01", "ADR.7", "https://rules.example/7"];
    assert_eq!(keys.map(|key| cited[key].as_str()), expected.map(Some));
}

#[test]
fn what_the_file_says_of_itself_goes_over_the_command_line() {
    let place = Place::new();
    place.write("a.md", format!("---\nkind: ADR\n---\n{WELL}"));
    place.run(&["ingest", "a.md", "--kind", "memo", "--collection", "garden"]);
    let reply = ask(&place, DEEP, &[]);
    let cited = &reply["citations"][0];
    assert_eq!((&cited["kind"], &cited["collection"]), (&"ADR".into(), &"garden".into()));
}

#[test]
fn a_link_out_of_the_folder_is_told_and_followed_only_if_asked_for() {
    let place = filled();
    place.write("elsewhere/mast.md", "# The Mast\n\nThe mast of the ferry is 9 metres tall.\n");
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("docs/link")).expect("a link can be made");
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.out, "added 0, updated 0, unchanged 2, removed 0, failed 1\n");
    assert!(ran.err.contains("leads out of the folder") && ran.err.contains("--follow-links"), "{}", ran.err);
    check_counts(&place, &["ingest", "docs", "--follow-links"], [1, 0, 2, 0, 0]);
}

#[test]
fn a_page_of_html_is_answered_from_its_text_alone() {
    let place = Place::new();
    let page = "<html><head><title>Kiln &amp; Co</title><style>p{}</style></head><body><nav>Menu</nav>\
                <h2>Firing</h2><p>The kiln is <b>fired</b> at 1240 degrees.</p><script>let x = 1;</script></body></html>";
    place.write("kiln.html", page);
    place.run(&["ingest", "kiln.html"]);
    let reply = ask(&place, "At how many degrees is the kiln fired?", &[]);
    assert_eq!(reply["answer"], "The kiln is fired at 1240 degrees. [^1]");
}

#[test]
fn a_page_of_html_is_cited_under_its_title_and_heading() {
    let place = Place::new();
    place.write("kiln.html", "<title>Kiln &amp; Co</title><h2>Firing</h2><p>The kiln is fired at 1240 degrees.</p>");
    place.run(&["ingest", "kiln.html"]);
    let reply = ask(&place, "At how many degrees is the kiln fired?", &[]);
    let cited = &reply["citations"][0];
    assert_eq!((&cited["document_name"], &cited["section"]), (&"Kiln & Co".into(), &"Firing".into()));
}

#[test]
fn a_file_taken_in_from_another_folder_is_the_same_document() {
    let place = filled();
    let data = place.path(".vouch").display().to_string();
    let mut command = place.vouch(&["ingest", "well.md", "--data", &data, "--json"]);
    command.current_dir(place.path("docs"));
    let report = json(&finish(command));
    assert_eq!((report["added"].as_u64(), report["unchanged"].as_u64()), (Some(0), Some(1)), "{report}");
}

fn with_same_id() -> Place {
    let place = Place::new();
    place.write("one.md", format!("---\nid: same\n---\n{WELL}"));
    place.write("two.md", format!("---\nid: same\n---\n{GATE}"));
    place
}

/// The second file fails, and the sentence names the first.
fn check_names_the_first(ran: &Ran, place: &Place) {
    let (first, second) = (place.path("one.md").display().to_string(), place.path("two.md").display().to_string());
    let line = ran.err.lines().find(|line| line.starts_with(&format!("failed: {second}")));
    assert!(line.is_some_and(|line| line.contains(&first)), "{}", ran.err);
}

#[test]
fn two_files_with_one_id_in_a_run_fail_for_the_second() {
    let place = with_same_id();
    let ran = place.run(&["ingest", "one.md", "two.md"]);
    check_names_the_first(&ran, &place);
}

#[test]
fn a_later_file_with_a_known_id_fails_and_names_the_first() {
    let place = with_same_id();
    place.run(&["ingest", "one.md"]);
    let ran = place.run(&["ingest", "two.md"]);
    check_names_the_first(&ran, &place);
}

#[test]
fn the_first_of_two_files_with_one_id_goes_on_answering() {
    let place = with_same_id();
    place.run(&["ingest", "one.md"]);
    place.run(&["ingest", "two.md"]);
    assert_eq!(ask(&place, DEEP, &[])["outcome"], "answered");
}

#[test]
fn a_file_that_takes_a_foreign_id_keeps_its_old_version() {
    let place = with_same_id();
    place.write("two.md", format!("---\nid: other\n---\n{GATE}"));
    place.run(&["ingest", "one.md", "two.md"]);
    place.write("two.md", format!("---\nid: same\n---\n{GATE}"));
    place.run(&["ingest", "two.md"]);
    assert_eq!(ask(&place, LOCKED, &[])["outcome"], "answered");
}

#[test]
fn a_file_given_a_new_id_is_not_kept_under_both() {
    let place = Place::new();
    place.write("a.md", format!("---\nid: before\n---\n{WELL}"));
    place.run(&["ingest", "a.md"]);
    place.write("a.md", format!("---\nid: after\n---\n{WELL}"));
    check_counts(&place, &["ingest", "a.md"], [1, 0, 0, 1, 0]);
}

fn moved() -> Place {
    let place = Place::new();
    place.write("a/well.md", format!("---\nid: well\n---\n{WELL}"));
    place.run(&["ingest", "a"]);
    let outcome = std::fs::create_dir(place.path("b"))
        .and_then(|()| std::fs::rename(place.path("a/well.md"), place.path("b/well.md")));
    assert!(outcome.is_ok(), "a file can be moved");
    place
}

#[test]
fn a_moved_file_is_counted_as_renamed_and_gets_no_new_version() {
    let ran = moved().run(&["ingest", "b"]);
    assert_eq!(ran.out, "added 0, updated 0, unchanged 0, renamed 1, removed 0, failed 0\n");
}

#[test]
fn a_moved_file_is_told_under_its_new_place() {
    let place = moved();
    place.run(&["ingest", "b"]);
    assert_eq!(ask(&place, DEEP, &[])["sources"][0]["file"], place.path("b/well.md").display().to_string());
}

#[test]
fn a_moved_file_is_not_pruned_with_its_old_folder() {
    let place = moved();
    place.run(&["ingest", "b"]);
    check_counts(&place, &["ingest", "a", "--prune-many"], [0, 0, 0, 0, 0]);
}

#[test]
fn files_of_one_name_in_two_folders_elsewhere_are_two_documents_and_tell_no_path() {
    let (place, one, two) = (Place::new(), Place::new(), Place::new());
    one.write("docs/well.md", WELL);
    two.write("docs/well.md", WELL.replace("orchard", "meadow").replace("23", "31"));
    let folders = [one.path("docs"), two.path("docs")].map(|path| path.display().to_string());
    for _ in 0..2 {
        let ran = place.run(&["ingest", &folders[0], &folders[1]]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    let reply = ask(&place, DEEP, &[]);
    assert!(reply["citations"][0]["source_id"].as_str().is_some_and(|id| id.starts_with("docs/well.md")), "{reply}");
    let found = place.run(&["search", "deep well", "--json"]).out;
    assert!(found.contains("docs/well.md (") && !folders.iter().any(|folder| found.contains(folder)), "{found}");
}
