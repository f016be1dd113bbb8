//! The reply without what the record says elsewhere, and without the texts of passages.

use serde::Serialize;
use vouch_domain::DocumentId;
use vouch_engine::{
    ask::{QuestionKind, Response},
    decide::{Decision, Referral, UnsureOutcome},
};

use super::words::Words;
use crate::outcome::{Action, Outcome, Route};
use crate::wire::{
    CitationWire, ClaimWire, ConfidenceWire, QuoteWire, ReferralWire, Reply, RetrievalQualityWire, SourceWire,
    SuggestionWire, TransparencyWire,
};

#[derive(Debug, Serialize)]
pub(super) struct ResponseRecord<'a> {
    outcome: Outcome,
    refused: bool,
    refusal_reason: Option<&'a str>,
    abstain_reason: Option<&'static str>,
    action: Option<Action>,
    route: Route,
    intent: QuestionKind,
    citations: Vec<CitationRecord<'a>>,
    sources: &'a [SourceWire],
    /// Those of the documents cited that are older than the profile allows, by id.
    stale_sources: Vec<&'a str>,
    claims: Vec<ClaimRecord<'a>>,
    confidence: &'a ConfidenceWire,
    retrieval_quality: &'a RetrievalQualityWire,
    transparency: &'a TransparencyWire,
    fallback_mode: bool,
    warnings: &'a [String],
    notices: &'a [String],
    route_to: Option<&'a ReferralWire>,
    nearest: Vec<CitationRecord<'a>>,
    suggestions: Option<&'a [SuggestionWire]>,
    model_used: Option<&'a str>,
    context_chunks_used: usize,
    context_tokens_used: usize,
    grounded: bool,
    no_context: bool,
}

/// A citation; its text is the catalogue's, under this source id and at this quote.
#[derive(Debug, Serialize)]
struct CitationRecord<'a> {
    marker: u32,
    source_id: &'a str,
    document_id: &'a str,
    document_name: &'a str,
    kind: &'a str,
    collection: &'a str,
    chunk_index: u32,
    page_number: Option<u32>,
    section: Option<&'a str>,
    url: Option<&'a str>,
    locator: Option<&'a str>,
    version: Option<&'a str>,
    updated: Option<&'a str>,
    relevance_score: f32,
    quote: Option<QuoteWire>,
    highlight: Option<QuoteWire>,
}

#[derive(Debug, Serialize)]
struct ClaimRecord<'a> {
    text: Option<&'a str>,
    role: &'static str,
    markers: &'a [u32],
    supported: bool,
    score: f32,
    checks: &'a [&'static str],
}

impl<'a> ResponseRecord<'a> {
    pub(super) fn new(reply: &'a Reply, response: &'a Response, words: Words) -> Self {
        let claim = |claim: &'a ClaimWire| ClaimRecord {
            text: words.kept(claim.text.as_str()),
            role: claim.role,
            markers: &claim.markers,
            supported: claim.supported,
            score: claim.score,
            checks: &claim.checks,
        };
        let said = |sentences: &'a [String]| words.kept(sentences).unwrap_or_default();
        Self {
            outcome: reply.outcome,
            refused: reply.refused,
            refusal_reason: words.kept(reply.refusal_reason.as_deref()).flatten(),
            abstain_reason: reply.abstain_reason,
            action: reply.action,
            route: reply.route,
            intent: reply.intent,
            citations: reply.citations.iter().map(CitationRecord::new).collect(),
            sources: &reply.sources,
            stale_sources: stale_sources(response),
            claims: reply.claims.iter().map(claim).collect(),
            confidence: &reply.confidence,
            retrieval_quality: &reply.retrieval_quality,
            transparency: &reply.transparency,
            fallback_mode: reply.fallback_mode,
            warnings: said(&reply.warnings),
            notices: said(&reply.notices),
            route_to: reply.route_to.as_ref(),
            nearest: reply.nearest.iter().map(|nearest| CitationRecord::new(&nearest.citation)).collect(),
            suggestions: words.kept(reply.suggestions.as_slice()),
            model_used: reply.model_used.as_deref(),
            context_chunks_used: reply.context_chunks_used,
            context_tokens_used: reply.context_tokens_used,
            grounded: reply.grounded,
            no_context: reply.no_context,
        }
    }
}

fn stale_sources(response: &Response) -> Vec<&str> {
    match &response.decision {
        Decision::Answer(answer) | Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), .. }) => {
            answer.stale_sources().iter().map(DocumentId::as_str).collect()
        }
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::Refer(_) | Decision::General(_) | Decision::Tool(_) => {
            Vec::new()
        }
    }
}

impl<'a> CitationRecord<'a> {
    fn new(citation: &'a CitationWire) -> Self {
        Self {
            marker: citation.marker,
            source_id: &citation.source_id,
            document_id: &citation.document_id,
            document_name: &citation.document_name,
            kind: &citation.kind,
            collection: &citation.collection,
            chunk_index: citation.chunk_index,
            page_number: citation.page_number,
            section: citation.section.as_deref(),
            url: citation.url.as_deref(),
            locator: citation.locator.as_deref(),
            version: citation.version.as_deref(),
            updated: citation.updated.as_deref(),
            relevance_score: citation.relevance_score,
            quote: citation.quote,
            highlight: citation.highlight,
        }
    }
}
