//! What an evaluation depends on: digests of its questions and of its corpus, and the commit.

use std::{collections::BTreeSet, path::Path, process::Command};

use sha1::{Digest, Sha1};
use vouch_domain::{
    DocumentId, NameWords, Reader,
    ports::{Catalogue, Memory, PageRequest, Register},
};
use vouch_evals::{golden::GoldenQuestion, report::Meta};
use vouch_service::certificate::CertifiedState;

use crate::wiring::App;

/// How many documents are looked at at a time.
const PAGE: usize = 500;
/// As much of a digest as it takes to tell two apart.
const DIGEST_CHARS: usize = 16;

/// On what an evaluation is run.
pub(super) async fn meta(
    app: &App,
    path: &Path,
    (questions, golden): (&[GoldenQuestion], &[u8]),
) -> anyhow::Result<Meta> {
    let beside = path.with_extension("version");
    let version = std::fs::read_to_string(beside).ok().map(|text| text.trim().to_owned());
    let tenants: BTreeSet<String> = questions.iter().map(|one| one.reader().tenant).collect();
    Ok(Meta {
        timestamp: vouch_domain::timestamp(app.engine.clock.now_ms()),
        version: app.circumstances.version.clone(),
        commit: commit(path),
        config_hash: app.circumstances.settings.clone(),
        golden_set_hash: blob_hash(golden),
        golden_set_version: version,
        corpus: corpus(app, &tenants).await?,
        embedder: app.circumstances.embedder.clone(),
        judge: app.circumstances.judge.clone(),
        ..Meta::default()
    })
}

/// The store as it is now.
pub(super) async fn state(app: &App) -> anyhow::Result<CertifiedState> {
    Ok(CertifiedState::from(&app.store.catalogue.state().await?))
}

/// The name Git has for a file of these bytes.
fn blob_hash(bytes: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(format!("blob {}\0", bytes.len()));
    hasher.update(bytes);
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The commit that is checked out where a file lies; none where there is no repository or no Git.
fn commit(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let told = Command::new("git").arg("-C").arg(folder).args(["rev-parse", "HEAD"]).output().ok()?;
    told.status.success().then(|| String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

/// A digest of what answers come from: documents, what editors prepared and how often vocabularies were taken in. Stores that were
/// filled alike have the same.
async fn corpus(app: &App, tenants: &BTreeSet<String>) -> anyhow::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let catalogue = &app.store.catalogue;
    for tenant in tenants {
        let reader = Reader::of_tenant(tenant);
        for ids in ids(app, tenant).await?.chunks(PAGE) {
            let mut prints = catalogue.fingerprints(tenant, ids).await?;
            prints.sort_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
            for print in prints {
                hasher.update(
                    format!("{tenant}\0{}\0{:?}\0{:?}\n", print.id.as_str(), print.hash, print.tags).as_bytes(),
                );
            }
        }
        for entry in app.store.memory.entries(&reader).await? {
            hasher.update(format!("{entry:?}\n").as_bytes());
        }
    }
    hasher.update(format!("{:?}", catalogue.state().await?.vocabulary).as_bytes());
    Ok(short_digest(&hasher.finalize()))
}

/// The ids of a tenant's documents, in their order.
pub(super) async fn ids(app: &App, tenant: &str) -> anyhow::Result<Vec<DocumentId>> {
    let reader = Reader::of_tenant(tenant);
    let mut ids: Vec<DocumentId> = Vec::new();
    loop {
        let wanted = PageRequest {
            kind: None,
            collection: None,
            topic: None,
            words: NameWords::default(),
            after: ids.last().cloned(),
            limit: PAGE,
        };
        let page = app.store.register.page(&reader, &wanted).await?;
        let is_last = page.len() < PAGE;
        ids.extend(page.into_iter().map(|card| card.id));
        if is_last {
            return Ok(ids);
        }
    }
}

/// The beginning of a digest.
pub(super) fn short_digest(digest: &blake3::Hash) -> String {
    digest.to_hex().chars().take(DIGEST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::blob_hash;

    #[test]
    fn a_blob_is_called_as_git_calls_it() {
        assert_eq!(blob_hash(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(blob_hash(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
