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
use vouch_engine::ladder::{EstimatedTokens, Ladder};

use super::{
    body, models,
    stream::HEARTBEAT,
    telling::{Telling, Told},
};
use vouch_service::{
    question::{Answered, Asking},
    wire::Event,
};

use crate::{
    description::{Faults, ModelFaults},
    openai::failed,
    problem::{Code, Problem},
    request_id::{named, request_id},
    service::Service,
    wire::{ChatRequest, Chunk, Completion, CompletionProblem, DEFAULT_MODEL, Heading, Usage},
};

/// Names the parameters that were ignored.
const IGNORED: HeaderName = HeaderName::from_static("x-vouch-ignored");
/// What fails within this time fails with its own status, also where a stream was asked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request that was read.
struct Errand {
    asking: Asking,
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
    let errand = match errand(&service, &headers, body, &id).await {
        Ok(errand) => errand,
        Err(problem) => return failed(&id, &problem),
    };
    let ignored = HeaderValue::from_str(&errand.ignored.join(", "));
    let outcome = match errand.is_streamed {
        true => streamed(service, errand).await,
        false => whole(&service, errand).await,
    };
    let mut response = match outcome {
        Ok(response) => named(&id, response),
        Err(problem) => failed(&id, &problem),
    };
    if let Some(ignored) = ignored.ok().filter(|names| !names.is_empty()) {
        response.headers_mut().insert(IGNORED, ignored);
    }
    response
}

async fn errand(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Errand, Problem> {
    let wrong = |sentence: &str| Problem::of(Code::InvalidRequest, sentence, id);
    let caller = service.door.reader(headers, id).await?;
    let request: ChatRequest = body::read(body, id)?;
    if let Some(sentence) = request.unsupported() {
        return Err(wrong(sentence));
    }
    let engine = &service.desk.engine;
    models::check(&engine.ladder, request.writer(), id)?;
    let heading = Heading {
        id: format!("chatcmpl-{id}"),
        created: i64::try_from(engine.clock.now_ms() / 1_000).unwrap_or_default(),
        model: request.model.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
    };
    let (is_streamed, wants_usage, ignored) = (request.is_streamed(), request.wants_usage(), request.ignored());
    let asking = asking(request, &caller, id).map_err(wrong)?;
    Ok(Errand { asking, heading, is_streamed, wants_usage, ignored })
}

fn asking(request: ChatRequest, caller: &Caller, id: &str) -> Result<Asking, &'static str> {
    let reader = caller.narrowed(request.tags.as_ref());
    let (passages_max, model) = (request.max_context_chunks, request.writer().map(str::to_owned));
    let explains = request.explain == Some(true);
    let (text, conversation) = request.dialogue()?;
    let question = Question { text, conversation, reader, passages_max, model };
    Ok(Asking {
        request_id: id.to_owned(),
        asker: caller.id.clone(),
        session_id: None,
        surface: "openai",
        question,
        explains,
    })
}

async fn whole(service: &Service, errand: Errand) -> Result<Response, Problem> {
    let Errand { asking, heading, .. } = errand;
    let id = &asking.request_id;
    let walk = async { service.desk.answer(&asking).await.map_err(|error| Problem::of_desk(&error, id)) };
    let answered = service.admitted(id, walk).await?;
    let usage = usage(&service.desk.engine.ladder, &asking.question, &answered);
    Ok(Json(Completion::of(heading, answered.reply, usage)).into_response())
}

/// What one stream has sent and has still to send.
struct Streaming {
    telling: Telling,
    due: VecDeque<String>,
    heading: Heading,
    wants_usage: bool,
    question: Question,
    service: Service,
    told: String,
}

async fn streamed(service: Service, errand: Errand) -> Result<Response, Problem> {
    let Errand { asking, heading, wants_usage, .. } = errand;
    let question = asking.question.clone();
    let mut telling = Telling::begin(service.clone(), asking);
    let first = tokio::time::timeout(PATIENCE, telling.next()).await;
    let first = match first {
        Ok(Some(Told::Ended(outcome))) => Some(Told::Ended(Box::new(Ok((*outcome)?)))),
        Ok(told) => told,
        Err(_) => None,
    };
    let (due, told) = (VecDeque::new(), String::new());
    let mut streaming = Streaming { telling, due, heading, wants_usage, question, service, told };
    streaming.send(Chunk::first(&streaming.heading));
    if let Some(first) = first {
        streaming.take(first);
    }
    let events = stream::unfold(streaming, |mut streaming| async move {
        if streaming.due.is_empty() {
            let told = streaming.telling.next().await?;
            streaming.take(told);
        }
        let data = streaming.due.pop_front().unwrap_or_default();
        Some((Ok::<_, Infallible>(SseEvent::default().data(data)), streaming))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

impl Streaming {
    fn take(&mut self, told: Told) {
        match told {
            Told::Said(Event::Sentence { text, .. }) => self.say(text),
            // Sources are told with the end, where their words are final.
            Told::Said(
                Event::Start { .. }
                | Event::Citation { .. }
                | Event::Notice { .. }
                | Event::Error { .. }
                | Event::Done { .. },
            ) => {}
            Told::Ended(outcome) => {
                match *outcome {
                    Ok(answered) => self.end(answered),
                    Err(problem) => {
                        let body = serde_json::to_string(&CompletionProblem::of(&problem));
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

    fn end(&mut self, answered: Answered) {
        let answer = &answered.reply.answer;
        // What was sent stays; an answer that does not begin with it follows it.
        let rest = match answer.strip_prefix(self.told.as_str()) {
            Some(rest) => rest.to_owned(),
            None => format!("\n\n{answer}"),
        };
        let usage = usage(&self.service.desk.engine.ladder, &self.question, &answered);
        let length = answer.chars().count();
        if !rest.is_empty() {
            self.say(rest);
        }
        let at = self.told.chars().count().saturating_sub(length);
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
fn usage(ladder: &Ladder, question: &Question, answered: &Answered) -> Usage {
    let own = answered.reply.model_used.as_ref().and_then(|model| ladder.allowed.get(model));
    let counter: Arc<dyn TokenCounter> =
        own.map_or_else(|| Arc::new(EstimatedTokens) as _, |own| Arc::clone(&own.counter));
    Usage::of(&question.text, answered, counter.as_ref())
}
