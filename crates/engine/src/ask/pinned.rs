//! A question whose sources an editor has chosen: those sources in their own words.

use vouch_domain::StoredPassage;

use super::{
    engine::Engine,
    material::{Author, Material, Quotation},
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
        let passages = self.nearest_of_each(probe, recalled.passages).await;
        let evidence = Evidence::pinned(passages, recalled.similarity);
        let paragraphs_max = PARAGRAPHS_PER_REFERENCE * evidence.pieces().len();
        let author = Author::Passages(Quotation { paragraphs_max, model: WRITER.to_owned(), card: None });
        let candidates = Candidates::unsearched(probe);
        Material { candidates, ..Material::looked_up(&probe.understanding, evidence, author) }
    }

    /// Short documents whole, of long ones the passage nearest to the question; in the order of the references.
    async fn nearest_of_each(&self, probe: &Probe, passages: Vec<StoredPassage>) -> Vec<StoredPassage> {
        let ordered = self.rank_passages(probe, passages.clone()).await;
        let of_same =
            |one: &StoredPassage| passages.iter().filter(|other| other.document.id == one.document.id).count();
        let is_nearest = |one: &StoredPassage| {
            let first = ordered.items().iter().find(|candidate| candidate.passage.document.id == one.document.id);
            first.is_some_and(|first| first.passage.key == one.key)
        };
        passages.iter().filter(|one| of_same(one) <= WHOLE_PASSAGES_MAX || is_nearest(one)).cloned().collect()
    }
}
