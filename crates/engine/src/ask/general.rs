//! What the documents do not cover → an answer from a stronger model's general knowledge, if the profile allows it.
//!
//! Invariant: it is asked only where the best of what was found is farther away than the profile's figure; whatever looks like a
//! citation, an address or a link removes its sentence, or the whole where most of it does, and the disclaimer always comes first.

use super::{engine::Engine, material::Material, named_source::names_a_source};
use crate::{
    compose::markers::MarkerTable,
    decide::{Decision, GeneralAnswer, RefusalReason},
    model_registry::prompt::{OUT_OF_CORPUS, system_message, user_message},
    verify::gauntlet::{CleanText, DropCounts, Gauntlet, SentenceCutter},
};

/// Gates whose refusal says that nothing near the question was found.
const COVERAGE_GATES: &[&str] = &["bail_out", "coverage", "no_context", "top1"];
/// How many sentences are shown.
const SENTENCES_MAX: usize = 5;

impl Engine {
    /// The refusal, or what general knowledge says instead.
    pub(super) async fn answer_from_general_knowledge(&self, decision: Decision, material: &Material) -> Decision {
        let is_uncovered = match &decision {
            Decision::Refuse(refusal) => {
                matches!(refusal.reason, RefusalReason::NothingFound { .. })
                    || COVERAGE_GATES.contains(&refusal.reason.as_str())
            }
            Decision::Answer(_)
            | Decision::Clarify(_)
            | Decision::Refer(_)
            | Decision::General(_)
            | Decision::Tool(_) => false,
        };
        let policy = &self.policies.compose;
        let is_far = best_relevance(material).is_some_and(|best| best < policy.out_of_corpus_below);
        let (Some(job_model), Some(disclaimer), true) =
            (&self.model_registry.out_of_corpus, &policy.out_of_corpus_disclaimer, is_uncovered && is_far)
        else {
            return decision;
        };
        let said = job_model
            .complete(vec![system_message(OUT_OF_CORPUS.to_owned()), user_message(material.understanding.asked())])
            .await;
        let sentences = match said {
            Ok(said) => self.uncited(&said),
            Err(error) => {
                tracing::warn!(code = error.code(), "the general-knowledge model could not be asked");
                Vec::new()
            }
        };
        GeneralAnswer::new(disclaimer, sentences, &job_model.model).map_or(decision, Decision::General)
    }

    /// Its sentences except those that name a source; none where that is most of them, or where they name one together.
    fn uncited(&self, said: &str) -> Vec<String> {
        let (mut clean, mut drops) = (CleanText::default(), DropCounts::default());
        let mut gauntlet = Gauntlet::new(MarkerTable::default());
        let mut cutter = SentenceCutter::new(&[]);
        gauntlet.push(said.as_bytes(), &mut clean);
        gauntlet.finish(&mut clean);
        let mut sentences = cutter.push(&mut clean, &mut drops);
        sentences.extend(cutter.finish(&mut drops));
        let schemes = &self.policies.understand.addresses;
        let texts: Vec<String> = sentences.into_iter().map(|dictated| dictated.sentence.text).collect();
        let all = texts.len();
        let mut plain: Vec<String> = texts.into_iter().filter(|text| !names_a_source(text, schemes)).collect();
        let is_mostly_cited = plain.len() * 2 < all;
        plain.truncate(SENTENCES_MAX);
        if is_mostly_cited || names_a_source(&plain.join(" "), schemes) { Vec::new() } else { plain }
    }
}

/// How near the best of what was found is; nothing where a part of the search was down, so that nobody can say.
fn best_relevance(material: &Material) -> Option<f32> {
    if !material.lost_in_search().is_empty() {
        return None;
    }
    let found = material.candidates.items().iter();
    if found.len() == 0 {
        return Some(0.0);
    }
    found.filter_map(|candidate| Some(candidate.similarity?.relevance)).max_by(f32::total_cmp)
}
