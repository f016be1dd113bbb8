//! An entry of the trail → the question, so that it can be asked again, and the reply, so that the two can be compared.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vouch_domain::{AuditEntry, Question, Reader, Scope, Turn, ports::StoreState};
use vouch_engine::trace::MemoryVerdict;

use super::{
    CitationWire, QuoteWire, Reply, ToolCallWire,
    record::parts::{CircumstancesRecord, CorpusRecord, QuestionRecord, ScopeRecord},
    sources_block::without_sources,
};
use crate::circumstances::Circumstances;

/// What a record holds of a request, as far as it takes to ask again.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedRequest {
    scope: ScopeRecord<'static>,
    asked: QuestionRecord<'static>,
    circumstances: CircumstancesRecord<'static>,
    corpus: CorpusRecord,
    reply: Option<String>,
    response: Option<ResponseRead>,
    #[serde(default)]
    trace: Option<TraceRead>,
    surface: String,
    /// Entries of earlier versions called none.
    #[serde(default)]
    tools_called: Option<Vec<ToolCallWire>>,
}

/// Of a reply no more than is compared, so that entries of other versions can be read.
#[derive(Debug, Clone, Deserialize)]
struct ResponseRead {
    citations: Vec<CitationRead>,
    #[serde(default)]
    claims: Vec<ClaimRead>,
    /// What a refusal showed; versions that showed nothing did not say so.
    nearest: Option<Vec<CitationRead>>,
    #[serde(default)]
    route_to: Option<RouteRead>,
}

/// Which entries of the memory were considered.
#[derive(Debug, Clone, Deserialize)]
struct TraceRead {
    #[serde(default)]
    memory: Vec<ConsideredRead>,
}

#[derive(Debug, Clone, Deserialize)]
struct ConsideredRead {
    id: String,
    verdict: String,
}

#[derive(Debug, Clone, Deserialize)]
struct RouteRead {
    tag: String,
}

#[derive(Debug, Clone, Deserialize)]
struct CitationRead {
    marker: u32,
    source_id: String,
    quote: Option<QuoteWire>,
    #[serde(default)]
    document_name: String,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    updated: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct ClaimRead {
    /// None where words are not kept.
    text: Option<String>,
    markers: Vec<u32>,
}

/// What a reply cited, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCitation {
    /// The number it was cited by.
    pub marker: u32,
    /// The document's id.
    pub document_id: String,
    /// Its title then.
    pub title: String,
    /// Its author's label of the version then.
    pub version: Option<String>,
    /// Its date then.
    pub date: Option<String>,
    /// The cited words, in the characters of the version then; none if the catalogue's entry was cited.
    pub quote: Option<QuoteWire>,
    /// The sentences that cite it, if they were kept.
    pub claims: Vec<String>,
}

/// The parts of a reply that a replay compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplySummary {
    outcome: String,
    reason: Option<String>,
    answer: Option<String>,
    citations: Vec<String>,
    /// What a refusal showed; none if that was not recorded.
    nearest: Option<Vec<String>>,
}

/// A difference between then and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceWire {
    /// What differs: `outcome`, `reason`, `answer`, `citations`, `nearest` or a part of the circumstances.
    pub what: &'static str,
    /// As it was recorded.
    pub then: Value,
    /// As it is now.
    pub now: Value,
}

impl RecordedRequest {
    /// Reads a record; none if it is not one of ours.
    #[must_use]
    pub fn read(entry: &AuditEntry) -> Option<Self> {
        serde_json::from_str(&entry.record).ok()
    }

