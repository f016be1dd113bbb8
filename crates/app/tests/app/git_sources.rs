//! A git repository as a source: real repositories, made here with `git`.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{os::unix::fs::PermissionsExt, path::Path, process::Command};

use serde_json::Value;

use crate::support::{Place, Ran, replies};

const SETTINGS: &str =
    "sources:\n  - {name: wiki, git: wiki, url: 'https://git.example/wiki/blob/{commit}/{path}', tags: [staff]}\n";

fn git(folder: &Path, words: &[&str]) -> String {
    let ran = Command::new("git")
        .args(["-c", "user.name=mira", "-c", "user.email=mira@mill.example", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is there");
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

fn commit(place: &Place, folder: &str) -> String {
    git(&place.path(folder), &["add", "-A"]);
    git(&place.path(folder), &["commit", "-qm", "Change"]);
    git(&place.path(folder), &["rev-parse", "HEAD"])
}

fn repository(settings: &str) -> Place {
    let place = Place::new();
    place.write("vouch.yaml", settings);
    place.write("wiki/weir.md", "# Weir\n\nThe weir is closed in March.\n");
    place.write("wiki/a b/mill.md", "# Mill\n\nThe mill opens at seven.\n");
    place.write("wiki/logo.png", "no document");
    git(&place.path("wiki"), &["init", "-q"]);
    commit(&place, "wiki");
    place
}

fn synced(place: &Place) -> Value {
    let ran = place.run(&["sync", "--prune-many", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    replies::json(&ran)
}

fn refused(place: &Place) -> Ran {
    let ran = place.run(&["sync"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    ran
}

fn ids(place: &Place) -> Vec<String> {
    let hits = replies::json(&place.run(&["search", "weir mill gate", "--json"]));
    let hits = hits.as_array().cloned().unwrap_or_default();
    let mut ids: Vec<String> = hits.iter().filter_map(|hit| hit["document_id"].as_str().map(str::to_owned)).collect();
    ids.sort();
    ids.dedup();
    ids
}

#[test]
fn a_repository_is_taken_in_with_links_and_followed_from_commit_to_commit() {
    let place = repository(SETTINGS);
    let head = git(&place.path("wiki"), &["rev-parse", "HEAD"]);
    let first = synced(&place);
    assert_eq!((&first["added"], &first["failed"]), (&2.into(), &0.into()), "{first}");
    assert_eq!(ids(&place), ["wiki/a b/mill.md", "wiki/weir.md"]);
    let reply = replies::json(&place.run(&["ask", "When does the mill open?", "--json"]));
    let url = format!("https://git.example/wiki/blob/{head}/a%20b/mill.md");
    assert_eq!(reply["citations"][0]["url"], url.as_str(), "{reply}");
    let hidden = replies::json(&place.run(&["search", "mill", "--tags", "other", "--json"]));
    assert_eq!(hidden.as_array().map(Vec::len), Some(0), "its tags say who may see it: {hidden}");
    let same = synced(&place);
    assert_eq!(same["unchanged"], 2, "{same}");
    std::fs::rename(place.path("wiki/weir.md"), place.path("wiki/the-weir.md")).expect("a rename");
    std::fs::remove_dir_all(place.path("wiki/a b")).expect("it goes");
    place.write("wiki/gate.md", "# Gate\n\nThe gate is green.\n");
    commit(&place, "wiki");
    let next = synced(&place);
    assert_eq!((&next["added"], &next["removed"]), (&1.into(), &1.into()), "{next}");
    place.write("wiki/gate.md", "# Gate\n\nThe gate is red.\n");
    commit(&place, "wiki");
    let edited = synced(&place);
    assert_eq!(
        (&edited["updated"], &edited["unchanged"]),
        (&1.into(), &1.into()),
        "another commit alone is no change: {edited}"
    );
    assert_eq!(ids(&place), ["wiki/gate.md", "wiki/weir.md"], "what was renamed keeps its id");
    let kept = std::fs::read_dir(place.path(".vouch/sources/wiki")).expect("the folder").count();
    assert_eq!(kept, 1, "one commit is kept");
}

#[test]
fn a_branch_and_a_path_choose_a_part() {
    let place = repository("sources: [{name: wiki, git: wiki, branch: next, path: docs}]\n");
    git(&place.path("wiki"), &["checkout", "-qb", "next"]);
    place.write("wiki/docs/gate.md", "# Gate\n\nThe gate is green.\n");
    commit(&place, "wiki");
    git(&place.path("wiki"), &["checkout", "-q", "main"]);
    assert_eq!(synced(&place)["added"], 1);
    assert_eq!(ids(&place), ["wiki/docs/gate.md"]);
}

#[test]
fn what_cannot_be_reached_is_a_sentence_and_removes_nothing() {
    let place = repository(SETTINGS);
    synced(&place);
    std::fs::rename(place.path("wiki"), place.path("elsewhere")).expect("a rename");
    let ran = refused(&place);
    assert!(ran.err.contains("failed: wiki: wiki: git failed:"), "{}", ran.err);
    assert_eq!(ids(&place).len(), 2);
    std::fs::rename(place.path("elsewhere"), place.path("wiki")).expect("a rename");
    place.write("vouch.yaml", "sources: [{name: wiki, git: wiki, branch: nothing}]\n");
    assert!(refused(&place).err.contains("has no branch or tag nothing"));
    place.write("vouch.yaml", "sources: [{name: wiki, git: wiki, path: nothing}]\n");
    assert!(refused(&place).err.contains("the commit has no file or folder nothing"));
    place.write("vouch.yaml", "sources: [{name: wiki, git: wiki, bytes_max: 1}]\n");
    synced(&place);
    place.write("vouch.yaml", "sources: [{name: wiki, git: 'ext::sh -c id'}]\n");
    let ran = place.run(&["sync"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    place.write("vouch.yaml", SETTINGS);
    assert_eq!(ids(&place).len(), 2);
}

#[test]
fn nothing_of_a_repository_is_run_and_its_links_lead_nowhere() {
    let place = repository(SETTINGS);
    place.write("secret.md", "# Secret\n\nThe weir has a secret gate.\n");
    place.write("template/hooks/post-checkout", "#!/bin/sh\ntouch ran\n");
    place.write(".gitconfig", format!("[init]\n\ttemplateDir = {}\n", place.path("template").display()));
    let hook = place.path("template/hooks/post-checkout");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("a hook that can be run");
    std::os::unix::fs::symlink(place.path("secret.md"), place.path("wiki/link.md")).expect("a link");
    place.write("wiki/.gitattributes", "*.md filter=run\n");
    commit(&place, "wiki");
    let home = place.path("").display().to_string();
    let mut command = place.vouch(&["sync", "--json"]);
    let ran = crate::support::finish({
        command.env("HOME", home);
        command
    });
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(!place.path("ran").exists() && !place.path(".vouch/sources/wiki/ran").exists(), "the hook did not run");
    let found = place.run(&["search", "secret gate", "--json"]).out;
    assert!(!found.contains("has a secret"), "{found}");
}

#[test]
fn a_git_that_hangs_is_ended_with_all_that_it_started() {
    let place = Place::new();
    let script = "#!/bin/sh\necho $$ > started\nsleep 600 &\necho $! > child\nwait\n";
    place.write("bin/git", script);
    std::fs::set_permissions(place.path("bin/git"), std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    place.write("vouch.yaml", "sources: [{name: wiki, git: 'https://git.example/wiki.git', timeout_s: 10}]\n");
    let mut command = place.vouch(&["sync"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", place.path("bin").display()));
    let ran = crate::support::finish(command);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("took longer than 10 s and was stopped"), "{}", ran.err);
    let child = std::fs::read_to_string(place.path("child")).expect("it began");
    let is_alive = || Path::new("/proc").join(child.trim()).join("cmdline").exists();
    let state = || std::fs::read_to_string(Path::new("/proc").join(child.trim()).join("stat")).unwrap_or_default();
    let began = std::time::Instant::now();
    while is_alive() && !state().contains(") Z ") && began.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(!is_alive() || state().contains(") Z "), "what it started goes on: {}", state());
}
