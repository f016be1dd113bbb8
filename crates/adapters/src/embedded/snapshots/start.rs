//! The newest snapshot that can be used → a node's empty data folder, which then follows the database from there.
//!
//! Invariant: a file gets its name in the data folder only once it is what its manifest says: by its length and its digest, and by
//! what it says itself of the store and the change that it is a copy of.

use std::{
    fs::File,
    io::{Read, Write},
    path::Path,
};

use vouch_domain::PortError;

use super::{
    LOOKED_AT_MAX, SnapshotFolder,
    facts::CopyFacts,
    manifest::{FORMAT, Manifest},
};
use crate::embedded::{
    files::{CATALOGUE_FILE, cannot_use, remove_database, sync_folder, with_logs},
    following::Head,
    schema,
    watermark::Watermark,
};

/// What a snapshot is called in the data folder until it is whole.
const BESIDE: &str = "catalogue.snapshot";
const BLOCK_BYTES: usize = 1 << 20;

/// Whether a data folder may start from a snapshot: it has neither a catalogue nor what is left of one. A log would be played into
/// the snapshot, and a watermark says that a catalogue was lost.
pub(in crate::embedded) fn is_fresh(catalogue: &Path) -> bool {
    !with_logs(catalogue).into_iter().chain([Watermark::path(catalogue)]).any(|path| path.exists())
}

/// Puts the newest snapshot into a data folder that is fresh, and answers the change that it has come to; none where there is none
/// that can be used. Those that cannot are passed over, and said.
pub(in crate::embedded) fn start_from(data: &Path, place: &SnapshotFolder, head: &Head) -> Option<u64> {
    // A database that nothing was ever written to has no store yet.
    let store_id = head.store_id.as_ref()?;
    let listed = place.list((store_id, &head.lineage())).unwrap_or_else(|error| {
        tracing::warn!(%error, "snapshots cannot be read; everything is copied from the database");
        Vec::new()
    });
    for path in listed.into_iter().take(LOOKED_AT_MAX) {
        match use_one(data, &path, head) {
            Ok(change) => {
                tracing::info!(snapshot = %path.display(), change, "the node starts from a snapshot");
                return Some(change);
            }
            Err(reason) => tracing::warn!(snapshot = %path.display(), reason, "a snapshot is passed over"),
        }
    }
    None
}

fn use_one(data: &Path, snapshot: &Path, head: &Head) -> Result<u64, String> {
    let manifest = Manifest::read(snapshot)?;
    if manifest.format != FORMAT || manifest.schema > schema::CATALOGUE.len() {
        return Err("a newer version of vouch wrote it".to_owned());
    }
    if Some(&manifest.store_id) != head.store_id.as_ref() || manifest.lineage != head.lineage() {
        return Err("it is of another database".to_owned());
    }
    if manifest.change > head.change {
        return Err(format!(
            "it has come to change {}, and the database only to {}: the database has lost changes",
            manifest.change, head.change
        ));
    }
    let beside = data.join(BESIDE);
    let placed = fetch(snapshot, &beside, &manifest)
        .and_then(|()| check(&beside, &manifest))
        .and_then(|()| place_file(data, &beside).map_err(|error| error.sentence));
    // Of one that has its place nothing lies here any more but logs; what cannot be removed now goes before the next is copied.
    let _ = remove_database(&beside);
    placed.map(|()| manifest.change)
}

/// Copies a snapshot's file, and no more of it than its manifest says that there is.
fn fetch(snapshot: &Path, beside: &Path, manifest: &Manifest) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("it cannot be copied ({error})");
    let damaged = || Err("it is damaged: its file is not as it was written".to_owned());
    remove_database(beside).map_err(cannot)?;
    let source = File::open(snapshot.join(CATALOGUE_FILE)).map_err(cannot)?;
    if source.metadata().map_err(cannot)?.len() != manifest.catalogue.bytes {
        return damaged();
    }
    let (bytes, digest) = copy(source.take(manifest.catalogue.bytes), beside).map_err(cannot)?;
    if bytes == manifest.catalogue.bytes && digest == manifest.catalogue.blake3 { Ok(()) } else { damaged() }
}

/// Holds what a copied file says of itself against its manifest: the node would follow the database from there.
fn check(beside: &Path, manifest: &Manifest) -> Result<(), String> {
    let facts = CopyFacts::read(beside).map_err(|error| error.sentence)?;
    let is_as_told = facts.is_some_and(|facts| {
        (facts.store(), facts.change, facts.schema) == (manifest.store(), manifest.change, manifest.schema)
    });
    if is_as_told {
        Ok(())
    } else {
        Err("its file is not of the store and the change that its manifest names".to_owned())
    }
}

/// Copies into a file; answers how long it is and its digest.
fn copy(mut source: impl Read, to: &Path) -> std::io::Result<(u64, String)> {
    let mut target = File::create(to)?;
    let (mut hasher, mut block, mut bytes) = (blake3::Hasher::new(), vec![0; BLOCK_BYTES], 0);
    loop {
        let read = source.read(&mut block)?;
        let Some(read) = block.get(..read).filter(|read| !read.is_empty()) else { break };
        hasher.update(read);
        target.write_all(read)?;
        bytes += read.len() as u64;
    }
    target.sync_all()?;
    Ok((bytes, hasher.finalize().to_hex().to_string()))
}

fn place_file(data: &Path, beside: &Path) -> Result<(), PortError> {
    let placed = std::fs::rename(beside, data.join(CATALOGUE_FILE)).and_then(|()| sync_folder(data));
    placed.map_err(|error| cannot_use(data, error))
}
