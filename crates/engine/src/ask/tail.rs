//! Material → what is said: compose, verify, decide, tell. Every answer and every refusal leaves through here.
//!
//! Invariant: what was sent is the beginning of what is answered. A sentence is sent before the end only if
//! nothing that comes after its own check can refuse it.

use std::collections::BTreeSet;

use vouch_domain::{Reader, language::terms, ports::SentenceRole};

use super::{
    engine::{AskError, Engine},
    listener::{Listener, tell},
    material::{Author, Chosen, Material, Quotation},
    memory_lookup::editors_note,
    outcome::{AskContext, Outcome},
    pinned::quotation_of,
    stream_check::Door,
    trace::StopWatch,
};
use crate::{
    compose::{Draft, compose_nearest, quote},
    decide::{
        Clarification, Confidence, Decision, Grounds, ModelOpinions, Refusal, confidence_may_refuse, decide,
        denial_may_refuse, refer,
    },
    judge::Evidence,
    model_registry::{is_same_model, second_opinion},
    policy::{NoContextPolicy, OnFailure, OnUnsupported},
    trace::{Fallback, Stage, WriterReport},
    understand::{EnumeratedItem, Respelling, Understanding},
    verify::{Verification, verify},
};

/// What was written of the material.
pub(super) struct WriterOutput {
    pub(super) text: WriterText,
    /// What a model did, if one was asked.
    pub(super) report: Option<WriterReport>,
    /// Whether the sentences have been sent already.
    pub(super) is_told: bool,
    /// How certain its beginning is, where that was found certain enough by itself.
    pub(super) stands: Option<Confidence>,
}

/// Text that went through every check, or why there is none.
pub(super) enum WriterText {
    Checked(Verification),
    Refused(Refusal),
}

impl Engine {
    /// Has the answer written and checked, decides, and sends it to the listener.
    pub(super) async fn conclude(
        &self,
        mut material: Material,
        context: AskContext<'_>,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let written = self.write(&material, context).await?;
        watch.lap(Stage::Write);
        let decision = match written.text {
            WriterText::Refused(refusal) => Decision::Refuse(refusal),
            WriterText::Checked(verification) => {
                self.decide(verification, &mut material, (written.report.as_ref(), written.stands)).await
            }
        };
        let (decision, is_quoted) = self.quote_chosen(decision, &mut material).await;
        let decision = self.add_nearest(decision, &material).await;
        let reader = &context.question.reader;
        let decision = self.add_suggestions(decision, &mut material, reader).await;
        let decision = if context.is_look_up {
            decision
        } else {
            let decision = self.offer_entries(decision, &material, reader).await;
            self.refer_to_person(decision, &material, reader).await
        };
        let decision = ask_for_details(decision, self.policies.decide.no_context.as_ref());
        let decision = self.tell_undefined(decision, &mut material, reader).await;
        let (writer, is_told) = (written.report, written.is_told && !is_quoted);
        let outcome = Outcome { decision, material, writer };
        tell(&outcome.decision, context.listener.filter(|_| !is_told));
        Ok(outcome)
    }

    /// What an editor chose for these very words, as it is, where nothing else came of it; and whether that is so. Nothing was told
    /// before of what is refused.
    async fn quote_chosen(&self, decision: Decision, material: &mut Material) -> (Decision, bool) {
        if !matches!(decision, Decision::Refuse(_)) {
            return (decision, false);
        }
        match std::mem::replace(&mut material.chosen, Chosen::Editor) {
            Chosen::EditorToQuote(evidence) => {
                let Quotation { paragraphs_max, model, .. } = quotation_of(&evidence);
                let draft = quote(&evidence, paragraphs_max, &model);
                let verification = verify(&draft, &evidence, None, &self.policies.verify).await;
                // A note is told here as well, since the sources stand as they are.
                material.notices.extend(note_for_readers(material, None));
                material.author = Author::Passages(Quotation { paragraphs_max, model, card: None });
                material.evidence = *evidence;
                (self.decide(verification, material, (None, None)).await, true)
            }
            kept @ (Chosen::Nobody | Chosen::Editor) => {
                material.chosen = kept;
                (decision, false)
            }
        }
    }

    /// Text by whoever writes it, every sentence checked.
    async fn write(&self, material: &Material, context: AskContext<'_>) -> Result<WriterOutput, AskError> {
        let text = match &material.author {
            Author::Writer { background } => {
                let early = context.listener.filter(|_| self.may_tell_early(material));
                if let Some(listener) = context.listener.filter(|_| early.is_none() && context.writer.is_some()) {
                    listener.on_checking();
                }
                return self.write_with_model(material, background.as_deref(), (context, early)).await;
            }
            Author::Passages(Quotation { paragraphs_max, model, card }) => {
                let draft = quote(&material.evidence, *paragraphs_max, model);
                let verification = verify(&draft, &material.evidence, None, &self.policies.verify).await;
                WriterText::Checked(match card {
                    Some(card) => verification.under_card(card),
                    None => verification,
                })
            }
            Author::Catalogue(rows) => WriterText::Checked(rows.verified()),
            Author::Nobody(refusal) => WriterText::Refused(refusal.clone()),
        };
        Ok(WriterOutput { text, report: None, is_told: false, stands: None })
    }

