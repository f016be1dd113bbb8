//! What shows that a catalogue has lost something is kept, and what is damaged in it is counted by nobody.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{fs, path::Path};

use vouch_domain::{
    Fault, NameWords,
    ports::{PageRequest, Register},
};
use vouch_testkit::contracts::everyone;

use crate::support::filled_store::{self, CATALOGUE, WORDS, damage_rows, fill, filled, folder, open};

fn damage(index: &Path) {
    let segment = filled_store::files(index).into_iter().find(|path| path.extension().is_some_and(|end| end == "idx"));
    fs::write(segment.expect("a segment"), "damaged").expect("written");
}

/// As a kill leaves an index between its first commit and its seal.
fn unseal(index: &Path) {
    fs::write(index.join("unsealed"), "").expect("written");
    fs::remove_file(index.join("seal.json")).expect("removed");
}

#[tokio::test]
async fn an_index_ahead_of_the_catalogue_is_kept_even_where_it_is_damaged_or_unsealed() {
    for what in ["damaged", "unsealed"] {
        let folder = folder();
        fill(&open(folder.path()).expect("it opens"), &WORDS[..3], 1).await;
        let old = fs::read(folder.path().join(CATALOGUE)).expect("a file");
        fill(&open(folder.path()).expect("it opens"), &WORDS[3..], 1).await;
        fs::write(folder.path().join(CATALOGUE), old).expect("written");
        fs::remove_file(folder.path().join("catalogue.watermark")).expect("removed");
        // The index of words alone tells.
        fs::remove_dir_all(folder.path().join("dense")).expect("removed");
        let index = folder.path().join("lexical");
        if what == "damaged" {
            damage(&index)
        } else {
            unseal(&index)
        }
        for _ in 0..2 {
            let error = open(folder.path()).err().expect(what);
            assert!(error.fault == Fault::Corrupt && error.sentence.contains("generation"), "{what}: {error}");
        }
    }
}

#[tokio::test]
async fn damaged_rows_are_neither_counted_by_kind_nor_listed_from() {
    let page =
        PageRequest { kind: None, collection: None, topic: None, words: NameWords::default(), after: None, limit: 9 };
    for (table, condition) in [("versions", "document = 2"), ("documents", "key = 2"), ("tenants", "1")] {
        let folder = filled().await;
        let store = open(folder.path()).expect("it opens");
        damage_rows(&folder.path().join(CATALOGUE), table, condition);
        let counted = store.register.kinds(&everyone()).await;
        assert_eq!(counted.expect_err(table).fault, Fault::Corrupt, "{table}");
        let listed = store.register.page(&everyone(), &page).await;
        assert_eq!(listed.expect_err(table).fault, Fault::Corrupt, "{table}");
    }
}
