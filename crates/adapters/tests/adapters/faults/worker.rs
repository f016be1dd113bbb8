//! Makes a workload's changes in a store, and notes each one in a file of marks once it was acknowledged.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

use vouch_adapters::embedded::{EmbeddedKeys, EmbeddedStore, EmbeddedTrail, EmbedderCheck, TrailLimits};
use vouch_domain::{
    AuditScope, DocumentId, PortError,
    ports::{AuditPlace, AuditTrail, Catalogue, DenseIndex, Directory, LexicalIndex, Memory},
};
use vouch_testkit::corpus::TENANT;

use super::{
    texts,
    workload::{Step, Workload},
};

/// The data folder below the folder that is recorded.
pub const STORE: &str = "store";
/// Where acknowledged steps are noted, one line each.
pub const MARKS: &str = "marks";

/// Everything of a data folder that can be opened.
pub struct Opened {
    pub store: EmbeddedStore,
    pub keys: EmbeddedKeys,
    pub trail: EmbeddedTrail,
}

impl Opened {
    pub fn at(folder: &Path) -> Result<Self, PortError> {
        Ok(Self {
            store: EmbeddedStore::open(folder, &texts::embedder(), EmbedderCheck::Enforce)?,
            keys: EmbeddedKeys::open(folder, None)?,
            trail: EmbeddedTrail::open(folder, TrailLimits::default())?,
        })
    }
}

/// What later steps need of earlier ones: keys by name, places of entries by id.
#[derive(Default)]
struct Known {
    keys: BTreeMap<u32, String>,
    places: BTreeMap<u32, AuditPlace>,
}

/// Runs the whole workload below a folder; the first change that fails ends it.
pub async fn run(root: &Path, workload: &Workload) -> Result<(), PortError> {
    let folder: PathBuf = root.join(STORE);
    let mut marks = OpenOptions::new().create(true).append(true).open(root.join(MARKS)).expect("a file of marks");
    let mut opened = Some(Opened::at(&folder)?);
    let mut known = Known::default();
    for (number, step) in workload.steps.iter().enumerate() {
        if *step == Step::Reopen {
            // The folder's lock is free only once the store is closed.
            drop(opened.take());
        }
        let ports = match opened.take() {
            Some(ports) => ports,
            None => Opened::at(&folder)?,
        };
        let told = make(&ports, &mut known, step).await?;
        opened = Some(ports);
        // One call, so that a mark is whole or not there.
        marks.write_all(format!("{number} {told}\n").as_bytes()).expect("marks can be written");
    }
    Ok(())
}

/// Makes one change; answers what only the caller was told.
async fn make(opened: &Opened, known: &mut Known, step: &Step) -> Result<String, PortError> {
    let (store, trail) = (&opened.store, &opened.trail);
    match step {
        Step::Keep(documents) => {
            let documents = documents.iter().map(|(id, edition)| texts::document(*id, *edition)).collect();
            store.catalogue.upsert(documents).await?;
        }
        Step::Remove(id) => {
            let id = DocumentId::parse(&texts::id_of(*id)).expect("a usable id");
            store.catalogue.remove(TENANT, &[id]).await?;
        }
        Step::Refresh => {
            store.lexical.refresh().await?;
            store.dense.refresh().await?;
        }
        Step::Remember(id, edition) => drop(store.memory.upsert(vec![texts::memory(*id, *edition)]).await?),
        Step::Forget(id) => drop(store.memory.remove(TENANT, &[texts::memory(*id, 0).entry.id]).await?),
        Step::Terms(vocabulary, edition) => {
            let concepts = texts::terms(*vocabulary, *edition);
            store.vocabulary.replace(TENANT, &texts::source(*vocabulary), &concepts)?;
        }
        Step::Person(id, edition) => store.directory.upsert_people(vec![texts::person(*id, *edition)]).await?,
        Step::PersonGone(id) => drop(store.directory.remove_person(TENANT, &texts::person(*id, 0).id).await?),
        Step::KeyMade(name) => {
            let (id, secret) = opened.keys.make(texts::key(*name)).await?;
            known.keys.insert(*name, id);
            return Ok(format!("{name} {secret}"));
        }
        Step::KeyRevoked(name) => {
            let id = known.keys.get(name).expect("a key that was made");
            opened.keys.revoke(id, texts::NOW_MS).await?;
        }
        Step::Written(id) => drop(known.places.insert(*id, trail.write(texts::entry(*id, false)).await?)),
        Step::Rewritten(id) => {
            let place = known.places.get(id).expect("an entry that was written");
            trail.rewrite(*place, texts::entry(*id, true)).await?;
        }
        Step::Commented(id) => {
            let scope = AuditScope::for_tenant(TENANT);
            trail.comment(&scope, &texts::entry(*id, false).id, texts::comment(*id)).await?;
        }
        Step::Reopen => {}
    }
    Ok(String::new())
}
