//! A question whose sources an editor has chosen: those sources in their own words.

use vouch_domain::{PassageKey, StoredPassage};

use super::{
    engine::Engine,
    material::{Author, Chosen, Material, Quotation},
    plan::PreparedSearch,
};
use crate::{
    judge::Evidence,
    recall::RecalledEntry,
    retrieve::{Candidates, Probe},
};

/// How many paragraphs of each reference are quoted.
const PARAGRAPHS_PER_REFERENCE: usize = 3;
/// A document of more passages than this is quoted by the passage nearest to the question.
const WHOLE_PASSAGES_MAX: usize = 2;
const WRITER: &str = "extractive";

impl Engine {
    pub(super) async fn gather_pinned(
        &self,
        PreparedSearch { probe, recalled, .. }: PreparedSearch,
        pinned: RecalledEntry,
    ) -> Material {
        let notice = format!("An editor chose these sources for the question \"{}\".", pinned.text);
        let material = self.quote_references(&probe, pinned).await;
        Material { notices: vec![notice], is_named: true, ..material }.with_memory(&recalled)
    }

    /// What an entry refers to, in its own words.
    pub(super) async fn quote_references(&self, probe: &Probe, recalled: RecalledEntry) -> Material {
        let chosen = if recalled.is_exact { Chosen::Editor } else { Chosen::Nobody };
        let evidence = self.evidence_of_references(probe, recalled).await;
        let author = Author::Passages(quotation_of(&evidence));
        let candidates = Candidates::unsearched(probe);
        Material { candidates, chosen, ..Material::looked_up(&probe.understanding, evidence, author) }
    }

    /// What is quoted of an entry's references.
    pub(super) async fn evidence_of_references(&self, probe: &Probe, recalled: RecalledEntry) -> Evidence {
        let passages = self.nearest_of_each(probe, recalled.passages, &recalled.named).await;
        Evidence::pinned(passages, recalled.similarity)
    }

    /// What the references name and short documents whole, of long ones the passage nearest to the question; in the order of the references.
    async fn nearest_of_each(
        &self,
        probe: &Probe,
        passages: Vec<StoredPassage>,
        named: &[PassageKey],
    ) -> Vec<StoredPassage> {
        if passages.iter().all(|one| named.contains(&one.key)) {
            return passages;
        }
        let ordered = self.rank_passages(probe, passages.clone()).await;
        let is_named = |one: &StoredPassage| named.contains(&one.key);
        let of_same = |one: &StoredPassage| {
            passages.iter().filter(|other| !is_named(other) && other.document.id == one.document.id).count()
        };
        let is_nearest = |one: &StoredPassage| {
            let is_other = |other: &StoredPassage| !is_named(other) && other.document.id == one.document.id;
            let first = ordered.items().iter().find(|candidate| is_other(&candidate.passage));
            first.is_some_and(|first| first.passage.key == one.key)
        };
        let is_quoted = |one: &&StoredPassage| is_named(one) || of_same(one) <= WHOLE_PASSAGES_MAX || is_nearest(one);
        passages.iter().filter(is_quoted).cloned().collect()
    }
}

/// How much of the evidence is quoted.
pub(super) fn quotation_of(evidence: &Evidence) -> Quotation {
    let paragraphs_max = PARAGRAPHS_PER_REFERENCE * evidence.pieces().len();
    Quotation { paragraphs_max, model: WRITER.to_owned(), card: None }
}
