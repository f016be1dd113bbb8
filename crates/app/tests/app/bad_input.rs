//! A folder with everything that goes wrong with files: each bad one is told in one clear line, the good ones are
//! taken in, and the run ends with code 1.

use std::{fs::File, os::unix::fs::symlink, path::Path, process::Command, sync::LazyLock};

use serde_json::Value;

use crate::support::{
    Place, Ran, finish,
    replies::{ask, json},
};

const LADDER: &str = "# The Ladder\n\nThe orchard ladder is 4 metres long.\n";
const LONG: &str = "How long is the orchard ladder?";

/// The bad files and a word each line must have.
const BAD: &[(&str, &str)] = &[
    ("docs/binary.md", "binary"),
    ("docs/dangling.md", "No such file"),
    ("docs/empty.md", "no text"),
    ("docs/huge.md", "more than the limit"),
    ("docs/io.md", "cannot be read"),
    ("docs/latin.txt", "UTF-8"),
    ("docs/lines.jsonl", "line 2"),
    ("docs/loop", "leads back"),
    ("docs/silent.html", "no text"),
    ("docs/x.md", "not a regular file"),
    ("docs/yaml.md", "YAML"),
];

/// What the runs over one bad folder said.
struct Scene {
    ingest: Ran,
    documents: Value,
    reply: Value,
    json_line: Value,
    again: Ran,
}

static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let place = bad_folder();
    let ingest = place.run(&["ingest", "docs", "--follow-links"]);
    let documents = json(&place.run(&["doctor", "--json"]));
    let reply = ask(&place, LONG, &[]);
    let json_line = ask(&place, "What colour is the third gate?", &[]);
    Scene { ingest, documents, reply, json_line, again: place.run(&["ingest", "docs", "--prune", "--follow-links"]) }
});

fn bad_folder() -> Place {
    let place = Place::new();
    place.write("docs/good.md", LADDER);
    place.write("docs/line.txt", "x".repeat(1_000_000));
    place.write("docs/empty.md", "");
    place.write("docs/latin.txt", b"caf\xe9 au lait");
    place.write("docs/binary.md", b"\x7fELF\0\0\0 text");
    place.write("docs/yaml.md", "---\ntitle: [unclosed\n---\nText.\n");
    place.write("docs/silent.html", "<html><script>let x = 1;</script></html>");
    let line = |id: &str, text: &str| serde_json::json!({"id": id, "text": text}).to_string();
    let (first, third) = (line("first", "The first gate is green."), line("third", "The third gate is blue."));
    place.write("docs/lines.jsonl", format!("{first}\n{{\"id\": \"second\", \"text\"\n{third}\n"));
    link(Path::new("nowhere.md"), &place.path("docs/dangling.md"));
    link(&place.path("docs"), &place.path("docs/loop"));
    // Reading the start of a process's own memory fails for every user, also for root.
    link(Path::new("/proc/self/mem"), &place.path("docs/io.md"));
    let is_made = Command::new("mkfifo").arg(place.path("docs/x.md")).status().is_ok_and(|status| status.success());
    assert!(is_made, "mkfifo is there");
    sparse(&place.path("docs/huge.md"), 200 << 20);
    place
}

fn link(target: &Path, at: &Path) {
    assert!(symlink(target, at).is_ok(), "a link can be made at {}", at.display());
}

fn sparse(path: &Path, bytes: u64) {
    assert!(File::create(path).and_then(|file| file.set_len(bytes)).is_ok(), "a sparse file can be made");
}

fn lines_of<'a>(ran: &'a Ran, file: &str) -> Vec<&'a str> {
    let is_of = |line: &&str| {
        let told = line.strip_prefix("failed: ").or_else(|| line.strip_prefix("skipped: "));
        let place = told.and_then(|rest| rest.split([':', ',']).next());
        place.is_some_and(|place| place.ends_with(file))
    };
    ran.err.lines().filter(is_of).collect()
}

