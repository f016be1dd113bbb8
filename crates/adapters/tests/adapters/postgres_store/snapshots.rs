//! Nodes that start from a snapshot: they equal those that copy everything, and a snapshot that cannot be used is passed over.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use vouch_adapters::{
    embedded::{DenseLane, EmbeddedStore, EmbedderCheck, SnapshotFolder, write_snapshot},
    postgres::PostgresSettings,
};
use vouch_domain::{
    Fault, PortError,
    ports::{Catalogue, Embedder},
};
use vouch_testkit::{
    corpus::{TENANT, card, kept},
    fakes::FakeEmbedder,
};

use super::{
    Server, database, name_of, node,
    nodes::{follower, id, rows},
    server,
};

/// A node that may start from a snapshot.
pub(super) fn node_from(
    settings: &PostgresSettings,
    folder: &Path,
    snapshots: &SnapshotFolder,
) -> Result<EmbeddedStore, PortError> {
    let embedder = FakeEmbedder::named("fake");
    let checked = (embedder.identity(), EmbedderCheck::Enforce);
    database(settings).open_store_with(folder, checked, (DenseLane::Here, Some(snapshots.clone())))
}

pub(super) fn take_in(store: &EmbeddedStore, names: &[&str]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for name in names {
        let line = format!("The mast of {name} is tall.");
        runtime.block_on(store.catalogue.upsert(vec![kept(card(name, &[]), &[&line])])).expect("kept");
    }
}

pub(super) fn remove(store: &EmbeddedStore, name: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(store.catalogue.remove(TENANT, &[id(name)])).expect("removed");
}

/// Makes a row that was written long ago differ from its checksum, so that whoever copies it fails.
fn damage_old_rows(server: &Server, settings: &PostgresSettings) {
    let sql = "UPDATE vouch.passages SET text = 'Somebody changed this.' WHERE key = 1";
    server.execute(&name_of(settings), sql);
}

pub(super) fn is_same(one: &Path, other: &Path) {
    let (one, other) = (rows(one), rows(other));
    for (table, rows) in &one {
        assert_eq!(rows, &other[table], "{table}");
    }
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    u64::try_from(now.as_millis()).expect("a moment")
}

/// Where a snapshot of the same store lies that has come to a change.
fn at_change(snapshot: &Path, change: u64) -> PathBuf {
    let name = snapshot.file_name().expect("a name").to_string_lossy().into_owned();
    let (store, _) = name.rsplit_once('-').expect("a change");
    snapshot.with_file_name(format!("{store}-{change:020}"))
}

/// A copy of a snapshot under the name of one that has come to a change.
fn renamed(snapshot: &Path, change: u64) -> PathBuf {
    let copy = at_change(snapshot, change);
    fs::create_dir(&copy).expect("a folder");
    for name in ["catalogue.sqlite", "snapshot.json"] {
        fs::copy(snapshot.join(name), copy.join(name)).expect("copied");
    }
    copy
}

/// Writes a number into a snapshot's manifest.
fn set(snapshot: &Path, name: &str, value: u64) {
    let manifest = fs::read_to_string(snapshot.join("snapshot.json")).expect("a manifest");
    let line = manifest.lines().find(|line| line.contains(&format!("\"{name}\""))).expect("a line");
    let changed = manifest.replace(line, &format!("  \"{name}\": {value},"));
    fs::write(snapshot.join("snapshot.json"), changed).expect("written");
}

/// Whether a node with this folder would start from a snapshot. Where it does not, it copies a row that is damaged.
fn starts_from_one(scene: &Scene, name: &str) -> bool {
    match node_from(&scene.settings, &scene.path(name), &scene.snapshots) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.fault, Fault::Corrupt, "{error}");
            assert!(!scene.path(name).join("catalogue.snapshot").exists(), "nothing is left of what was passed over");
            false
        }
    }
}

struct Scene {
    settings: PostgresSettings,
    place: tempfile::TempDir,
    writer: EmbeddedStore,
    snapshots: SnapshotFolder,
}

