//! A response → the one reply object of the command line, HTTP and the last stream event.
//!
//! Invariant: every key is always there; what is not known is `null` or an empty list.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use vouch_domain::{DocumentCard, LaneReport, web_url};
use vouch_engine::{
    ask::Response,
    decide::{
        Clarification, Decision, GeneralAnswer, Level, Referral, Refusal, RetrievalQuality, Suggestion,
        TransparencyStatement, Unsure, VerifiedAnswer,
    },
    ingest::tokens,
    verify::{Citation, Claim, VerifiedText},
};

use super::{Explanation, RouteWire};
use crate::context;

const SNIPPET_CHARS: usize = 200;
/// What a model cites although it was never given to it.
const INVENTED: &[&str] = &["never_minted", "unknown_source", "action_not_done"];

/// The reply.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct Reply {
    pub request_id: String,
    pub outcome: &'static str,
    pub answer: String,
    pub refused: bool,
    pub refusal_reason: Option<String>,
    pub abstain_reason: Option<&'static str>,
    pub action: Option<&'static str>,
    pub route: &'static str,
    pub intent: &'static str,
    pub agent: Option<String>,
    pub citations: Vec<CitationWire>,
    pub sources: Vec<SourceWire>,
    pub claims: Vec<ClaimWire>,
    pub confidence: ConfidenceWire,
    pub retrieval_quality: RetrievalQualityWire,
    pub transparency: TransparencyWire,
    pub fallback_mode: bool,
    pub warnings: Vec<String>,
    pub notices: Vec<String>,
    pub route_to: Option<RouteWire>,
    pub suggestions: Vec<SuggestionWire>,
    pub tool_calls: Vec<Value>,
    pub model_used: Option<String>,
    pub context_chunks_used: usize,
    pub context_tokens_used: usize,
    pub generation_time_ms: f64,
    pub grounded: bool,
    pub trace: Option<Explanation>,
}

/// One citation.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Citation)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct CitationWire {
    pub marker: u32,
    pub source_id: String,
    pub document_id: String,
    pub document_name: String,
    pub kind: String,
    pub collection: String,
    pub chunk_index: u32,
    pub page_number: Option<u32>,
    pub section: Option<String>,
    pub url: Option<String>,
    pub locator: Option<String>,
    pub version: Option<String>,
    pub updated: Option<String>,
    pub relevance_score: f32,
    pub snippet: String,
    pub snippet_full: String,
    /// Where `snippet_full` begins in the document, in characters, so that the quote can be found in it.
    pub snippet_start: usize,
    /// Absent where the document's card is cited and not its text.
    pub quote: Option<QuoteWire>,
    /// Where in the quote the judge sees the answer itself.
    pub highlight: Option<QuoteWire>,
}

/// Where the cited words stand in the document, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Quote)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct QuoteWire {
    pub start: usize,
    pub end: usize,
}

/// One line of the sources block.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Source)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct SourceWire {
    pub title: String,
    pub section: Option<String>,
    pub file: String,
    pub version: Option<String>,
    pub score: f32,
}

/// One checked sentence.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Claim)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct ClaimWire {
    pub text: String,
    pub markers: Vec<u32>,
    pub supported: bool,
    pub score: f32,
    pub checks: Vec<&'static str>,
}

/// How sure the answer is.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = Confidence)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct ConfidenceWire {
    pub overall: Option<u32>,
    pub retrieval_score: Option<f32>,
    pub coverage_score: Option<f32>,
    pub llm_score: Option<u32>,
}

/// How good the search was.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = RetrievalQuality)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct RetrievalQualityWire {
    pub confidence_score: Option<f64>,
    pub confidence_level: Option<&'static str>,
    pub fallback_active: bool,
    pub fallback_reasons: Vec<&'static str>,
    pub degraded: bool,
}

/// What must be said about the answer's making.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[schema(as = Transparency)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct TransparencyWire {
    pub statement: Option<String>,
    pub show_to_user: bool,
}

/// Something that can be asked instead.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Suggestion)]
#[expect(missing_docs, reason = "the names are the contract's own")]
pub struct SuggestionWire {
    pub label: String,
    pub query: String,
    pub kind: String,
}