#[test]
fn every_bad_file_has_one_line_that_says_what_is_wrong() {
    for (file, word) in BAD {
        let lines = lines_of(&SCENE.ingest, file);
        assert!(lines.len() == 1 && lines.iter().all(|line| line.contains(word)), "{file}: {}", SCENE.ingest.err);
    }
}

#[test]
fn no_other_line_is_told() {
    assert_eq!(SCENE.ingest.err.lines().count(), BAD.len(), "{}", SCENE.ingest.err);
}

#[test]
fn the_good_files_are_added_and_the_bad_ones_counted() {
    let failed = BAD.len() - 2; // A page and a file without text are skipped.
    assert_eq!(SCENE.ingest.out, format!("added 4, updated 0, unchanged 0, removed 0, failed {failed}, skipped 2\n"));
}

#[test]
fn a_run_with_bad_files_ends_with_code_one() {
    assert_eq!(SCENE.ingest.code, Some(1));
}

#[test]
fn the_store_is_sound_afterwards() {
    assert_eq!((&SCENE.documents["sound"], &SCENE.documents["documents"]), (&true.into(), &4.into()));
}

#[test]
fn a_question_about_a_good_file_is_answered() {
    assert_eq!(SCENE.reply["answer"], "The orchard ladder is 4 metres long. [^1]");
}

#[test]
fn a_json_line_after_the_bad_one_is_answered_from() {
    assert_eq!(SCENE.json_line["answer"], "The third gate is blue. [^1]");
}

#[test]
fn a_second_run_with_prune_takes_nothing_out() {
    let failed = BAD.len() - 2;
    assert_eq!(SCENE.again.out, format!("added 0, updated 0, unchanged 4, removed 0, failed {failed}, skipped 2\n"));
}

#[test]
fn a_file_over_the_configured_limit_fails_and_names_the_setting() {
    let place = Place::new();
    place.write("docs/good.md", LADDER);
    place.write("docs/large.md", LADDER.repeat(100));
    let mut command = place.vouch(&["ingest", "docs"]);
    command.env("VOUCH_INGEST_FILE_BYTES_MAX", "1000");
    let ran = finish(command);
    assert!(lines_of(&ran, "docs/large.md").iter().any(|line| line.contains("ingest.file_bytes_max")), "{}", ran.err);
}

#[test]
fn the_sizes_of_a_file_over_a_small_limit_differ_in_the_message() {
    let place = Place::new();
    place.write("large.md", LADDER.repeat(100));
    let mut command = place.vouch(&["ingest", "large.md"]);
    command.env("VOUCH_INGEST_FILE_BYTES_MAX", "1000");
    let ran = finish(command);
    assert!(!ran.err.contains("0.0 MB"), "{}", ran.err);
}

#[test]
fn a_file_at_the_limit_is_taken_in() {
    let place = Place::new();
    place.write("good.md", LADDER);
    let mut command = place.vouch(&["ingest", "good.md"]);
    command.env("VOUCH_INGEST_FILE_BYTES_MAX", LADDER.len().to_string());
    assert_eq!(finish(command).code, Some(0));
}

#[test]
fn a_named_file_of_an_unknown_form_fails() {
    let place = Place::new();
    place.write("picture.png", "not really");
    let ran = place.run(&["ingest", "picture.png"]);
    assert!(lines_of(&ran, "picture.png").len() == 1 && ran.code == Some(1), "{}", ran.err);
}

#[test]
fn a_path_that_is_not_there_fails() {
    let ran = Place::new().run(&["ingest", "nowhere"]);
    assert!(lines_of(&ran, "nowhere").len() == 1 && ran.code == Some(1), "{}", ran.err);
}

#[test]
fn a_file_without_permission_fails_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("docs/good.md", LADDER);
    place.write("docs/secret.md", LADDER);
    let path = place.path("docs/secret.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("our own file");
    if File::open(&path).is_ok() {
        // Nothing is missing on this machine: for root there is no such file, and `docs/io.md` of the bad folder, which
        // nobody can read, stands in for it.
        return;
    }
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(lines_of(&ran, "docs/secret.md").len(), 1, "{}{}", ran.out, ran.err);
}
