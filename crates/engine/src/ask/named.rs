//! The branches of questions the register answers: lists, and documents by their addresses.

use vouch_domain::{DocumentCard, LookupReport, Reader, StoredPassage};

use super::{AskError, Asked, Engine, Outcome, Scene, StopWatch};
use crate::{
    compose::{paragraphs, quote},
    decide::{
        Clarification, Decision, Grounds, RefusalReason, Suggestion, VerifiedAnswer, certain, decide, notices,
        refuse_with,
    },
    judge::Evidence,
    resolve::{Aim, Entity, LIST_MAX, Listing, Resolved, about},
    retrieve::{Candidates, Lane, LaneChoice, Probe, retrieve, retrieve_within, within},
    understand::{Understanding, understand_topic},
    verify::{VerifiedText, verify},
};

/// A document about a topic by its meaning alone must be this near.
const TOPIC_RELEVANCE: f32 = 0.65;
/// How many passages are looked through for a topic.
const TOPIC_POOL: usize = 2_000;
/// How much of a document is quoted where it is asked for as a whole, on average where it is several.
const PARAGRAPHS_A_DOCUMENT: usize = 12;
const OPTIONS_MAX: usize = 20;

impl Engine {
    /// Answers what the register knows; none where it knows nothing by name.
    pub(super) async fn named(
        &self,
        resolved: Resolved,
        understanding: &Understanding,
        scene: Scene<'_>,
        watch: &mut StopWatch<'_>,
    ) -> Result<Option<Outcome>, AskError> {
        let reader = &scene.question.reader;
        let outcome = match resolved {
            Resolved::Nothing => return Ok(None),
            Resolved::Listing(listing) => self.list(listing, reader).await?,
            Resolved::Missing { written, near } => {
                let suggestions = near.iter().map(Suggestion::of_card).collect();
                let report = report(&written, "miss");
                let reason = RefusalReason::EntityMissing { written };
                Outcome::said(Decision::Refuse(refuse_with(reason, suggestions, &self.policies.decide)), None)
                    .with_lookup(report)
            }
            Resolved::Ambiguous { written, cards } => {
                let report = report(&written, "several");
                Outcome::said(Decision::Clarify(choose(&written, &cards)), None).with_lookup(report)
            }
            Resolved::Entities(entities, aim) => {
                let asked: Vec<&str> =
                    entities.iter().filter_map(|one| one.card.address.as_ref()).map(|own| own.as_str()).collect();
                let report = report(&asked.join(", "), "hit");
                self.entities((entities, aim), understanding, scene, watch).await?.with_lookup(report)
            }
        };
        Ok(Some(outcome))
    }

    pub(super) async fn list(&self, listing: Listing, reader: &Reader) -> Result<Outcome, AskError> {
        let Listing { kind, status, about: topic, cards } = listing;
        let mut notices = Vec::new();
        if cards.len() > LIST_MAX {
            notices.push(format!("There are more than {LIST_MAX}; the rest was not looked through."));
        }
        let listed: Vec<DocumentCard> = cards.into_iter().take(LIST_MAX).collect();
        let cards = match &topic {
            None => listed,
            Some(topic) => {
                let mut policy = self.policies.retrieve.clone();
                policy.lane_limit = policy.lane_limit.max(TOPIC_POOL);
                policy.pool_max = policy.pool_max.max(TOPIC_POOL);
                let asked = understand_topic(topic);
                let probe = Probe::of(&asked, &self.retrieve, &policy).await;
                let found = retrieve(&probe, reader, LaneChoice::All, &self.retrieve, &policy).await?;
                if found.items().len() >= policy.pool_max {
                    notices.push("So many passages speak of this that the list may lack some.".to_owned());
                }
                about(listed, topic, &found, TOPIC_RELEVANCE)
            }
        };
        let lookup = report(&kind, if cards.is_empty() { "miss" } else { "hit" });
        if cards.is_empty() {
            let whole =
                Suggestion { label: format!("Every {kind}"), query: format!("List {kind}"), kind: kind.clone() };
            let suggestions = topic.iter().map(|_| whole.clone()).collect();
            let reason = RefusalReason::NothingListed { kind, about: topic };
            let refusal = refuse_with(reason, suggestions, &self.policies.decide);
            return Ok(Outcome::said(Decision::Refuse(refusal), None).with_lookup(lookup));
        }
        let text = VerifiedText::listing(&heading(&kind, (status.as_deref(), topic.as_deref()), cards.len()), &cards);
        let answer = VerifiedAnswer { text, confidence: certain(), notices };
        Ok(Outcome::said(Decision::Answer(answer), None).with_lookup(lookup))
    }

