//! Catalogue and both indexes in one piece of memory, by the plainest means.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    DocumentCard, DocumentId, Embedding, PassageKey, PortError, Reader, SourceDigest, StoredPassage,
    language::{
        key_terms, key_words, other_spelling,
        spelling::{marked_sounds, sound},
        terms,
    },
    ports::{
        Catalogue, Counts, DenseIndex, Fingerprint, Generation, KeptDocument, LaneHit, LexicalIndex, RARE_SHARE,
        SourceReading, Spelling, UpsertOutcome,
    },
};

use super::compared::Compared;

/// A store that forgets everything when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    pub(super) compared: Mutex<Compared>,
}

#[derive(Debug, Default)]
struct State {
    generation: u64,
    next_key: u64,
    documents: BTreeMap<(String, DocumentId), Held>,
    /// Every form that a document has had, oldest first.
    past: BTreeMap<(String, DocumentId), Vec<PastVersion>>,
    /// What the indexes hold as of their last refresh.
    indexed: Vec<(StoredPassage, Embedding)>,
}

#[derive(Debug, Clone)]
struct Held {
    kept: KeptDocument,
    keys: Vec<PassageKey>,
    read_from: Option<SourceDigest>,
}

/// A form of a document and when it was current.
#[derive(Debug, Clone)]
pub(super) struct PastVersion {
    pub(super) number: u32,
    pub(super) kept: KeptDocument,
    pub(super) born: u64,
    pub(super) died: Option<u64>,
}

impl MemoryStore {
    /// Every form that a document has had, oldest first.
    pub(super) fn past(&self, tenant: &str, id: &DocumentId) -> Vec<PastVersion> {
        self.state().past.get(&(tenant.to_owned(), id.clone())).cloned().unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self) -> Generation {
        let mut state = self.state();
        state.indexed = state.documents.values().flat_map(passages_of).collect();
        Generation(state.generation)
    }

    /// The cards a reader may see, in the order of their ids.
    pub(super) fn cards(&self, reader: &Reader) -> Vec<DocumentCard> {
        let state = self.state();
        let cards = state.documents.values().map(|held| &held.kept.document.card);
        cards.filter(|card| reader.may_see(card)).cloned().collect()
    }

    /// The passages a reader may see.
    pub(super) fn stored_passages(&self, reader: &Reader) -> Vec<StoredPassage> {
        let state = self.state();
        let all = state.documents.values().flat_map(passages_of).map(|(passage, _)| passage);
        all.filter(|one| reader.may_see(&one.document)).collect()
    }

    fn visible(&self, reader: &Reader) -> Vec<(StoredPassage, Embedding)> {
        let state = self.state();
        let may_read = |one: &&(StoredPassage, Embedding)| reader.may_see(&one.0.document);
        state.indexed.iter().filter(may_read).cloned().collect()
    }
}

