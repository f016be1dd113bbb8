//! A question and what came of it → its certificate, every source of it read again from the store.

use vouch_domain::{CharSpan, Passage, PassageKey, PortError, Question, Reader, Scope, Speaker, timestamp};
use vouch_engine::{
    ask::Response,
    decide::{Decision, UnsureOutcome},
    trace::{GateReading, MemoryReport, MemoryVerdict},
    verify::{Citation, Claim, VerifiedText},
};

use super::{
    AnswerCertificate, CertifiedCircumstances, CertifiedClaim, CertifiedConfidence, CertifiedGate, CertifiedQuestion,
    CertifiedQuote, CertifiedReader, CertifiedSource, CertifiedTurn, FORMAT, SourceKind, SourcePorts,
    kept_source::QuotePlace,
};
use crate::{
    certificate::CertifiedState,
    outcome::Outcome,
    question::{AskOutcome, AskRequest},
    wire::QuoteWire,
};

/// Why an answer has no certificate.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// The store changed while the question was answered.
    #[error("'{title}' was changed or removed while the question was being answered; ask again")]
    Moved {
        /// The source.
        title: String,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// The certificate of an answer, without its digest.
///
/// # Errors
/// Fails if the store cannot be read, or no longer holds what the answer quotes.
pub async fn issue(
    ask_request: &AskRequest,
    outcome: &AskOutcome,
    ports: &SourcePorts<'_>,
    circumstances: CertifiedCircumstances,
    now_ms: u64,
) -> Result<AnswerCertificate, IssueError> {
    let (question, AskOutcome { response, reply }) = (&ask_request.question, outcome);
    let text = shown(response);
    let mut sources: Vec<CertifiedSource> = text.map(|text| cited(text, response, ports)).unwrap_or_default();
    // What editors prepared for a question that nothing was said to has no part in what was said.
    let accepted = |one: &&MemoryReport| text.is_some() && one.verdict == MemoryVerdict::Accepted;
    sources.extend(response.trace.memory.iter().filter(accepted).map(entry));
    for source in &mut sources {
        read_again(source, &question.reader, ports).await?;
    }
    let claim = |claim: &Claim| CertifiedClaim {
        text: claim.text().to_owned(),
        markers: claim.markers().to_vec(),
        score: claim.score(),
        checks: claim.checks().iter().map(|&name| name.to_owned()).collect(),
    };
    Ok(AnswerCertificate {
        format: FORMAT.to_owned(),
        request_id: reply.request_id.clone(),
        date: timestamp(now_ms),
        reader: reader(question),
        asked: asked(question),
        outcome: Outcome::from_decision(&response.decision).as_str().to_owned(),
        answer: reply.answer.clone(),
        abstain_reason: reply.abstain_reason.map(str::to_owned),
        refusal_reason: reply.refusal_reason.clone(),
        notices: reply.notices.clone(),
        claims: text.map(|text| text.claims().iter().map(claim).collect()).unwrap_or_default(),
        sources,
        tools: reply.tool_calls.clone(),
        gates: response.trace.gates.iter().map(gate).collect(),
        confidence: CertifiedConfidence {
            overall: reply.confidence.overall,
            retrieval_score: reply.confidence.retrieval_score,
            coverage_score: reply.confidence.coverage_score,
            judge_score: reply.confidence.llm_score,
        },
        fallbacks: response.trace.fallbacks.iter().map(|one| one.as_str().to_owned()).collect(),
        written_by: reply.model_used.clone(),
        circumstances,
        state: CertifiedState::from(&ports.catalogue.state().await?),
        digest: String::new(),
    })
}

/// What is said of the documents; what comes nearest to a refused question is no part of it.
fn shown(response: &Response) -> Option<&VerifiedText> {
    match &response.decision {
        Decision::Answer(answer) => Some(answer.text()),
        Decision::Clarify(clarification) => clarification.text.as_ref(),
        Decision::Refer(referral) => match &referral.unsure {
            UnsureOutcome::Answer(answer) => Some(answer.text()),
            UnsureOutcome::Refusal(_) => None,
        },
        Decision::Refuse(_) | Decision::General(_) | Decision::Tool(_) => None,
    }
}

/// What a text cites, and the cards that its rows are made of.
fn cited(text: &VerifiedText, response: &Response, ports: &SourcePorts<'_>) -> Vec<CertifiedSource> {
    let mut sources = Vec::new();
    for citation in text.citations() {
        let own = text.claims().iter().filter(|claim| claim.markers().contains(&citation.marker()));
        let rows = own.filter(|claim| claim.is_row()).map(|row| card(citation, row.text()));
        sources.extend(rows);
        sources.extend(quoted(citation, text, (response, ports)));
    }
    sources
}

/// A citation of text; none where a card is cited.
fn quoted(
    citation: &Citation,
    text: &VerifiedText,
    (response, ports): (&Response, &SourcePorts<'_>),
) -> Option<CertifiedSource> {
    let passage = &citation.piece()?.passage;
    let section = &passage.passage.section;
    let is_term = passage.key == PassageKey::NOT_STORED;
    let looked_up = response.trace.lookup.as_ref().filter(|_| is_term);
    Some(CertifiedSource {
        kind: if is_term { SourceKind::Term } else { SourceKind::Document },
        section: (!section.is_empty()).then(|| section.join(" › ")),
        // A definition is passed on whole, so this is of all that was kept of the term.
        hash: if is_term { (ports.digest)(&passage.passage.text) } else { String::new() },
        quotes: quotes(citation, &passage.passage, text),
        term: looked_up.map(|report| report.asked.clone()),
        ..card(citation, "")
    })
}

/// The words that an answer takes from a passage: its verbatim sentences one by one, so that a change between two of them is none
/// of theirs, and for what is said in other words the whole stretch that is cited.
fn quotes(citation: &Citation, passage: &Passage, text: &VerifiedText) -> Vec<CertifiedQuote> {
    let mut quotes: Vec<CertifiedQuote> = Vec::new();
    let stretch = || citation.quote().filter(|span| span.end > span.start).unwrap_or(passage.span);
    let own = text.claims().iter().filter(|claim| claim.markers().contains(&citation.marker()) && !claim.is_row());
    let mut found: Vec<CertifiedQuote> = own.map(|claim| quote_of(claim, passage, stretch)).collect();
    if found.is_empty() {
        found.push(quote_at(stretch(), passage));
    }
    for quote in found {
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    quotes
}

fn quote_of(claim: &Claim, passage: &Passage, stretch: impl Fn() -> CharSpan) -> CertifiedQuote {
    let at = passage.text.find(claim.text()).and_then(|at| passage.text.get(..at)).map(|before| before.chars().count());
    match at {
        Some(at) => {
            let start = passage.span.start + at;
            quote_at(CharSpan { start, end: start + claim.text().chars().count() }, passage)
        }
        None if passage.section.iter().any(|heading| heading == claim.text()) => CertifiedQuote::of_words(claim.text()),
        None => quote_at(stretch(), passage),
    }
}

fn quote_at(CharSpan { start, end }: CharSpan, passage: &Passage) -> CertifiedQuote {
    let begins = start.saturating_sub(passage.span.start);
    let text = passage.text.chars().skip(begins).take(end.saturating_sub(start)).collect();
    CertifiedQuote { span: Some(QuoteWire { start, end }), text }
}

/// A row of the catalogue.
fn card(citation: &Citation, row: &str) -> CertifiedSource {
    let card = citation.document();
    CertifiedSource {
        marker: Some(citation.marker()),
        kind: SourceKind::Card,
        id: card.id.as_str().to_owned(),
        title: card.title.clone(),
        origin: card.source.clone(),
        section: None,
        version: card.version.clone(),
        date: card.date.clone(),
        hash: String::new(),
        quotes: vec![CertifiedQuote::of_words(row)],
        term: None,
    }
}

/// An entry of the memory that chose sources or framed the answer.
fn entry(report: &MemoryReport) -> CertifiedSource {
    CertifiedSource {
        marker: None,
        kind: SourceKind::Entry,
        id: report.id.clone(),
        title: report.id.clone(),
        origin: format!("memory ({})", report.kind.as_str()),
        section: None,
        version: None,
        date: None,
        hash: String::new(),
        quotes: vec![CertifiedQuote::of_words(&report.text)],
        term: None,
    }
}

/// Takes the digest of a source off the store, which must still hold the quote where it stood.
async fn read_again(source: &mut CertifiedSource, reader: &Reader, ports: &SourcePorts<'_>) -> Result<(), IssueError> {
    match source.kind {
        SourceKind::Term => return Ok(()),
        SourceKind::Document | SourceKind::Card | SourceKind::Entry => {}
    }
    let moved = || IssueError::Moved { title: source.title.clone() };
    let kept = ports.look_up(reader, source).await?.ok_or_else(moved)?;
    // A heading has no place of its own, and its marks may set it apart from the text.
    let is_there =
        |(quote, place): &(CertifiedQuote, QuotePlace)| quote.span.is_some() || *place != QuotePlace::Nowhere;
    let (quotes, places): (Vec<_>, Vec<_>) = source.quotes.drain(..).zip(kept.places).filter(is_there).unzip();
    let is_moved = |(quote, place): (&CertifiedQuote, &QuotePlace)| quote.span.is_some() && *place != QuotePlace::Same;
    if quotes.is_empty() || quotes.iter().zip(&places).any(is_moved) {
        return Err(moved());
    }
    (source.hash, source.quotes) = (kept.hash, quotes);
    Ok(())
}

fn reader(question: &Question) -> CertifiedReader {
    let tags = match (&question.asker, &question.reader.scope) {
        (Some(_), _) | (None, Scope::WholeTenant) => None,
        (None, Scope::Tags(tags)) => Some(tags.clone()),
    };
    CertifiedReader { tenant: question.reader.tenant.clone(), user: question.asker.clone(), tags }
}

fn asked(question: &Question) -> CertifiedQuestion {
    let role = |speaker: Speaker| match speaker {
        Speaker::Asker => "user",
        Speaker::Vouch => "assistant",
        Speaker::System => "system",
    };
    let turns = question.conversation.iter();
    CertifiedQuestion {
        question: question.text.clone(),
        history: turns
            .map(|turn| CertifiedTurn { role: role(turn.speaker).to_owned(), content: turn.text.clone() })
            .collect(),
        model: question.model.clone(),
        language: question.language.clone(),
        agent: question.agent.clone(),
    }
}

fn gate(reading: &GateReading) -> CertifiedGate {
    CertifiedGate {
        name: reading.name.as_str().to_owned(),
        reading: reading.reading,
        threshold: reading.threshold,
        passed: reading.passed,
        sentence: reading.sentence.clone(),
    }
}