impl Reply {
    /// The reply to a response; the trace is there only where it was asked for.
    #[must_use]
    pub fn of(response: &Response, request_id: String, with_trace: bool) -> Self {
        let mut reply = Self::bare(response, request_id, with_trace);
        match &response.decision {
            Decision::Answer(answer) => reply.fill_answer(answer),
            Decision::Refuse(refusal) => reply.fill_refusal(refusal),
            Decision::Clarify(clarification) => reply.fill_clarification(clarification),
            Decision::Route(referral) => reply.fill_referral(referral),
            Decision::General(answer) => reply.fill_general(answer),
        }
        reply.fill_quality(response);
        reply
    }

    /// How good the search was, and what the reader is told of it.
    fn fill_quality(&mut self, response: &Response) {
        let base = match &response.decision {
            Decision::Answer(answer) | Decision::Route(Referral { unsure: Unsure::Answer(answer), .. }) => {
                Some(f64::from(answer.confidence().undiminished) / 100.0)
            }
            Decision::Refuse(_) | Decision::Clarify(_) | Decision::Route(_) | Decision::General(_) => None,
        };
        let quality = RetrievalQuality::from_retrieval(base, &LaneReport::fallbacks(&response.trace.lanes));
        // General knowledge has a disclaimer of its own to show.
        if self.transparency.statement.is_none() {
            let transparency = TransparencyStatement::from_quality(&quality);
            self.transparency =
                TransparencyWire { show_to_user: transparency.is_shown(), statement: transparency.statement };
        }
        self.retrieval_quality = RetrievalQualityWire {
            confidence_score: quality.confidence_score,
            confidence_level: quality.confidence_level.map(Level::word),
            fallback_active: quality.is_degraded(),
            degraded: quality.is_degraded(),
            fallback_reasons: quality.fallback_reasons,
        };
    }

    fn bare(response: &Response, request_id: String, with_trace: bool) -> Self {
        let writer = response.trace.writer.as_ref();
        let given = writer.filter(|writer| !writer.notes.is_empty());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of tokens")]
        let context_tokens_used = given.map_or_else(
            || response.evidence.pieces().iter().map(|piece| tokens(&piece.passage.passage.text)).sum::<f32>() as usize,
            |writer| writer.context_tokens,
        );
        let mut warnings = response.evidence.warnings().to_vec();
        let invented = writer.into_iter().flat_map(|writer| &writer.drops).filter(|(kind, _)| INVENTED.contains(kind));
        warnings
            .extend(invented.map(|(kind, count)| format!("{count} citation(s) of the model were dropped ({kind}).")));
        let failure = writer.filter(|writer| writer.is_quoted_instead).and_then(|writer| writer.failure.as_ref());
        warnings.extend(
            failure.map(|failure| format!("The model could not write, so the documents are quoted: {failure}")),
        );
        Self {
            request_id,
            outcome: "refused",
            answer: String::new(),
            refused: true,
            refusal_reason: None,
            abstain_reason: None,
            action: None,
            route: context::route(response),
            intent: response.intent,
            agent: None,
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
            suggestions: Vec::new(),
            tool_calls: Vec::new(),
            model_used: None,
            context_chunks_used: given.map_or(response.evidence.pieces().len(), |writer| writer.notes.len()),
            context_tokens_used,
            generation_time_ms: response.elapsed_ms,
            grounded: false,
            trace: with_trace.then(|| Explanation::of(&response.trace)),
        }
    }

    fn fill_answer(&mut self, answer: &VerifiedAnswer) {
        self.outcome = "answered";
        self.answer = answer.text().with_markers();
        self.refused = false;
        self.action = Some("CITE");
        self.fill_text(answer.text());
        self.confidence = ConfidenceWire {
            overall: Some(answer.confidence().overall),
            retrieval_score: Some(answer.confidence().retrieval_score),
            coverage_score: Some(answer.confidence().coverage_score),
            llm_score: answer.confidence().judge_score,
        };
        self.notices = answer.notices().to_vec();
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
        self.outcome = "clarify";
        self.refused = false;
        self.answer.clone_from(&clarification.question);
        if let Some(text) = &clarification.text {
            self.answer.push('\n');
            self.answer.push_str(&text.with_markers());
            self.fill_text(text);
        }
        self.suggestions = clarification.options.iter().map(suggestion).collect();
    }

