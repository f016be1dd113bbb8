//! Evidence and a gate's figures → pass, warn or refuse, with the reading and a sentence for a person.
//!
//! Invariant: a gate is a pure function of what it is given; without a reading it refuses.

use vouch_domain::language::{KeyWord, terms};

use super::Piece;
use crate::{
    policy::GatePolicy,
    trace::{GateName, GateReading},
};

/// What a warning begins with that names words of the question.
pub(super) const NOT_IN_EVIDENCE: &str = "Not in the evidence: ";

/// What a gate adds to its sentence where the judge overrides it.
const SURE: &str = "; the judge is sure of the answer";

/// What a gate says.
#[derive(Debug, Clone, PartialEq)]
pub enum GateVerdict {
    /// The question may go on.
    Pass(GateReading),
    /// It may go on, and the reader is told.
    Warn(GateReading),
    /// It may not.
    Refuse(GateReading),
}

pub(super) fn read(gate: &GatePolicy, pieces: &[Piece], key_words: &[KeyWord], found: &[String]) -> GateVerdict {
    match gate {
        GatePolicy::Top1 { above, sure_reading } => top1(*above, is_sure(*sure_reading, pieces), pieces),
        GatePolicy::Coverage { strong, fair, fair_passages, main_kind, sure_reading } => {
            let counts = |piece: &&Piece| match main_kind {
                Some(kind) => piece.passage.document.kind.eq_ignore_ascii_case(kind),
                None => piece.similarity.relevance >= *fair,
            };
            let fair_found = pieces.iter().filter(counts).count();
            coverage((*strong, *fair), fair_found >= *fair_passages, is_sure(*sure_reading, pieces), pieces)
        }
        GatePolicy::NoContext { hits_min, mean_at_least, sure_reading } => {
            no_context(*hits_min, *mean_at_least, is_sure(*sure_reading, pieces), pieces)
        }
        GatePolicy::Specific { beyond } => specific(beyond, key_words),
        GatePolicy::BailOut { below } => bail_out(*below, pieces),
        GatePolicy::Keywords { warn_below } => keywords(*warn_below, key_words, found),
        GatePolicy::QueryCoverage { at_least } => query_coverage(*at_least, key_words, found),
        GatePolicy::Answerability { at_least } => answerability(*at_least, pieces),
        GatePolicy::Constraints => constraints(pieces),
    }
}

fn top1(above: f32, is_sure: bool, pieces: &[Piece]) -> GateVerdict {
    let (reading, raw) = best(pieces);
    let is_above = reading > above;
    let relation = if is_above { "above" } else { "not above" };
    let sure = if is_sure && !is_above { SURE } else { "" };
    let passed = is_above || is_sure;
    let sentence = format!("Top-1 similarity ({reading:.2}) {relation} threshold ({above}){sure}");
    settle(GateReading { name: GateName::Top1, reading, raw, threshold: above, passed, sentence })
}

fn coverage((strong, fair): (f32, f32), has_fair_pair: bool, is_sure: bool, pieces: &[Piece]) -> GateVerdict {
    let (reading, raw) = best(pieces);
    let reaches = reading >= strong || (reading >= fair && has_fair_pair);
    let threshold = if reading >= fair && has_fair_pair { fair } else { strong };
    let relation = if reaches { "reaches" } else { "is below" };
    let mut sentence = format!("Best passage ({reading:.2}) {relation} the coverage threshold ({threshold})");
    if is_sure && !reaches {
        sentence.push_str(SURE);
    }
    let passed = reaches || is_sure;
    settle(GateReading { name: GateName::Coverage, reading, raw, threshold, passed, sentence })
}

fn no_context(hits_min: usize, mean_at_least: f32, is_sure: bool, pieces: &[Piece]) -> GateVerdict {
    #[expect(clippy::cast_precision_loss, reason = "few passages are used")]
    let count = pieces.len() as f32;
    let sum = pieces.iter().map(|piece| piece.similarity.relevance).sum::<f32>();
    let mean = if pieces.is_empty() { 0.0 } else { sum / count };
    let cosines: Option<f32> = pieces.iter().map(|piece| piece.similarity.cosine).sum();
    let raw = cosines.filter(|_| !pieces.is_empty()).map(|sum| sum / count);
    if pieces.len() < hits_min {
        let sure = if is_sure { SURE } else { "" };
        let sentence = format!("{} passages found, at least {hits_min} are needed{sure}", pieces.len());
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let threshold = hits_min as f32;
        return settle(GateReading {
            name: GateName::NoContext,
            reading: count,
            raw,
            threshold,
            passed: is_sure,
            sentence,
        });
    }
    let reaches = mean >= mean_at_least;
    let relation = if reaches { "reaches" } else { "is below" };
    let sure = if is_sure && !reaches { SURE } else { "" };
    let passed = reaches || is_sure;
    let sentence = format!("Mean relevance of {} passages ({mean:.2}) {relation} {mean_at_least}{sure}", pieces.len());
    settle(GateReading { name: GateName::NoContext, reading: mean, raw, threshold: mean_at_least, passed, sentence })
}

/// Refuses where every word of the question that has a meaning is one of these; a question without such a word says nothing either.
fn specific(beyond: &[String], key_words: &[KeyWord]) -> GateVerdict {
    let known: Vec<String> = beyond.iter().flat_map(|word| terms(word)).collect();
    let telling: Vec<&str> =
        key_words.iter().filter(|key| !known.contains(&key.term)).map(|key| key.word.as_str()).collect();
    #[expect(clippy::cast_precision_loss, reason = "a question has few words")]
    let reading = telling.len() as f32;
    let sentence = match telling.is_empty() {
        true => "The question does not say what it is about".to_owned(),
        false => format!("The question is about: {}", telling.join(", ")),
    };
    let passed = !telling.is_empty();
    settle(GateReading { name: GateName::Specific, reading, raw: None, threshold: 1.0, passed, sentence })
}

