//! A question that has to be searched for: retrieve, judge, and let the profile's writer write.

use vouch_domain::Question;

use super::{
    engine::{AskError, Engine},
    material::{Author, Material},
    plan::PreparedSearch,
    trace::StopWatch,
};
use crate::{
    decide::refuse_early,
    judge::judge,
    recall::RecalledEntry,
    retrieve::{Candidates, LaneChoice, retrieve},
    trace::Stage,
    understand::Understanding,
};

impl Engine {
    /// A note that is near enough and well founded is answered from alone, where that passes every gate; else everything
    /// is searched, with what a note or the answer before refers to at hand.
    pub(super) async fn gather_searched(
        &self,
        PreparedSearch { probe, recalled }: PreparedSearch,
        question: &Question,
        watch: &mut StopWatch<'_>,
    ) -> Result<Material, AskError> {
        let note = recalled.note.as_ref();
        let referred = self.note_references(&probe, note).await;
        if note.is_some_and(|note| note.is_sufficient(&self.policies.memory)) {
            let material =
                self.judge_candidates(&probe.understanding, referred.clone(), question.passages_max, watch).await;
            if !matches!(material.author, Author::Nobody(_)) {
                return Ok(self.add_background(material, note).with_memory(&recalled));
            }
        }
        let policy = &self.policies.retrieve;
        let found = retrieve(&probe, &question.reader, LaneChoice::All, &self.retrieve, policy).await?;
        let carried = self.carry_over(&probe, question).await;
        watch.lap(Stage::Retrieve);
        let candidates = found.merge(referred).merge(carried);
        let material = self.judge_candidates(&probe.understanding, candidates, question.passages_max, watch).await;
        let material = Material { is_whole_corpus: true, ..self.add_background(material, note) };
        Ok(material.with_memory(&recalled))
    }

    /// Candidates as far as they are evidence; nobody writes where the gates refuse.
    pub(super) async fn judge_candidates(
        &self,
        understanding: &Understanding,
        candidates: Candidates,
        passages_max: Option<usize>,
        watch: &mut StopWatch<'_>,
    ) -> Material {
        let policies = &self.policies;
        let judge_of_passages = self.passage_judge.as_ref();
        let evidence = judge(understanding, &candidates, passages_max, judge_of_passages, &policies.judge).await;
        watch.lap(Stage::Judge);
        let author = match refuse_early(&candidates, &evidence, &policies.decide) {
            Some(refusal) => Author::Nobody(refusal),
            None => Author::Writer { background: None },
        };
        Material { candidates, ..Material::looked_up(understanding, evidence, author) }
    }

    /// The same with an editor's note to frame what is written.
    fn add_background(&self, mut material: Material, note: Option<&RecalledEntry>) -> Material {
        if let Author::Writer { background } = &mut material.author {
            let words = note.and_then(|note| note.entry.note_in(&self.policies.memory.language));
            *background = words.map(str::to_owned);
        }
        material
    }
}
