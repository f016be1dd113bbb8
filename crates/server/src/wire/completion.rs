//! A reply → OpenAI's format: a completion, or its chunks; citations as annotations of their markers.

use serde::Serialize;
use vouch_domain::ports::TokenCounter;
use vouch_service::{
    question::AskOutcome,
    wire::{CitationWire, Reply},
};

use crate::problem::Problem;

/// Fields that every object of one completion repeats.
#[derive(Debug, Clone)]
pub(crate) struct Heading {
    pub(crate) id: String,
    pub(crate) created: i64,
    pub(crate) model: String,
}

/// A whole answer.
#[derive(Debug, Serialize)]
pub(crate) struct Completion {
    id: String,
    object: &'static str,
    created: i64,
    model: String,
    choices: [Choice; 1],
    usage: Usage,
    vouch: Reply,
}

#[derive(Debug, Serialize)]
struct Choice {
    index: u32,
    message: Message,
    finish_reason: &'static str,
    logprobs: Option<()>,
}

/// A refusal is content like any other: every client shows that.
#[derive(Debug, Serialize)]
struct Message {
    role: &'static str,
    content: String,
    refusal: Option<String>,
    annotations: Vec<Annotation>,
}

/// One piece of a streamed answer.
#[derive(Debug, Serialize)]
pub(crate) struct Chunk {
    id: String,
    object: &'static str,
    created: i64,
    model: String,
    choices: Vec<ChunkChoice>,
    /// Absent unless asked for, and null except in the last chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vouch: Option<Box<Reply>>,
}

#[derive(Debug, Serialize)]
struct ChunkChoice {
    index: u32,
    delta: Delta,
    finish_reason: Option<&'static str>,
    logprobs: Option<()>,
}

#[derive(Debug, Default, Serialize)]
struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Vec<Annotation>>,
}

/// Where a marker stands in the content, in characters, and what it points at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Annotation {
    #[serde(flatten)]
    cited: Cited,
    /// Sent back with the conversation, it lets a follow-up use the same source.
    source_id: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Cited {
    UrlCitation { url_citation: UrlCitation },
    FileCitation { file_citation: FileCitation },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct UrlCitation {
    start_index: usize,
    end_index: usize,
    title: String,
    url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FileCitation {
    start_index: usize,
    end_index: usize,
    filename: String,
    file_id: String,
}

/// Tokens by Vouch's own count: the question, the passages and the turns a model was given; what was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Usage {
    prompt_tokens: usize,
    completion_tokens: usize,
    total_tokens: usize,
}

/// A problem that clients of this protocol understand too.
#[derive(Debug, Serialize)]
pub(crate) struct CompletionProblem<'a> {
    #[serde(flatten)]
    problem: &'a Problem,
    error: ErrorBody<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    message: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    code: &'static str,
    param: Option<&'static str>,
}

/// Whom to ask, as what follows an answer: clients of this protocol show nothing else of a reply. Empty if there is nobody.
pub(crate) fn referral(reply: &Reply) -> String {
    let told = reply.route_to.as_ref().and_then(|route| Some((route.owner_email.as_ref()?, &route.reason)));
    told.map_or(String::new(), |(email, reason)| format!("\n\nAsk: {email} ({reason})"))
}

impl Completion {
    pub(crate) fn new(heading: Heading, reply: Reply, usage: Usage) -> Self {
        let annotations = Annotation::all(&reply, 0);
        let content = format!("{}{}", reply.answer, referral(&reply));
        let message = Message { role: "assistant", content, refusal: None, annotations };
        let choice = Choice { index: 0, message, finish_reason: "stop", logprobs: None };
        let Heading { id, created, model } = heading;
        Self { id, object: "chat.completion", created, model, choices: [choice], usage, vouch: reply }
    }
}

impl Chunk {
    /// The first chunk, which names the role.
    pub(crate) fn first(heading: &Heading) -> Self {
        Self::new(heading, Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() })
    }

    /// Verified words.
    pub(crate) fn words(heading: &Heading, words: String) -> Self {
        Self::new(heading, Delta { content: Some(words), ..Delta::default() })
    }

    /// The end: what the words rest on, and the whole reply. The answer stands `at` this place of what was said.
    pub(crate) fn last(heading: &Heading, reply: Reply, at: usize) -> Self {
        let annotations = Some(Annotation::all(&reply, at));
        let mut chunk = Self::new(heading, Delta { annotations, ..Delta::default() });
        chunk.choices.iter_mut().for_each(|choice| choice.finish_reason = Some("stop"));
        chunk.vouch = Some(Box::new(reply));
        chunk
    }

    /// The count, if it was asked for.
    pub(crate) fn count(heading: &Heading, usage: Usage) -> Self {
        let mut chunk = Self::new(heading, Delta::default());
        chunk.choices.clear();
        chunk.usage = Some(Some(usage));
        chunk
    }

    /// The same with a place for the count, as the protocol wants where it was asked for.
    pub(crate) fn counted(mut self) -> Self {
        self.usage = self.usage.or(Some(None));
        self
    }

    fn new(heading: &Heading, delta: Delta) -> Self {
        let Heading { id, created, model } = heading.clone();
        let choice = ChunkChoice { index: 0, delta, finish_reason: None, logprobs: None };
        Self { id, object: "chat.completion.chunk", created, model, choices: vec![choice], usage: None, vouch: None }
    }
}

impl Annotation {
    /// One for every marker of a reply's answer, in order.
    fn all(reply: &Reply, at: usize) -> Vec<Self> {
        let mut found: Vec<(usize, Self)> = Vec::new();
        for citation in &reply.citations {
            let marker = format!("[^{}]", citation.marker);
            for (place, _) in reply.answer.match_indices(&marker) {
                let start = at + reply.answer.get(..place).map_or(0, |before| before.chars().count());
                found.push((start, Self::new(citation, start, start + marker.chars().count())));
            }
        }
        found.sort_by_key(|(start, _)| *start);
        found.into_iter().map(|(_, annotation)| annotation).collect()
    }

    fn new(citation: &CitationWire, start_index: usize, end_index: usize) -> Self {
        let (title, source_id) = (citation.document_name.clone(), citation.source_id.clone());
        let cited = match &citation.url {
            Some(url) => {
                Cited::UrlCitation { url_citation: UrlCitation { start_index, end_index, title, url: url.clone() } }
            }
            None => {
                let file_id = citation.document_id.clone();
                Cited::FileCitation { file_citation: FileCitation { start_index, end_index, filename: title, file_id } }
            }
        };
        Self { cited, source_id }
    }
}

impl Usage {
    pub(crate) fn new(question: &str, answered: &AskOutcome, counter: &dyn TokenCounter) -> Self {
        let history = answered.response.trace.writer.as_ref().map_or(0, |writer| writer.history_tokens);
        let prompt_tokens = counter.count(question) + history + answered.reply.context_tokens_used;
        let completion_tokens = counter.count(&answered.reply.answer);
        Self { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
}

impl<'a> CompletionProblem<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let (message, kind, code) = (problem.detail(), problem.openai_kind(), problem.code());
        Self { problem, error: ErrorBody { message, kind, code, param: None } }
    }
}
