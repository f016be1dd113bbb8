//! A model's sentences, checked as they come: those that cite against what they cite, those that do not against what is
//! nearest to them.
//!
//! Invariant: a sentence that leans on the one before is read together with it, and falls with it. A citation is the
//! model's own where it holds, or attached here; never is one corrected.

use vouch_domain::{language::key_terms, ports::WrittenSentence};

use super::{
    Passed, Verifier, cited,
    framing::unframed,
    gauntlet::Dictated,
    paraphrase,
    verbatim::{self, NotFound},
};
use crate::judge::Piece;

/// How many passages a sentence without a citation is held against.
const NEAREST_MAX: usize = 2;
/// A model's sentence has more than this share of its words from what it cites.
const WORDS_SHARE_ABOVE: f32 = 0.5;
/// What a sentence begins with where it speaks of what was said before.
const LEANING: &[&str] = &[
    "it",
    "its",
    "they",
    "their",
    "them",
    "this",
    "that",
    "these",
    "those",
    "he",
    "she",
    "his",
    "her",
    "such",
    "both",
    "there",
    "however",
    "otherwise",
    "instead",
    "also",
    "then",
    "so",
    "therefore",
    "but",
    "and",
    "or",
    "if",
];

impl<'a> Verifier<'a> {
    /// Checks a model's sentence; answers whether it passed.
    pub async fn check_dictated(&mut self, dictated: &Dictated) -> bool {
        let sentence =
            WrittenSentence { text: unframed(&dictated.sentence.text), markers: dictated.sentence.markers.clone() };
        let sentence = &sentence;
        let leans = leans(&sentence.text);
        let passed = if leans && self.follows_a_gap {
            Err("it speaks of a sentence that was left out".to_owned())
        } else {
            self.read(sentence, leans).await
        };
        let begins_line = dictated.begins_line;
        self.take(sentence, passed, |_, _| !begins_line)
    }

    async fn read(&self, sentence: &WrittenSentence, leans: bool) -> Result<Passed<'a>, String> {
        let pieces = self.evidence.pieces();
        let cites: Vec<&'a Piece> = match sentence.markers.is_empty() {
            true => nearest(&sentence.text, pieces),
            false => cited(sentence, pieces),
        };
        let quoted =
            WrittenSentence { text: sentence.text.clone(), markers: cites.iter().map(|piece| piece.marker).collect() };
        let before = self.claims.last().filter(|_| leans);
        match (verbatim::find(&quoted, pieces), before) {
            (Ok(place), None) => return Ok(Passed::verbatim(place)),
            // Words that lean on others may be a passage's own and yet speak of something else here.
            (Ok(place), Some(before)) if self.stands_after(&before.text, place.0) => {
                return Ok(Passed::verbatim(place));
            }
            (Err(NotFound::OtherWords), _) | (Ok(_), Some(_)) => {}
            (Err(not_found), _) => return Err(not_found.sentence().to_owned()),
        }
        let claim = match before {
            Some(before) => format!("{} {}", before.text, sentence.text),
            None => sentence.text.clone(),
        };
        if !sentence.markers.is_empty() {
            let cites = match before {
                Some(before) => self.with_those_of(before.markers.as_slice(), cites),
                None => cites,
            };
            return near(paraphrase(&claim, cites, self.judge, self.policy).await);
        }
        let mut reasons = Vec::new();
        for piece in cites {
            match near(paraphrase(&claim, vec![piece], self.judge, self.policy).await) {
                Ok(passed) => return Ok(passed),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.into_iter().next().unwrap_or_else(|| NotFound::CitesNothing.sentence().to_owned()))
    }

    /// Whether the words before stand in the same passage.
    fn stands_after(&self, before: &str, piece: &Piece) -> bool {
        piece.passage.passage.text.contains(before)
    }

    /// The pieces, and those behind the reader's numbers of the sentence before.
    fn with_those_of(&self, markers: &[u32], pieces: Vec<&'a Piece>) -> Vec<&'a Piece> {
        let mut all = pieces;
        for cited in self.citations.iter().filter(|cited| markers.contains(&cited.marker)) {
            let known = self.evidence.pieces().iter().find(|piece| piece.marker == cited.piece.marker);
            all.extend(known.filter(|piece| all.iter().all(|other| other.marker != piece.marker)));
        }
        all
    }
}

/// The same, where most of the words stand in what is cited: a judge alone is not believed on the rest.
fn near(passed: Result<Passed<'_>, String>) -> Result<Passed<'_>, String> {
    let passed = passed?;
    match passed.overlap > WORDS_SHARE_ABOVE {
        true => Ok(passed),
        false => Err(format!("only {:.0} % of its words stand in the passage it cites", passed.overlap * 100.0)),
    }
}

/// Whether a sentence begins with a word for what was said before.
fn leans(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LEANING.contains(&first.as_str())
}

/// The passages that hold most of a sentence's words, the best first.
fn nearest<'a>(text: &str, pieces: &'a [Piece]) -> Vec<&'a Piece> {
    let said = key_terms(text);
    let held = |piece: &Piece| {
        let own = key_terms(&piece.passage.passage.text);
        said.iter().filter(|term| own.contains(term)).count()
    };
    let mut found: Vec<(usize, &Piece)> = pieces.iter().map(|piece| (held(piece), piece)).collect();
    found.retain(|(held, _)| *held > 0);
    found.sort_by_key(|(held, piece)| (std::cmp::Reverse(*held), piece.marker));
    found.into_iter().take(NEAREST_MAX).map(|(_, piece)| piece).collect()
}
