//! What a newcomer types first: how the program is, what it is made of, whom to ask where a server holds the documents.

use crate::support::{Place, replies::ask, server::Server};

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
fn a_folder_that_a_server_holds_is_asked_through_it_and_says_where_it_is() {
    let place = Place::new();
    place.write("docs/well.md", "# Well\n\nThe well is 12 metres deep.\n");
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let server = Server::over(place);
    let ran = server.place.run(&["ask", "How deep is the well?"]);
    assert!(ran.code == Some(0) && ran.out.contains("12 metres"), "{}{}", ran.out, ran.err);
    let ran = server.place.run(&["reembed"]);
    assert!(ran.code == Some(1) && ran.err.contains("at http://127.0.0.1:"), "{:?} {}", ran.code, ran.err);
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

#[test]
fn what_is_offered_is_near_and_answered() {
    let place = Place::new();
    let chapter = "---\naddress: CH.4\n---\n# Mast and Sensors\n\n## The Mast\n\n* The mast of the station is 2 metres tall.\n* It is made of larch.\n";
    place.write("docs/mast.md", chapter);
    place.write(
        "docs/power.md",
        "# Power\n\n## Solar Panels\n\nThe solar panel of a station has 20 watts. It is cleaned in spring.\n",
    );
    assert_eq!(place.run(&["ingest", "docs"]).code, Some(0));
    let mut offered = 0;
    for question in ["Who makes the solar panel of a station?", "Who painted the mast of the station?"] {
        let reply = ask(&place, question, &[]);
        assert_eq!(reply["outcome"], "refused", "{reply}");
        for suggestion in reply["suggestions"].as_array().into_iter().flatten() {
            offered += 1;
            let query = suggestion["query"].as_str().unwrap_or_default();
            assert_eq!(ask(&place, query, &[])["outcome"], "answered", "{query}");
        }
    }
    assert!(offered >= 2, "{offered} were offered");
    let far = ask(&place, "Who won the tennis final in Paris?", &[]);
    assert_eq!((&far["outcome"], &far["suggestions"]), (&"refused".into(), &serde_json::json!([])), "{far}");
}
