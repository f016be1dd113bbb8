//! A follow-up → the passages that the previous answer cited, kept whatever their score.

use vouch_domain::{DocumentId, Question, Speaker, StoredPassage};

use super::engine::Engine;
use crate::{
    retrieve::{Candidates, Lane, Probe, retrieve_among, with_timeout},
    understand::QueryClass,
};

/// How many sources of the previous turn are carried over.
const CARRIED_MAX: usize = 5;

impl Engine {
    /// The last answer's passages, as far as the reader may see them; none if the question stands alone.
    pub(super) async fn carry_over(&self, probe: &Probe, question: &Question) -> Candidates {
        let understanding = &probe.understanding;
        let is_follow_up =
            understanding.class() == QueryClass::Clarification || understanding.asked() != understanding.text();
        let last = question.conversation.iter().rev().find(|turn| turn.speaker == Speaker::Vouch);
        let Some(last) = last.filter(|_| is_follow_up) else { return Candidates::empty() };
        let mut passages: Vec<StoredPassage> = Vec::new();
        for source in last.sources.iter().take(CARRIED_MAX) {
            let Some((id, ordinal)) = source.rsplit_once(':') else { continue };
            let (Some(id), Ok(ordinal)) = (DocumentId::parse(id), ordinal.parse::<u32>()) else { continue };
            let asked = self.retrieve.register.passages_of(&question.reader, &id);
            let own = with_timeout(&self.policies.retrieve, "register", asked).await.unwrap_or_default();
            passages.extend(own.into_iter().filter(|one| one.passage.ordinal == ordinal));
        }
        if passages.is_empty() {
            return Candidates::empty();
        }
        let policy = &self.policies.retrieve;
        let found = retrieve_among(probe, passages, Lane::Conversation, &self.retrieve, policy).await;
        found.forced_by(Lane::Conversation, 0.0)
    }
}
