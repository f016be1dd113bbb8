//! Catalogue and both indexes in one piece of memory, by the plainest means.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    CardEdit, DocumentCard, DocumentId, Embedding, PassageKey, PortError, Reader, StoredPassage,
    language::{
        key_terms, key_words, other_spelling,
        spelling::{marked_sounds, sound},
        terms,
    },
    ports::{
        Catalogue, Counts, DenseIndex, EditedCard, Fingerprint, Generation, KeptDocument, LaneHit, LexicalIndex,
        PastAccess, RARE_SHARE, SourceReading, Spelling, UpsertOutcome,
    },
};

use super::{
    compared::Compared,
    held::{Held, PastVersion, State, bury, fingerprint, passages_of},
};

/// A store that forgets everything when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    pub(super) compared: Mutex<Compared>,
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

    async fn past_access(
        &self,
        tenant: &str,
        id: &DocumentId,
        source: &str,
        text: &str,
    ) -> Result<PastAccess, PortError> {
        let state = self.state();
        let named = |kind, name: &str| state.past_access.get(&(tenant.to_owned(), kind, name.to_owned())).cloned();
        Ok(PastAccess {
            by_id: named("id", id.as_str()),
            by_source: named("source", source),
            by_text: named("text", text),
        })
    }

    async fn past_access_below(&self, tenant: &str, folder: &str) -> Result<Vec<BTreeSet<String>>, PortError> {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        let state = self.state();
        let below = state
            .past_access
            .iter()
            .filter(|((owner, kind, name), _)| owner == tenant && *kind == "source" && name.starts_with(&folder));
        let sets: BTreeSet<BTreeSet<String>> = below.map(|(_, tags)| tags.clone()).collect();
        Ok(sets.into_iter().collect())
    }

    async fn edits(&self, tenant: &str, id: &DocumentId) -> Result<Vec<CardEdit>, PortError> {
        Ok(self.state().edits.get(&(tenant.to_owned(), id.clone())).cloned().unwrap_or_default())
    }

    async fn edit(&self, edited: EditedCard) -> Result<Option<u32>, PortError> {
        let mut state = self.state();
        let place = (edited.card.tenant.clone(), edited.card.id.clone());
        let Some(Held { mut kept, read_from, .. }) = state.documents.get(&place).cloned() else { return Ok(None) };
        state.generation += 1;
        kept.document.card = edited.card;
        kept.taken_in_ms = edited.edited_ms;
        for (passage, embedding) in kept.passages.iter_mut().zip(edited.embeddings.into_iter().flatten()) {
            passage.embedding = embedding;
        }
        let edits = state.edits.entry(place).or_default();
        edits.retain(|before| edited.edits.iter().all(|edit| edit.field != before.field));
        edits.extend(edited.edits);
        edits.sort_by_key(|edit| edit.field);
        state.forget_if_open(&kept);
        Ok(Some(state.put(kept, read_from)))
    }

    async fn rename(&self, tenant: &str, renames: &[(DocumentId, String)]) -> Result<(), PortError> {
        let mut state = self.state();
        state.generation += u64::from(!renames.is_empty());
        for (id, source) in renames {
            let place = (tenant.to_owned(), id.clone());
            let before = state.documents.get(&place).map(|held| held.kept.document.card.clone());
            before.iter().for_each(|card| state.remember_source(card));
            if let Some(held) = state.documents.get_mut(&place) {
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
            let before = state.documents.get(&place).map(|held| held.kept.clone());
            before.iter().for_each(|before| state.remember_text(before));
            let moved = before.as_ref().map(|before| &before.document.card);
            if let Some(before) = moved.filter(|before| before.source != kept.document.card.source) {
                state.remember_source(before);
            }
            state.forget_if_open(&kept);
            let ended = kept.ended_edits.clone();
            state.edits.entry(place).or_default().retain(|edit| !ended.contains(&edit.field));
            let was_there = before.is_some();
            let version = state.put(kept, None);
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
        let mut removed = 0;
        for id in ids {
            if let Some(held) = state.documents.remove(&(tenant.to_owned(), id.clone())) {
                state.remember(&held.kept);
                removed += 1;
            }
        }
        Ok(removed)
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
