//! Evidence → verified text: quoted from it, or written by a model and checked sentence by sentence as it speaks.
//!
//! Invariant: a sentence is sent once it has passed and never taken back. Whether anybody may listen before the end is
//! not decided here.

use vouch_domain::ModelError;

use super::{
    Listener,
    engine::{AskError, Engine},
    material::Material,
    outcome::AskContext,
    stream_check::StreamCheck,
    tail::{WriterOutput, WriterText},
};
use crate::{
    compose::{
        Draft, compose,
        model_writer::{ModelInput, WriteRequest, prepare_input, refit, start_answer},
    },
    decide::{RefusalReason, refuse_with},
    model_registry::{JobModel, is_same_model},
    policy::{OnEmptyOutline, OnFailure, OnUnsupported, VerifyPolicy},
    trace::WriterReport,
    verify::{Verification, Verifier, verify},
};

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
            Ok(written) if written.has_nothing_to_show() || self.is_quoted_for_outline(&written) => {
                let mut quoted = self.quote_instead(material, background).await?;
                let mut report = written.report.unwrap_or_default();
                report.is_quoted_instead = quoted.has_text();
                quoted.report = Some(report);
                // Where the documents have nothing either, what the model said tells why.
                Ok(if quoted.has_text() { quoted } else { WriterOutput { report: quoted.report, ..written } })
            }
            Ok(written) => Ok(written),
            Err(error) if self.may_quote_instead(&error) => {
                tracing::warn!(code = error.code(), %error, "the model could not be asked; its evidence is quoted");
                let mut written = self.quote_instead(material, background).await?;
                let (model, failure) = (job_model.model.clone(), Some(plainly(&error).to_owned()));
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

    /// Whether a model saw nothing to say in the evidence and the documents are to be quoted all the same.
    fn is_quoted_for_outline(&self, written: &WriterOutput) -> bool {
        let is_empty =
            matches!(&written.text, WriterText::Refused(refusal) if refusal.reason == RefusalReason::NoThesis);
        is_empty && self.policies.compose.on_empty_outline == OnEmptyOutline::Quote
    }

    /// An invalid request is reported; a failed server can be substituted.
    fn may_quote_instead(&self, error: &ModelError) -> bool {
        is_of_the_server(error) && self.policies.compose.on_failure == OnFailure::Quote
    }

    /// The model asked about what the built-in judge alone rejects: where it is to be, and did not write it.
    fn second_judge(&self, writers: [Option<&JobModel>; 2]) -> Option<&JobModel> {
        let judge = self.model_registry.judge.as_ref().filter(|_| self.policies.verify.ask_judge_model);
        judge.filter(|judge| writers.iter().flatten().all(|writer| !is_same_model(&judge.model, &writer.model)))
    }

    async fn quote_instead(&self, material: &Material, background: Option<&str>) -> Result<WriterOutput, AskError> {
        let (policies, evidence) = (&self.policies, &material.evidence);
        let draft = compose(&material.understanding, (evidence, background), &self.writer, &policies.compose).await?;
        let verification = verify(&draft, evidence, self.claim_judge.as_ref(), &policies.verify).await;
        Ok(WriterOutput { text: WriterText::Checked(verification), report: None, is_told: false, stands: None })
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
            instructions: policies.compose.instructions.as_deref(),
            evidence,
        };
        let given =
            prepare_input(&write_request, job_model, self.model_registry.outline.as_ref(), &policies.compose).await?;
        let Some(given) = given else { return Ok(self.without_thesis(job_model)) };
        // Who asks for a model by name gets that one's words or none.
        let stand_in = self.model_registry.stand_in.as_ref().filter(|_| context.question.model.is_none());
        // An equal part of the judge's time for every sentence that may be shown.
        let sentences = u32::try_from(policies.compose.sentences_max).unwrap_or(u32::MAX).max(1);
        let each =
            VerifyPolicy { support_timeout: policies.verify.support_timeout / sentences, ..policies.verify.clone() };
        let mut verifier = Verifier::new(evidence, self.claim_judge.as_ref(), &each)
            .for_model(material.understanding.asked(), policies.compose.on_unsupported)
            .with_second_judge(self.second_judge([Some(job_model), stand_in]), &self.clock);
        let (mut listener, mut stands) = (early, None);
        if let Some(draft) = self.answer_without_model(material, background).await {
            verifier = verifier.with_answer(&draft);
            stands = self.stands_by_itself(&draft, material).await;
            if stands.is_some() {
                // Certain enough by itself, it comes first, and then nothing can be refused any more.
                verifier.open_with_answer();
                listener = context.listener;
            }
        }
        let door = self.door(material, context.listener).filter(|_| stands.is_none());
        let mut stream_check =
            StreamCheck::new(verifier, (&self.clock, listener), policies.compose.sentences_max, job_model).behind(door);
        stream_check.tell();
        let dictated = self.dictate(&write_request, given, (job_model, stand_in), &mut stream_check).await;
        let mut report = dictated.report();
        let Dictated { given, job_model, outcome, .. } = dictated;
        match outcome {
            Err(error) => {
                // What has passed stays, whoever received it; if nothing has, the documents can still be quoted.
                if stream_check.verifier.claims().is_empty() || policies.compose.on_failure == OnFailure::Fail {
                    return Err(error);
                }
                tracing::warn!(code = error.code(), %error, "the model broke off");
                report.failure = Some(plainly(&error).to_owned());
                report.is_quoted_instead = !stream_check.has_new();
                report.is_circuit_open = matches!(error, ModelError::CircuitOpen { .. });
            }
            Ok(()) if stream_check.is_cut => report.failure = Some("it reached the limit of its answer".to_owned()),
            Ok(()) if policies.compose.on_unsupported == OnUnsupported::Repair => {
                report.mended = stream_check.mend(&given, job_model).await;
            }
            Ok(()) => {}
        }
        stream_check.end(&mut report).await;
        let is_told = stream_check.listener.is_some();
        let stands = stands.or(stream_check.stands);
        let verification = stream_check.verifier.finish(&job_model.model);
        Ok(WriterOutput { text: WriterText::Checked(verification), report: Some(report), is_told, stands })
    }

    /// Has a model speak, and where it fails before anything of it has passed, the one that stands in for it.
    async fn dictate<'j>(
        &self,
        write_request: &WriteRequest<'_>,
        given: ModelInput,
        (job_model, stand_in): (&'j JobModel, Option<&'j JobModel>),
        stream_check: &mut StreamCheck<'_>,
    ) -> Dictated<'j> {
        let outcome = speak(write_request, &given, job_model, stream_check).await;
        let dictated = Dictated { given, job_model, instead_of: None, is_circuit_open: false, outcome };
        let (Err(error), Some(stand_in)) = (&dictated.outcome, stand_in) else { return dictated };
        if stream_check.has_new() || !is_of_the_server(error) {
            return dictated;
        }
        // It has a window of its own; what an outline has left out stays out.
        let Ok(own) = refit(write_request, &dictated.given, stand_in, &self.policies.compose) else { return dictated };
        tracing::warn!(code = error.code(), %error, model = stand_in.model, "the model failed; another stands in for it");
        let is_circuit_open = matches!(error, ModelError::CircuitOpen { .. });
        let instead_of = Some(format!("{} ({})", job_model.model, plainly(error)));
        stream_check.hear(stand_in);
        match speak(write_request, &own, stand_in, stream_check).await {
            // That both fail says nothing more than that the first does.
            Err(_) if !stream_check.has_new() => dictated,
            outcome => Dictated { given: own, job_model: stand_in, instead_of, is_circuit_open, outcome },
        }
    }

    fn without_thesis(&self, job_model: &JobModel) -> WriterOutput {
        let refusal = refuse_with(RefusalReason::NoThesis, Vec::new(), &self.policies.decide);
        let report =
            WriterReport { model: job_model.model.clone(), has_found_no_answer: true, ..WriterReport::default() };
        WriterOutput { text: WriterText::Refused(refusal), report: Some(report), is_told: false, stands: None }
    }

    /// What the documents answer without a model, where that is shown beside what a model writes.
    async fn answer_without_model(&self, material: &Material, background: Option<&str>) -> Option<Draft> {
        let compose_policy = &self.policies.compose;
        if !matches!(compose_policy.on_unsupported, OnUnsupported::Quote | OnUnsupported::Repair) {
            return None;
        }
        let evidence = (&material.evidence, background);
        compose(&material.understanding, evidence, &self.writer, compose_policy).await.ok()
    }
}