    /// A person is asked; what Vouch itself can say stands beside it.
    fn fill_referral(&mut self, referral: &Referral) {
        match &referral.unsure {
            Unsure::Answer(answer) => self.fill_answer(answer),
            Unsure::Refusal(refusal) => self.fill_refusal(refusal),
        }
        self.outcome = "routed";
        self.action = Some("ROUTE");
        self.route_to = Some(RouteWire::of(&referral.target));
    }

    /// General knowledge, under its disclaimer: no source, no claim, not grounded.
    fn fill_general(&mut self, answer: &GeneralAnswer) {
        self.outcome = "answered";
        self.refused = false;
        self.answer = answer.text();
        self.transparency = TransparencyWire { statement: Some(answer.disclaimer().to_owned()), show_to_user: true };
        self.model_used = Some(answer.model().to_owned());
    }

    fn fill_refusal(&mut self, refusal: &Refusal) {
        self.answer.clone_from(&refusal.message);
        self.refusal_reason = Some(refusal.reason.sentence());
        self.abstain_reason = Some(refusal.reason.word());
        self.suggestions = refusal.suggestions.iter().map(suggestion).collect();
    }
}

fn suggestion(suggestion: &Suggestion) -> SuggestionWire {
    SuggestionWire { label: suggestion.label.clone(), query: suggestion.query.clone(), kind: suggestion.kind.clone() }
}

pub(super) fn citation(cited: &Citation) -> CitationWire {
    let card = cited.document();
    let passage = cited.piece().map(|piece| &piece.passage.passage);
    let start = passage.map_or(0, |passage| passage.span.start);
    let seconds =
        passage.zip(cited.quote()).and_then(|(passage, quote)| passage.seconds_at(quote.start.saturating_sub(start)));
    let address = passage.map_or(card.address.as_ref(), |passage| passage.address.as_ref());
    let quote = cited.quote().filter(|quote| quote.end > quote.start);
    CitationWire {
        marker: cited.marker(),
        source_id: cited.source_id(),
        document_id: card.id.as_str().to_owned(),
        document_name: card.title.clone(),
        kind: card.kind.clone(),
        collection: card.collection.clone(),
        chunk_index: passage.map_or(0, |passage| passage.ordinal),
        page_number: None,
        section: section(cited),
        url: url(card, seconds),
        locator: match seconds {
            Some(seconds) => Some(format!("t={seconds}")),
            None => address.map(|address| address.as_str().to_owned()),
        },
        version: card.version.clone(),
        updated: card.date.clone(),
        relevance_score: cited.relevance(),
        snippet: snippet(cited.text()),
        snippet_full: cited.text().to_owned(),
        snippet_start: start,
        quote: quote.map(|span| QuoteWire { start: span.start, end: span.end }),
        highlight: cited.highlight().map(|span| QuoteWire { start: span.start, end: span.end }),
    }
}

/// Where people can open it; what is spoken plays from the words that are quoted.
pub(crate) fn url(card: &DocumentCard, seconds: Option<u32>) -> Option<String> {
    let url = web_url(card.url.as_ref()?)?;
    Some(match seconds {
        None => url.to_owned(),
        Some(seconds) if url.contains("{t}") => url.replace("{t}", &seconds.to_string()),
        Some(seconds) => format!("{url}#t={seconds}"),
    })
}

fn source(cited: &Citation) -> SourceWire {
    let card = cited.document();
    SourceWire {
        title: card.title.clone(),
        section: section(cited),
        file: card.source.clone(),
        version: card.version.clone(),
        score: cited.relevance(),
    }
}

fn section(cited: &Citation) -> Option<String> {
    let path = &cited.piece()?.passage.passage.section;
    (!path.is_empty()).then(|| path.join(" › "))
}

fn snippet(text: &str) -> String {
    let mut snippet: String = text.chars().take(SNIPPET_CHARS).collect();
    if snippet.len() < text.len() {
        snippet.push_str("...");
    }
    snippet
}
