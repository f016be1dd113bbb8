//! `POST /v1/ask/stream`: verified sentences as they pass, as server-sent events; the whole reply last.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::{
        IntoResponse, Response,
        sse::{Event as SseEvent, KeepAlive, Sse},
    },
};
use futures::stream;
use utoipa::ToSchema;

use super::{
    answer_stream::{AnswerStream, StreamItem},
    ask::AskBody,
};
use vouch_service::{
    question::{AskOutcome, AskRequest},
    wire::Event,
};

use crate::{
    faults::Faults,
    problem::Problem,
    request_id::{request_id, with_request_id},
    service::Service,
};

/// How long a stream may be silent before a keep-alive is sent.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

/// An event as it stands in the stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only says what an event looks like")]
pub(crate) struct StreamedEvent {
    /// Name of the event, the same as in its data.
    #[schema(pattern = "^(start|citation|sentence|notice|done|error)$")]
    event: String,
    /// An `Event` as JSON.
    #[schema(content_media_type = "application/json")]
    data: String,
}

#[utoipa::path(
    post, path = "/v1/ask/stream", operation_id = "ask_aloud", tag = "questions", request_body = AskBody, security(("key" = [])),
    description = "Server-sent events: `start`, `citation`, `sentence`, `notice`, then `done` with the whole reply or `error`. \
                   Every sentence is checked before it is sent and is never taken back.",
    responses(
        (status = 200, description = "Events.", content_type = "text/event-stream", body = StreamedEvent),
        Faults
    )
)]
pub(crate) async fn stream(
    State(service): State<Service>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let id = request_id(&headers);
    let ask_request = match ask_request(&service, &headers, body, &id).await {
        Ok(ask_request) => ask_request,
        Err(problem) => return with_request_id(&id, problem.into_response()),
    };
    let due = VecDeque::from([Event::Start { request_id: id.clone() }]);
    let answer_stream = AnswerStream::begin(service, ask_request);
    let events = stream::unfold((answer_stream, due), |(mut answer_stream, mut due)| async move {
        if due.is_empty() {
            due.extend(events(answer_stream.next().await?));
        }
        let event = due.pop_front()?;
        Some((Ok::<_, Infallible>(sse(&event)), (answer_stream, due)))
    });
    let keep_alive = KeepAlive::new().interval(HEARTBEAT);
    with_request_id(&id, Sse::new(events).keep_alive(keep_alive).into_response())
}

async fn ask_request(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<AskRequest, Problem> {
    let caller = service.access_control.require_reader(headers, id).await?;
    Ok(AskBody::read(body, id)?.ask_request(&caller, id))
}

fn events(told: StreamItem) -> Vec<Event> {
    match told {
        StreamItem::Event(event) => vec![event],
        StreamItem::End(outcome) => match *outcome {
            Ok(AskOutcome { reply, .. }) => {
                let notices = reply.notices.iter().map(|text| Event::Notice { text: text.clone() });
                let mut events: Vec<Event> = notices.collect();
                events.push(Event::Done { reply: Box::new(reply) });
                events
            }
            Err(problem) => vec![Event::Error { code: problem.code(), message: problem.detail().to_owned() }],
        },
    }
}

fn sse(event: &Event) -> SseEvent {
    let data = serde_json::to_string(event).unwrap_or_default();
    SseEvent::default().event(event.as_str()).data(data)
}
