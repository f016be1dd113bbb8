//! What a newcomer types first: how the program is, what it is made of, whom to ask where a server holds the documents.

use crate::support::{Place, server::Server};

#[test]
fn the_version_names_the_models_and_the_build() {
    let ran = Place::new().run(&["--version"]);
    let names = ["0.1.0", " build for ", "gte-small-int8", "vouch-judge-int8"];
    assert!(names.iter().all(|name| ran.out.contains(name)), "{}", ran.out);
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = Place::new().run(&["completions", shell]);
        assert!(
            ran.code == Some(0) && ran.out.contains("ingest") && ran.out.contains("doctor"),
            "{shell}: {}",
            ran.out
        );
    }
}

#[test]
fn the_doctor_begins_with_whether_all_is_well() {
    let place = Place::new();
    place.write("docs/well.md", "# Well\n\nThe well is 12 metres deep.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.out.lines().next(), Some("All is well: 1 documents in ./.vouch."), "{}", ran.out);
}

#[test]
fn a_folder_that_a_server_holds_says_where_to_ask() {
    let place = Place::new();
    place.write("docs/well.md", "# Well\n\nThe well is 12 metres deep.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let server = Server::over(place);
    let ran = server.place.run(&["ask", "How deep is the well?"]);
    assert!(
        ran.code == Some(1) && ran.err.contains("at http://127.0.0.1:") && ran.err.contains("ask there"),
        "{}",
        ran.err
    );
}

#[test]
fn a_suggestion_keeps_the_title_that_its_question_lacks() {
    let place = Place::new();
    place.write(
        "docs/a.md",
        "---\naddress: ADR-0012\nkind: ADR\ntitle: Ladders\n---\n# Ladders\n\nThe orchard ladder is 4 metres long.\n",
    );
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let ran = place.run(&["ask", "Who sells orchard ladders in Norway?"]);
    assert!(ran.out.contains("Near your question:"), "{}", ran.out);
    assert!(
        ran.out.lines().filter(|line| line.starts_with("  1. ")).all(|line| line.contains("Ladders")),
        "{}",
        ran.out
    );
}
