//! How documents of a history are taken in: by folder, source, file and request.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a broken test should stop where it breaks")]

use std::{collections::BTreeSet, path::Path};

use vouch_adapters::{
    files::{Links, Reading, read_all, source_name},
    sources::FolderSource,
};
use vouch_domain::{
    Caller, DocumentId, NameWords, Reader, Role,
    document::Labels,
    ports::{Catalogue, DocumentSource, OpenSource, PageRequest, Register},
};
use vouch_engine::ingest::{IngestRun, PruneExtent, UnreadableSource};
use vouch_service::admin_service::{CardBody, FileToKeep, SameName};

use super::{BYTES_MAX, FOLDERS, History, Silent};

impl History<'_> {
    fn reading(&self, tenant: &str, tags: BTreeSet<String>, opens: bool) -> Reading {
        let labels = Labels { tenant: tenant.to_owned(), tags, opens, ..Labels::default() };
        Reading { bytes_max: BYTES_MAX, links: Links::Within, labels, foreign: Vec::new() }
    }

    /// A folder as `vouch ingest` takes it in, or as a source or a job does; answers whether it was opened.
    pub(super) async fn take_in(&mut self, by_source: bool) -> bool {
        let (tenant, tags, opens) = (self.tenant(), self.tags(), self.opens());
        let name = self.pick(&FOLDERS);
        let prunes = [None, Some(PruneExtent::Few), Some(PruneExtent::Many)];
        let prunes = prunes[usize::try_from(self.draw.below(3)).unwrap_or_default()];
        self.log.push(format!("ingest {name} (source {by_source}) {tenant} {tags:?} open {opens} {prunes:?}"));
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let reading = self.reading(&tenant, tags, opens);
        let ingest = &self.shared.admin.ingest;
        let report = if by_source {
            let source = FolderSource::new(vec![folder.clone()], reading);
            let OpenSource { roots, documents, exists, .. } = source.open(&|| true).await.expect("a source");
            let source_exists = exists.as_ref();
            let run = IngestRun { sees_all: true, tenant: &tenant, roots: &roots, source_exists, progress: &Silent };
            let documents = documents.map(|one| Ok(one.expect("a file")));
            let mut report = ingest.ingest(documents, &run).await.expect("ingested");
            if let Some(extent) = prunes {
                ingest.prune(&run, extent, &mut report).await.expect("pruned");
            }
            report
        } else {
            let roots = [source_name(&folder)];
            let source_exists = |source: &str| Path::new(source).exists();
            let run = IngestRun {
                sees_all: true,
                tenant: &tenant,
                roots: &roots,
                source_exists: &source_exists,
                progress: &Silent,
            };
            let paths = [folder.clone()];
            let documents = read_all(&paths, &reading).map(|one| {
                one.map_err(|fault| UnreadableSource {
                    source: fault.source,
                    shown: fault.path,
                    sentence: fault.sentence,
                })
            });
            let mut report = ingest.ingest(documents, &run).await.expect("ingested");
            if let Some(extent) = prunes {
                ingest.prune(&run, extent, &mut report).await.expect("pruned");
            }
            report
        };
        let failed: BTreeSet<&str> = report.failures.iter().map(|failure| failure.source.as_str()).collect();
        for (path, file) in &mut self.files {
            let source = source_name(&self.folder.join(path));
            if path.starts_with(&format!("{name}/")) && !failed.contains(source.as_str()) {
                file.taken_by.insert(tenant.clone());
            }
        }
        opens
    }

    fn caller(tenant: &str) -> Caller {
        Caller {
            id: "admin".to_owned(),
            person: None,
            name: None,
            reader: Reader::of_tenant(tenant),
            role: Role::Admin,
            requests_per_minute: None,
        }
    }

    /// A file that is there, was taken away or is new, sent over HTTP.
    pub(super) async fn upload(&mut self) -> bool {
        let (tenant, tags, opens) = (self.tenant(), self.tags(), self.opens());
        let known = match self.draw.below(3) {
            0 => self.some_file().and_then(|path| self.files.get(&path).cloned()),
            1 => self.away.last().map(|(_, file)| file.clone()),
            _ => None,
        };
        let text = match known {
            Some(file) if file.taken_by.contains(&tenant) => file.text,
            _ => {
                let word = self.new_word(None);
                self.text(&word)
            }
        };
        let name = format!("{}.md", self.draw.below(3));
        let same_name = [SameName::Ask, SameName::NewVersion, SameName::AnotherDocument];
        let same_name = same_name[usize::try_from(self.draw.below(3)).unwrap_or_default()];
        self.log.push(format!("upload {name} {tenant} {tags:?} open {opens} {same_name:?}: {text:?}"));
        let labels = Labels { tags, opens, ..Labels::default() };
        let file = FileToKeep { name, bytes: text.into_bytes(), labels, same_name };
        let caller = Self::caller(&tenant);
        let turn = self.shared.admin.lock_tenant(&caller).await.expect("a turn");
        // Whether a file is a new version may well be asked.
        let _ = self.shared.admin.ingest_file(turn, &caller, file).await;
        opens
    }

    /// A document of a request, under an id that may well be there.
    pub(super) async fn post(&mut self) -> bool {
        let (tenant, tags, opens) = (self.tenant(), self.tags(), self.opens());
        let ids = self.ids(&tenant).await;
        let at = usize::try_from(self.draw.below(ids.len() as u64 + 2)).unwrap_or_default();
        let id = ids.get(at).map_or_else(|| format!("sent-{at}"), |id| id.as_str().to_owned());
        let word = self.new_word(None);
        let text = format!("Lantern {word} hangs at a gate.");
        self.log.push(format!("post {id} {tenant} {tags:?} open {opens}: {text}"));
        let body = serde_json::json!({ "id": id, "text": text, "tags": tags, "open": opens });
        let caller = Self::caller(&tenant);
        let turn = self.shared.admin.lock_tenant(&caller).await.expect("a turn");
        self.shared.admin.ingest(turn, &caller, vec![body]).await.expect("an outcome");
        opens
    }

    pub(super) async fn edit_card(&mut self) -> bool {
        let (tenant, tags, opens) = (self.tenant(), self.tags(), self.opens());
        let ids = self.ids(&tenant).await;
        let Some(id) = ids.get(usize::try_from(self.draw.below(ids.len().max(1) as u64)).unwrap_or_default()) else {
            return false;
        };
        self.log.push(format!("card of {id} {tenant} {tags:?} open {opens}"));
        let body = CardBody { tags: Some(tags), open: opens, ..CardBody::default() };
        let caller = Self::caller(&tenant);
        let turn = self.shared.admin.lock_tenant(&caller).await.expect("a turn");
        let _ = self.shared.admin.edit_card(turn, &caller, id, body).await;
        opens
    }

    pub(super) async fn delete(&mut self) {
        let tenant = self.tenant();
        let ids = self.ids(&tenant).await;
        if let Some(id) = ids.get(usize::try_from(self.draw.below(ids.len().max(1) as u64)).unwrap_or_default()) {
            self.log.push(format!("delete {id} {tenant}"));
            self.shared.store.catalogue.remove(&tenant, std::slice::from_ref(id)).await.expect("removed");
        }
    }

    pub(super) async fn ids(&self, tenant: &str) -> Vec<DocumentId> {
        let wanted = PageRequest {
            kind: None,
            collection: None,
            topic: None,
            words: NameWords::default(),
            after: None,
            limit: 1_000,
        };
        let cards = self.shared.store.register.page(&Reader::of_tenant(tenant), &wanted).await.expect("a page");
        cards.into_iter().map(|card| card.id).collect()
    }
}
