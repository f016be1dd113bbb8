//! `POST /v1/chat/completions`: a question in OpenAI's shape, the answer in OpenAI's shape with the whole reply beside it.
//!
//! Invariant: what is streamed are verified sentences; no word of a draft is ever sent.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{
        IntoResponse, Response,
        sse::{Event as SseEvent, KeepAlive, Sse},
    },
};
use futures::stream;
use vouch_domain::{Caller, Question, ports::TokenCounter};
use vouch_engine::model_registry::{EstimatedTokens, ModelRegistry};

use super::{
    answer_stream::{AnswerStream, StreamItem},
    ask::NO_SESSION_ID,
    body, models,
    stream::HEARTBEAT,
};
use vouch_service::{
    question::{AskOutcome, AskRequest},
    surface::Surface,
    wire::Event,
};

use crate::{
    faults::{Faults, ModelFaults},
    openai::failed,
    problem::{Code, Problem},
    request_id::{request_id, with_request_id},
    service::Service,
    wire::{ChatRequest, Chunk, Completion, CompletionProblem, DEFAULT_MODEL, Heading, Usage, referral},
};

/// Names the parameters that were ignored.
const IGNORED: HeaderName = HeaderName::from_static("x-vouch-ignored");
/// What fails within this time fails with its own status, also where a stream was asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request that was read.
struct PendingCompletion {
    ask_request: AskRequest,
    heading: Heading,
    is_streamed: bool,
    wants_usage: bool,
    ignored: Vec<String>,
}

#[utoipa::path(
    post, path = "/v1/chat/completions", operation_id = "complete_chat", tag = "openai", request_body = ChatRequest,
    security(("key" = [])),
    description = "A question in the format of OpenAI's chat completions; the last user message is the question. With `stream` the answer \
                   comes as chunks of verified sentences. The whole reply is under `vouch`.",
    responses((status = 200, description = "A completion.", body = serde_json::Value), Faults, ModelFaults)
)]
pub(crate) async fn complete(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    let pending = match pending(&service, &headers, body, &id).await {
        Ok(pending) => pending,
        Err(problem) => return failed(&id, &problem),
    };
    let ignored = HeaderValue::from_str(&pending.ignored.join(", "));
    let outcome = match pending.is_streamed {
        true => streamed(service, pending).await,
        false => whole(&service, pending).await,
    };
    let mut response = match outcome {
        Ok(response) => with_request_id(&id, response),
        Err(problem) => failed(&id, &problem),
    };
    if let Some(ignored) = ignored.ok().filter(|names| !names.is_empty()) {
        response.headers_mut().insert(IGNORED, ignored);
    }
    response
}

async fn pending(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<PendingCompletion, Problem> {
    let wrong = |sentence: &str| Problem::new(Code::InvalidRequest, sentence, id);
    let caller = service.access_control.require_reader(headers, id).await?;
    let request: ChatRequest = body::read(body, id)?;
    if let Some(sentence) = request.unsupported() {
        return Err(wrong(sentence));
    }
    let engine = &service.ask_service.engine;
    models::check(&engine.model_registry, request.writer(), id)?;
    let heading = Heading {
        id: format!("chatcmpl-{id}"),
        created: i64::try_from(engine.clock.now_ms() / 1_000).unwrap_or_default(),
        model: request.model.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
    };
    let (is_streamed, wants_usage, ignored) = (request.is_streamed(), request.wants_usage(), request.ignored());
    let ask_request = ask_request(request, &caller, id).map_err(wrong)?;
    Ok(PendingCompletion { ask_request, heading, is_streamed, wants_usage, ignored })
}

fn ask_request(request: ChatRequest, caller: &Caller, id: &str) -> Result<AskRequest, &'static str> {
    let reader = caller.narrow(request.tags.as_ref());
    let language = request.language.clone();
    let (passages_max, model) = (request.max_context_chunks, request.writer().map(str::to_owned));
    let explains = request.explain == Some(true);
    let (asker, agent, confirms) = (caller.person.clone(), request.agent.clone(), request.confirm.clone());
    let session_id = Some(request.session().ok_or(NO_SESSION_ID)?);
    let (text, conversation) = request.dialogue()?;
    let question =
        Question { conversation, passages_max, model, language, asker, agent, confirms, ..Question::new(text, reader) };
    Ok(AskRequest {
        request_id: id.to_owned(),
        asker: caller.id.clone(),
        session_id,
        surface: Surface::OpenAi,
        question,
        explains,
    })
}

