//! A question that names documents by their addresses: what their cards say, what they say, or an answer from them.

use std::{collections::BTreeSet, ops::Range};

use vouch_domain::{
    DocumentCard, PortError, Question, StoredPassage,
    language::{key_terms, sentence_ranges, terms},
};

use super::{
    engine::{AskError, Engine},
    listed::report,
    material::{Author, Choice, Material, Quotation},
    trace::StopWatch,
};
use crate::{
    compose::paragraphs,
    decide::{RefusalReason, Suggestion, refuse_with},
    judge::Evidence,
    resolve::{Aim, Entity, NamedDocuments},
    retrieve::{Lane, LaneChoice, Probe, retrieve, retrieve_among, with_timeout},
    trace::LookupOutcome,
    understand::Understanding,
    verify::Rows,
};

/// How much of a document is quoted when it is asked for as a whole; an average if there are several.
const PARAGRAPHS_PER_DOCUMENT: usize = 12;
const OPTIONS_MAX: usize = 20;
const WRITER: &str = "extractive";

impl Engine {
    pub(super) async fn gather_named(
        &self,
        understanding: &Understanding,
        named: Result<NamedDocuments, PortError>,
        question: &Question,
        watch: &mut StopWatch<'_>,
    ) -> Result<Material, AskError> {
        let refused = |reason: RefusalReason, suggestions: Vec<Suggestion>| {
            Material::refused(understanding, refuse_with(reason, suggestions, &self.policies.decide))
        };
        let named = match named {
            Ok(named) => named,
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "register failed");
                return Ok(refused(RefusalReason::Unsearchable { failure: error.to_string() }, Vec::new()));
            }
        };
        Ok(match named {
            NamedDocuments::Missing { written, near } => {
                let suggestions = near.iter().map(Suggestion::from_card).collect();
                let report = report(&written, LookupOutcome::Miss);
                refused(RefusalReason::EntityMissing { written }, suggestions).with_lookup(report)
            }
            NamedDocuments::Ambiguous { written, cards } => {
                let report = report(&written, LookupOutcome::Several);
                ambiguous(understanding, &written, cards).with_lookup(report)
            }
            NamedDocuments::Entities(entities, aim) => {
                let asked: Vec<&str> =
                    entities.iter().filter_map(|one| one.card.address.as_ref()).map(|own| own.as_str()).collect();
                let report = report(&asked.join(", "), LookupOutcome::Hit);
                self.entities((&entities, aim), understanding, question, watch).await?.with_lookup(report)
            }
        })
    }

    async fn entities(
        &self,
        (entities, aim): (&[Entity], Aim),
        understanding: &Understanding,
        question: &Question,
        watch: &mut StopWatch<'_>,
    ) -> Result<Material, PortError> {
        let cards: Vec<DocumentCard> = entities.iter().map(|entity| entity.card.clone()).collect();
        if aim == Aim::Facts {
            let author = Author::Catalogue(Rows::with_every_fact(cards));
            return Ok(Material::looked_up(understanding, Evidence::empty(), author));
        }
        let mut passages = Vec::new();
        for entity in entities {
            let asked = self.retrieve.register.passages_of(&question.reader, &entity.card.id);
            let own = with_timeout(&self.policies.retrieve, "register", asked).await?;
            passages.extend(if aim == Aim::Whole { leading(own, entity.lead_section.as_deref()) } else { own });
        }
        if aim == Aim::Whole {
            return Ok(whole(understanding, cards, passages));
        }
        if let Aim::About(topic) = &aim
            && let speaking @ [_, ..] = speaking_of(topic, &passages).as_slice()
        {
            return Ok(whole(understanding, cards, speaking.to_vec()));
        }
        self.judge_named((entities, passages), understanding, question, watch).await
    }

    /// An answer from the documents named; where the question speaks of documents of another kind, too, or the profile
    /// never keeps to those named, from everything, with them at hand.
    async fn judge_named(
        &self,
        (entities, passages): (&[Entity], Vec<StoredPassage>),
        understanding: &Understanding,
        question: &Question,
        watch: &mut StopWatch<'_>,
    ) -> Result<Material, PortError> {
        let policy = &self.policies.retrieve;
        let is_other = |kind: &String| entities.iter().all(|one| !one.card.kind.eq_ignore_ascii_case(kind));
        let goes_beyond = self.policies.understand.search_beyond_named || understanding.kinds().iter().any(is_other);
        let said = |one: &Entity| if goes_beyond { opening(one, &passages) } else { one.card.title.clone() };
        let names: Vec<(Range<usize>, String)> =
            entities.iter().filter_map(|one| Some((one.at.clone()?, said(one)))).collect();
        let spelt_out = understanding.spelt_out(&names);
        let probe = Probe::new(spelt_out.clone(), &self.retrieve, policy).await;
        let named = retrieve_among(&probe, passages, Lane::Address, &self.retrieve, policy).await;
        if !goes_beyond {
            return Ok(self.judge_candidates(&spelt_out, named, question.passages_max, watch).await);
        }
        let found = retrieve(&probe, &question.reader, LaneChoice::All, &self.retrieve, policy).await?;
        let candidates = found.merge(named);
        let material = self.judge_candidates(&spelt_out, candidates, question.passages_max, watch).await;
        Ok(Material { is_whole_corpus: true, ..material })
    }
}

