//! A disk that fills up during an ingest: what did not fit is told, what fitted is sound, and with more room the
//! rest is added. Needs the right to mount; says loudly where it has none.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use serde_json::Value;
use vouch_testkit::skip;

use crate::support::{
    Place, Ran,
    replies::{ask, json},
    server::{self, Server},
};

/// Why a full disk was not tried.
const NOT_MOUNTED: &str = "no right to mount a small file system";
const DOCUMENTS: u64 = 48;
/// More than any disk of these tests has.
const FILLER_BYTES: usize = 64 << 20;

/// A small file system that is taken away with this value.
struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    fn mount(at: &Path) -> Option<Self> {
        std::fs::create_dir_all(at).ok()?;
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"]).arg(at).output().ok()?;
        mounted.status.success().then(|| Self { at: at.to_owned() })
    }

    fn grow(&self) -> bool {
        let grown = Command::new("mount").args(["-o", "remount,size=64m"]).arg(&self.at).output();
        grown.is_ok_and(|grown| grown.status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Nothing can be done here about a failure; the folder is left behind then.
        let _ = Command::new("umount").arg(&self.at).output();
    }
}

/// What happened on the small disk and once it had grown.
struct Scene {
    full: Ran,
    doctor: Value,
    again: Value,
    last: Value,
    reply: Value,
}

static SCENE: LazyLock<Option<Scene>> = LazyLock::new(|| {
    let place = Place::new();
    let disk = SmallDisk::mount(&place.path("disk"))?;
    for number in 0..DOCUMENTS {
        place.write(&format!("docs/{number:02}.md"), text(number));
    }
    let full = place.run(&["ingest", "docs", "--data", "disk/data"]);
    assert!(disk.grow(), "a file system of our own can grow");
    let doctor = json(&place.run(&["doctor", "--json", "--data", "disk/data"]));
    let again = json(&place.run(&["ingest", "docs", "--json", "--data", "disk/data"]));
    let last = json(&place.run(&["doctor", "--json", "--data", "disk/data"]));
    let reply = ask(&place, "How deep is the cellar of house 47?", &["--data", "disk/data"]);
    Some(Scene { full, doctor, again, last, reply })
});

/// A short text with many long tags of its own: much to store and little to embed.
fn text(number: u64) -> String {
    let tags: Vec<String> = (0..100).map(|tag| format!("{number}-{tag}-{}", "x".repeat(170))).collect();
    let names = tags.join(", ");
    format!(
        "---\naccess: [{names}]\ntags: [{names}]\n---\n# House {number}\n\nThe cellar of house {number} is {} metres deep.\n",
        number + 3
    )
}

/// Checks the scene, or says loudly that there is none.
fn check(claim: impl FnOnce(&Scene)) {
    match &*SCENE {
        Some(scene) => claim(scene),
        None => skip("a full disk", NOT_MOUNTED),
    }
}

#[test]
fn what_does_not_fit_is_told_in_a_line_for_each_file() {
    check(|scene| {
        let lines: Vec<&str> = scene.full.err.lines().filter(|line| line.starts_with("failed: ")).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("no room")), "{}", scene.full.err);
    });
}

#[test]
fn every_file_that_is_missing_afterwards_was_told() {
    check(|scene| {
        let told = scene.full.err.lines().filter(|line| line.starts_with("failed: ")).count() as u64;
        assert_eq!(scene.doctor["documents"].as_u64().map(|kept| kept + told), Some(DOCUMENTS), "{}", scene.full.err);
    });
}

#[test]
fn the_run_still_tells_its_counts() {
    check(|scene| assert!(scene.full.out.starts_with("added "), "{}{}", scene.full.out, scene.full.err));
}

#[test]
fn the_run_ends_with_code_one() {
    check(|scene| assert_eq!(scene.full.code, Some(1), "{}", scene.full.err));
}

#[test]
fn nothing_panics() {
    check(|scene| assert!(!scene.full.err.contains("panicked"), "{}", scene.full.err));
}

#[test]
fn with_more_room_the_store_is_sound() {
    check(|scene| assert_eq!(scene.doctor["sound"], true, "{}", scene.doctor));
}

#[test]
fn with_more_room_exactly_the_missing_files_are_added() {
    check(|scene| {
        let kept = scene.doctor["documents"].as_u64();
        let (added, unchanged) = (scene.again["added"].as_u64(), scene.again["unchanged"].as_u64());
        assert_eq!((unchanged, added.zip(kept).map(|(a, b)| a + b)), (kept, Some(DOCUMENTS)), "{}", scene.again);
    });
}

#[test]
fn in_the_end_everything_is_there_and_sound() {
    check(|scene| assert_eq!((&scene.last["sound"], &scene.last["documents"]), (&true.into(), &DOCUMENTS.into())));
}

#[test]
fn in_the_end_the_last_document_is_answered_from() {
    check(|scene| assert_eq!(scene.reply["answer"], "The cellar of house 47 is 50 metres deep. [^1]"));
}

#[test]
fn a_server_on_a_full_disk_is_not_ready_until_there_is_room() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(&place.path("disk")) else {
        return skip("a full disk", NOT_MOUNTED);
    };
    place.write("docs/leave.md", server::LEAVE);
    let ran = place.run(&["ingest", "docs", "--data", "disk/data"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let command = place.vouch(&["serve", "--listen", "127.0.0.1:0", "--data", "disk/data"]);
    let server = Server::started(place, command);
    let becomes = |status: u16| {
        let is_so = (0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            server.get("/readyz").status == status
        });
        assert!(is_so, "/readyz never says {status}");
    };
    becomes(200);
    let filler = disk.at.join("filler");
    // It ends where the disk does.
    let filled = std::fs::write(&filler, vec![1; FILLER_BYTES]);
    assert!(filled.is_err(), "the disk is full");
    becomes(503);
    std::fs::remove_file(filler).expect("there is room again");
    becomes(200);
    assert!(!server.place.path("disk/data/disk-probe").exists(), "nothing is left of trying");
    drop(server.stop());
    drop(disk);
}
