//! What the documents do not cover → an answer from a stronger model's general knowledge, if the profile allows it.
//!
//! Invariant: it is asked only where nothing near enough was found; whatever looks like a citation, an address or a link
//! removes its sentence, and the disclaimer always comes first.

use super::engine::Engine;
use crate::{
    compose::markers::MarkerTable,
    decide::{Decision, GeneralAnswer, RefusalReason},
    model_registry::prompt::{OUT_OF_CORPUS, system_message, user_message},
    understand::{Understanding, mentions},
    verify::gauntlet::{CleanText, DropCounts, Gauntlet, SentenceCutter},
};

/// Gates whose refusal says that nothing near the question was found.
const COVERAGE_GATES: &[&str] = &["bail_out", "coverage", "no_context", "top1"];
/// How many sentences are shown.
const SENTENCES_MAX: usize = 5;

impl Engine {
    /// The refusal, or what general knowledge says instead.
    pub(super) async fn answer_from_general_knowledge(
        &self,
        decision: Decision,
        understanding: &Understanding,
    ) -> Decision {
        let is_uncovered = match &decision {
            Decision::Refuse(refusal) => {
                refusal.reason == RefusalReason::NothingFound || COVERAGE_GATES.contains(&refusal.reason.as_str())
            }
            Decision::Answer(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) => false,
        };
        let (Some(job_model), Some(disclaimer), true) =
            (&self.model_registry.out_of_corpus, &self.policies.compose.out_of_corpus_disclaimer, is_uncovered)
        else {
            return decision;
        };
        let said = job_model
            .complete(vec![system_message(OUT_OF_CORPUS.to_owned()), user_message(understanding.asked())])
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

    /// Its sentences except those that name a source.
    fn uncited(&self, said: &str) -> Vec<String> {
        let (mut clean, mut drops) = (CleanText::default(), DropCounts::default());
        let mut gauntlet = Gauntlet::new(MarkerTable::default());
        let mut cutter = SentenceCutter::new(&[]);
        gauntlet.push(said.as_bytes(), &mut clean);
        gauntlet.finish(&mut clean);
        let mut sentences = cutter.push(&mut clean, &mut drops);
        sentences.extend(cutter.finish(&mut drops));
        let schemes = &self.policies.understand.addresses;
        let names_a_source = |text: &str| {
            let lower = text.to_lowercase();
            !mentions(text, schemes).is_empty()
                || ["http:", "https:", "www.", "doi:"].iter().any(|link| lower.contains(link))
        };
        let texts = sentences.into_iter().map(|dictated| dictated.sentence.text);
        texts.filter(|text| !names_a_source(text)).take(SENTENCES_MAX).collect()
    }
}
