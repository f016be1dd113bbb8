//! `vouch.yaml`, the environment and the words of the command line: what is wrong is named with its line, and what
//! is set acts.

use crate::support::{
    Place, finish,
    replies::{ask, json},
};

/// A wrong file ends with code 2 and a message that has the file, the line and a word of what is wrong.
fn check_wrong(yaml: &str, line: u32, word: &str) {
    let place = Place::new();
    place.write("vouch.yaml", yaml);
    let ran = place.run(&["ask", "Anything?"]);
    let is_named = ran.err.contains(&format!("vouch.yaml, line {line}")) && ran.err.contains(word);
    assert_eq!((ran.code, is_named), (Some(2), true), "{}", ran.err);
}

#[test]
fn an_unknown_key_is_told_with_its_line() {
    check_wrong("profile: mine\n\njudge:\n  relevance_flor: 0.4\n", 4, "relevance_flor");
}

#[test]
fn an_unknown_section_is_told_with_its_line() {
    check_wrong("profile: mine\njugde:\n  passages_max: 4\n", 2, "jugde");
}

#[test]
fn a_value_of_the_wrong_type_is_told_with_its_line() {
    check_wrong("judge:\n  relevance_floor: 0.4\n  passages_max: many\n", 3, "");
}

#[test]
fn a_value_out_of_range_is_told_with_its_line_and_key() {
    check_wrong("judge:\n  relevance_floor: 1.5\n", 2, "judge.relevance_floor");
}

#[test]
fn a_gate_out_of_range_is_told_with_the_line_of_the_gates() {
    check_wrong("judge:\n  passages_max: 4\n  gates:\n    - { gate: top1, above: 7 }\n", 3, "judge.gates");
}

#[test]
fn a_key_of_the_same_name_in_another_section_is_not_blamed() {
    check_wrong(
        "# passages_max: 0\ncompose:\n  sentences_max: 3\ndecide:\n  suggestions_max: 99\n",
        5,
        "suggestions_max",
    );
}

#[test]
fn a_file_that_is_no_yaml_is_told_with_a_line() {
    let place = Place::new();
    place.write("vouch.yaml", "judge: [1, 2\n");
    let ran = place.run(&["ask", "Anything?"]);
    assert_eq!((ran.code, ran.err.contains("vouch.yaml, line ")), (Some(2), true), "{}", ran.err);
}

#[test]
fn a_named_file_that_is_not_there_is_a_usage_error() {
    assert_eq!(Place::new().run(&["ask", "Anything?", "--config", "nowhere.yaml"]).code, Some(2));
}

/// A place with a store and no documents in it.
fn with_store() -> Place {
    let place = Place::new();
    place.write("none/.keep", "");
    assert_eq!(place.run(&["ingest", "none"]).code, Some(0));
    place
}

#[test]
fn a_named_file_goes_over_the_one_in_the_folder() {
    let place = with_store();
    place.write("vouch.yaml", "decide:\n  refusal_message: \"From the folder.\"\n");
    place.write("other.yaml", "decide:\n  refusal_message: \"From the named file.\"\n");
    let ran = place.run(&["ask", "Anything?", "--json", "--config", "other.yaml"]);
    assert_eq!(json(&ran)["answer"], "From the named file.");
}

#[test]
fn init_writes_a_file_that_loads() {
    let place = with_store();
    place.run(&["init"]);
    let ran = place.run(&["ask", "Anything?"]);
    assert_eq!((ran.code, place.path("vouch.yaml").exists()), (Some(0), true), "{}", ran.err);
}

#[test]
fn init_of_a_profile_writes_a_file_that_loads() {
    let place = with_store();
    place.run(&["init", "book", "--profile", "book"]);
    let ran = place.run(&["ask", "Anything?", "--json", "--config", "book/vouch.yaml"]);
    assert_eq!(json(&ran)["answer"], "This information cannot be verified from the book content.");
}

#[test]
fn init_refuses_to_overwrite() {
    let place = Place::new();
    place.write("vouch.yaml", "profile: mine\n");
    assert_eq!(place.run(&["init"]).code, Some(2));
}

