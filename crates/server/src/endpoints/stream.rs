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
    ask::AskBody,
    telling::{Telling, Told},
};
use vouch_service::{
    question::{Answered, Asking},
    wire::Event,
};

use crate::{
    description::Faults,
    problem::Problem,
    request_id::{named, request_id},
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
    let asking = match asking(&service, &headers, body, &id).await {
        Ok(asking) => asking,
        Err(problem) => return named(&id, problem.into_response()),
    };
    let due = VecDeque::from([Event::Start { request_id: id.clone() }]);
    let telling = Telling::begin(service, asking);
    let events = stream::unfold((telling, due), |(mut telling, mut due)| async move {
        if due.is_empty() {
            due.extend(events(telling.next().await?));
        }
        let event = due.pop_front()?;
        Some((Ok::<_, Infallible>(sse(&event)), (telling, due)))
    });
    let keep_alive = KeepAlive::new().interval(HEARTBEAT);
    named(&id, Sse::new(events).keep_alive(keep_alive).into_response())
}

async fn asking(
    service: &Service,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
    id: &str,
) -> Result<Asking, Problem> {
    let caller = service.door.reader(headers, id).await?;
    Ok(AskBody::read(body, id)?.asking(&caller, id))
}

fn events(told: Told) -> Vec<Event> {
    match told {
        Told::Said(event) => vec![event],
        Told::Ended(outcome) => match *outcome {
            Ok(Answered { reply, .. }) => {
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
    SseEvent::default().event(event.word()).data(data)
}