/// What others would speak of where they speak of a document: a short one's first sentence, a long one's title.
fn opening(entity: &Entity, passages: &[StoredPassage]) -> String {
    let own: Vec<&StoredPassage> = passages.iter().filter(|stored| stored.document.id == entity.card.id).collect();
    let first = match own.as_slice() {
        [only] => sentence_ranges(&only.passage.text).into_iter().next().and_then(|range| only.passage.text.get(range)),
        _ => None,
    };
    first.map_or(entity.card.title.clone(), |sentence| sentence.trim_end_matches(['.', '!', '?']).to_owned())
}

/// Those of a document's passages that hold every word of a topic.
fn speaking_of(topic: &str, passages: &[StoredPassage]) -> Vec<StoredPassage> {
    let wanted = key_terms(topic);
    let speaks = |stored: &&StoredPassage| {
        let headings = stored.passage.section.iter().flat_map(|heading| terms(heading));
        let held: BTreeSet<String> = terms(&stored.passage.text).into_iter().chain(headings).collect();
        !wanted.is_empty() && wanted.iter().all(|term| held.contains(term))
    };
    passages.iter().filter(speaks).cloned().collect()
}

/// The documents in their own words, a single one under its card.
fn whole(understanding: &Understanding, cards: Vec<DocumentCard>, passages: Vec<StoredPassage>) -> Material {
    Material { is_named: true, ..quoted(understanding, cards, Evidence::looked_up(passages)) }
}

/// The same of evidence that is known.
pub(super) fn quoted(understanding: &Understanding, cards: Vec<DocumentCard>, evidence: Evidence) -> Material {
    let paragraphs_max = PARAGRAPHS_PER_DOCUMENT * cards.len();
    let is_cut = paragraphs(&evidence).count() > paragraphs_max;
    let notices = is_cut.then(|| "The text continues beyond what is shown.".to_owned()).into_iter().collect();
    let card = <[DocumentCard; 1]>::try_from(cards).ok().map(|[card]| Box::new(card));
    let author = Author::Passages(Quotation { paragraphs_max, model: WRITER.to_owned(), card });
    Material { notices, ..Material::looked_up(understanding, evidence, author) }
}

fn ambiguous(understanding: &Understanding, written: &str, cards: Vec<DocumentCard>) -> Material {
    let option = |card: &DocumentCard| {
        let name = card.address.as_ref().map_or(card.title.as_str(), |address| address.as_str());
        Suggestion {
            label: format!("{name} of {} ({})", card.collection, card.title),
            query: format!("{name} of {}", card.collection),
            kind: card.kind.clone(),
        }
    };
    let choice = Choice {
        question: format!("{} documents are called \"{written}\". Which one do you mean?", cards.len()),
        options: cards.iter().take(OPTIONS_MAX).map(option).collect(),
    };
    let material = Material::looked_up(understanding, Evidence::empty(), Author::Catalogue(Rows::new(cards)));
    Material { choice: Some(choice), ..material }
}

/// The passages of the section that stands for the whole; all of them where there is no such section.
fn leading(passages: Vec<StoredPassage>, section: Option<&str>) -> Vec<StoredPassage> {
    let lead = section.map(|section| lead_of(&passages, section)).unwrap_or_default();
    if lead.is_empty() { passages } else { lead }
}

/// The passages under a heading.
pub(super) fn lead_of(passages: &[StoredPassage], section: &str) -> Vec<StoredPassage> {
    let is_lead = |stored: &&StoredPassage| {
        let mut headings = stored.passage.section.iter();
        headings.any(|heading| heading.trim().eq_ignore_ascii_case(section))
    };
    passages.iter().filter(is_lead).cloned().collect()
}
