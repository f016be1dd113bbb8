//! A model's words as they come → sentences that are checked one by one, and told once they have passed.
//!
//! Invariant: what was told stays, and nothing is told twice.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use vouch_domain::{
    ModelError,
    language::key_terms,
    ports::{Clock, CompletionStream, SentenceRole},
};

use super::{AnswerSentence, Listener};
use crate::{
    compose::model_writer::{ModelInput, repair},
    decide::Confidence,
    model_registry::JobModel,
    trace::WriterReport,
    verify::{
        UnsupportedClaim, Verification, Verifier,
        gauntlet::{CleanText, DropCounts, DroppedMarker, Gauntlet, ModelSentence, Removal, SentenceCutter},
    },
};

/// How many sentences of a model are checked per sentence that may be shown, before it is cut off.
const TRIED_MAX: usize = 4;
/// How many failed sentences a model is told of.
const MENDED_MAX: usize = 8;
/// What a model is told to say where it finds nothing.
const NO_ANSWER: &str = "no answer";

/// A model's words on their way to be checked.
pub(super) struct StreamCheck<'a> {
    pub(super) verifier: Verifier<'a>,
    /// How many claims were there before the model spoke.
    opened: usize,
    drops: DropCounts,
    /// What the gauntlet of the speech at hand took out so far.
    running: DropCounts,
    /// Whether it was stopped at the limit of its answer.
    pub(super) is_cut: bool,
    clock: &'a Arc<dyn Clock>,
    pub(super) listener: Option<&'a dyn Listener>,
    /// Who may still refuse what has passed; nobody once it is certain enough.
    door: Option<Door<'a>>,
    /// How certain the beginning is, where that was found certain enough.
    pub(super) stands: Option<Confidence>,
    sentences_max: usize,
    tried: usize,
    /// How many claims and citations have been told.
    told: usize,
    told_citations: usize,
    /// Sentences that did not pass and may be said again before they are quoted.
    failed: Vec<ModelSentence>,
    /// Whether it said that there is no answer.
    has_denied: bool,
    /// What it said already: a model that repeats itself is checked once.
    said: BTreeSet<(String, Vec<u32>)>,
    timeout: Duration,
    gap_timeout: Duration,
    bytes_max: usize,
    model: String,
}

/// What still decides, after its own check, whether a sentence is shown.
pub(super) struct Door<'a> {
    /// How certain this would be as the whole answer; none where it would be refused.
    pub(super) opens: Box<dyn Fn(Verification) -> Option<Confidence> + Send + Sync + 'a>,
    /// Who waits behind it, if anybody listens.
    pub(super) listener: Option<&'a dyn Listener>,
}

impl<'a> StreamCheck<'a> {
    /// A check of one model's words, before it has said any.
    pub(super) fn new(
        verifier: Verifier<'a>,
        (clock, listener): (&'a Arc<dyn Clock>, Option<&'a dyn Listener>),
        sentences_max: usize,
        job_model: &JobModel,
    ) -> Self {
        Self {
            opened: verifier.claims().len(),
            verifier,
            drops: DropCounts::default(),
            running: DropCounts::default(),
            is_cut: false,
            clock,
            listener,
            door: None,
            stands: None,
            sentences_max,
            tried: 0,
            told: 0,
            told_citations: 0,
            failed: Vec::new(),
            has_denied: false,
            said: BTreeSet::new(),
            timeout: job_model.timeout,
            gap_timeout: job_model.gap_timeout,
            bytes_max: job_model.response_bytes_max(),
            model: job_model.model.clone(),
        }
    }

    /// The same, whose sentences are told once those before them are certain enough.
    pub(super) fn behind(mut self, door: Option<Door<'a>>) -> Self {
        self.door = door;
        self
    }

    /// Opens the door where what has passed could be the whole answer: what follows takes nothing away from it.
    fn try_door(&mut self) {
        let Some(door) = &self.door else { return };
        let Some(confidence) = (door.opens)(self.verifier.so_far(&self.model)) else { return };
        (self.stands, self.listener) = (Some(confidence), door.listener);
        (self.told, self.told_citations) = (0, 0);
        self.door = None;
    }

