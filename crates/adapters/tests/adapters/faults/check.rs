//! A folder a crash left → whether a store opens from it with everything that was acknowledged, whole and findable.

use std::path::Path;

use vouch_domain::ports::{AuditTrail, Catalogue, DenseIndex, LexicalIndex};
use vouch_testkit::contracts::{everyone, tagged};

use super::{
    inspect::{self, Bad, Secrets},
    texts,
    worker::Opened,
    workload::{Content, Step, Workload},
};

/// A document, and an entry, that no workload has.
const NEXT: u32 = 9_000;
/// Dead editions that are searched for, of each store.
const DEAD_MAX: usize = 8;

/// What was acknowledged before a crash.
pub struct Acknowledged<'a> {
    pub workload: &'a Workload,
    /// How many steps.
    pub steps: usize,
    pub secrets: Secrets,
}

/// Checks one folder.
pub async fn check(folder: &Path, told: &Acknowledged<'_>) -> Result<(), Bad> {
    let opened = Opened::at(folder).map_err(|error| Bad::of("does not open", error))?;
    let editions = told.workload.editions();
    let found = inspect::content(&opened, &editions, &told.secrets).await?;
    is_expected(&found, told)?;
    is_sound(&opened, found.documents.len())?;
    is_findable(&opened, &found, told.workload).await?;
    goes_on(&opened).await?;
    drop(opened);
    has_no_leftovers(folder)
}

/// Whether this is what was acknowledged, perhaps with the step under way.
fn is_expected(found: &Content, told: &Acknowledged<'_>) -> Result<(), Bad> {
    let contents = &told.workload.contents;
    let candidates = [contents.get(told.steps), contents.get(told.steps + 1)];
    if candidates.into_iter().flatten().any(|content| content == found) {
        return Ok(());
    }
    let wanted = contents.get(told.steps).cloned().unwrap_or_default();
    let parts = [
        ("documents", format!("{:?}", found.documents), format!("{:?}", wanted.documents)),
        ("memory", format!("{:?}", found.memory), format!("{:?}", wanted.memory)),
        ("terms", format!("{:?}", found.terms), format!("{:?}", wanted.terms)),
        ("people", format!("{:?}", found.people), format!("{:?}", wanted.people)),
        ("keys", format!("{:?}", found.keys), format!("{:?}", wanted.keys)),
        ("trail", format!("{:?}", found.trail), format!("{:?}", wanted.trail)),
    ];
    let differing = parts.into_iter().filter(|(_, found, wanted)| found != wanted);
    let what: Vec<String> = differing.map(|(part, found, wanted)| format!("{part} {found} for {wanted}")).collect();
    Err(Bad::of("lost", format!("after {} steps: {}", told.steps, what.join("; "))))
}

fn is_sound(opened: &Opened, documents: usize) -> Result<(), Bad> {
    let health = opened.store.health().map_err(|error| Bad::of("not sound", error))?;
    if health.is_sound() && health.documents == documents as u64 {
        Ok(())
    } else {
        Err(Bad::of("not sound", format!("{health:?}")))
    }
}

/// Whether a word and the vector of every living passage find it alone, and those of dead ones nothing.
async fn is_findable(opened: &Opened, content: &Content, workload: &Workload) -> Result<(), Bad> {
    for (id, edition) in &content.documents {
        for passage in inspect::passages(opened, *id).await? {
            let word = texts::word('d', *id, *edition, passage.passage.ordinal);
            let hits = matching(opened, &everyone(), &word).await?;
            if hits != [passage.key.0] {
                let what = format!("{word} of document {id} finds {hits:?}, not {}", passage.key.0);
                return Err(Bad::of("wrong words", what));
            }
            if texts::is_tagged(*id) && !matching(opened, &tagged(&[]), &word).await?.is_empty() {
                return Err(Bad::of("wider access", format!("{word} finds document {id} without its tag")));
            }
            let (near, score) = nearest(opened, &passage.passage.text).await?;
            if near != passage.key.0 || score < 0.99 {
                let what = format!("document {id} has {near} at {score} nearest, not {}", passage.key.0);
                return Err(Bad::of("wrong vectors", what));
            }
        }
    }
    for (id, edition) in dead(content, workload) {
        let word = texts::word('d', id, edition, 0);
        let hits = matching(opened, &everyone(), &word).await?;
        let text = texts::lines(id, edition).into_iter().next().unwrap_or_default();
        if !hits.is_empty() || nearest(opened, &text).await?.1 > 0.99 {
            return Err(Bad::of("dead found", format!("{word} of document {id} finds {hits:?}")));
        }
    }
    Ok(())
}

/// Editions that are not there (any more, or not yet).
fn dead(content: &Content, workload: &Workload) -> Vec<(u32, u32)> {
    let kept =
        workload.steps.iter().filter_map(|step| if let Step::Keep(documents) = step { Some(documents) } else { None });
    let gone = kept.flatten().filter(|(id, edition)| content.documents.get(id) != Some(edition));
    let gone: Vec<(u32, u32)> = gone.copied().collect();
    let every = (gone.len() / DEAD_MAX).max(1);
    gone.into_iter().step_by(every).collect()
}

async fn matching(opened: &Opened, reader: &vouch_domain::Reader, word: &str) -> Result<Vec<u64>, Bad> {
    let hits = opened.store.lexical.matching(reader, word, 5).await.map_err(|error| Bad::of("wrong words", error))?;
    Ok(hits.into_iter().map(|hit| hit.key.0).collect())
}

async fn nearest(opened: &Opened, text: &str) -> Result<(u64, f32), Bad> {
    let hits = opened.store.dense.nearest(&everyone(), &texts::vector(text), 1).await;
    let hits = hits.map_err(|error| Bad::of("wrong vectors", error))?;
    Ok(hits.first().map_or((0, 0.0), |hit| (hit.key.0, hit.lane_score)))
}

/// Whether the store takes another change of everything.
async fn goes_on(opened: &Opened) -> Result<(), Bad> {
    let stuck = |error| Bad::of("stuck", error);
    let store = &opened.store;
    store.catalogue.upsert(vec![texts::document(NEXT, 1)]).await.map_err(stuck)?;
    store.lexical.refresh().await.map_err(stuck)?;
    store.dense.refresh().await.map_err(stuck)?;
    opened.trail.write(texts::entry(NEXT, false)).await.map_err(stuck)?;
    let hits = matching(opened, &everyone(), &texts::word('d', NEXT, 1, 0)).await?;
    if hits.len() != 1 {
        return Err(Bad::of("stuck", format!("a document kept afterwards is found as {hits:?}")));
    }
    let health = store.health().map_err(stuck)?;
    if health.is_sound() { Ok(()) } else { Err(Bad::of("stuck", format!("{health:?}"))) }
}

/// Whether temporary files of broken-off writes are gone.
fn has_no_leftovers(folder: &Path) -> Result<(), Bad> {
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                open.push(entry.path());
            } else if name.starts_with(".tmp") {
                return Err(Bad::of("leftover", format!("{name} stays in {}", path.display())));
            }
        }
    }
    Ok(())
}