    /// Whether only its own check decides whether a sentence is shown. Everything that may refuse or fail after a
    /// sentence has passed is listed here.
    pub(super) fn may_tell_early(&self, material: &Material) -> bool {
        let policies = &self.policies;
        // A second model may find nothing supported; where a person is asked then, what was said stands beside.
        let may_be_denied = self.model_registry.judge.is_some() && denial_may_refuse(&policies.decide);
        !may_be_denied
            && policies.compose.on_unsupported != OnUnsupported::Refuse
            && policies.compose.on_failure != OnFailure::Fail
            && !confidence_may_refuse(&material.lost_in_search(), &policies.decide)
    }

    /// How certain what the documents answer without a model is, where that alone may be shown and nothing but its confidence could keep
    /// it from being told before a model has written.
    pub(super) async fn stands_by_itself(&self, draft: &Draft, material: &Material) -> Option<Confidence> {
        let door = self.door(material, None)?;
        let policy = &self.policies.verify;
        (door.opens)(verify(draft, &material.evidence, self.claim_judge.as_ref(), policy).await)
    }

    /// The door in front of a listener where nothing but confidence may refuse what has passed; none where something else may, or
    /// nothing does.
    pub(super) fn door<'a>(&'a self, material: &'a Material, listener: Option<&'a dyn Listener>) -> Option<Door<'a>> {
        let compose = &self.policies.compose;
        let is_confidence_alone = self.model_registry.judge.is_none()
            && compose.on_failure == OnFailure::Quote
            && compose.on_unsupported != OnUnsupported::Refuse
            && !self.may_tell_early(material);
        let opens = Box::new(|verification| {
            let lost = material.lost_in_search();
            let grounds = grounds(material, &lost, (ModelOpinions::default(), None));
            match decide(verification, grounds, &self.policies.decide, self.clock.now_ms()) {
                Decision::Answer(answer) => Some(*answer.confidence()),
                Decision::Refuse(_)
                | Decision::Refer(_)
                | Decision::Clarify(_)
                | Decision::General(_)
                | Decision::Tool(_) => None,
            }
        });
        is_confidence_alone.then_some(Door { opens, listener })
    }

    async fn decide(
        &self,
        verification: Verification,
        material: &mut Material,
        (report, stands): (Option<&WriterReport>, Option<Confidence>),
    ) -> Decision {
        if let Some(choice) = material.choice.take() {
            let text = verification.passed();
            return Decision::Clarify(Clarification {
                question: choice.question,
                text,
                options: choice.options,
                is_no_context: false,
            });
        }
        let is_written = matches!(material.author, Author::Writer { .. });
        let support = match is_written {
            true => self.second_opinion(&material.understanding, &verification).await,
            false => None,
        };
        let opinions =
            ModelOpinions { support, found_no_answer: report.is_some_and(|report| report.has_found_no_answer) };
        let lost = material.lost_in_search();
        let grounds = grounds(material, &lost, (opinions, stands));
        let decision = decide(verification, grounds, &self.policies.decide, self.clock.now_ms());
        let mut notices = std::mem::take(&mut material.notices);
        if is_written {
            notices.extend(caveats(material, report));
            notices.extend(missing_parts(&material.evidence, &decision));
        }
        decision.with_notices(notices)
    }

    /// How well a second model finds the answer supported; none if none is asked, or it gives no figure.
    async fn second_opinion(&self, understanding: &Understanding, verification: &Verification) -> Option<u32> {
        let (Some(job_model), Verification::Passed { text, .. }) = (&self.model_registry.judge, verification) else {
            return None;
        };
        // The writer's own model must not judge its answer.
        if is_same_model(&job_model.model, text.model()) {
            return None;
        }
        let passages = text.citations().iter().map(|cited| cited.text());
        second_opinion(job_model, understanding.asked(), &text.with_markers(), passages).await
    }

    /// What comes nearest to a question that was searched for and is refused. It is no answer, so nothing rests on it: where it cannot be
    /// had, the refusal stands without.
    async fn add_nearest(&self, mut decision: Decision, material: &Material) -> Decision {
        if let Decision::Refuse(refusal) = &mut decision
            && refusal.reason.is_silence_of_documents()
            && !material.evidence.pieces().is_empty()
        {
            let (policies, evidence) = (&self.policies, &material.evidence);
            let draft = compose_nearest(&material.understanding, evidence, &self.writer, &policies.compose).await;
            if let Ok(draft) = draft {
                refusal.nearest = verify(&draft, evidence, None, &policies.verify).await.passed();
            }
        }
        decision
    }

    /// Where nothing in the corpus answers: general knowledge, if the profile allows it, and terms that are defined.
    async fn add_suggestions(&self, decision: Decision, material: &mut Material, reader: &Reader) -> Decision {
        if !material.is_whole_corpus {
            return decision;
        }
        let mut decision = self.answer_from_general_knowledge(decision, material).await;
        if let (Decision::Refuse(refusal), Some(term_lookup)) = (&mut decision, self.terms_in_use().await) {
            self.offer_terms(refusal, material, reader, term_lookup).await;
        }
        decision
    }

    /// Sends what is unsure to a person, where the profile says so.
    async fn refer_to_person(&self, decision: Decision, material: &Material, reader: &Reader) -> Decision {
        let Some(route) = &self.policies.decide.route else { return decision };
        let limits = (route, self.policies.retrieve.lane_timeout);
        refer(decision, &material.evidence, reader, self.directory.as_ref(), limits).await
    }
}