    /// The words that were asked, if they were kept.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.asked.query.as_deref()
    }

    /// The words that were asked, if they were kept and nothing was said before them.
    #[must_use]
    pub fn query_alone(&self) -> Option<&str> {
        let is_first =
            self.asked.chat_history.as_ref().is_some_and(|turns| turns.iter().all(|turn| turn.is_of_system()));
        self.query().filter(|_| is_first)
    }

    /// The request whose reply offered this question in the place of another, if one did.
    #[must_use]
    pub fn instead_of(&self) -> Option<&str> {
        self.asked.instead_of.as_deref()
    }

    /// Whether an entry of the memory took part in the answer.
    #[must_use]
    pub fn recalled(&self, id: &str) -> bool {
        let mut considered = self.trace.iter().flat_map(|trace| &trace.memory);
        considered.any(|one| one.id == id && one.verdict == MemoryVerdict::Accepted.as_str())
    }

    /// What was said before, as far as it was kept.
    #[must_use]
    pub fn conversation(&self) -> Vec<Turn> {
        self.asked.chat_history.iter().flatten().map(Turn::from).collect()
    }

    /// The answer as it was told, if its words were kept.
    #[must_use]
    pub fn answer(&self) -> Option<&str> {
        self.reply.as_deref()
    }

    /// What the reply cited, in order.
    #[must_use]
    pub fn citations(&self) -> Vec<RecordedCitation> {
        let Some(response) = &self.response else { return Vec::new() };
        let claims = |marker: u32| {
            let own = response.claims.iter().filter(move |claim| claim.markers.contains(&marker));
            own.filter_map(|claim| claim.text.clone()).collect()
        };
        let cited = |one: &CitationRead| {
            let (document, _) = one.source_id.rsplit_once(':')?;
            Some(RecordedCitation {
                marker: one.marker,
                document_id: document.to_owned(),
                title: one.document_name.clone(),
                version: one.version.clone(),
                date: one.updated.clone(),
                quote: one.quote,
                claims: claims(one.marker),
            })
        };
        response.citations.iter().filter_map(cited).collect()
    }

    /// Whether documents were changed while the question was answered.
    #[must_use]
    pub fn is_between_generations(&self) -> bool {
        self.corpus.generation_after.is_some_and(|after| after != self.corpus.generation_before)
    }

    /// Ids of the documents that the reply cited, each once, in order.
    #[must_use]
    pub fn cited_documents(&self) -> Vec<String> {
        documents_of(self.response.iter().flat_map(|response| &response.citations))
    }

    /// Ids of the documents that came nearest to a question without an answer, each once, in order.
    #[must_use]
    pub fn nearest_documents(&self) -> Vec<String> {
        let responses = || self.response.iter();
        let nearest = responses().flat_map(|response| response.nearest.iter().flatten());
        documents_of(nearest.chain(responses().flat_map(|response| &response.citations)))
    }

    /// The topic by which somebody was named to ask.
    #[must_use]
    pub fn routed_to(&self) -> Option<&str> {
        self.response.as_ref()?.route_to.as_ref().map(|route| route.tag.as_str())
    }

    /// What the asker could read.
    #[must_use]
    pub fn reader(&self, tenant: &str) -> Reader {
        Reader::of_scope(tenant, Scope::from(&self.scope))
    }

    /// The tags that the asker was limited to; empty if they may read everything.
    #[must_use]
    pub fn scope_tags(&self) -> BTreeSet<String> {
        match Scope::from(&self.scope) {
            Scope::WholeTenant => BTreeSet::new(),
            Scope::Tags(tags) => tags,
        }
    }

    /// Which way it came in.
    #[must_use]
    pub fn surface(&self) -> &str {
        &self.surface
    }

    /// The calls of tools, with what they said.
    #[must_use]
    pub fn tools_called(&self) -> &[ToolCallWire] {
        self.tools_called.as_deref().unwrap_or_default()
    }

    /// The question as it was asked; none if its words were not kept.
    #[must_use]
    pub fn question(&self, tenant: &str) -> Option<Question> {
        let (session, confirms) = self.asked.session.as_ref().map(|session| session.state()).unwrap_or_default();
        Some(Question {
            conversation: self.asked.chat_history.as_ref()?.iter().map(Turn::from).collect(),
            passages_max: self.asked.max_context_chunks,
            model: self.asked.model.as_deref().map(str::to_owned),
            language: self.asked.language.as_deref().map(str::to_owned),
            asker: self.asked.person.as_deref().map(str::to_owned),
            agent: self.asked.agent.as_deref().map(str::to_owned),
            session,
            confirms,
            ..Question::new(self.query()?, self.reader(tenant))
        })
    }

    /// What the asker was told.
    #[must_use]
    pub fn told(&self, entry: &AuditEntry) -> ReplySummary {
        let cited =
            |one: &CitationRead| cited(one.marker, &one.source_id, one.quote.map(|quote| (quote.start, quote.end)));
        let response = self.response.as_ref();
        let citations = response.map(|response| response.citations.iter().map(cited).collect());
        let nearest = response.and_then(|response| response.nearest.as_ref());
        ReplySummary {
            outcome: entry.outcome.clone(),
            reason: entry.reason.clone(),
            // The list of sources follows from the citations, which are compared by themselves.
            answer: self.reply.as_deref().map(|reply| without_sources(reply).to_owned()),
            citations: citations.unwrap_or_default(),
            nearest: nearest.map(|nearest| nearest.iter().map(cited).collect()),
        }
    }

    /// What answers depend on besides the corpus and has changed, and how far the corpus has come since.
    #[must_use]
    pub fn changes(&self, circumstances: &Circumstances, state: &StoreState) -> Vec<DifferenceWire> {
        let now = CircumstancesRecord::new(circumstances, state);
        let facts = self.circumstances.facts().into_iter().zip(now.facts());
        let facts = facts.map(|((what, then), (_, now))| (what, json!(then), json!(now)));
        let generation = ("generation", json!(self.corpus.generation_before), json!(state.generation.0));
        let mut changed: Vec<DifferenceWire> = facts
            .chain([generation])
            .filter(|(_, then, now)| then != now)
            .map(|(what, then, now)| DifferenceWire { what, then, now })
            .collect();
        let (before, after) = (self.corpus.generation_before, self.corpus.generation_after);
        if after.is_some_and(|after| after != before) {
            let (then, now) = (json!(before), json!(after));
            changed.push(DifferenceWire { what: "generation while it was answered", then, now });
        }
        changed
    }

    /// The store the request was answered from, if it is known.
    #[must_use]
    pub fn store(&self) -> Option<&str> {
        self.circumstances.store.as_deref()
    }
}