#[test]
fn init_leaves_a_file_that_is_there_as_it_is() {
    let place = Place::new();
    place.write("vouch.yaml", "profile: mine\n");
    place.run(&["init"]);
    assert_eq!(std::fs::read_to_string(place.path("vouch.yaml")).expect("it is there"), "profile: mine\n");
}

#[test]
fn init_of_an_unknown_profile_is_a_usage_error() {
    assert_eq!(Place::new().run(&["init", "--profile", "nobody"]).code, Some(2));
}

fn filled() -> Place {
    let place = Place::new();
    for pond in ["north", "south", "east", "west"] {
        place.write(&format!("docs/{pond}.txt"), format!("The {pond} pond holds carp. It is drained in October."));
    }
    place.run(&["ingest", "docs"]);
    place
}

#[test]
fn the_environment_limits_the_passages_of_an_answer() {
    let place = filled();
    let mut command = place.vouch(&["ask", "Which pond holds carp?", "--json"]);
    command.env("RAG_TOTAL_CONTEXT_CHUNKS", "1");
    assert_eq!(json(&finish(command))["context_chunks_used"], 1);
}

#[test]
fn without_the_environment_an_answer_rests_on_more_passages() {
    let reply = ask(&filled(), "Which pond holds carp?", &[]);
    assert!(reply["context_chunks_used"].as_u64() > Some(1), "{reply}");
}

#[test]
fn the_environment_goes_over_the_file() {
    let place = with_store();
    place.write("vouch.yaml", "decide:\n  refusal_message: \"From the file.\"\n");
    let mut command = place.vouch(&["ask", "Anything?", "--json"]);
    command.env("VOUCH_DECIDE_REFUSAL_MESSAGE", "From the environment.");
    assert_eq!(json(&finish(command))["answer"], "From the environment.");
}

/// A wrong variable ends with code 2 and is named.
fn check_wrong_variable(name: &str, value: &str) {
    let place = Place::new();
    let mut command = place.vouch(&["ask", "Anything?"]);
    command.env(name, value);
    let ran = finish(command);
    assert_eq!((ran.code, ran.err.contains(name)), (Some(2), true), "{}", ran.err);
}

#[test]
fn a_variable_of_the_wrong_type_is_named() {
    check_wrong_variable("RAG_TOTAL_CONTEXT_CHUNKS", "many");
}

#[test]
fn a_variable_out_of_range_is_named() {
    check_wrong_variable("RAG_MIN_SIMILARITY_SCORE", "7");
}

#[test]
fn every_command_shows_an_example() {
    let place = Place::new();
    for command in ["demo", "init", "ingest", "ask", "check", "chat", "search", "reembed", "doctor", "eval", "eval run"]
    {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let ran = place.run(&words);
        assert!(ran.code == Some(0) && ran.out.contains("Example"), "vouch {command} --help: {}", ran.out);
    }
}

#[test]
fn an_unknown_command_is_a_usage_error() {
    assert_eq!(Place::new().run(&["conjure"]).code, Some(2));
}

#[test]
fn the_unit_for_systemd_lets_requests_finish_and_waits_for_them() {
    let deploy = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name);
        std::fs::read_to_string(path).expect("a file of the repository")
    };
    let (unit, variables) = (deploy("vouch.service"), deploy("vouch.env.example"));
    let number = |text: &str, name: &str| -> u64 {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| unreachable!("{name} is a number"))
    };
    let (stop_ms, shutdown_ms) =
        (number(&unit, "TimeoutStopSec") * 1_000, number(&variables, "VOUCH_SERVE_SHUTDOWN_MS"));
    // A tenth of the time is kept for the end itself.
    let request_ms = 120_000;
    assert!(shutdown_ms - shutdown_ms / 10 >= request_ms && shutdown_ms < stop_ms, "{shutdown_ms} {stop_ms}");
    let place = Place::new();
    place.write("docs/a.md", "# Tea\n\nTea costs four euros.\n");
    let mut command = place.vouch(&["ingest", "docs"]);
    let set = variables.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
    command.envs(set);
    let ran = finish(command);
    assert_eq!(ran.code, Some(0), "every variable is a setting: {}", ran.err);
}
