//! A corpus without a golden set → questions by rule: what its sentences state, the same with one thing altered, and the same with the
//! document taken away.
//!
//! Invariant: the same documents give the same questions. They show whether a corpus can be read and searched, and no more: their words
//! are the documents' own, which is not how people ask.

mod outcome;
mod question;

use std::collections::BTreeSet;

use vouch_domain::language::sentence_ranges;

pub use outcome::{Missed, SelfExam};

use question::{MadeQuestion, question};

use crate::{
    alter::{Alteration, Names, alter},
    golden::GoldenQuestion,
};

const SEED: u64 = 1;
/// No document gives more sentences.
const PER_DOCUMENT: usize = 6;
/// Shorter words are in every sentence.
const WORD_CHARS_MIN: usize = 4;

/// A document to make questions of.
#[derive(Debug, Clone)]
pub struct ExamDocument {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// How a question was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A sentence answers it.
    Stated,
    /// One thing in it is none that a sentence says.
    Altered,
    /// A sentence would answer it, of a document that is taken away.
    Removed,
}

impl Sort {
    /// Its name in a report.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Altered => "altered",
            Self::Removed => "removed",
        }
    }
}

/// A question by rule.
#[derive(Debug, Clone)]
pub struct ExamQuestion {
    /// How it was made.
    pub sort: Sort,
    /// The document it was made of.
    pub document: String,
    /// The sentence it was made of.
    pub sentence: String,
    /// The question.
    pub golden: GoldenQuestion,
}

/// A sentence that a question can be made of.
struct Found<'d> {
    document: &'d ExamDocument,
    words: &'d BTreeSet<String>,
    sentence: String,
    made: MadeQuestion,
}

/// Questions of the documents: half of them answerable, a quarter altered, a quarter without their document; fewer where there are not
/// enough sentences.
#[must_use]
pub fn exam(documents: &[ExamDocument], wanted: usize) -> Vec<ExamQuestion> {
    let words: Vec<BTreeSet<String>> = documents.iter().map(|document| words_of(&document.text)).collect();
    let mut names = Names::default();
    let mut sentences: Vec<BTreeSet<String>> = Vec::new();
    let mut found: Vec<Found<'_>> = Vec::new();
    for (document, words) in documents.iter().zip(&words) {
        let texts: Vec<String> = sentences_of(&document.text);
        names.add(texts.iter().map(String::as_str), &document.text);
        sentences.extend(texts.iter().map(|text| words_of(text)));
        let mut own: Vec<Found<'_>> = Vec::new();
        for sentence in texts {
            let Some(made) = question(&sentence, words) else { continue };
            if own.iter().all(|other| other.made.text != made.text) {
                own.push(Found { document, words, sentence, made });
            }
        }
        found.extend(spread(own, PER_DOCUMENT));
    }
    // Of the sentences that answer more than yes or no, up to every second one is asked about without its document.
    let (mut stated, mut removed): (Vec<&Found<'_>>, Vec<&Found<'_>>) = (Vec::new(), Vec::new());
    let open: Vec<&Found<'_>> = found.iter().filter(|one| !one.made.is_yes_or_no).collect();
    for one in &found {
        let is_taken = !one.made.is_yes_or_no && removed.len() < stated.len();
        if is_taken { removed.push(one) } else { stated.push(one) }
    }
    let is_said = |text: &str| {
        let mut asked = words_of(text);
        asked.retain(|word| !matches!(word.as_str(), "what" | "when" | "many"));
        sentences.iter().any(|own| asked.is_subset(own))
    };
    let quarter = wanted.div_ceil(4);
    let pairs: Vec<_> = open.iter().zip(open.iter().cycle().skip(open.len() / 2)).collect();
    // About one in three can be altered; looking further would take long with many documents.
    let altered = spread(pairs, quarter.saturating_mul(8)).into_iter().filter_map(|(one, other)| {
        let text = altered(one, other, &names)?;
        (!is_said(&text)).then(|| made_of(one, Sort::Altered, text))
    });
    let altered: Vec<ExamQuestion> = altered.collect();
    let mut questions: Vec<ExamQuestion> = spread(stated, wanted.div_ceil(2))
        .into_iter()
        .map(|one| made_of(one, Sort::Stated, one.made.text.clone()))
        .chain(spread(altered, quarter))
        .chain(spread(removed, quarter).into_iter().map(|one| made_of(one, Sort::Removed, one.made.text.clone())))
        .collect();
    for (number, question) in (1usize..).zip(&mut questions) {
        question.golden.id = format!("self-{number:03}");
    }
    questions
}

/// The question of a sentence with another name, figure or date in it, else of what another document speaks of.
fn altered(one: &Found<'_>, other: &Found<'_>, names: &Names) -> Option<String> {
    let asked = |sentence: &str| question(sentence, one.words).map(|made| made.text);
    let is_fit = |kind: Alteration| match kind {
        Alteration::Number | Alteration::Name | Alteration::Date => true,
        // What is asked for in hours may well be answered in days.
        Alteration::Unit | Alteration::Negation => false,
    };
    let changed = alter(&one.sentence, &one.document.text, names, SEED).into_iter().filter(|made| is_fit(made.kind));
    // What was altered must be in the question, not in what is asked for.
    let near = changed.filter_map(|made| asked(&made.sentence)).find(|text| *text != one.made.text);
    near.or_else(|| {
        let is_like = other.made.verb == one.made.verb && other.document.id != one.document.id;
        let rest = one.sentence.strip_prefix(one.made.subject.as_str()).filter(|_| is_like)?;
        let text = question(&format!("{}{rest}", other.made.subject), other.words)?.text;
        // What is asked of a thing by itself is asked of the other thing, which its document answers.
        (text != other.made.text).then_some(text)
    })
}

fn made_of(one: &Found<'_>, sort: Sort, text: String) -> ExamQuestion {
    let is_stated = sort == Sort::Stated;
    let golden = GoldenQuestion {
        query: text,
        answerable: is_stated,
        gold_ids: if is_stated { vec![one.document.id.clone()] } else { Vec::new() },
        gold_answers: vec![one.made.gold.clone()],
        category: sort.as_str().to_owned(),
        ..GoldenQuestion::default()
    };
    ExamQuestion { sort, document: one.document.id.clone(), sentence: one.sentence.clone(), golden }
}

fn sentences_of(text: &str) -> Vec<String> {
    let sentences = sentence_ranges(text).into_iter().filter_map(|range| text.get(range));
    sentences.map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Its words of some length, in lower case.
fn words_of(text: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    words
        .filter(|word| word.len() >= WORD_CHARS_MIN || word.starts_with(|sign: char| sign.is_ascii_digit()))
        .map(str::to_lowercase)
        .collect()
}

/// So many of a list, from its whole length.
fn spread<T>(list: Vec<T>, wanted: usize) -> Vec<T> {
    let all = list.len();
    let is_taken = |at: usize| at * wanted / all.max(1) != (at + 1) * wanted / all.max(1);
    list.into_iter().enumerate().filter(|(at, _)| all <= wanted || is_taken(*at)).map(|(_, one)| one).collect()
}
