//! The page in a real browser: `tests/browser` says what is done on it and what must be so.
#![cfg(unix)]

use std::{path::Path, process::Command};

use vouch_domain::Role;
use vouch_testkit::{browser, skip};

use crate::{
    support::{Place, callers, finish, replies, server::Server},
    support_desk::desk,
};

const PACKAGES: &[&str] = &["playwright-core@1.65.1", "axe-core@4.14.0"];

/// A document with a heading of each sort, a table, code, signs beyond the first plane, and HTML that must stay text.
const LEAVE: &str = "# Leave\n\n## Annual leave\n\nEvery employee has 26 days of annual leave a year. Unused days may be carried over \
                     until 31 March \u{1f98a} of the next year.\n\n| Class | Days |\n|---|---|\n| Part time | 13 days |\n| Full time | 26 days \
                     |\n\n## Sick leave\n\nCall your manager before 9:00 on the first day. **A doctor's note is needed from the third day \
                     on.**\n\n```sh\nvouch ask \"How many days of leave do I have?\"\n```\n\n<script>window.hacked = true</script> <img src=x \
                     onerror=\"window.hacked = true\"> The <b>bold</b> rule is that documents are text.\n";

fn handbook() -> Place {
    let place = Place::new();
    place.write("docs/leave.md", LEAVE);
    let ran = place.run(&["ingest", "docs"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    place
}

/// Runs a script on the page of a server over a folder, with these keys in its environment.
fn run(script: &str, place: Place, keys: &[(&str, String)]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    let chromium = browser::packages(&folder, PACKAGES).and_then(|()| browser::chromium(&folder));
    let Ok(chromium) = chromium.map_err(|reason| skip("the page in a real browser", &reason)) else { return };
    let pictures = place.path("");
    let server = Server::over(place);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let mut command = Command::new("node");
    command.arg(script).arg(format!("http://{}", server.address)).arg(chromium).arg(pictures).current_dir(&folder);
    command.envs(keys.iter().map(|(name, key)| (name, key)));
    let ran = finish(command);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("all is well\n"), "{}", ran.out);
}

#[test]
fn the_page_answers_and_opens_sources() {
    run("ask.mjs", handbook(), &[]);
}

#[test]
fn the_page_lists_and_adds_documents_and_tells_how_the_service_does() {
    run("views.mjs", handbook(), &[]);
}

#[test]
fn the_page_asks_for_a_key_and_shows_what_its_role_may_use() {
    let place = handbook();
    let secret = |role: Role| {
        let header = callers::key(&place, "default", role, None);
        header.trim().trim_start_matches("Authorization: Bearer ").to_owned()
    };
    let keys = [("READER_KEY", secret(Role::Reader)), ("ADMIN_KEY", secret(Role::Admin))];
    run("keys.mjs", place, &keys);
}

#[test]
fn the_page_does_what_a_tool_shows_after_a_click_on_yes() {
    let place = desk();
    let made = replies::json(&place.run(&["key", "add", "marta", "--user", "u-1007", "--json"]));
    let key = made["secret"].as_str().unwrap_or_default().to_owned();
    run("desk.mjs", place, &[("USER_KEY", key)]);
}