fn bail_out(below: f32, pieces: &[Piece]) -> GateVerdict {
    let (reading, raw) = best(pieces);
    let passed = reading >= below;
    let sentence = if passed {
        format!("Best passage ({reading:.2}) reaches {below}: worth going on")
    } else {
        format!("Best passage ({reading:.2}) is below {below}: nothing is near the question")
    };
    settle(GateReading { name: GateName::BailOut, reading, raw, threshold: below, passed, sentence })
}

fn keywords(warn_below: f32, key_words: &[KeyWord], found: &[String]) -> GateVerdict {
    let (reading, missing) = term_share(key_words, found);
    let passed = reading >= warn_below;
    let sentence = if missing.is_empty() {
        "Every key term of the question is in the evidence".to_owned()
    } else {
        format!("{NOT_IN_EVIDENCE}{}", missing.join(", "))
    };
    let reading = GateReading { name: GateName::Keywords, reading, raw: None, threshold: warn_below, passed, sentence };
    if passed { GateVerdict::Pass(reading) } else { GateVerdict::Warn(reading) }
}

fn query_coverage(at_least: f32, key_words: &[KeyWord], found: &[String]) -> GateVerdict {
    let (reading, missing) = term_share(key_words, found);
    let passed = reading >= at_least;
    let relation = if passed { "reaches" } else { "is below" };
    let mut sentence = format!("Share of the question's terms in the evidence ({reading:.2}) {relation} {at_least}");
    if !passed {
        sentence.push_str(&format!("; missing: {}", missing.join(", ")));
    }
    settle(GateReading { name: GateName::QueryCoverage, reading, raw: None, threshold: at_least, passed, sentence })
}

fn answerability(at_least: f32, pieces: &[Piece]) -> GateVerdict {
    let best = best_reading(pieces);
    let reading = best.unwrap_or(0.0);
    let passed = reading >= at_least;
    let sentence = match best {
        None => "No passage was read by the judge".to_owned(),
        Some(best) if passed => format!("The judge finds the answer in a passage ({best:.2}, at least {at_least})"),
        Some(best) => format!("The judge does not find the answer in any passage ({best:.2}, below {at_least})"),
    };
    settle(GateReading { name: GateName::Answerability, reading, raw: None, threshold: at_least, passed, sentence })
}

fn settle(reading: GateReading) -> GateVerdict {
    if reading.passed { GateVerdict::Pass(reading) } else { GateVerdict::Refuse(reading) }
}

/// Refuses where every passage that would answer lacks something. Where none would, that is for other gates to say.
fn constraints(pieces: &[Piece]) -> GateVerdict {
    let certainty = |piece: &&Piece| piece.reading.map_or(0.0, |reading| reading.answerable);
    let lacking = pieces.iter().filter(|piece| piece.unmet.is_some());
    let surest = lacking.max_by(|a, b| certainty(a).total_cmp(&certainty(b)).then(b.marker.cmp(&a.marker)));
    let meeting = pieces.iter().filter(|piece| piece.may_answer || !piece.further.is_empty()).count();
    let passed = meeting > 0 || surest.is_none();
    let sentence = match surest.and_then(|piece| piece.unmet.as_deref()).filter(|_| !passed) {
        Some(unmet) => format!("The question's conditions are not met: {unmet}"),
        None => "The passages that would answer contain what the question names".to_owned(),
    };
    #[expect(clippy::cast_precision_loss, reason = "few passages are used")]
    let reading = meeting as f32;
    settle(GateReading { name: GateName::Constraints, reading, raw: None, threshold: 1.0, passed, sentence })
}

/// Whether the judge finds the answer with the probability that overrides a gate; never where there is no figure.
fn is_sure(sure_reading: Option<f32>, pieces: &[Piece]) -> bool {
    sure_reading.zip(best_reading(pieces)).is_some_and(|(least, best)| best >= least)
}

/// How certain the judge is of the passage it is surest of; none if it has read none.
fn best_reading(pieces: &[Piece]) -> Option<f32> {
    pieces.iter().flat_map(Piece::readings).map(|reading| reading.answerable).max_by(f32::total_cmp)
}

/// The best relevance among the pieces, with its raw cosine; 0 where there is no piece.
fn best(pieces: &[Piece]) -> (f32, Option<f32>) {
    let best = pieces.iter().max_by(|a, b| a.similarity.relevance.total_cmp(&b.similarity.relevance));
    best.map_or((0.0, None), |piece| (piece.similarity.relevance, piece.similarity.cosine))
}

/// The share of terms that were found, and those that were not.
/// The words of a question that the evidence does not hold.
pub(super) fn missing(key_words: &[KeyWord], found: &[String]) -> Vec<String> {
    term_share(key_words, found).1.into_iter().map(str::to_owned).collect()
}

fn term_share<'a>(key_words: &'a [KeyWord], found: &[String]) -> (f32, Vec<&'a str>) {
    let missing: Vec<&str> =
        key_words.iter().filter(|key| found.binary_search(&key.term).is_err()).map(|key| key.word.as_str()).collect();
    if key_words.is_empty() {
        return (0.0, missing);
    }
    #[expect(clippy::cast_precision_loss, reason = "a question has few terms")]
    let share = (key_words.len() - missing.len()) as f32 / key_words.len() as f32;
    (share, missing)
}