fn grounds<'m>(
    material: &'m Material,
    lost: &'m [Fallback],
    (opinions, stands): (ModelOpinions, Option<Confidence>),
) -> Grounds<'m> {
    Grounds {
        key_words: material.understanding.key_words(),
        candidates: &material.candidates,
        lost,
        evidence: &material.evidence,
        is_named: material.is_named,
        opinions,
        stands,
        is_chosen: material.chosen != Chosen::Nobody,
    }
}

/// A question back for details in the place of a refusal, where the documents do not answer and the profile says what would help.
fn ask_for_details(decision: Decision, no_context: Option<&NoContextPolicy>) -> Decision {
    match (decision, no_context) {
        (Decision::Refuse(refusal), Some(asked)) if refusal.reason.lacks_context() => {
            let details = asked.details.join(", ");
            let question = match details.is_empty() {
                true => asked.message.clone(),
                false => format!("{} To clarify, please share: {details}.", asked.message),
            };
            Decision::Clarify(Clarification { question, text: None, options: refusal.suggestions, is_no_context: true })
        }
        (decision, _) => decision,
    }
}

/// What the reader should know of how the question was read and the answer written.
fn caveats(material: &Material, writer: Option<&WriterReport>) -> Vec<String> {
    let mut caveats = Vec::new();
    if let Some(report) = writer.filter(|report| report.failure.is_none()) {
        if report.has_found_no_answer {
            caveats.push(
                "The model found no answer in the passages; the documents are quoted anyway, with lower confidence."
                    .to_owned(),
            );
        } else if report.is_quoted_instead {
            caveats.push("Nothing the model wrote stood up to the check; the documents are quoted instead.".to_owned());
        } else if !report.replaced.is_empty() {
            caveats.push(
                "Where the model's own words did not stand up to the check, the documents are quoted.".to_owned(),
            );
        }
    }
    if let Some((report, failed)) = writer.and_then(|report| Some((report, report.instead_of.as_ref()?))) {
        caveats.push(format!("{} wrote the answer in place of {failed}.", report.model));
    }
    if let Some((report, failure)) = writer.and_then(|report| Some((report, report.failure.as_ref()?))) {
        caveats.push(match report.is_quoted_instead {
            true => format!("The model could not write the answer ({failure}); the documents are quoted instead."),
            false => format!("The model broke off ({failure}); the answer may be incomplete."),
        });
    }
    caveats.extend(note_for_readers(material, writer));
    let read_as = |one: &Respelling| format!("\"{}\" was read as \"{}\".", one.asked, one.written);
    caveats.extend(material.understanding.respellings().iter().filter(|one| one.is_meant).map(read_as));
    caveats
}

/// The parts of the question without an answer. What the judge found none for may still be spoken of in what is shown; an item
/// that is, is not called missing.
fn missing_parts(evidence: &Evidence, decision: &Decision) -> Vec<String> {
    let claims = match decision {
        Decision::Answer(answer) => answer.text().claims(),
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            &[]
        }
    };
    let answers = claims.iter().filter(|claim| claim.role() == SentenceRole::Answer);
    let shown: BTreeSet<String> = answers.flat_map(|claim| terms(claim.text())).collect();
    let is_silent = |item: &&EnumeratedItem| !item.terms.iter().all(|term| shown.contains(term));
    let items = evidence.open_items().iter().filter(is_silent).map(|item| item.question.as_str());
    let parts = evidence.unanswered().iter().map(String::as_str).chain(items);
    parts.map(|part| format!("No answer was found to: {part}")).collect()
}

/// An editor's note for readers, where no model was there to be guided by it.
fn note_for_readers(material: &Material, writer: Option<&WriterReport>) -> Option<String> {
    let is_framed = writer.is_some_and(|report| !report.is_quoted_instead);
    material.readers_note.as_deref().filter(|_| !is_framed).map(editors_note)
}