    /// Listens to another model from now on.
    pub(super) fn hear(&mut self, job_model: &JobModel) {
        (self.timeout, self.gap_timeout) = (job_model.timeout, job_model.gap_timeout);
        self.bytes_max = job_model.response_bytes_max();
        self.model.clone_from(&job_model.model);
        self.tried = 0;
    }

    /// Whether anything of what the model said has passed.
    pub(super) fn has_new(&self) -> bool {
        self.verifier.claims().len() > self.opened
    }

    /// Listens until the model has finished, has said enough, or its time is over. Where checking may take another model, what it said
    /// is checked once it has ended: a server may speak to one at a time, and its time would run on.
    pub(super) async fn consume(
        &mut self,
        completion: &mut dyn CompletionStream,
        given: &ModelInput,
    ) -> Result<(), ModelError> {
        if !self.verifier.may_ask_a_model() {
            return self.listen(completion, given, None).await;
        }
        let mut heard = Vec::new();
        let outcome = self.listen(completion, given, Some(&mut heard)).await;
        self.check(heard).await;
        outcome
    }

    /// Checks what is said as it comes, or puts it by.
    async fn listen(
        &mut self,
        completion: &mut dyn CompletionStream,
        given: &ModelInput,
        mut put_by: Option<&mut Vec<ModelSentence>>,
    ) -> Result<(), ModelError> {
        let mut gauntlet = Gauntlet::new(given.marker_table.clone());
        let mut cutter = SentenceCutter::new(given.marker_table.own());
        let mut clean = CleanText::default();
        let (mut left, mut bytes_left) = (self.timeout, self.bytes_max);
        let late = |_| ModelError::Timeout { sentence: "it did not finish in time".to_owned() };
        let mut has_begun = false;
        loop {
            let since = self.clock.since_start();
            let wait = if has_begun { left.min(self.gap_timeout) } else { left };
            let bytes = tokio::time::timeout(wait, completion.next()).await.map_err(late)??;
            has_begun = true;
            left = left.saturating_sub(self.clock.since_start().saturating_sub(since));
            let is_end = bytes.is_none();
            let said = bytes.as_ref().map_or(0, Vec::len);
            // A server is not trusted to keep its own limits.
            let too_much = || ModelError::Connection { sentence: "it wrote more than it is allowed to".to_owned() };
            bytes_left = bytes_left.checked_sub(said).ok_or_else(too_much)?;
            match bytes {
                Some(bytes) => gauntlet.push(&bytes, &mut clean),
                None => gauntlet.finish(&mut clean),
            }
            self.running.clone_from(gauntlet.drops());
            let mut sentences = cutter.push(&mut clean, &mut self.drops);
            self.is_cut = is_end && completion.is_cut();
            // Half a sentence can say the opposite of the whole.
            if is_end && !self.is_cut {
                sentences.extend(cutter.finish(&mut self.drops));
            }
            let has_enough = match &mut put_by {
                Some(put_by) => {
                    put_by.extend(sentences);
                    false
                }
                None => self.check(sentences).await,
            };
            if has_enough || is_end {
                self.drops.add(&std::mem::take(&mut self.running));
                return Ok(());
            }
        }
    }

    /// Checks sentences in order and tells those that pass; answers whether there are enough.
    async fn check(&mut self, sentences: Vec<ModelSentence>) -> bool {
        for dictated in sentences {
            if self.has_enough() {
                return true;
            }
            let said = (dictated.sentence.text.clone(), dictated.sentence.markers.clone());
            if is_no_answer(&said.0) {
                self.has_denied = true;
                continue;
            }
            if !self.said.insert(said) {
                continue;
            }
            self.tried += 1;
            if self.verifier.check_model_sentence(&dictated).await {
                self.try_door();
                self.tell();
            } else if self.verifier.may_quote_later() {
                self.failed.push(dictated);
            }
        }
        self.has_enough()
    }

    /// Tells what has passed and was not told yet.
    pub(super) fn tell(&mut self) {
        let (told, cited) = (self.told, self.told_citations);
        (self.told, self.told_citations) = (self.verifier.claims().len(), self.verifier.citations().len());
        let Some(listener) = self.listener else { return };
        let mut citations = self.verifier.citations().get(cited..).unwrap_or_default();
        for (at, claim) in self.verifier.claims().iter().enumerate().skip(told) {
            let lead = if at == 0 { claim.opening() } else { claim.lead() };
            listener.on_sentence(&AnswerSentence { lead, claim, citations: std::mem::take(&mut citations) });
        }
    }

