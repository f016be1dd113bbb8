//! The writer that needs no model: it answers with the evidence's own sentences, untouched.
//!
//! Invariant: every sentence written is a slice of the piece it cites.

mod expectation;
mod sentence;

use async_trait::async_trait;
use vouch_domain::{
    PortError,
    language::key_terms,
    ports::{Brief, Generator, Manuscript, WrittenSentence},
};

use expectation::Expectation;
use sentence::{Scored, Weights};

/// How many sentences are chosen for themselves, before lists are completed.
const CHOSEN_MAX: usize = 3;
/// A further sentence must be at least this good, measured by the best one.
const GOOD_ENOUGH: f32 = 0.7;

/// A judge this certain of an answer is believed even if no word of the question is in the sentence.
const SURE: f32 = 0.5;

/// Answers with verbatim sentences.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

#[async_trait]
impl Generator for Extractive {
    fn name(&self) -> &str {
        "extractive"
    }

    async fn write(&self, brief: Brief) -> Result<Manuscript, PortError> {
        Ok(Manuscript { sentences: extract(&brief), model: self.name().to_owned() })
    }
}

fn extract(brief: &Brief) -> Vec<WrittenSentence> {
    let asked = key_terms(&brief.question);
    let expectation = Expectation::new(&brief.question);
    let sentences = sentence::all(brief);
    let weights = Weights::new(&sentences, &asked);
    let mut scored: Vec<Scored<'_>> =
        sentences.iter().map(|sentence| sentence::score(sentence, &asked, &weights, expectation)).collect();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.sentence.place().cmp(&b.sentence.place())));
    let mut chosen = choose(&scored, brief.sentences_max);
    let asks_for_steps = expectation == Expectation::Steps;
    sentence::complete_lists(&sentences, &mut chosen, asks_for_steps, brief.sentences_max);
    let leading = chosen_document_order(&scored, &chosen);
    chosen.sort_by_key(|sentence| {
        (leading.iter().position(|document| *document == sentence.document), sentence.ordinal, sentence.start)
    });
    chosen.truncate(brief.sentences_max);
    chosen
        .into_iter()
        .map(|sentence| WrittenSentence { text: sentence.text.to_owned(), markers: vec![sentence.marker] })
        .collect()
}

/// The best sentence, and others nearly as good that add something asked for.
fn choose<'a>(scored: &[Scored<'a>], sentences_max: usize) -> Vec<&'a sentence::Sentence<'a>> {
    let speaks = |best: &&Scored<'_>| best.matched > 0.0 || best.sentence.answers >= SURE;
    let Some(best) = scored.first().filter(speaks) else { return Vec::new() };
    let mut chosen = vec![best.sentence];
    let mut covered = best.terms.clone();
    for next in scored.iter().skip(1) {
        if chosen.len() >= CHOSEN_MAX.min(sentences_max) || next.score < best.score * GOOD_ENOUGH {
            break;
        }
        let adds = next.terms.iter().any(|term| !covered.contains(term));
        let is_repeated = chosen.iter().any(|known| known.text == next.sentence.text);
        if adds && !is_repeated {
            covered.extend(next.terms.iter().cloned());
            chosen.push(next.sentence);
        }
    }
    chosen
}

/// Documents in the order of their best chosen sentence.
fn chosen_document_order(scored: &[Scored<'_>], chosen: &[&sentence::Sentence<'_>]) -> Vec<u32> {
    let mut order = Vec::new();
    for one in scored {
        let is_chosen = chosen.iter().any(|known| known.place() == one.sentence.place());
        if is_chosen && !order.contains(&one.sentence.document) {
            order.push(one.sentence.document);
        }
    }
    order
}