impl Scene {
    fn new(server: &Server) -> Self {
        let (settings, place) = (server.database(), tempfile::tempdir().expect("a folder"));
        let writer = node(&settings, &place.path().join("writer"));
        take_in(&writer, &["a", "b", "c"]);
        let snapshots = SnapshotFolder { folder: place.path().join("snapshots"), kept_max: 2 };
        Self { settings, place, writer, snapshots }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn write(&self) -> PathBuf {
        write_snapshot(&self.path("writer"), &self.snapshots).expect("a snapshot").path
    }
}

#[test]
fn a_node_from_a_snapshot_equals_one_from_the_database_and_goes_on_from_there() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    scene.write();
    take_in(&scene.writer, &["b", "d"]);
    remove(&scene.writer, "c");
    drop(node(&scene.settings, &scene.path("copied")));
    damage_old_rows(server, &scene.settings);
    let embedder = FakeEmbedder::named("fake");
    let whole = database(&scene.settings).open_store(&scene.path("all"), embedder.identity(), EmbedderCheck::Enforce);
    assert_eq!(whole.err().expect("every row is copied").fault, Fault::Corrupt);
    let newcomer = node_from(&scene.settings, &scene.path("new"), &scene.snapshots).expect("old rows are not copied");
    assert!(newcomer.health().expect("health").is_sound());
    is_same(&scene.path("writer"), &scene.path("new"));
    is_same(&scene.path("copied"), &scene.path("new"));
    take_in(&scene.writer, &["e"]);
    assert!(follower(&newcomer).follow().expect("it follows"));
    take_in(&newcomer, &["f"]);
    assert!(follower(&scene.writer).follow().expect("it follows"));
    is_same(&scene.path("writer"), &scene.path("new"));
    // A folder that has a copy is opened as it is.
    drop(newcomer);
    fs::remove_dir_all(&scene.snapshots.folder).expect("removed");
    node_from(&scene.settings, &scene.path("new"), &scene.snapshots).expect("it opens");
}

#[test]
fn snapshots_that_cannot_be_used_are_passed_over_for_the_next_or_for_the_database() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    let good = scene.write();
    take_in(&scene.writer, &["d"]);
    let damaged = scene.write();
    let file = damaged.join("catalogue.sqlite");
    let mut bytes = fs::read(&file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("written");
    // What is left of one that was killed while it was written.
    let left = scene.snapshots.folder.join("writing-1-2");
    fs::create_dir(&left).expect("a folder");
    fs::copy(&file, left.join("catalogue.sqlite")).expect("copied");
    // One that is ahead of the database, and one of another.
    let ahead = renamed(&good, 900);
    set(&ahead, "change", 900);
    let stranger = Scene::new(server);
    take_in(&stranger.writer, &["d", "e", "f"]);
    let shared = SnapshotFolder { kept_max: 9, ..scene.snapshots.clone() };
    write_snapshot(&stranger.path("writer"), &shared).expect("a snapshot");
    damage_old_rows(server, &scene.settings);
    let newcomer = node_from(&scene.settings, &scene.path("new"), &scene.snapshots).expect("the good one is used");
    assert!(newcomer.health().expect("health").is_sound());
    is_same(&scene.path("writer"), &scene.path("new"));
    // Without the good one everything would be copied from the database, which is damaged.
    fs::remove_dir_all(&good).expect("removed");
    let whole = node_from(&scene.settings, &scene.path("all"), &scene.snapshots);
    assert_eq!(whole.err().expect("every row is copied").fault, Fault::Corrupt);
}

#[test]
fn the_newest_snapshots_are_kept_and_one_of_the_same_change_is_written_once() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    let first = scene.write();
    let again = write_snapshot(&scene.path("writer"), &scene.snapshots).expect("a snapshot");
    assert_eq!((again.path.clone(), again.was_there), (first.clone(), true));
    take_in(&scene.writer, &["d"]);
    let second = scene.write();
    take_in(&scene.writer, &["e"]);
    let third = write_snapshot(&scene.path("writer"), &scene.snapshots).expect("a snapshot");
    assert_eq!((third.was_there, third.removed), (false, 1));
    assert!(!first.exists() && second.exists() && third.path.exists());
    assert!(scene.snapshots.newest_ms(&scene.path("writer"), now_ms()).expect("a moment").is_some());
    let names: Vec<String> = fs::read_dir(&scene.snapshots.folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    // A damaged one is written again.
    fs::write(third.path.join("catalogue.sqlite"), "nothing").expect("written");
    assert!(!write_snapshot(&scene.path("writer"), &scene.snapshots).expect("a snapshot").was_there);
    node_from(&scene.settings, &scene.path("new"), &scene.snapshots).expect("it opens");
    is_same(&scene.path("writer"), &scene.path("new"));
}

#[test]
fn a_store_of_its_own_has_no_snapshots() {
    let place = tempfile::tempdir().expect("a folder");
    let own = place.path().join("own");
    let embedder = FakeEmbedder::named("fake");
    take_in(&EmbeddedStore::open(&own, embedder.identity(), EmbedderCheck::Enforce).expect("it opens"), &["a"]);
    let snapshots = SnapshotFolder { folder: place.path().join("snapshots"), kept_max: 1 };
    let error = write_snapshot(&own, &snapshots).expect_err("it is no copy");
    assert!(error.fault == Fault::Invalid && error.sentence.contains("vouch store backup"), "{error}");
    assert_eq!(fs::read_dir(&snapshots.folder).expect("a folder").count(), 0, "nothing is left");
    assert_eq!(snapshots.newest_ms(&own, now_ms()).expect_err("it is no copy").fault, Fault::Invalid);
}

