//! Every crate that Vouch is built from is one `deny.toml` allows: its licence, its source, its version.
//!
//! `cargo deny check licenses bans sources` says the same where it is installed. Advisories are told by it alone, since
//! they need a database.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

mod licence;
mod policy;

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use policy::{Banned, Deny, Level, Metadata, forbidden};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn deny() -> Deny {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    toml::from_str(&text).expect("a deny.toml of which every key is known here")
}

/// The crates of every platform and feature; those of this platform alone where the others were never fetched.
static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
    metadata(&["--all-features"]).unwrap_or_else(|told| {
        assert!(std::env::var_os("CI").is_none(), "run `cargo fetch --locked` first: {told}");
        // Past the test runner, which keeps what is printed to itself.
        let _ = writeln!(
            std::io::stderr().lock(),
            "SKIPPED: crates of other platforms and of optional features; `cargo fetch --locked` brings them"
        );
        metadata(&["--filter-platform", &host()]).expect("the crates this test was built from")
    })
});

fn metadata(words: &[&str]) -> Result<Metadata, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--offline", "--locked"]).args(words).current_dir(root());
    let ran = command.output().expect("cargo runs");
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
    }
    Ok(serde_json::from_slice(&ran.stdout).expect("metadata"))
}

fn host() -> String {
    let ran = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let told = String::from_utf8(ran.stdout).expect("text");
    told.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned()
}

/// The one sentence that a change of list or crates leads to.
fn sentence(change: impl FnOnce(&mut Deny, &mut Metadata)) -> String {
    let (mut deny, mut metadata) = (deny(), METADATA.clone());
    change(&mut deny, &mut metadata);
    forbidden(&deny, &metadata).first().cloned().unwrap_or_default()
}

#[test]
fn every_crate_is_allowed() {
    assert!(METADATA.packages.len() > 100, "only {} crates", METADATA.packages.len());
    let found = forbidden(&deny(), &METADATA);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_licence_off_the_list_is_found() {
    let told = sentence(|deny, _| assert!(deny.licenses.allow.remove("Unicode-3.0")));
    assert!(told.contains("Unicode-3.0, which deny.toml does not allow"), "{told:?}");
    let told = sentence(|_, metadata| metadata.packages.iter_mut().take(1).for_each(|one| one.license = None));
    assert!(told.ends_with("names no licence"), "{told:?}");
}

#[test]
fn a_crate_from_elsewhere_is_found() {
    for source in ["git+https://example.org/x?rev=1#1", "registry+https://example.org/index"] {
        let told = sentence(|_, metadata| {
            let foreign = metadata.packages.iter_mut().find(|one| one.source.is_some()).expect("a crate of others");
            foreign.source = Some(source.to_owned());
        });
        assert!(told.contains("which deny.toml does not know"), "{told:?}");
    }
    let told = sentence(|_, metadata| {
        let foreign = metadata.packages.iter_mut().find(|one| one.source.is_some()).expect("a crate of others");
        foreign.source = None;
    });
    assert!(told.contains("outside the workspace"), "{told:?}");
}

#[test]
fn a_banned_crate_is_found() {
    let told = sentence(|deny, _| deny.bans.deny.push(Banned::Name("serde_json".to_owned())));
    assert_eq!(told, "serde_json is banned by deny.toml");
    let told = sentence(|deny, _| deny.bans.deny.push(Banned::Name("no-such-crate".to_owned())));
    assert_eq!(told, "");
}

#[test]
fn a_crate_twice_is_found_where_that_is_forbidden() {
    let told = sentence(|deny, _| deny.bans.multiple_versions = Level::Deny);
    assert!(told.contains("is there in versions"), "{told:?}");
}

#[test]
fn a_requirement_for_any_version_is_found_where_it_is_not_one_of_ours() {
    let told = sentence(|_, metadata| {
        let ours = metadata.packages.iter_mut().find(|one| one.name == "vouch-domain").expect("a crate of ours");
        ours.dependencies.iter_mut().take(1).for_each(|one| one.req = "*".to_owned());
    });
    assert!(told.starts_with("vouch-domain takes any version of "), "{told:?}");
}

#[test]
fn expressions_of_licences_are_read_as_they_are_meant() {
    let list = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into_iter().collect();
    for (expression, allowed) in [
        ("MIT", Some(true)),
        ("GPL-3.0", Some(false)),
        ("GPL-3.0 OR MIT", Some(true)),
        ("GPL-3.0/MIT", Some(true)),
        ("GPL-3.0 AND MIT", Some(false)),
        ("GPL-3.0 AND MIT OR ISC", Some(true)),
        ("GPL-3.0 AND (MIT OR ISC)", Some(false)),
        ("(MIT OR GPL-3.0) AND ISC", Some(true)),
        ("Apache-2.0 WITH LLVM-exception", Some(true)),
        ("Apache-2.0", Some(false)),
        ("", None),
        ("MIT OR", None),
        ("(MIT", None),
        ("MIT ISC", None),
        ("OR MIT", None),
    ] {
        assert_eq!(licence::is_allowed(expression, &list), allowed, "{expression}");
    }
}
