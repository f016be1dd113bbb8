//! The sentences of a brief and how well each speaks to the question.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use vouch_domain::{
    language::{sentence_ranges, terms, titles::titles},
    ports::{Brief, BriefPiece},
};

use super::expectation::Expectation;

/// How much a fitting look, the best passage and a fitting beginning add to a full match of words.
const LOOK_WEIGHT: f32 = 0.25;
const PASSAGE_WEIGHT: f32 = 0.3;
const SUBJECT_WEIGHT: f32 = 0.15;
/// How much it adds that the judge sees the answer in the sentence, times how certain it is.
const ANSWER_WEIGHT: f32 = 0.6;
/// A term that only the heading holds counts this much of one in the sentence.
const HEADING_SHARE: f32 = 0.5;

/// A sentence of the evidence.
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    pub(super) marker: u32,
    /// The part of the question its passage was read for.
    pub(super) part: usize,
    pub(super) document: u32,
    pub(super) ordinal: u32,
    pub(super) start: usize,
    /// The headings above its passage.
    pub(super) headings: &'a [String],
    /// Where its passage stands between the least and the most relevant of the brief, 0 to 1.
    standing: f32,
    /// How certain the judge is that the answer stands in this sentence, 0 to 1.
    pub(super) answers: f32,
    own_terms: Vec<String>,
    /// The same, each once.
    holds: BTreeSet<String>,
    heading_terms: Rc<BTreeSet<String>>,
}

impl Sentence<'_> {
    pub(super) fn place(&self) -> (u32, u32, usize) {
        (self.document, self.ordinal, self.start)
    }

    /// Whether it is a row of values, each with the name of its column: such a row says what it says by itself.
    pub(super) fn is_row(&self) -> bool {
        let cells = self.text.split("; ");
        let is_cell =
            |cell: &str| cell.split_once(": ").is_some_and(|(name, value)| !(name.is_empty() || value.is_empty()));
        cells.clone().nth(1).is_some() && cells.clone().all(is_cell)
    }

    /// Whether it or a heading above it has a word that is asked for.
    pub(super) fn speaks_of(&self, asked: &[String]) -> bool {
        asked.iter().any(|term| self.holds.contains(term) || self.heading_terms.contains(term))
    }

    /// Whether it has a word that is asked for and that no other sentence of its passage has.
    pub(super) fn is_singled_out(&self, asked: &[String], sentences: &[Self]) -> bool {
        let is_other = |other: &&Self| other.marker == self.marker && other.start != self.start;
        let is_own = |term: &&String| !sentences.iter().filter(is_other).any(|other| other.holds.contains(*term));
        asked.iter().filter(|term| self.holds.contains(*term)).any(|term| is_own(&term))
    }
}

/// A sentence and its worth.
pub(super) struct Scored<'a> {
    pub(super) sentence: &'a Sentence<'a>,
    pub(super) score: f32,
    /// The weight of the asked terms it holds itself, 0 to 1.
    pub(super) matched: f32,
    /// Which asked terms it holds.
    pub(super) terms: Vec<String>,
}

pub(super) fn all(brief: &Brief) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let lowest = brief.pieces.iter().map(|piece| piece.relevance).fold(f32::INFINITY, f32::min);
    let highest = brief.pieces.iter().map(|piece| piece.relevance).fold(f32::NEG_INFINITY, f32::max);
    let standing = |relevance: f32| if highest > lowest { (relevance - lowest) / (highest - lowest) } else { 1.0 };
    for piece in brief.pieces.iter().filter(|piece| piece.may_answer) {
        let above: BTreeSet<String> = piece.heading.iter().flat_map(|heading| terms(heading)).collect();
        let mut heading_terms = Rc::new(above.clone());
        let titles = titles(&piece.text);
        // What the judge sees in a title stands below it.
        let mut pointed_above = 0.0;
        let mut walk = Walk::default();
        for range in sentence_ranges(&piece.text) {
            let Some(text) = piece.text.get(range.clone()) else { continue };
            walk.go_on(&piece.text, range.start);
            let own_terms = terms(text);
            let pointed = answers(piece, walk.characters, text);
            let title = titles.get(titles.partition_point(|title| title.end <= range.start));
            if title.is_some_and(|title| title.start <= range.start) {
                pointed_above = pointed.max(pointed_above);
                heading_terms = Rc::new(above.iter().cloned().chain(own_terms).collect());
                continue;
            }
            found.push(Sentence {
                text,
                marker: piece.marker,
                part: piece.part,
                document: piece.document,
                ordinal: piece.ordinal,
                start: range.start,
                headings: &piece.heading,
                standing: standing(piece.relevance),
                answers: pointed.max(std::mem::take(&mut pointed_above)),
                holds: own_terms.iter().cloned().collect(),
                own_terms,
                heading_terms: Rc::clone(&heading_terms),
            });
        }
    }
    found
}

