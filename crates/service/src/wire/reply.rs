//! A response → the one reply object of the command line, HTTP and the last stream event.
//!
//! Invariant: every key is always there; what is not known is `null` or an empty list.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::PendingCall;
use vouch_engine::{
    ask::{QuestionKind, Response},
    decide::{
        Clarification, Confidence, Decision, GeneralAnswer, Level, Referral, Refusal, RetrievalQuality, Suggestion,
        ToolReply, ToolStep, TransparencyStatement, UnsureOutcome, VerifiedAnswer,
    },
    ingest::tokens,
    retrieve::ReadGeneration,
    trace::{Fallback, Removal, Trace},
    verify::{Claim, VerifiedText},
};

use super::{
    NearestWire, PendingWire, ReferralWire, ToolCallWire,
    citation::{CitationWire, SourceWire, citation, source},
};
use crate::outcome::{Action, Outcome, Route};

/// What a reader is warned of where it was taken out of a model's words.
const WARNED_OF: &[Removal] = &[Removal::NeverMinted, Removal::UnknownSource, Removal::ActionNotDone];

/// The reply to a question. Every key is always present; what is unknown is `null` or an empty list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Reply {
    /// Id of the request, also in the `x-request-id` header and in the audit trail.
    pub request_id: String,
    /// Id of the conversation, to be sent with the next question of it; null where there are no agents.
    pub session_id: Option<String>,
    /// The generation of the documents that all of the reply rests on; the same number is the same documents on every server of a
    /// database. Null where they changed too often meanwhile for one to be named.
    pub generation: Option<u64>,
    /// `answered`, `refused`, `clarify` (something is asked back), `routed` (a person should be asked) or `tool` (a tool said it).
    #[schema(value_type = String)]
    pub outcome: Outcome,
    /// The answer in Markdown with `[^1]` markers, or the refusal or the question back in words.
    pub answer: String,
    /// True if the documents do not answer the question; `answer` then says so.
    pub refused: bool,
    /// The gate or rule that refused, with its figures, for a person; null unless refused.
    pub refusal_reason: Option<String>,
    /// The same as one stable word, such as `answerability`; null unless refused.
    pub abstain_reason: Option<&'static str>,
    /// `CITE` for an answer, `ROUTE` if a person should be asked; null otherwise.
    #[schema(value_type = Option<String>)]
    pub action: Option<Action>,
    /// `tree` if the reader sees documents of several collections, else `direct`.
    #[schema(value_type = String)]
    pub route: Route,
    /// What the question asks for, such as `terminology`, `list`, `entity` or `factual`.
    #[schema(value_type = String)]
    pub intent: QuestionKind,
    /// The agent that answered; null if there are no agents.
    pub agent: Option<String>,
    /// The sources behind the markers of `answer`, one per marker.
    pub citations: Vec<CitationWire>,
    /// The same sources for a list below the answer, one per document and section.
    pub sources: Vec<SourceWire>,
    /// The sentences of the answer, each with its verification.
    pub claims: Vec<ClaimWire>,
    /// How certain the answer is.
    pub confidence: ConfidenceWire,
    /// How good the search was.
    pub retrieval_quality: RetrievalQualityWire,
    /// What to tell the reader about how the answer came about.
    pub transparency: TransparencyWire,
    /// True if anything stood in for something that was down, late or cut.
    pub fallback_mode: bool,
    /// Problems that did not stop the answer.
    pub warnings: Vec<String>,
    /// Sentences to show with the answer, such as that a document is outdated.
    pub notices: Vec<String>,
    /// The person to ask; null unless `outcome` is `routed`.
    pub route_to: Option<ReferralWire>,
    /// After a refusal, what comes nearest in the documents, word for word: no answer, and never a part of `answer`.
    pub nearest: Vec<NearestWire>,
    /// Questions that would be answered, after a refusal, a question back or a weak answer; one of the kind `question` is an editor's, and
    /// who asks it sends this reply's `request_id` as `instead_of`.
    pub suggestions: Vec<SuggestionWire>,
    /// Tools that were called.
    pub tool_calls: Vec<ToolCallWire>,
    /// The tool that waits for a value or for a yes; null if none does.
    pub pending: Option<PendingWire>,
    /// True if the documents do not answer and details are asked for that might help.
    pub no_context: bool,
    /// Model that wrote the answer, or `extractive` if sentences were quoted; null if nothing was written.
    pub model_used: Option<String>,
    /// Number of passages the answer was written from.
    pub context_chunks_used: usize,
    /// Size of these passages in tokens.
    pub context_tokens_used: usize,
    /// Time from the question to the decision, in milliseconds.
    pub generation_time_ms: f64,
    /// True if every sentence of the answer was verified against a cited source.
    pub grounded: bool,
    /// How the answer came about; null unless the request asked to `explain`.
    pub trace: Option<Trace>,
    /// What `answer` ends with that is told of the conversation, for who has shown its sentences one by one.
    #[serde(skip)]
    pub asides: Vec<String>,
}

