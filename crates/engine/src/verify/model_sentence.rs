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
    Claim, NEXT_LINE, PassedSentence, Rejected, SAME_LINE, UnsupportedClaim, Verifier, cited,
    fragment::{is_fragment, opener},
    framing::strip_framing,
    gauntlet::ModelSentence,
    own_words::{self, SourceSentence},
    paraphrase,
    quoting::char_span,
    support::rule_with_timeout,
    verbatim::{self, NotFound},
};
use crate::{judge::Piece, policy::OnUnsupported};

/// How many passages a sentence without a citation is checked against.
const NEAREST_MAX: usize = 2;
/// A model's sentence has more than this share of its words from what it cites.
const WORDS_SHARE_ABOVE: f32 = 0.5;
/// A sentence that needs more passages than this is put together rather than said.
const TOGETHER_MAX: usize = 2;

/// What becomes of a sentence that is supported.
enum Supported<'a> {
    /// It is shown as it is.
    Own(PassedSentence<'a>),
    /// The sentence of the passage that begins at so many bytes is shown, in place of the model's where that says too little by itself.
    Source { piece: &'a Piece, start: usize, is_fragment: bool },
}

impl<'a> Verifier<'a> {
    /// Checks a model's sentence; answers whether it, or what it rests on, is in the answer.
    pub async fn check_model_sentence(&mut self, dictated: &ModelSentence) -> bool {
        let words = strip_framing(&dictated.sentence.text);
        let (begins_line, markers) = (dictated.begins_line, dictated.sentence.markers.clone());
        let mut sentence = WrittenSentence::answer(words, markers);
        let cites = self.cites(&sentence);
        let reason = match self.read(&mut sentence, &cites).await {
            Ok(Supported::Own(passed)) if passed.is_verbatim && self.shows_answer_of(&passed, begins_line) => {
                return true;
            }
            Ok(Supported::Own(passed)) => {
                let lead = if begins_line { NEXT_LINE } else { SAME_LINE };
                return self.take(&sentence, Ok(passed), |_, _| lead.to_owned());
            }
            Ok(Supported::Source { piece, start, is_fragment }) => {
                if is_fragment {
                    let reason = "it says too little by itself".to_owned();
                    self.replaced.push(UnsupportedClaim { text: sentence.text, reason });
                }
                return self.quote_at(piece, start, begins_line);
            }
            Err(reason) => reason,
        };
        let may_quote = self.on_unsupported == OnUnsupported::Quote && !is_fragment(&sentence.text);
        if may_quote && self.quote_source(&sentence.text, &cites, begins_line).await {
            self.replaced.push(UnsupportedClaim { text: sentence.text, reason });
            return true;
        }
        self.take(&sentence, Err(reason), |_, _| String::new())
    }

    /// Quotes what a sentence rests on that was left out; answers whether there is such a sentence.
    pub(crate) async fn quote_model_sentence(&mut self, dictated: &ModelSentence) -> bool {
        let text = strip_framing(&dictated.sentence.text);
        let Some(at) = self.left_out.iter().position(|one| one.text == text) else { return false };
        let cites = self.cites(&WrittenSentence::answer(text.clone(), dictated.sentence.markers.clone()));
        if is_fragment(&text) || !self.quote_source(&text, &cites, dictated.begins_line).await {
            return false;
        }
        let replaced = self.left_out.remove(at);
        self.replaced.push(replaced);
        true
    }

    /// Whether what fails may be said again, and is quoted only after that.
    pub(crate) fn may_quote_later(&self) -> bool {
        self.on_unsupported == OnUnsupported::Repair
    }

    /// The passages a sentence cites; of one that cites none, those nearest to it.
    fn cites(&self, sentence: &WrittenSentence) -> Vec<&'a Piece> {
        match sentence.markers.is_empty() {
            true => nearest(&sentence.text, self.evidence.pieces()),
            false => cited(sentence, self.evidence.pieces()),
        }
    }

    /// What a sentence comes to. An opening "yes" or "no" that what follows does not bear out is taken off it.
    async fn read(&mut self, sentence: &mut WrittenSentence, cites: &[&'a Piece]) -> Result<Supported<'a>, String> {
        let pieces = self.evidence.pieces();
        let markers = cites.iter().map(|piece| piece.marker).collect();
        let leans = leans(&sentence.text);
        let before = self.claims.last().filter(|_| leans).cloned();
        match verbatim::find(&WrittenSentence::answer(sentence.text.clone(), markers), pieces) {
            // Words that lean on others may be a passage's own and yet speak of something else here.
            Ok(place) if !leans || before.as_ref().is_some_and(|before| follows_on(&before.text, &place)) => {
                return Ok(Supported::Own(PassedSentence::verbatim(place)));
            }
            Ok((piece, span)) => {
                return Ok(Supported::Source { piece, start: byte_of(piece, span.start), is_fragment: false });
            }
            Err(NotFound::OtherWords) => {}
            Err(not_found) => return Err(not_found.sentence().to_owned()),
        }
        if let Some((affirms, rest)) = opener(&sentence.text)
            && !is_fragment(rest)
        {
            if !self.is_borne_out(affirms, rest) {
                sentence.text = capitalised(rest);
            }
        } else if is_fragment(&sentence.text) {
            let (piece, start) = self.holding_fragment(&sentence.text, cites)?;
            return Ok(Supported::Source { piece, start, is_fragment: true });
        }
        match (leans, &before) {
            (true, _) if self.follows_a_gap => Err("it speaks of a sentence that was left out".to_owned()),
            (true, None) => Err("it speaks of something it does not name".to_owned()),
            (_, _) => self.read_other_words(sentence, cites, before.as_ref()).await.map(Supported::Own),
        }
    }

    async fn read_other_words(
        &mut self,
        sentence: &WrittenSentence,
        cites: &[&'a Piece],
        before: Option<&Claim>,
    ) -> Result<PassedSentence<'a>, String> {
        // What may not be shown in its own words need not be weighed.
        let own = self.own_words(&sentence.text, cites).await;
        // Of wording alone another model is heard, where there is one.
        let differs = match own.objection {
            Some(difference) if !difference.is_wording || self.second_judge.is_none() => {
                return Err(difference.sentence);
            }
            other => other.map(|difference| difference.sentence),
        };
        let place = |source: &SourceSentence| Some((cites.get(source.text)?, source.range.clone()));
        let source = own.sources.first().and_then(place);
        let source = source.map(|(piece, range)| (piece.marker, char_span(piece, &range)));
        if !sentence.markers.is_empty() {
            let passed = self.weigh(&sentence.text, cites.to_vec(), before, differs.as_deref()).await?;
            return Ok(PassedSentence { source, ..passed });
        }
        let mut reasons = Vec::new();
        for piece in cites {
            match self.weigh(&sentence.text, vec![piece], before, differs.as_deref()).await {
                Ok(passed) => return Ok(PassedSentence { source, ..passed }),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.into_iter().next().unwrap_or_else(|| NotFound::CitesNothing.sentence().to_owned()))
    }

    /// Whether a "yes" or "no" is what the rest says to the question: it speaks of most of what was asked, and denies only after a "no".
    fn is_borne_out(&self, affirms: bool, rest: &str) -> bool {
        let said = key_terms(rest);
        let asked = key_terms(self.question);
        let shared = asked.iter().filter(|term| said.contains(term)).count();
        let denies = own_words::denies(rest);
        !asked.is_empty() && shared * 2 >= asked.len() && affirms != denies
    }

    /// A sentence in other words, alone or, where it leans on the one before, together with it: then the rules must have no
    /// objection to it alone either, so that it cannot hide behind the other's words.
    async fn weigh(
        &mut self,
        sentence: &str,
        cites: Vec<&'a Piece>,
        before: Option<&Claim>,
        differs: Option<&str>,
    ) -> Result<PassedSentence<'a>, String> {
        let Some(before) = before else {
            return match (paraphrase(sentence, cites.clone(), self.judge, self.policy).await, differs) {
                (Ok(passed), Some(reason)) => self.appeal(sentence, cites, Rejected::of_wording(reason, passed)).await,
                (Ok(passed), None) => {
                    is_near(passed.overlap)?;
                    self.needed(sentence, cites, passed).await
                }
                (Err(rejected), _) => self.appeal(sentence, cites, rejected).await,
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
        let read = match (paraphrase(&claim, with_before.clone(), self.judge, self.policy).await, differs) {
            (Ok(passed), Some(reason)) => Err(Rejected::of_wording(reason, passed)),
            (read, _) => read,
        };
        let (passed, places) = match read {
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

/// The place in a passage's text, in bytes, of a character of the document.
fn byte_of(piece: &Piece, at: usize) -> usize {
    let passage = &piece.passage.passage;
    let chars = at.saturating_sub(passage.span.start);
    passage.text.char_indices().nth(chars).map_or(passage.text.len(), |(byte, _)| byte)
}

fn capitalised(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
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