/// How far a text was read, in bytes and in characters. Going on from there, and not from the start for every sentence, keeps
/// the work linear.
#[derive(Default)]
struct Walk {
    bytes: usize,
    characters: usize,
}

impl Walk {
    fn go_on(&mut self, text: &str, until: usize) {
        let passed = text.get(self.bytes..until).unwrap_or_default();
        self.characters += passed.chars().count();
        self.bytes = until;
    }
}

/// How certain the judge is of a span that lies in this sentence, which starts at so many characters, or for the most
/// part does.
fn answers(piece: &BriefPiece, start: usize, sentence: &str) -> f32 {
    let Some((reading, span)) = piece.reading.and_then(|reading| Some((reading, reading.span?))) else { return 0.0 };
    let end = start + sentence.chars().count();
    let shared = end.min(span.end).saturating_sub(start.max(span.start));
    if shared * 2 > span.end.saturating_sub(span.start) { reading.answerable } else { 0.0 }
}

/// How telling each asked term is: rare among the sentences at hand is telling.
pub(super) struct Weights {
    by_term: BTreeMap<String, f32>,
    total: f32,
}

impl Weights {
    pub(super) fn new(sentences: &[Sentence<'_>], asked: &[String]) -> Self {
        let mut holding: BTreeMap<&str, usize> = asked.iter().map(|term| (term.as_str(), 0)).collect();
        for term in sentences.iter().flat_map(|sentence| &sentence.holds) {
            if let Some(count) = holding.get_mut(term.as_str()) {
                *count += 1;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a brief has few sentences")]
        let by_term: BTreeMap<String, f32> = asked
            .iter()
            .map(|term| {
                let holding = holding.get(term.as_str()).copied().unwrap_or_default();
                let weight = (1.0 + sentences.len() as f32 / (1.0 + holding as f32)).ln();
                (term.clone(), weight)
            })
            .collect();
        let total = by_term.values().sum();
        Self { by_term, total }
    }

    fn share(&self, weight: f32) -> f32 {
        if self.total > 0.0 { weight / self.total } else { 0.0 }
    }
}

pub(super) fn score<'a>(
    sentence: &'a Sentence<'a>,
    asked: &[String],
    weights: &Weights,
    expectation: Expectation,
) -> Scored<'a> {
    let weight_of = |term: &String| weights.by_term.get(term).copied().unwrap_or(0.0);
    let own: Vec<String> = asked.iter().filter(|term| sentence.holds.contains(*term)).cloned().collect();
    let matched = weights.share(own.iter().map(weight_of).sum());
    let by_heading: f32 = asked
        .iter()
        .filter(|term| !sentence.holds.contains(*term) && sentence.heading_terms.contains(*term))
        .map(weight_of)
        .sum();
    let opening = sentence.own_terms.iter().take(4).any(|term| asked.contains(term));
    let length = sentence.own_terms.len();
    // A fragment says too little to stand alone, a very long sentence buries its answer.
    let shape = if length < 4 {
        0.6
    } else if length > 60 {
        0.85
    } else {
        1.0
    };
    let look = if matched > 0.0 { LOOK_WEIGHT * expectation.met_by(sentence.text) } else { 0.0 };
    let is_question = sentence.text.trim_end().ends_with('?');
    let score = (matched
        + HEADING_SHARE * weights.share(by_heading)
        + look
        + PASSAGE_WEIGHT * sentence.standing
        + SUBJECT_WEIGHT * f32::from(u8::from(opening))
        + ANSWER_WEIGHT * sentence.answers)
        * shape
        * if is_question { 0.5 } else { 1.0 };
    Scored { sentence, score, matched, terms: own }
}