impl ReplySummary {
    /// What a reply tells.
    #[must_use]
    pub fn new(reply: &Reply) -> Self {
        let cited =
            |one: &CitationWire| cited(one.marker, &one.source_id, one.quote.map(|quote| (quote.start, quote.end)));
        Self {
            outcome: reply.outcome.as_str().to_owned(),
            reason: reply.abstain_reason.map(str::to_owned),
            answer: Some(reply.answer_alone().to_owned()),
            citations: reply.citations.iter().map(cited).collect(),
            nearest: Some(reply.nearest.iter().map(|one| cited(&one.citation)).collect()),
        }
    }

    /// What a failed question comes to.
    #[must_use]
    pub fn failed(code: &str) -> Self {
        let (outcome, reason) = ("failed".to_owned(), Some(code.to_owned()));
        Self { outcome, reason, answer: None, citations: Vec::new(), nearest: None }
    }

    /// Where the two differ, in the order outcome, reason, answer, citations, nearest.
    #[must_use]
    pub fn differences(&self, now: &Self) -> Vec<DifferenceWire> {
        let pairs = [
            ("outcome", json!(self.outcome), json!(now.outcome)),
            ("reason", json!(self.reason), json!(now.reason)),
            ("answer", json!(self.answer), json!(now.answer)),
            ("citations", json!(self.citations), json!(now.citations)),
        ];
        let nearest = self.nearest.as_ref().zip(now.nearest.as_ref());
        let nearest = nearest.map(|(then, now)| ("nearest", json!(then), json!(now)));
        let differs = pairs.into_iter().chain(nearest).filter(|(_, then, now)| then != now);
        differs.map(|(what, then, now)| DifferenceWire { what, then, now }).collect()
    }
}

fn documents_of<'a>(citations: impl Iterator<Item = &'a CitationRead>) -> Vec<String> {
    let mut documents: Vec<String> = Vec::new();
    for cited in citations {
        let Some((document, _)) = cited.source_id.rsplit_once(':') else { continue };
        if documents.iter().all(|known| known != document) {
            documents.push(document.to_owned());
        }
    }
    documents
}

/// `[^1] handbook/leave:3 120-241`.
fn cited(marker: u32, source_id: &str, quote: Option<(usize, usize)>) -> String {
    let quote = quote.map_or(String::new(), |(start, end)| format!(" {start}-{end}"));
    format!("[^{marker}] {source_id}{quote}")
}