    /// Whether as much of the model's is shown as may be.
    fn is_full(&self) -> bool {
        let new = self.verifier.claims().iter().skip(self.opened);
        new.filter(|claim| claim.role() == SentenceRole::Answer).count() >= self.sentences_max
    }

    fn has_enough(&self) -> bool {
        self.is_full() || self.tried >= self.sentences_max.saturating_mul(TRIED_MAX)
    }

    /// Has the model rewrite what did not pass; returns how many sentences that gained. A failure gains none.
    pub(super) async fn mend(&mut self, given: &ModelInput, job_model: &JobModel) -> usize {
        if self.verifier.left_out().is_empty() || self.is_full() {
            return 0;
        }
        let before = self.verifier.claims().len();
        let has_denied = self.has_denied;
        let failed = self.verifier.take_left_out();
        let told: Vec<(String, String)> =
            failed.iter().take(MENDED_MAX).map(|one| (one.text.clone(), one.reason.clone())).collect();
        self.tried = 0;
        let heard = match repair(given, &told, job_model).await {
            Ok(mut completion) => self.consume(completion.as_mut(), given).await,
            Err(error) => Err(error),
        };
        if let Err(error) = heard {
            tracing::warn!(code = error.code(), "failed sentences could not be mended");
        }
        // That nothing can be mended is no word on the question.
        self.has_denied = has_denied;
        let new: Vec<String> =
            self.verifier.claims().iter().skip(before).map(|claim| claim.text().to_owned()).collect();
        self.verifier.leave_out(unmended(failed, &new));
        new.len()
    }

    /// Shows what is left to be shown once the model has said all it will, and notes what became of its words.
    pub(super) async fn end(&mut self, report: &mut WriterReport) {
        report.has_found_no_answer = self.has_denied && !self.has_new();
        self.quote_failed().await;
        self.complete();
        self.note(report);
        // What the documents answer without it may stand already.
        report.is_quoted_instead |= report.has_found_no_answer && !self.verifier.claims().is_empty();
    }

    /// Quotes the sources of what has failed for good.
    async fn quote_failed(&mut self) {
        for dictated in std::mem::take(&mut self.failed) {
            if !self.is_full() && self.verifier.quote_model_sentence(&dictated).await {
                self.try_door();
                self.tell();
            }
        }
    }

    /// Adds what the documents answer without a model, where something of the model's is shown and that is not.
    fn complete(&mut self) {
        if !self.verifier.claims().is_empty() {
            self.verifier.complete();
            self.tell();
        }
    }

    /// What became of the model's words.
    fn note(&mut self, report: &mut WriterReport) {
        self.drops.add(&std::mem::take(&mut self.running));
        self.drops.count_many(Removal::Unneeded, self.verifier.unneeded());
        report.drops = self.drops.iter().collect();
        let left_out = self.verifier.left_out().iter();
        report.left_out = left_out.cloned().collect();
        report.replaced = self.verifier.replaced().to_vec();
        for DroppedMarker { kind, claimed, known_max } in self.drops.claimed() {
            let (kind, model) = (kind.as_str(), &report.model);
            tracing::info!(event = "marker_dropped", kind, claimed, known_max, model, "a citation was taken out");
        }
        for (kind, count) in &report.drops {
            tracing::info!(kind = kind.as_str(), count, model = report.model, "taken out of a model's words");
        }
    }
}

/// The failures except those that a mended sentence replaces, by the words they share.
fn unmended(mut failed: Vec<UnsupportedClaim>, mended: &[String]) -> Vec<UnsupportedClaim> {
    for sentence in mended {
        let words: BTreeSet<String> = key_terms(sentence).into_iter().collect();
        let shared = |one: &UnsupportedClaim| key_terms(&one.text).iter().filter(|word| words.contains(*word)).count();
        let nearest = (0..failed.len()).max_by_key(|at| failed.get(*at).map_or(0, shared));
        if let Some(at) = nearest {
            failed.remove(at);
        }
    }
    failed
}

fn is_no_answer(text: &str) -> bool {
    text.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case(NO_ANSWER)
}
