//! Evidence → verified text: quoted from it, or written by a model and checked sentence by sentence as it speaks.
//!
//! Invariant: a sentence is sent once it has passed and never taken back. Whether anybody may listen before the end is
//! not decided here.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use vouch_domain::{
    ModelError,
    language::key_terms,
    ports::{Clock, CompletionStream},
};

use super::{
    AnswerSentence, Listener,
    engine::{AskError, Engine},
    material::Material,
    outcome::AskContext,
    tail::{WriterOutput, WriterText},
};
use crate::{
    compose::{
        compose,
        model_writer::{ModelInput, WriteRequest, prepare_input, repair, start_answer},
    },
    decide::{RefusalReason, refuse_with},
    model_registry::{JobModel, is_same_model},
    policy::{OnFailure, OnUnsupported, VerifyPolicy},
    trace::WriterReport,
    verify::{
        UnsupportedClaim, Verification, Verifier,
        gauntlet::{CleanText, DropCounts, Gauntlet, ModelSentence, Removal, SentenceCutter},
        verify,
    },
};

/// How many sentences of a model are checked per sentence that may be shown, before it is cut off.
const TRIED_MAX: usize = 4;
/// How many failed sentences a model is told of.
const MENDED_MAX: usize = 8;
/// What a model is told to say where it finds nothing.
const NO_ANSWER: &str = "no answer";

/// A model's words on their way to be checked.
struct StreamCheck<'a> {
    verifier: Verifier<'a>,
    drops: DropCounts,
    /// What the gauntlet of the speech at hand took out so far.
    running: DropCounts,
    is_cut: bool,
    clock: &'a Arc<dyn Clock>,
    listener: Option<&'a dyn Listener>,
    sentences_max: usize,
    tried: usize,
    /// How many claims and citations have been told.
    told: usize,
    told_citations: usize,
    /// Sentences that did not pass and may be said again before they are quoted.
    failed: Vec<ModelSentence>,
    /// What it said already: a model that repeats itself is checked once.
    said: BTreeSet<(String, Vec<u32>)>,
    timeout: Duration,
    gap_timeout: Duration,
    bytes_max: usize,
}