fn passages_of(held: &Held) -> Vec<(StoredPassage, Embedding)> {
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

fn fingerprint(held: &Held) -> Fingerprint {
    let card = &held.kept.document.card;
    Fingerprint {
        id: card.id.clone(),
        source: card.source.clone(),
        hash: held.kept.hash,
        tags: card.tags.clone(),
        read_from: held.read_from,
    }
}

fn bury(past: &mut [PastVersion], generation: u64) {
    past.iter_mut().filter(|one| one.died.is_none()).for_each(|one| one.died = Some(generation));
}

fn ranked(mut hits: Vec<LaneHit>, limit: usize) -> Vec<LaneHit> {
    hits.sort_by(|a, b| b.lane_score.total_cmp(&a.lane_score).then(a.key.cmp(&b.key)));
    hits.truncate(limit);
    hits
}

#[async_trait]
impl Catalogue for MemoryStore {
    async fn generation(&self) -> Result<Generation, PortError> {
        Ok(Generation(self.state().generation))
    }

    async fn fingerprints(&self, tenant: &str, ids: &[DocumentId]) -> Result<Vec<Fingerprint>, PortError> {
        let state = self.state();
        Ok(ids.iter().filter_map(|id| state.documents.get(&(tenant.to_owned(), id.clone()))).map(fingerprint).collect())
    }

    async fn under_source(&self, tenant: &str, source: &str) -> Result<Vec<Fingerprint>, PortError> {
        let folder = format!("{}/", source.trim_end_matches('/'));
        let is_under = |held: &&Held| {
            let card = &held.kept.document.card;
            card.tenant == tenant && (card.source == source || card.source.starts_with(&folder))
        };
        Ok(self.state().documents.values().filter(is_under).map(fingerprint).collect())
    }

    async fn with_text(&self, tenant: &str, text: &str) -> Result<Vec<Fingerprint>, PortError> {
        let is_same = |held: &&Held| held.kept.document.card.tenant == tenant && held.kept.document.text == text;
        Ok(self.state().documents.values().filter(is_same).map(fingerprint).collect())
    }

    async fn rename(&self, tenant: &str, renames: &[(DocumentId, String)]) -> Result<(), PortError> {
        let mut state = self.state();
        state.generation += u64::from(!renames.is_empty());
        for (id, source) in renames {
            if let Some(held) = state.documents.get_mut(&(tenant.to_owned(), id.clone())) {
                held.kept.document.card.source.clone_from(source);
            }
        }
        Ok(())
    }

    async fn note_readings(&self, tenant: &str, readings: &[SourceReading]) -> Result<(), PortError> {
        let mut state = self.state();
        for reading in readings {
            let held = state.documents.get_mut(&(tenant.to_owned(), reading.id.clone()));
            if let Some(held) = held.filter(|held| held.kept.hash == reading.hash) {
                held.read_from = Some(reading.read_from);
            }
        }
        Ok(())
    }

    async fn upsert(&self, documents: Vec<KeptDocument>) -> Result<Vec<UpsertOutcome>, PortError> {
        let mut state = self.state();
        state.generation += 1;
        let mut filed = Vec::new();
        for kept in documents {
            let place = (kept.document.card.tenant.clone(), kept.document.card.id.clone());
            let generation = state.generation;
            let was_there = state.documents.contains_key(&place);
            let past = state.past.entry(place.clone()).or_default();
            bury(past, generation);
            let version = past.last().map_or(1, |last| last.number + 1);
            past.push(PastVersion { number: version, kept: kept.clone(), born: generation, died: None });
            let first = state.next_key + 1;
            state.next_key += kept.passages.len() as u64;
            let keys = (first..=state.next_key).map(PassageKey).collect();
            state.documents.insert(place, Held { kept, keys, read_from: None });
            filed.push(if was_there { UpsertOutcome::Updated(version) } else { UpsertOutcome::Added });
        }
        Ok(filed)
    }

    async fn remove(&self, tenant: &str, ids: &[DocumentId]) -> Result<u64, PortError> {
        let mut state = self.state();
        state.generation += u64::from(!ids.is_empty());
        let generation = state.generation;
        for id in ids {
            state.past.get_mut(&(tenant.to_owned(), id.clone())).into_iter().for_each(|past| bury(past, generation));
        }
        let removed = ids.iter().filter(|id| state.documents.remove(&(tenant.to_owned(), (*id).clone())).is_some());
        Ok(removed.count() as u64)
    }

    async fn passages(&self, reader: &Reader, keys: &[PassageKey]) -> Result<Vec<StoredPassage>, PortError> {
        let state = self.state();
        let all: Vec<StoredPassage> =
            state.documents.values().flat_map(passages_of).map(|(passage, _)| passage).collect();
        let may_read = |one: &&StoredPassage| reader.may_see(&one.document);
        Ok(keys.iter().filter_map(|key| all.iter().find(|one| one.key == *key).filter(may_read).cloned()).collect())
    }

    async fn text(&self, reader: &Reader, id: &DocumentId) -> Result<Option<String>, PortError> {
        let state = self.state();
        let held = state.documents.get(&(reader.tenant.clone(), id.clone()));
        let held = held.filter(|held| reader.may_see(&held.kept.document.card));
        Ok(held.map(|held| held.kept.document.text.clone()))
    }

    async fn counts(&self, reader: &Reader) -> Result<Counts, PortError> {
        let state = self.state();
        let open: Vec<&Held> =
            state.documents.values().filter(|held| reader.may_see(&held.kept.document.card)).collect();
        let passages = open.iter().map(|held| held.keys.len() as u64).sum();
        Ok(Counts { documents: open.len() as u64, passages })
    }
}

#[async_trait]
impl LexicalIndex for MemoryStore {
    async fn refresh(&self) -> Result<Generation, PortError> {
        Ok(self.index())
    }

    async fn matching(&self, reader: &Reader, text: &str, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let visible = self.visible(reader);
        let asked = key_terms(text);
        let holding =
            |term: &String| visible.iter().filter(|(one, _)| terms(&one.passage.text).contains(term)).count() as f32;
        let weights: Vec<(String, f32)> = asked
            .iter()
            .map(|term| (term.clone(), (1.0 + visible.len() as f32 / (0.5 + holding(term))).ln()))
            .collect();
        let hits = visible.iter().filter_map(|(one, _)| {
            let own = terms(&one.passage.text);
            let lane_score: f32 = weights.iter().filter(|(term, _)| own.contains(term)).map(|(_, weight)| weight).sum();
            (lane_score > 0.0).then_some(LaneHit { key: one.key, lane_score })
        });
        Ok(ranked(hits.collect(), limit))
    }

    async fn rare(&self, reader: &Reader, text: &str, holders_max: usize) -> Result<Vec<PassageKey>, PortError> {
        let visible = self.visible(reader);
        let mut rare: Vec<(usize, String, Vec<PassageKey>)> = Vec::new();
        for term in key_terms(text) {
            let holders = holders(&visible, &term);
            let holders_max = holders_max.min(visible.len() / RARE_SHARE);
            if (1..=holders_max).contains(&holders.len()) {
                rare.push((holders.len(), term, holders));
            }
        }
        rare.sort();
        let mut keys: Vec<PassageKey> = Vec::new();
        for key in rare.into_iter().flat_map(|(_, _, holders)| holders) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Ok(keys)
    }

    async fn spellings(&self, reader: &Reader, text: &str) -> Result<Vec<Spelling>, PortError> {
        let visible = self.visible(reader);
        let mut known: Vec<String> = visible.iter().flat_map(|(one, _)| terms(&one.passage.text)).collect();
        known.sort();
        known.dedup();
        let mut found = Vec::new();
        for word in key_words(text) {
            if known.contains(&word.term) {
                let heard = sound(&word.term);
                let holds = |one: &&(StoredPassage, Embedding)| marked_sounds(&one.0.passage.text).contains(&heard);
                let holder = visible.iter().filter(holds).map(|(one, _)| one.key).min();
                found.extend(holder.map(|holder| Spelling { asked: word.word, heard, holder, nearness: None }));
                continue;
            }
            let near = known.iter().filter_map(|term| {
                let nearness = other_spelling(&word.term, term)?;
                let holders = holders(&visible, term);
                Some(((nearness.slips(), usize::MAX - holders.len(), term.clone()), nearness, *holders.first()?))
            });
            found.extend(near.min().map(|((_, _, term), nearness, holder)| Spelling {
                asked: word.word.clone(),
                heard: sound(&term),
                holder,
                nearness: Some(nearness),
            }));
        }
        Ok(found)
    }
}

fn holders(visible: &[(StoredPassage, Embedding)], term: &str) -> Vec<PassageKey> {
    let holds = |one: &&(StoredPassage, Embedding)| terms(&one.0.passage.text).iter().any(|own| own == term);
    visible.iter().filter(holds).map(|(one, _)| one.key).collect()
}

#[async_trait]
impl DenseIndex for MemoryStore {
    async fn refresh(&self) -> Result<Generation, PortError> {
        Ok(self.index())
    }

    async fn nearest(&self, reader: &Reader, vector: &Embedding, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let visible = self.visible(reader);
        let hits = visible.iter().map(|(one, own)| LaneHit { key: one.key, lane_score: own.cosine(vector) });
        Ok(ranked(hits.collect(), limit))
    }

    async fn cosines(&self, vector: &Embedding, keys: &[PassageKey]) -> Result<Vec<Option<f32>>, PortError> {
        let state = self.state();
        let find = |key: &PassageKey| state.indexed.iter().find(|(one, _)| one.key == *key);
        Ok(keys.iter().map(|key| find(key).map(|(_, own)| own.cosine(vector))).collect())
    }
}