async fn whole(service: &Service, pending: PendingCompletion) -> Result<Response, Problem> {
    let PendingCompletion { ask_request, heading, .. } = pending;
    let id = &ask_request.request_id;
    let walk = async {
        service.ask_service.answer(&ask_request).await.map_err(|error| Problem::from_ask_service_error(&error, id))
    };
    let answered = service.run_admitted(id, walk).await?;
    let usage = usage(&service.ask_service.engine.model_registry, &ask_request.question, &answered);
    Ok(Json(Completion::new(heading, answered.reply, usage)).into_response())
}

/// What one stream has sent and has still to send.
struct ChunkStream {
    answer_stream: AnswerStream,
    due: VecDeque<String>,
    heading: Heading,
    wants_usage: bool,
    question: Question,
    service: Service,
    told: String,
}

async fn streamed(service: Service, pending: PendingCompletion) -> Result<Response, Problem> {
    let PendingCompletion { ask_request, heading, wants_usage, .. } = pending;
    let question = ask_request.question.clone();
    let mut answer_stream = AnswerStream::begin(service.clone(), ask_request);
    let first = async {
        loop {
            match answer_stream.next().await {
                // It says nothing that a client of this protocol could be told.
                Some(StreamItem::Event(Event::Checking { .. })) => {}
                told => break told,
            }
        }
    };
    let first = tokio::time::timeout(PATIENCE, first).await;
    let first = match first {
        Ok(Some(StreamItem::End(outcome))) => Some(StreamItem::End(Box::new(Ok((*outcome)?)))),
        Ok(told) => told,
        Err(_) => None,
    };
    let (due, told) = (VecDeque::new(), String::new());
    let mut streaming = ChunkStream { answer_stream, due, heading, wants_usage, question, service, told };
    streaming.send(Chunk::first(&streaming.heading));
    if let Some(first) = first {
        streaming.take(first);
    }
    let events = stream::unfold(streaming, |mut streaming| async move {
        while streaming.due.is_empty() {
            let told = streaming.answer_stream.next().await?;
            streaming.take(told);
        }
        let data = streaming.due.pop_front()?;
        Some((Ok::<_, Infallible>(SseEvent::default().data(data)), streaming))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

impl ChunkStream {
    fn take(&mut self, told: StreamItem) {
        match told {
            StreamItem::Event(Event::Sentence { text, .. }) => self.say(text),
            // Sources are told with the end, where their words are final.
            StreamItem::Event(
                Event::Start { .. }
                | Event::Citation { .. }
                | Event::Checking { .. }
                | Event::Notice { .. }
                | Event::Error { .. }
                | Event::Done { .. },
            ) => {}
            StreamItem::End(outcome) => {
                match *outcome {
                    Ok(answered) => self.end(answered),
                    Err(problem) => {
                        let body = serde_json::to_string(&CompletionProblem::new(&problem));
                        self.due.push_back(body.unwrap_or_default());
                    }
                }
                self.due.push_back("[DONE]".to_owned());
            }
        }
    }

    fn say(&mut self, words: String) {
        self.told.push_str(&words);
        self.send(Chunk::words(&self.heading, words));
    }

    fn end(&mut self, answered: AskOutcome) {
        let answer = &answered.reply.answer;
        // What was sent stays; an answer that does not begin with it follows it.
        let rest = match answer.strip_prefix(self.told.as_str()) {
            Some(rest) => rest.to_owned(),
            None => format!("\n\n{answer}"),
        };
        let usage = usage(&self.service.ask_service.engine.model_registry, &self.question, &answered);
        let length = answer.chars().count();
        if !rest.is_empty() {
            self.say(rest);
        }
        let at = self.told.chars().count().saturating_sub(length);
        let referral = referral(&answered.reply);
        if !referral.is_empty() {
            self.say(referral);
        }
        self.send(Chunk::last(&self.heading, answered.reply, at));
        if self.wants_usage {
            self.send(Chunk::count(&self.heading, usage));
        }
    }

    fn send(&mut self, chunk: Chunk) {
        let chunk = if self.wants_usage { chunk.counted() } else { chunk };
        self.due.push_back(serde_json::to_string(&chunk).unwrap_or_default());
    }
}

/// Counted by the writing model's tokenizer, or estimated from above if it is unknown.
fn usage(model_registry: &ModelRegistry, question: &Question, answered: &AskOutcome) -> Usage {
    let own = answered.reply.model_used.as_ref().and_then(|model| model_registry.allowed.get(model));
    let counter: Arc<dyn TokenCounter> =
        own.map_or_else(|| Arc::new(EstimatedTokens) as _, |own| Arc::clone(&own.counter));
    Usage::new(&question.text, answered, counter.as_ref())
}
