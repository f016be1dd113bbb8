//! A question for documents of a kind: all of them, one row per document, from the catalogue.

use vouch_domain::{DocumentCard, PortError, Reader};

use super::{
    engine::Engine,
    material::{Author, Material},
};
use crate::{
    decide::{RefusalReason, Suggestion, refuse_with},
    judge::Evidence,
    resolve::{LIST_MAX, Listing, about},
    retrieve::{LaneChoice, Probe, retrieve},
    trace::{LookupOutcome, LookupReport},
    understand::{Understanding, understand_topic},
    verify::Rows,
};

/// A document about a topic by its meaning alone must be this near.
const TOPIC_RELEVANCE: f32 = 0.65;
/// How many passages are looked through for a topic.
const TOPIC_POOL: usize = 2_000;

impl Engine {
    pub(super) async fn gather_listed(
        &self,
        understanding: &Understanding,
        Listing { kind, status, about: topic, cards }: Listing,
        reader: &Reader,
    ) -> Result<Material, PortError> {
        let mut notices = Vec::new();
        if cards.len() > LIST_MAX {
            notices.push(format!("There are more than {LIST_MAX}; the rest was not looked through."));
        }
        let mut cards: Vec<DocumentCard> = cards.into_iter().take(LIST_MAX).collect();
        if let Some(topic) = &topic {
            cards = self.about(topic, cards, reader, &mut notices).await?;
        }
        let lookup = report(&kind, if cards.is_empty() { LookupOutcome::Miss } else { LookupOutcome::Hit });
        if cards.is_empty() {
            let whole =
                Suggestion { label: format!("Every {kind}"), query: format!("List {kind}"), kind: kind.clone() };
            let suggestions = topic.iter().map(|_| whole.clone()).collect();
            let reason = RefusalReason::NothingListed { kind, about: topic };
            let refusal = refuse_with(reason, suggestions, &self.policies.decide);
            return Ok(Material::refused(understanding, refusal).with_lookup(lookup));
        }
        let heading = heading(&kind, status.as_deref(), topic.is_some(), cards.len());
        let author = Author::Catalogue(Rows::with_heading(heading, cards));
        let material = Material::looked_up(understanding, Evidence::empty(), author);
        Ok(Material { notices, ..material }.with_lookup(lookup))
    }

    /// Those that speak of a topic.
    async fn about(
        &self,
        topic: &str,
        listed: Vec<DocumentCard>,
        reader: &Reader,
        notices: &mut Vec<String>,
    ) -> Result<Vec<DocumentCard>, PortError> {
        let mut policy = self.policies.retrieve.clone();
        policy.lane_limit = policy.lane_limit.max(TOPIC_POOL);
        policy.pool_max = policy.pool_max.max(TOPIC_POOL);
        let probe = Probe::new(understand_topic(topic), &self.retrieve, &policy).await;
        let found = retrieve(&probe, reader, LaneChoice::All, &self.retrieve, &policy).await?;
        if found.items().len() >= policy.pool_max {
            notices.push("So many passages speak of this that the list may lack some.".to_owned());
        }
        Ok(about(listed, topic, &found, TOPIC_RELEVANCE))
    }
}

/// The heading of a list comes from the catalogue; the asker's own words are not repeated as if they were checked.
fn heading(kind: &str, status: Option<&str>, has_topic: bool, count: usize) -> String {
    let noun = if count == 1 { "document" } else { "documents" };
    let noun = status.map_or(noun.to_owned(), |status| format!("{status} {noun}"));
    let topic = if has_topic { " on the topic asked for" } else { "" };
    format!("{count} {noun} of kind {kind}{topic}:")
}

pub(super) fn report(asked: &str, outcome: LookupOutcome) -> LookupReport {
    LookupReport { backend: "catalogue", asked: asked.to_owned(), outcome, is_cached: false, waited_ms: 0.0 }
}
