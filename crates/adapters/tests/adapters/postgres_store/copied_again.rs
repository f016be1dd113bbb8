//! A store that is copied into a database once more: what followed an earlier copy of it is not taken for a copy of this one.

use vouch_adapters::{
    embedded::{EmbedderCheck, SnapshotFolder, Unfinished, write_snapshot},
    postgres::PostgresSettings,
};
use vouch_domain::{Fault, ports::Embedder};
use vouch_testkit::fakes::FakeEmbedder;

use super::{
    Server,
    copies::{filled, open_own},
    database, node, server,
    snapshots::{is_same, node_from, remove, take_in},
};

/// A store in two databases: copied into the first, changed where it was copied from, and copied into the second.
struct Scene {
    place: tempfile::TempDir,
    first: PostgresSettings,
    second: PostgresSettings,
}

impl Scene {
    /// `follow` is done while there is only the first.
    fn new(server: &Server, follow: impl FnOnce(&PostgresSettings, &std::path::Path)) -> Self {
        let (own, place) = (filled(), tempfile::tempdir().expect("a folder"));
        let (first, second) = (server.database(), server.database());
        database(&first).copy_from(own.path(), Unfinished::Keep).expect("copied");
        follow(&first, place.path());
        remove(&open_own(own.path()).expect("it opens"), "d5");
        database(&second).copy_from(own.path(), Unfinished::Keep).expect("copied");
        Self { place, first, second }
    }
}

#[test]
fn a_folder_that_followed_an_earlier_copy_of_a_store_is_refused() {
    let Some(server) = server() else { return };
    let scene = Scene::new(server, |first, place| {
        let follower = node(first, &place.join("node"));
        take_in(&follower, &["later"]);
    });
    let embedder = FakeEmbedder::named("fake");
    let folder = scene.place.path().join("node");
    let open = |settings| database(settings).open_store(&folder, embedder.identity(), EmbedderCheck::Enforce);
    let error = open(&scene.second).err().expect("it has what is not there any more");
    assert!(error.fault == Fault::Invalid && error.sentence.contains("was copied into the database anew"), "{error}");
    open(&scene.first).expect("its own database is there still");
    let newcomer = node(&scene.second, &scene.place.path().join("newcomer"));
    take_in(&newcomer, &["latest"]);
    drop(newcomer);
    let again = node(&scene.second, &scene.place.path().join("newcomer"));
    assert!(again.health().expect("health").is_sound());
}

#[test]
fn a_snapshot_of_an_earlier_copy_of_a_store_is_passed_over() {
    let Some(server) = server() else { return };
    let mut snapshots = None;
    let scene = Scene::new(server, |first, place| {
        let folder = SnapshotFolder { folder: place.join("snapshots"), kept_max: 2 };
        drop(node(first, &place.join("node")));
        write_snapshot(&place.join("node"), &folder).expect("a snapshot");
        snapshots = Some(folder);
    });
    let snapshots = snapshots.expect("snapshots");
    let (started, copied) = (scene.place.path().join("started"), scene.place.path().join("copied"));
    drop(node_from(&scene.second, &started, &snapshots).expect("it is copied from the database"));
    drop(node(&scene.second, &copied));
    is_same(&copied, &started);
    let own = write_snapshot(&started, &snapshots).expect("a snapshot");
    assert!(!own.was_there, "it is another than the one of the first");
}