/// A sentence of the answer and its verification.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Claim)]
pub struct ClaimWire {
    /// The sentence, without markers.
    pub text: String,
    /// `answer` for the words that answer, `context` for those around them that they are read with; both are verified.
    pub role: &'static str,
    /// Numbers of the citations it rests on.
    pub markers: Vec<u32>,
    /// Always true: unsupported sentences are left out of the answer.
    pub supported: bool,
    /// How well the sources support it, 0 to 1.
    pub score: f32,
    /// The checks it passed, such as `numbers`, `names`, `polarity` or `judge`; `quoted` where it is the document's own sentence in place
    /// of what a model wrote.
    pub checks: Vec<&'static str>,
}

/// How certain the answer is, or would have been where a person is named instead; all null in other refusals.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = Confidence)]
pub struct ConfidenceWire {
    /// 0 to 100: 30 parts retrieval, 40 parts coverage, 30 parts judge; lower in fallback mode.
    pub overall: Option<u32>,
    /// Mean relevance of the cited passages, 0 to 1.
    pub retrieval_score: Option<f32>,
    /// Share of the answer's key phrases that the cited passages contain, 0 to 1.
    pub coverage_score: Option<f32>,
    /// The judge's score, 0 to 100; null if there is no judge.
    pub llm_score: Option<u32>,
}

impl ConfidenceWire {
    fn new(confidence: &Confidence) -> Self {
        Self {
            overall: Some(confidence.overall),
            retrieval_score: Some(confidence.retrieval_score),
            coverage_score: Some(confidence.coverage_score),
            llm_score: confidence.judge_score,
        }
    }
}

/// How good the search was.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = RetrievalQuality)]
pub struct RetrievalQualityWire {
    /// `confidence.overall` before any deduction, 0 to 1; null if nothing was answered.
    pub confidence_score: Option<f64>,
    /// `high`, `medium` or `low`; null if there is no score.
    pub confidence_level: Option<&'static str>,
    /// True if anything stood in for something that was down, late or cut.
    pub fallback_active: bool,
    /// What did, such as `bm25_only`, `dense_only`, `circuit_open`, `skosmos_timeout`, `llm_unavailable`; the same words as in logs,
    /// metrics and the trail.
    #[schema(value_type = Vec<String>)]
    pub fallback_reasons: Vec<Fallback>,
    /// True if a part of the search was down, so that the confidence is lower.
    pub degraded: bool,
}

/// What to tell the reader about how the answer came about.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = Transparency)]
pub struct TransparencyWire {
    /// A sentence for the reader; null if there is nothing to say.
    pub statement: Option<String>,
    /// Whether to show the statement.
    pub show_to_user: bool,
}

/// A question to ask instead.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Suggestion)]
pub struct SuggestionWire {
    /// Text of the link or button.
    pub label: String,
    /// The question to send.
    pub query: String,
    /// Kind of what it leads to, such as `ADR`.
    pub kind: String,
}