    async fn entities(
        &self,
        (entities, aim): (Vec<Entity>, Aim),
        understanding: &Understanding,
        scene: Scene<'_>,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let reader = &scene.question.reader;
        let cards: Vec<DocumentCard> = entities.iter().map(|entity| entity.card.clone()).collect();
        if aim == Aim::Status {
            let text = VerifiedText::standing(&cards);
            let notices = notices(&text, &self.policies.decide, self.clock.now_ms());
            let answer = VerifiedAnswer { text, confidence: certain(), notices };
            return Ok(Outcome::said(Decision::Answer(answer), None));
        }
        let mut passages = Vec::new();
        for entity in &entities {
            let asked = self.retrieve.register.passages_of(reader, &entity.card.id);
            let own = within(&self.policies.retrieve, "register", asked).await?;
            passages.extend(if aim == Aim::Whole { leading(own, entity.lead_section.as_deref()) } else { own });
        }
        if aim == Aim::Whole {
            return Ok(self.whole(&cards, passages).await);
        }
        let policy = &self.policies.retrieve;
        let probe = Probe::of(understanding, &self.retrieve, policy).await;
        let candidates = retrieve_within(&probe, passages, Lane::Address, &self.retrieve, policy).await;
        let asked = Asked { scene, understanding, note: None };
        self.judged(asked, candidates, watch).await
    }

    /// The documents in their own words, each under its card.
    async fn whole(&self, cards: &[DocumentCard], passages: Vec<StoredPassage>) -> Outcome {
        let evidence = Evidence::looked_up(passages);
        let paragraphs_max = PARAGRAPHS_A_DOCUMENT * cards.len();
        let draft = quote(&evidence, paragraphs_max, "extractive");
        let verification = verify(&draft, &evidence, None, &self.policies.verify).await;
        let none = Candidates::none();
        let grounds = Grounds { candidates: &none, evidence: &evidence, second_opinion: None };
        let decision = decide(verification, grounds, &self.policies.decide, self.clock.now_ms());
        let decision = match decision {
            Decision::Answer(mut answer) => {
                if paragraphs(&evidence).count() > paragraphs_max {
                    answer.notices.push("The text goes on after what is shown.".to_owned());
                }
                if let [card] = cards {
                    answer.text = answer.text.under_card(card);
                }
                Decision::Answer(answer)
            }
            Decision::Refuse(_) | Decision::Clarify(_) | Decision::Route(_) | Decision::General(_) => decision,
        };
        Outcome::said(decision, Some(evidence))
    }
}

/// The passages of the section that stands for the whole; all of them where there is no such section.
fn leading(passages: Vec<StoredPassage>, section: Option<&str>) -> Vec<StoredPassage> {
    let is_lead = |stored: &&StoredPassage| {
        let headings = &stored.passage.section;
        section.is_some_and(|wanted| headings.iter().any(|heading| heading.trim().eq_ignore_ascii_case(wanted)))
    };
    let lead: Vec<StoredPassage> = passages.iter().filter(is_lead).cloned().collect();
    if lead.is_empty() { passages } else { lead }
}

fn heading(kind: &str, (status, about): (Option<&str>, Option<&str>), count: usize) -> String {
    let noun = if count == 1 { "document" } else { "documents" };
    let noun = status.map_or(noun.to_owned(), |status| format!("{status} {noun}"));
    match about {
        None => format!("{count} {noun} of kind {kind}:"),
        Some(about) => format!("{count} {noun} of kind {kind} about \"{about}\":"),
    }
}

fn choose(written: &str, cards: &[DocumentCard]) -> Clarification {
    let option = |card: &DocumentCard| {
        let name = card.address.as_ref().map_or(card.title.as_str(), |address| address.as_str());
        Suggestion {
            label: format!("{name} of {} ({})", card.collection, card.title),
            query: format!("{name} of {}", card.collection),
            kind: card.kind.clone(),
        }
    };
    Clarification {
        question: format!("{} documents are called \"{written}\". Which one is meant?", cards.len()),
        text: Some(VerifiedText::standing(cards)),
        options: cards.iter().take(OPTIONS_MAX).map(option).collect(),
    }
}

fn report(asked: &str, outcome: &'static str) -> LookupReport {
    LookupReport { backend: "catalogue", asked: asked.to_owned(), outcome, is_cached: false, waited_ms: 0.0 }
}
