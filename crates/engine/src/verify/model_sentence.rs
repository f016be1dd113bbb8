//! A model's sentences, checked as they come: those that cite against what they cite, those that do not against what is
//! nearest to them.
//!
//! Invariant: a sentence that leans on the one before is read together with it, and falls with it. A citation is the
//! model's own where it holds, or attached here; never is one corrected.

use std::collections::BTreeSet;

use vouch_domain::{
    CharSpan,
    language::{key_terms, sentences::leans},
    ports::WrittenSentence,
};

use super::{
    Claim, NEXT_LINE, PassedSentence, Rejected, SAME_LINE, Verifier, cited,
    framing::strip_framing,
    gauntlet::ModelSentence,
    paraphrase,
    support::rule_with_timeout,
    verbatim::{self, NotFound},
};
use crate::judge::Piece;

/// How many passages a sentence without a citation is checked against.
const NEAREST_MAX: usize = 2;
/// A model's sentence has more than this share of its words from what it cites.
const WORDS_SHARE_ABOVE: f32 = 0.5;
/// A sentence that needs more passages than this is put together rather than said.
const TOGETHER_MAX: usize = 2;

impl<'a> Verifier<'a> {
    /// Checks a model's sentence; answers whether it passed.
    pub async fn check_model_sentence(&mut self, dictated: &ModelSentence) -> bool {
        let words = strip_framing(&dictated.sentence.text);
        let sentence = WrittenSentence::answer(words, dictated.sentence.markers.clone());
        let sentence = &sentence;
        let leans = leans(&sentence.text);
        let passed = if leans && self.follows_a_gap {
            Err("it speaks of a sentence that was left out".to_owned())
        } else {
            self.read(sentence, leans).await
        };
        let begins_line = dictated.begins_line;
        let lead = if begins_line { NEXT_LINE } else { SAME_LINE };
        self.take(sentence, passed, |_, _| lead.to_owned())
    }