impl Reply {
    /// The reply to a response; the trace is there only where it was asked for.
    #[must_use]
    pub fn new(response: &Response, request_id: String, route: Route, with_trace: bool) -> Self {
        let mut reply = Self::bare(response, request_id, route, with_trace);
        match &response.decision {
            Decision::Answer(answer) => reply.fill_answer(answer),
            Decision::Refuse(refusal) => reply.fill_refusal(refusal),
            Decision::Clarify(clarification) => reply.fill_clarification(clarification),
            Decision::Refer(referral) => reply.fill_referral(referral),
            Decision::General(answer) => reply.fill_general(answer),
            Decision::Tool(tool) => reply.fill_tool(tool, response.session.pending.as_ref()),
        }
        reply.fill_quality(response);
        reply.fill_conversation(response);
        reply
    }

    /// How good the search was, and what the reader is told of it.
    fn fill_quality(&mut self, response: &Response) {
        let base = match &response.decision {
            Decision::Answer(answer) | Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), .. }) => {
                Some(f64::from(answer.confidence().undiminished) / 100.0)
            }
            Decision::Refuse(_)
            | Decision::Clarify(_)
            | Decision::Refer(_)
            | Decision::General(_)
            | Decision::Tool(_) => None,
        };
        let quality = RetrievalQuality::from_retrieval(base, &response.trace.lost_in_search);
        // General knowledge has a disclaimer of its own to show.
        if self.transparency.statement.is_none() {
            let transparency = TransparencyStatement::from_quality(&quality);
            self.transparency =
                TransparencyWire { show_to_user: transparency.is_shown(), statement: transparency.statement };
        }
        self.retrieval_quality = RetrievalQualityWire {
            confidence_score: quality.confidence_score,
            confidence_level: quality.confidence_level.map(Level::as_str),
            fallback_active: !response.trace.fallbacks.is_empty(),
            degraded: quality.is_degraded(),
            fallback_reasons: response.trace.fallbacks.clone(),
        };
    }

    fn bare(response: &Response, request_id: String, route: Route, with_trace: bool) -> Self {
        let writer = response.trace.writer.as_ref();
        let given = writer.filter(|writer| !writer.notes.is_empty());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of tokens")]
        let context_tokens_used = given.map_or_else(
            || response.evidence.pieces().iter().map(|piece| tokens(&piece.passage.passage.text)).sum::<f32>() as usize,
            |writer| writer.context_tokens,
        );
        let mut warnings = response.evidence.warnings().to_vec();
        let invented = writer.into_iter().flat_map(|writer| &writer.drops).filter(|(kind, _)| WARNED_OF.contains(kind));
        warnings
            .extend(invented.map(|(kind, count)| format!("{count} citation(s) of the model were dropped ({kind}).")));
        let failure = writer.filter(|writer| writer.is_quoted_instead).and_then(|writer| writer.failure.as_ref());
        warnings.extend(
            failure.map(|failure| format!("The model could not write, so the documents are quoted: {failure}")),
        );
        Self {
            request_id,
            session_id: None,
            generation: match response.read {
                ReadGeneration::Single(generation) => Some(generation.0),
                ReadGeneration::Nothing | ReadGeneration::Mixed => None,
            },
            outcome: Outcome::from_decision(&response.decision).in_replies(),
            answer: String::new(),
            refused: true,
            refusal_reason: None,
            abstain_reason: None,
            action: None,
            route,
            intent: response.intent,
            agent: response.trace.routing.as_ref().map(|routing| routing.agent.clone()),
            citations: Vec::new(),
            sources: Vec::new(),
            claims: Vec::new(),
            confidence: ConfidenceWire::default(),
            retrieval_quality: RetrievalQualityWire::default(),
            transparency: TransparencyWire::default(),
            fallback_mode: !response.trace.fallbacks.is_empty(),
            warnings,
            notices: Vec::new(),
            route_to: None,
            nearest: Vec::new(),
            suggestions: Vec::new(),
            tool_calls: response.trace.tools.iter().map(ToolCallWire::ended).collect(),
            pending: None,
            no_context: false,
            model_used: None,
            context_chunks_used: given.map_or(response.evidence.pieces().len(), |writer| writer.notes.len()),
            context_tokens_used,
            generation_time_ms: response.elapsed_ms,
            grounded: false,
            trace: with_trace.then(|| response.trace.clone()),
            asides: Vec::new(),
        }
    }

    fn fill_answer(&mut self, answer: &VerifiedAnswer) {
        self.answer = answer.text().with_markers();
        self.refused = false;
        self.action = Some(Action::Cite);
        self.fill_text(answer.text());
        self.confidence = ConfidenceWire::new(answer.confidence());
        self.notices = answer.notices().to_vec();
        self.suggestions = answer.suggestions().iter().map(suggestion).collect();
    }

    /// What verified text rests on.
    fn fill_text(&mut self, text: &VerifiedText) {
        self.citations = text.citations().iter().map(citation).collect();
        for cited in text.citations() {
            let source = source(cited);
            let is_listed =
                self.sources.iter().any(|known| (&known.file, &known.section) == (&source.file, &source.section));
            if !is_listed {
                self.sources.push(source);
            }
        }
        let claim = |claim: &Claim| ClaimWire {
            text: claim.text().to_owned(),
            role: claim.role().as_str(),
            markers: claim.markers().to_vec(),
            supported: true,
            score: claim.score(),
            checks: claim.checks().to_vec(),
        };
        self.claims = text.claims().iter().map(claim).collect();
        self.model_used = Some(text.model().to_owned());
        self.grounded = true;
    }

    fn fill_clarification(&mut self, clarification: &Clarification) {
        self.refused = false;
        self.no_context = clarification.is_no_context;
        self.answer.clone_from(&clarification.question);
        if let Some(text) = &clarification.text {
            self.answer.push('\n');
            self.answer.push_str(&text.with_markers());
            self.fill_text(text);
        }
        self.suggestions = clarification.options.iter().map(suggestion).collect();
    }

    /// A person should be asked; what Vouch itself can say is kept.
    fn fill_referral(&mut self, referral: &Referral) {
        match &referral.unsure {
            UnsureOutcome::Answer(answer) => self.fill_answer(answer),
            UnsureOutcome::Refusal(refusal) => self.fill_refusal(refusal),
        }
        self.confidence = ConfidenceWire::new(&referral.confidence);
        self.action = Some(Action::Route);
        self.route_to = Some(ReferralWire::new(&referral.target));
    }

    /// General knowledge, under its disclaimer: no source, no claim, not grounded.
    fn fill_general(&mut self, answer: &GeneralAnswer) {
        self.refused = false;
        self.answer = answer.text();
        self.transparency = TransparencyWire { statement: Some(answer.disclaimer().to_owned()), show_to_user: true };
        self.model_used = Some(answer.model().to_owned());
    }

    /// What a tool said, or what it waits for; only a tool that did not run is a refusal.
    fn fill_tool(&mut self, tool: &ToolReply, pending: Option<&PendingCall>) {
        tool.text().clone_into(&mut self.answer);
        self.model_used.clone_from(&tool.model);
        self.refused = false;
        match &tool.step {
            ToolStep::Ran { .. } | ToolStep::Withdrawn => {}
            ToolStep::Missing(_) | ToolStep::Waiting => {
                self.pending = pending.map(|pending| PendingWire::new(pending, tool.text()));
            }
            ToolStep::Failed { reason, sentence } => {
                self.refused = true;
                self.abstain_reason = Some(reason);
                self.refusal_reason = Some(format!("tool {}: {sentence}", tool.tool));
            }
        }
    }

    fn fill_refusal(&mut self, refusal: &Refusal) {
        self.answer.clone_from(&refusal.message);
        self.refusal_reason = Some(refusal.reason.sentence());
        self.abstain_reason = Some(refusal.reason.as_str());
        self.suggestions = refusal.suggestions.iter().map(suggestion).collect();
        self.nearest = refusal.nearest.as_ref().map(NearestWire::from_text).unwrap_or_default();
    }
}

fn suggestion(suggestion: &Suggestion) -> SuggestionWire {
    SuggestionWire { label: suggestion.label.clone(), query: suggestion.query.clone(), kind: suggestion.kind.clone() }
}