/// What a model was given, who it was in the end, and how it ended.
struct Dictated<'j> {
    given: ModelInput,
    job_model: &'j JobModel,
    instead_of: Option<String>,
    /// Whether the one it stands in for was not even asked.
    is_circuit_open: bool,
    outcome: Result<(), ModelError>,
}

impl Dictated<'_> {
    fn report(&self) -> WriterReport {
        let share = &self.given.share;
        WriterReport {
            model: self.job_model.model.clone(),
            notes: share.notes.iter().map(|note| note.marker).collect(),
            context_tokens: share.context_tokens,
            history_tokens: share.history_tokens,
            instead_of: self.instead_of.clone(),
            is_circuit_open: self.is_circuit_open,
            ..WriterReport::default()
        }
    }
}

async fn speak(
    write_request: &WriteRequest<'_>,
    given: &ModelInput,
    job_model: &JobModel,
    stream_check: &mut StreamCheck<'_>,
) -> Result<(), ModelError> {
    let mut completion = start_answer(write_request, given, job_model).await?;
    stream_check.consume(completion.as_mut(), given).await
}

/// Why a model did not write, for whoever asked: where its server is concerns the log alone.
fn plainly(error: &ModelError) -> &'static str {
    match error {
        ModelError::Connection { .. } => "its server failed",
        ModelError::CircuitOpen { .. } => "its server has failed too often recently",
        ModelError::Timeout { .. } => "it took too long",
        ModelError::Unavailable { .. } => "its server does not offer it",
        ModelError::Context { .. } | ModelError::TokenBudgetExceeded { .. } => "the text is too long for it",
        ModelError::NotAllowed { .. } => "it is not an allowed model",
    }
}

/// Whether the server failed, and not the request.
fn is_of_the_server(error: &ModelError) -> bool {
    match error {
        ModelError::Connection { .. }
        | ModelError::CircuitOpen { .. }
        | ModelError::Timeout { .. }
        | ModelError::Unavailable { .. }
        | ModelError::Context { .. } => true,
        ModelError::NotAllowed { .. } | ModelError::TokenBudgetExceeded { .. } => false,
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