    async fn read(&mut self, sentence: &WrittenSentence, leans: bool) -> Result<PassedSentence<'a>, String> {
        let pieces = self.evidence.pieces();
        let cites: Vec<&'a Piece> = match sentence.markers.is_empty() {
            true => nearest(&sentence.text, pieces),
            false => cited(sentence, pieces),
        };
        let markers = cites.iter().map(|piece| piece.marker).collect();
        let found = verbatim::find(&WrittenSentence::answer(sentence.text.clone(), markers), pieces);
        let before = self.claims.last().filter(|_| leans).cloned();
        match (found, &before) {
            (Err(not_found), _) if not_found != NotFound::OtherWords => return Err(not_found.sentence().to_owned()),
            (_, None) if leans => return Err("it speaks of something it does not name".to_owned()),
            (Ok(place), None) => return Ok(PassedSentence::verbatim(place)),
            // Words that lean on others may be a passage's own and yet speak of something else here.
            (Ok(place), Some(before)) if follows_on(&before.text, &place) => {
                return Ok(PassedSentence::verbatim(place));
            }
            (Ok(_) | Err(_), _) => {}
        }
        if !sentence.markers.is_empty() {
            return self.weigh(&sentence.text, cites, before.as_ref()).await;
        }
        let mut reasons = Vec::new();
        for piece in cites {
            match self.weigh(&sentence.text, vec![piece], before.as_ref()).await {
                Ok(passed) => return Ok(passed),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.into_iter().next().unwrap_or_else(|| NotFound::CitesNothing.sentence().to_owned()))
    }

    /// A sentence in other words, alone or, where it leans on the one before, together with it: then the rules must have no
    /// objection to it alone either, so that it cannot hide behind the other's words.
    async fn weigh(
        &mut self,
        sentence: &str,
        cites: Vec<&'a Piece>,
        before: Option<&Claim>,
    ) -> Result<PassedSentence<'a>, String> {
        let Some(before) = before else {
            return match paraphrase(sentence, cites.clone(), self.judge, self.policy).await {
                Ok(passed) => {
                    is_near(passed.overlap)?;
                    self.needed(sentence, cites, passed).await
                }
                Err(rejected) => self.appeal(sentence, cites, rejected).await,
            };
        };
        let texts: Vec<&str> = cites.iter().map(|piece| piece.passage.passage.text.as_str()).collect();
        let alone = rule_with_timeout(sentence, &texts, self.policy.support_timeout).await.checked;
        if let Some(unread) = alone.unread {
            return Err(unread.sentence());
        }
        if let Some(finding) = alone.findings.first() {
            return Err(finding.sentence());
        }
        is_near(alone.overlap)?;
        let claim = format!("{} {sentence}", before.text);
        let with_before = self.with_those_of(&before.markers, cites.clone());
        // The sentence before has its own citations; those of this one are its own.
        let is_own = |piece: &Piece| cites.iter().any(|own| own.marker == piece.marker);
        let (passed, places) = match paraphrase(&claim, with_before.clone(), self.judge, self.policy).await {
            Ok(passed) => (passed, cites.into_iter().map(|piece| (piece, piece.passage.passage.span)).collect()),
            Err(rejected) => {
                let mut passed = self.appeal(&claim, with_before, rejected).await?;
                let mut places = std::mem::take(&mut passed.places);
                places.retain(|(piece, _)| is_own(piece));
                (passed, places)
            }
        };
        if places.is_empty() {
            return Err("it is said in the passage of the sentence before, not in the one it cites".to_owned());
        }
        Ok(PassedSentence { places, overlap: alone.overlap, ..passed })
    }

    /// Only the citations a sentence needs: those that say it alone, else the fewest that do together.
    async fn needed(
        &mut self,
        sentence: &str,
        cites: Vec<&'a Piece>,
        passed: PassedSentence<'a>,
    ) -> Result<PassedSentence<'a>, String> {
        let given = cites.len();
        if given < 2 {
            return Ok(passed);
        }
        let mut alone: Vec<PassedSentence<'a>> = Vec::new();
        for piece in &cites {
            alone.extend(near(paraphrase(sentence, vec![piece], self.judge, self.policy).await));
        }
        if let Some(best) = alone.iter().map(|one| one.score).max_by(f32::total_cmp) {
            self.unneeded += given - alone.len();
            let places = alone.into_iter().flat_map(|one| one.places).collect();
            return Ok(PassedSentence { places, score: best, ..passed });
        }
        let (mut kept, mut best, mut at) = (cites, passed, given);
        while at > 0 {
            at -= 1;
            let mut fewer = kept.clone();
            fewer.remove(at);
            if let Some(passed) = near(paraphrase(sentence, fewer.clone(), self.judge, self.policy).await) {
                (kept, best) = (fewer, passed);
            }
        }
        self.unneeded += given - kept.len();
        match kept.len() <= TOGETHER_MAX {
            true => Ok(best),
            false => Err(format!("it takes {} passages to say it", kept.len())),
        }
    }

    /// The pieces, and those behind the reader's numbers of the sentence before.
    fn with_those_of(&self, markers: &[u32], pieces: Vec<&'a Piece>) -> Vec<&'a Piece> {
        let mut all = pieces;
        for cited in self.citations.iter().filter(|cited| markers.contains(&cited.marker)) {
            let known =
                self.evidence.pieces().iter().find(|piece| cited.piece().is_some_and(|own| own.marker == piece.marker));
            all.extend(known.filter(|piece| all.iter().all(|other| other.marker != piece.marker)));
        }
        all
    }
}

/// Whether nothing but white space stands in the passage between the words before and these.
fn follows_on(before: &str, (piece, quote): &(&Piece, CharSpan)) -> bool {
    let passage = &piece.passage.passage;
    let until: String = passage.text.chars().take(quote.start.saturating_sub(passage.span.start)).collect();
    until.trim_end().ends_with(before.trim())
}

/// The same, where most of the words stand in what is cited: a judge alone is not believed on the rest.
fn near(passed: Result<PassedSentence<'_>, Rejected>) -> Option<PassedSentence<'_>> {
    passed.ok().filter(|passed| is_near(passed.overlap).is_ok())
}

pub(super) fn is_near(overlap: f32) -> Result<(), String> {
    match overlap > WORDS_SHARE_ABOVE {
        true => Ok(()),
        false => Err(format!("only {:.0} % of its words stand in the passage it cites", overlap * 100.0)),
    }
}

/// The passages that hold most of a sentence's words, the best first.
fn nearest<'a>(text: &str, pieces: &'a [Piece]) -> Vec<&'a Piece> {
    let said = key_terms(text);
    let held = |piece: &Piece| {
        let own: BTreeSet<String> = key_terms(&piece.passage.passage.text).into_iter().collect();
        said.iter().filter(|term| own.contains(*term)).count()
    };
    let mut found: Vec<(usize, &Piece)> = pieces.iter().map(|piece| (held(piece), piece)).collect();
    found.retain(|(held, _)| *held > 0);
    found.sort_by_key(|(held, piece)| (std::cmp::Reverse(*held), piece.marker));
    found.into_iter().take(NEAREST_MAX).map(|(_, piece)| piece).collect()
}
