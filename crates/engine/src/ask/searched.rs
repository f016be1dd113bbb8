//! A question that has to be searched for: retrieve, judge, and let the profile's writer write.

use vouch_domain::{DocumentCard, Question, language::fold_spaces};

use super::{
    engine::{AskError, Engine},
    material::{Author, Choice, Chosen, Material},
    memory_lookup::editors_note,
    plan::PreparedSearch,
    trace::StopWatch,
};
use crate::{
    decide::{Suggestion, refuse_early},
    judge::{Evidence, Readers, judge},
    recall::RecalledEntry,
    retrieve::{Candidates, Probe, ReadGeneration},
    trace::Stage,
    understand::Understanding,
    verify::Rows,
};

/// How many things an "it" is offered to stand for.
const OPTIONS_MAX: usize = 3;

impl Engine {
    /// A note that is near enough and well founded is answered from alone, where that passes every gate; else everything
    /// is searched, with what a note or the answer before refers to at hand. Where what was read is of another generation than
    /// `reread`, it will be read again and is not judged.
    pub(super) async fn gather_searched(
        &self,
        PreparedSearch { probe, recalled, found, .. }: PreparedSearch,
        question: &Question,
        (watch, reread): (&mut StopWatch<'_>, Option<ReadGeneration>),
    ) -> Result<Material, AskError> {
        let note = recalled.note.as_ref();
        if let Some(material) = self.both_sides(&probe, note, question).await {
            return Ok(material.with_memory(&recalled));
        }
        let referred = self.note_references(&probe, note).await;
        if let Some(note) = note.filter(|note| note.is_sufficient(&self.policies.memory)) {
            let material =
                self.judge_candidates(&probe.understanding, referred.clone(), question.passages_max, watch).await;
            if note.is_exact || !matches!(material.author, Author::Nobody(_)) {
                let chosen = match note.is_exact {
                    true => Chosen::EditorToQuote(Box::new(self.evidence_of_references(&probe, note.clone()).await)),
                    false => Chosen::Nobody,
                };
                let material = add_background(material, Some(note)).with_memory(&recalled);
                return Ok(Material { chosen, ..material });
            }
        }
        let carried = self.carry_over(&probe, question).await;
        watch.lap(Stage::Retrieve);
        let candidates = found?.merge(referred).merge(carried);
        if let Some(named) = self.gather_section(&probe.understanding, &candidates, &question.reader).await? {
            return Ok(named.with_memory(&recalled));
        }
        if let Some(decided) = self.gather_decided(&probe.understanding, &candidates, &question.reader).await? {
            return Ok(decided.with_memory(&recalled));
        }
        // Judging takes longer than everything before it, and reads nothing more.
        let read = self.retrieve.generation(&self.policies.retrieve).await;
        if reread.is_some_and(|begun| begun != ReadGeneration::Mixed && begun.until(read) == ReadGeneration::Mixed) {
            // It is read again, so nothing of this is judged.
            let none = Evidence::empty();
            let unjudged = Material::looked_up(&probe.understanding, none, Author::Writer { background: None });
            return Ok(Material { read: ReadGeneration::Mixed, ..unjudged });
        }
        let material = self.judge_candidates(&probe.understanding, candidates, question.passages_max, watch).await;
        let material = Material { is_whole_corpus: true, read, ..add_background(material, note) };
        Ok(ask_back(material, question).with_memory(&recalled))
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
        let readers = Readers { judge: self.passage_judge.as_ref(), reranker: self.reranker.as_ref() };
        let evidence = judge(understanding, &candidates, passages_max, readers, &policies.judge).await;
        let evidence = evidence.tell_missing(understanding.text(), self.retrieve.plain_words.as_ref());
        watch.lap(Stage::Judge);
        let author = match refuse_early(&candidates, &evidence, &policies.decide) {
            Some(refusal) => Author::Nobody(refusal),
            None => Author::Writer { background: None },
        };
        Material { candidates, ..Material::looked_up(understanding, evidence, author) }
    }

    /// Every source that a note refers to, where it says that they disagree and no model could say so: to quote one of
    /// them alone would take sides.
    async fn both_sides(&self, probe: &Probe, note: Option<&RecalledEntry>, question: &Question) -> Option<Material> {
        let has_model = self.model_registry.answer.is_some() || question.model.is_some();
        let is_strong = |note: &&RecalledEntry| note.references > 1 && note.is_strong(&self.policies.memory);
        let note = note.filter(|_| !has_model).filter(is_strong)?;
        // Notes are written in several languages, and the words for a disagreement are known in one.
        if !note.entry.note.iter().any(|wording| says_they_differ(&wording.text)) {
            return None;
        }
        let mut material = self.quote_references(probe, note.clone()).await;
        material.notices.push("The sources disagree, so each is quoted.".to_owned());
        material.notices.extend(note.note_for_readers().map(editors_note));
        Some(material)
    }
}

/// The same with an editor's note to frame what is written.
fn add_background(mut material: Material, note: Option<&RecalledEntry>) -> Material {
    material.readers_note = note.and_then(RecalledEntry::note_for_readers).map(str::to_owned);
    if let Author::Writer { background } = &mut material.author {
        *background = note.and_then(|note| note.note.clone());
    }
    material
}

/// Where the question says "it" of something nobody has named, or names nothing but a kind, it is asked back with what could be meant;
/// else nothing changes.
fn ask_back(material: Material, question: &Question) -> Material {
    let understanding = &material.understanding;
    // Within a conversation "the verse" is one of those that were spoken of.
    let kind_alone = understanding.kind_alone().filter(|_| !question.follows_a_conversation());
    let (question, kind) = match (understanding.unnamed(), kind_alone) {
        (Some(word), _) => (format!("What does \"{word}\" stand for?"), None),
        (None, Some(kind)) => (format!("Which {kind} do you mean?"), Some(kind)),
        (None, None) => return material,
    };
    let mut cards: Vec<DocumentCard> = Vec::new();
    for candidate in material.candidates.items() {
        let card = &candidate.passage.document;
        let is_wanted = kind.is_none_or(|kind| card.kind.eq_ignore_ascii_case(kind));
        if is_wanted && cards.len() < OPTIONS_MAX && cards.iter().all(|known| known.title != card.title) {
            cards.push(DocumentCard::clone(card));
        }
    }
    if cards.is_empty() {
        return material;
    }
    let option = |card: &DocumentCard| Suggestion {
        label: card.title.clone(),
        query: if kind.is_some() { card.title.clone() } else { understanding.named(&card.title) },
        kind: card.kind.clone(),
    };
    let options = cards.iter().map(option).collect();
    let choice = Choice { question, options };
    Material { choice: Some(choice), author: Author::Catalogue(Rows::new(cards)), ..material }
}

/// Words by which a note says that its sources do not agree.
const DIFFER: &[&str] = &[
    "disagree",
    "contradict",
    "two answers",
    "two views",
    "do not agree",
    "differ from each other",
    "differ on",
    "opposite",
    "each claim",
    "conflict",
];

fn says_they_differ(note: &str) -> bool {
    let note = fold_spaces(note);
    DIFFER.iter().any(|words| note.contains(words))
}
