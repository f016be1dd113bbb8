//! The question in the documents' spelling, with other labels of its terms, and as a model would ask for it.

use vouch_domain::Reader;

use super::{engine::Engine, lookup_faults::LookupFaults};
use crate::{
    model_registry::prompt::{CLASSIFY, PLAN, fill_template, system_message, user_message},
    retrieve::respellings,
    trace::RewriteKind,
    understand::{QueryClass, Understanding},
};

/// How many questions a planner may add.
const PLANNED_MAX: usize = 3;
/// A longer planned question is discarded, in characters.
const PLANNED_CHARS_MAX: usize = 300;

impl Engine {
    /// The question asked in more ways; unchanged if nothing is known about it.
    pub(super) async fn widen(
        &self,
        understanding: &Understanding,
        reader: &Reader,
        faults: &mut LookupFaults,
    ) -> Understanding {
        let policies = &self.policies;
        let spelt = async {
            match policies.understand.uses(RewriteKind::Spelling) {
                true => {
                    respellings(understanding, reader, &self.retrieve, &policies.retrieve).await.unwrap_or_default()
                }
                false => Vec::new(),
            }
        };
        let labels = async {
            match self.terms_in_use().await {
                Some(term_lookup) if policies.understand.uses(RewriteKind::Synonym) => {
                    term_lookup.other_labels(reader, &understanding.term_candidates()).await
                }
                Some(_) | None => Ok(Vec::new()),
            }
        };
        let (spelt, labels, planned) = tokio::join!(spelt, labels, self.plan_questions(understanding));
        let labels = faults.note(labels);
        let widened = if spelt.is_empty() && labels.is_empty() {
            understanding.clone()
        } else {
            understanding.widen(spelt, &labels, &policies.understand)
        };
        widened.with_questions(planned)
    }

    /// Other questions a model would find the answer by; none if no model plans, or it fails.
    async fn plan_questions(&self, understanding: &Understanding) -> Vec<String> {
        let Some(job_model) = &self.model_registry.planning else { return Vec::new() };
        let count = PLANNED_MAX.to_string();
        let messages =
            vec![system_message(fill_template(PLAN, &[("count", &count)])), user_message(understanding.asked())];
        match job_model.complete(messages).await {
            Ok(said) => questions(&said),
            Err(error) => {
                tracing::warn!(code = error.code(), "the model planned no further questions");
                Vec::new()
            }
        }
    }

    /// What sort of question it is, by a model's word where one is asked and gives one.
    pub(super) async fn classify(&self, understanding: Understanding) -> Understanding {
        let Some(job_model) = &self.model_registry.routing else { return understanding };
        let messages = vec![system_message(CLASSIFY.to_owned()), user_message(understanding.text())];
        match job_model.complete(messages).await {
            Ok(said) => match QueryClass::parse(&said) {
                Some(class) => understanding.with_class(class),
                None => understanding,
            },
            Err(error) => {
                tracing::warn!(code = error.code(), "the model could not classify the question; rules did");
                understanding
            }
        }
    }
}

/// The questions a planner wrote, one per line, without numbers or bullets.
fn questions(said: &str) -> Vec<String> {
    let bare = |line: &str| line.trim().trim_start_matches(|c: char| !c.is_alphabetic()).trim().to_owned();
    let is_question =
        |line: &String| !line.is_empty() && line.chars().count() <= PLANNED_CHARS_MAX && line.ends_with('?');
    said.lines().map(bare).filter(is_question).take(PLANNED_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::questions;

    #[test]
    fn a_planner_is_read_line_by_line_and_no_further() {
        let said =
            "Here are some:\n1. How long is leave?\n- Who signs it?\nNot a question.\n* When is it due?\nAnd a fourth?";
        assert_eq!(questions(said), ["How long is leave?", "Who signs it?", "When is it due?"]);
    }
}
