//! What the store in memory holds: documents as they are and were, who could see what is gone, and what people have set.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use vouch_domain::{
    CardEdit, DocumentCard, DocumentId, Embedding, PassageKey, SourceDigest, StoredPassage,
    ports::{Fingerprint, KeptDocument},
};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) generation: u64,
    pub(super) next_key: u64,
    pub(super) documents: BTreeMap<(String, DocumentId), Held>,
    /// Every form that a document has had, oldest first.
    pub(super) past: BTreeMap<(String, DocumentId), Vec<PastVersion>>,
    /// Who could see what is gone, by tenant, by what it is remembered by, and by its name.
    pub(super) past_access: BTreeMap<(String, &'static str, String), BTreeSet<String>>,
    /// What people have set, by tenant and document.
    pub(super) edits: BTreeMap<(String, DocumentId), Vec<CardEdit>>,
    /// What the indexes hold as of their last refresh.
    pub(super) indexed: Vec<(StoredPassage, Embedding)>,
}

#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) kept: KeptDocument,
    pub(super) keys: Vec<PassageKey>,
    pub(super) read_from: Option<SourceDigest>,
}

/// A form of a document and when it was current.
#[derive(Debug, Clone)]
pub(super) struct PastVersion {
    pub(super) number: u32,
    pub(super) kept: KeptDocument,
    pub(super) born: u64,
    pub(super) died: Option<u64>,
}

impl State {
    pub(super) fn remember_source(&mut self, card: &DocumentCard) {
        let place = (card.tenant.clone(), "source", card.source.clone());
        if !card.tags.is_empty() || !self.past_access.contains_key(&place) {
            self.past_access.insert(place, card.tags.clone());
        }
    }

    pub(super) fn remember(&mut self, kept: &KeptDocument) {
        let card = &kept.document.card;
        self.remember_source(card);
        self.past_access.insert((card.tenant.clone(), "id", card.id.as_str().to_owned()), card.tags.clone());
        self.remember_text(kept);
    }

    pub(super) fn remember_text(&mut self, kept: &KeptDocument) {
        let card = &kept.document.card;
        if !card.tags.is_empty() {
            self.past_access.insert((card.tenant.clone(), "text", kept.document.text.clone()), card.tags.clone());
        }
    }

    pub(super) fn forget_if_open(&mut self, kept: &KeptDocument) {
        let card = &kept.document.card;
        if !card.tags.is_empty() {
            return;
        }
        let past = self.past.get(&(card.tenant.clone(), card.id.clone())).into_iter().flatten();
        let texts: Vec<String> = past.map(|past| past.kept.document.text.clone()).collect();
        let texts = texts.iter().chain([&kept.document.text]).map(|text| ("text", text.as_str()));
        for (kind, name) in texts.chain([("id", card.id.as_str()), ("source", card.source.as_str())]) {
            self.past_access.remove(&(card.tenant.clone(), kind, name.to_owned()));
        }
    }

    /// Puts a new version in the place of what is there; answers its number.
    pub(super) fn put(&mut self, kept: KeptDocument, read_from: Option<SourceDigest>) -> u32 {
        let place = (kept.document.card.tenant.clone(), kept.document.card.id.clone());
        let generation = self.generation;
        let past = self.past.entry(place.clone()).or_default();
        bury(past, generation);
        let number = past.last().map_or(1, |last| last.number + 1);
        past.push(PastVersion { number, kept: kept.clone(), born: generation, died: None });
        let first = self.next_key + 1;
        self.next_key += kept.passages.len() as u64;
        let keys = (first..=self.next_key).map(PassageKey).collect();
        self.documents.insert(place, Held { kept, keys, read_from });
        number
    }
}

pub(super) fn passages_of(held: &Held) -> Vec<(StoredPassage, Embedding)> {
    let document = Arc::new(held.kept.document.card.clone());
    held.keys
        .iter()
        .zip(&held.kept.passages)
        .map(|(key, embedded)| {
            let passage = embedded.passage.clone();
            (StoredPassage { key: *key, document: Arc::clone(&document), passage }, embedded.embedding.clone())
        })
        .collect()
}

pub(super) fn fingerprint(held: &Held) -> Fingerprint {
    let card = &held.kept.document.card;
    Fingerprint {
        id: card.id.clone(),
        source: card.source.clone(),
        hash: held.kept.hash,
        tags: card.tags.clone(),
        read_from: held.read_from,
    }
}

pub(super) fn bury(past: &mut [PastVersion], generation: u64) {
    past.iter_mut().filter(|one| one.died.is_none()).for_each(|one| one.died = Some(generation));
}