#[test]
fn a_folder_that_has_lost_its_catalogue_does_not_start_from_a_snapshot() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    scene.write();
    damage_old_rows(server, &scene.settings);
    for left in ["catalogue.sqlite-wal", "catalogue.sqlite-journal", "catalogue.watermark"] {
        let folder = scene.path(left);
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join(left), "left").expect("written");
        assert!(!starts_from_one(&scene, left), "{left}");
    }
    assert!(starts_from_one(&scene, "empty"));
}

#[test]
fn a_snapshot_that_is_not_what_its_manifest_says_is_passed_over() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    let good = scene.write();
    take_in(&scene.writer, &["d"]);
    damage_old_rows(server, &scene.settings);
    let manifest = fs::read_to_string(good.join("snapshot.json")).expect("a manifest");
    let change: u64 = good.to_string_lossy().rsplit('-').next().expect("a change").parse().expect("a number");
    assert!(starts_from_one(&scene, "good"));
    // The file is whole, and has not come as far as its manifest says, or is of other tables.
    for (name, value) in [("change", change - 1), ("change", change + 1), ("schema", 1)] {
        set(&good, name, value);
        assert!(!starts_from_one(&scene, &format!("{name}-{value}")), "{name}");
        fs::write(good.join("snapshot.json"), &manifest).expect("written");
    }
    // A manifest that is longer than one can be, and a file that is longer than it was.
    fs::write(good.join("snapshot.json"), format!("{manifest}{}", " ".repeat(70_000))).expect("written");
    assert!(!starts_from_one(&scene, "long"));
    fs::write(good.join("snapshot.json"), &manifest).expect("written");
    let whole = fs::read(good.join("catalogue.sqlite")).expect("a file");
    fs::write(good.join("catalogue.sqlite"), [&whole[..], b"more"].concat()).expect("written");
    assert!(!starts_from_one(&scene, "longer"));
    fs::write(good.join("catalogue.sqlite"), whole).expect("written");
    assert!(starts_from_one(&scene, "again"));
}

#[test]
fn where_nothing_has_changed_the_newest_snapshot_is_only_noted_to_be_the_newest_still() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    let (first, writer) = (scene.write(), scene.path("writer"));
    let made = || fs::metadata(first.join("catalogue.sqlite")).and_then(|file| file.modified()).expect("a file");
    let (before, now) = (made(), now_ms());
    let newest = || scene.snapshots.newest_ms(&writer, now).expect("a moment");
    set(&first, "made_ms", 5);
    assert_eq!(newest(), Some(5));
    let again = write_snapshot(&writer, &scene.snapshots).expect("a snapshot");
    assert!(again.was_there && again.path == first);
    assert!(newest().is_some_and(|newest| newest > 5), "it is not due again at once");
    assert_eq!(made(), before, "the file is the one it was");
    let names: Vec<PathBuf> =
        fs::read_dir(&scene.snapshots.folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(names, std::slice::from_ref(&first), "nothing is left beside it");
    // A clock that is a little ahead is taken for this one; of one that was far ahead nothing is known.
    set(&first, "made_ms", now + 60_000);
    assert_eq!(newest(), Some(now));
    set(&first, "made_ms", now + 24 * 3_600_000);
    assert_eq!(newest(), None);
    write_snapshot(&writer, &scene.snapshots).expect("a snapshot");
    assert!(newest().is_some(), "its time was set right");
    damage_old_rows(server, &scene.settings);
    assert!(starts_from_one(&scene, "new"));
}

#[test]
fn snapshots_of_other_stores_neither_hide_a_stores_own_nor_count_for_them() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server);
    let (first, writer) = (scene.write(), scene.path("writer"));
    set(&first, "made_ms", 5);
    for number in 0..60 {
        let stranger = scene.snapshots.folder.join(format!("snapshot-strange0-{:020}", 1_000 + number));
        fs::create_dir(&stranger).expect("a folder");
        fs::copy(first.join("snapshot.json"), stranger.join("snapshot.json")).expect("copied");
        set(&stranger, "made_ms", 7);
    }
    assert_eq!(scene.snapshots.newest_ms(&writer, now_ms()).expect("a moment"), Some(5));
    // More of the store itself than are looked at, of which the newest two stay.
    for number in 0..60 {
        fs::create_dir(at_change(&first, 100_000 + number)).expect("a folder");
    }
    let report = write_snapshot(&writer, &scene.snapshots).expect("a snapshot");
    assert_eq!(report.removed, 58);
    assert!(at_change(&first, 100_059).exists() && !at_change(&first, 100_000).exists() && first.exists());
    let strangers = fs::read_dir(&scene.snapshots.folder).expect("a folder");
    let strangers = strangers.filter(|entry| {
        let entry = entry.as_ref().expect("an entry");
        entry.file_name().to_string_lossy().starts_with("snapshot-strange0-")
    });
    assert_eq!(strangers.count(), 60);
    damage_old_rows(server, &scene.settings);
    assert!(starts_from_one(&scene, "new"), "its own is found among them");
}
