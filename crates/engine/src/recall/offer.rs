//! A question without a good answer → the phrases of entries near it, which can be asked instead.
//!
//! Invariant: only what an editor wrote as a question or a trigger is offered, never the words of a note, and only where it
//! leads somewhere for this reader.

use std::sync::Arc;

use vouch_domain::{Embedding, PortError, Reader, WordingKey, memory::MemoryEntry};

use super::Recall;
use crate::{retrieve::with_timeout, understand::Understanding};

/// How many entries are looked at.
const LOOKED_AT_MAX: usize = 5;

impl Recall<'_> {
    /// The phrases nearest to a question and its vector, one per entry, at most so many; none where the memory cannot be asked.
    pub async fn offers(&self, question: (&Understanding, &Embedding), reader: &Reader, limit: usize) -> Vec<String> {
        match with_timeout(self.deadline, "memory", self.find_offers(question, reader, limit)).await {
            Ok(offers) => offers,
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "no entries near the question could be offered");
                Vec::new()
            }
        }
    }

    async fn find_offers(
        &self,
        (understanding, vector): (&Understanding, &Embedding),
        reader: &Reader,
        limit: usize,
    ) -> Result<Vec<String>, PortError> {
        let languages = self.languages(understanding, None);
        let map = self.ports.embedder.likeness_map();
        let own = WordingKey::of(understanding.text());
        let mut offers = Vec::new();
        for found in self.memory.nearest(reader, std::slice::from_ref(vector), &languages, LOOKED_AT_MAX).await? {
            let is_near = map.relevance(found.cosine) >= self.policy.note_at_least;
            if offers.len() == limit || !is_near {
                break;
            }
            let is_phrase = found.entry.phrases.iter().any(|phrase| phrase.text == found.text);
            let is_other = WordingKey::of(&found.text) != own;
            if is_phrase && is_other && self.leads_somewhere(&found.entry, reader).await? {
                offers.push(found.text);
            }
        }
        Ok(offers)
    }

    /// Whether the reader may see one of an entry's sources.
    async fn leads_somewhere(&self, entry: &Arc<MemoryEntry>, reader: &Reader) -> Result<bool, PortError> {
        for reference in &entry.references {
            let referred = super::references::passages_of(reference, reader, self.ports.register.as_ref()).await?;
            if !referred.passages.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