impl Engine {
    /// Written by the model, or by the extractive writer; an early listener receives each sentence as it passes.
    pub(super) async fn write_with_model(
        &self,
        material: &Material,
        background: Option<&str>,
        (context, early): (AskContext<'_>, Option<&dyn Listener>),
    ) -> Result<WriterOutput, AskError> {
        let Some(job_model) = context.writer else { return self.quote_instead(material, background).await };
        match self.stream_answer(material, background, job_model, (context, early)).await {
            Ok(written) if written.has_nothing_to_show() => {
                let mut quoted = self.quote_instead(material, background).await?;
                let mut report = written.report.unwrap_or_default();
                report.is_quoted_instead = quoted.has_text();
                quoted.report = Some(report);
                // Where the documents have nothing either, what the model said tells why.
                Ok(if quoted.has_text() { quoted } else { WriterOutput { report: quoted.report, ..written } })
            }
            Ok(written) => Ok(written),
            Err(error) if self.may_quote_instead(&error) => {
                tracing::warn!(code = error.code(), "the model could not be asked; its evidence is quoted");
                let mut written = self.quote_instead(material, background).await?;
                let (model, failure) = (job_model.model.clone(), Some(error.to_string()));
                let is_circuit_open = matches!(error, ModelError::CircuitOpen { .. });
                written.report = Some(WriterReport {
                    model,
                    failure,
                    is_quoted_instead: true,
                    is_circuit_open,
                    ..WriterReport::default()
                });
                Ok(written)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// An invalid request is reported; a failed server can be substituted.
    fn may_quote_instead(&self, error: &ModelError) -> bool {
        let is_servers = match error {
            ModelError::Connection { .. }
            | ModelError::CircuitOpen { .. }
            | ModelError::Timeout { .. }
            | ModelError::Unavailable { .. }
            | ModelError::Context { .. } => true,
            ModelError::NotAllowed { .. } | ModelError::TokenBudgetExceeded { .. } => false,
        };
        is_servers && self.policies.compose.on_failure == OnFailure::Quote
    }

    /// The model asked about what the built-in judge alone rejects: where it is to be, and did not write it.
    fn second_judge(&self, writer: &str) -> Option<&JobModel> {
        let judge = self.model_registry.judge.as_ref().filter(|_| self.policies.verify.ask_judge_model);
        judge.filter(|judge| !is_same_model(&judge.model, writer))
    }

    async fn quote_instead(&self, material: &Material, background: Option<&str>) -> Result<WriterOutput, AskError> {
        let (policies, evidence) = (&self.policies, &material.evidence);
        let draft = compose(&material.understanding, (evidence, background), &self.writer, &policies.compose).await?;
        let verification = verify(&draft, evidence, self.claim_judge.as_ref(), &policies.verify).await;
        Ok(WriterOutput { text: WriterText::Checked(verification), report: None, is_told: false })
    }

    async fn stream_answer(
        &self,
        material: &Material,
        background: Option<&str>,
        job_model: &JobModel,
        (context, early): (AskContext<'_>, Option<&dyn Listener>),
    ) -> Result<WriterOutput, ModelError> {
        let (policies, evidence) = (&self.policies, &material.evidence);
        let write_request = WriteRequest {
            question: material.understanding.asked(),
            history: &context.question.conversation,
            background,
            evidence,
        };
        let mut report = WriterReport { model: job_model.model.clone(), ..WriterReport::default() };
        let given =
            prepare_input(&write_request, job_model, self.model_registry.outline.as_ref(), &policies.compose).await?;
        let Some(given) = given else {
            let refusal = refuse_with(RefusalReason::NoThesis, Vec::new(), &policies.decide);
            return Ok(WriterOutput { text: WriterText::Refused(refusal), report: Some(report), is_told: false });
        };
        report.notes = given.share.notes.iter().map(|note| note.marker).collect();
        (report.context_tokens, report.history_tokens) = (given.share.context_tokens, given.share.history_tokens);
        // An equal part of the judge's time for every sentence that may be shown.
        let sentences = u32::try_from(policies.compose.sentences_max).unwrap_or(u32::MAX).max(1);
        let each =
            VerifyPolicy { support_timeout: policies.verify.support_timeout / sentences, ..policies.verify.clone() };
        let mut verifier = Verifier::new(evidence, self.claim_judge.as_ref(), &each)
            .for_model(material.understanding.asked(), policies.compose.on_unsupported);
        if matches!(policies.compose.on_unsupported, OnUnsupported::Quote | OnUnsupported::Repair)
            && let Ok(draft) =
                compose(&material.understanding, (evidence, background), &self.writer, &policies.compose).await
        {
            verifier = verifier.with_answer(&draft);
        }
        let mut stream_check = StreamCheck {
            verifier: verifier.with_second_judge(self.second_judge(&job_model.model), &self.clock),
            drops: DropCounts::default(),
            running: DropCounts::default(),
            is_cut: false,
            clock: &self.clock,
            listener: early,
            sentences_max: policies.compose.sentences_max,
            tried: 0,
            told: 0,
            told_citations: 0,
            failed: Vec::new(),
            said: BTreeSet::new(),
            timeout: job_model.timeout,
            gap_timeout: job_model.gap_timeout,
            bytes_max: job_model.response_bytes_max(),
        };
        let outcome = match start_answer(&write_request, &given, job_model).await {
            Ok(mut completion) => stream_check.consume(completion.as_mut(), &given).await,
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            // What has passed stays, whoever received it; if nothing has, the documents can still be quoted.
            if stream_check.verifier.claims().is_empty() || policies.compose.on_failure == OnFailure::Fail {
                stream_check.note(&mut report);
                return Err(error);
            }
            report.failure = Some(error.to_string());
        } else if stream_check.is_cut {
            report.failure = Some("it reached the limit of its answer".to_owned());
        } else if policies.compose.on_unsupported == OnUnsupported::Repair {
            report.mended = stream_check.mend(&given, job_model).await;
        }
        stream_check.quote_failed().await;
        stream_check.complete();
        stream_check.note(&mut report);
        let is_told = stream_check.listener.is_some();
        let verification = stream_check.verifier.finish(&job_model.model);
        Ok(WriterOutput { text: WriterText::Checked(verification), report: Some(report), is_told })
    }
}

impl StreamCheck<'_> {
    /// Listens until the model has finished, has said enough, or its time is over. Where checking may take another model, what it said
    /// is checked once it has ended: a server may speak to one at a time, and its time would run on.
    async fn consume(&mut self, completion: &mut dyn CompletionStream, given: &ModelInput) -> Result<(), ModelError> {
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
            if is_no_answer(&said.0) || !self.said.insert(said) {
                continue;
            }
            self.tried += 1;
            if self.verifier.check_model_sentence(&dictated).await {
                self.tell();
            } else if self.verifier.may_quote_later() {
                self.failed.push(dictated);
            }
        }
        self.has_enough()
    }

    /// Tells what has passed and was not told yet.
    fn tell(&mut self) {
        let (told, cited) = (self.told, self.told_citations);
        (self.told, self.told_citations) = (self.verifier.claims().len(), self.verifier.citations().len());
        let Some(listener) = self.listener else { return };
        let mut citations = self.verifier.citations().get(cited..).unwrap_or_default();
        for (at, claim) in self.verifier.claims().iter().enumerate().skip(told) {
            let lead = if at == 0 { "" } else { claim.lead() };
            listener.on_sentence(&AnswerSentence { lead, claim, citations: std::mem::take(&mut citations) });
        }
    }

    fn has_enough(&self) -> bool {
        self.verifier.claims().len() >= self.sentences_max || self.tried >= self.sentences_max.saturating_mul(TRIED_MAX)
    }

    /// Has the model rewrite what did not pass; returns how many sentences that gained. A failure gains none.
    async fn mend(&mut self, given: &ModelInput, job_model: &JobModel) -> usize {
        if self.verifier.left_out().is_empty() || self.verifier.claims().len() >= self.sentences_max {
            return 0;
        }
        let before = self.verifier.claims().len();
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
        let new: Vec<String> =
            self.verifier.claims().iter().skip(before).map(|claim| claim.text().to_owned()).collect();
        self.verifier.leave_out(unmended(failed, &new));
        new.len()
    }

    /// Quotes the sources of what has failed for good.
    async fn quote_failed(&mut self) {
        for dictated in std::mem::take(&mut self.failed) {
            if self.verifier.claims().len() < self.sentences_max && self.verifier.quote_model_sentence(&dictated).await
            {
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
        for (kind, count) in &report.drops {
            tracing::info!(kind = kind.as_str(), count, model = report.model, "taken out of a model's words");
        }
    }
}

impl WriterOutput {
    /// Whether a model has written, and nothing of it may be shown.
    fn has_nothing_to_show(&self) -> bool {
        matches!(self.text, WriterText::Checked(Verification::Failed(_)))
    }

    fn has_text(&self) -> bool {
        matches!(self.text, WriterText::Checked(Verification::Passed { .. }))
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
