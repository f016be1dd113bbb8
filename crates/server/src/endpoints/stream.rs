//! `POST /v1/ask/stream`: verified sentences as they pass, as server-sent events; the whole reply last.
//!
//! Invariant: a client that leaves ends the work.

use std::{convert::Infallible, panic::AssertUnwindSafe, time::Duration};

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::{
        IntoResponse, Response,
        sse::{Event as SseEvent, KeepAlive, Sse},
    },
};
use futures::{FutureExt, stream};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::AbortHandle,
};
use utoipa::ToSchema;
use vouch_engine::ask::{Listener, Said};

use super::ask::AskBody;
use crate::{
    description::Faults,
    desk::{Answered, Asking},
    problem::Problem,
    service::{Service, named, request_id},
    wire::Event,
};

const HEARTBEAT: Duration = Duration::from_secs(15);

/// Sends what it hears; an answer has few sentences, so the line needs no bound of its own.
struct Sender(UnboundedSender<Event>);

impl Listener for Sender {
    fn hear(&self, said: &Said<'_>) {
        for event in Event::of(said) {
            // Nobody listens any more where the client has left; the work is ended elsewhere.
            let _ = self.0.send(event);
        }
    }
}

/// The events of one answer, and the work behind them, which ends with this.
struct Stream {
    events: UnboundedReceiver<Event>,
    work: AbortHandle,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// One event as it stands in the stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only says what an event looks like")]
pub(crate) struct StreamedEvent {
    /// Its name, as in the data.
    #[schema(pattern = "^(start|citation|sentence|notice|done|error)$")]
    event: String,
    /// An `Event` as JSON.
    #[schema(content_media_type = "application/json")]
    data: String,
}

#[utoipa::path(
    post, path = "/v1/ask/stream", operation_id = "ask_aloud", tag = "questions", request_body = AskBody, security(("key" = [])),
    description = "Server-sent events: `start`, `citation`, `sentence`, `notice`, then `done` with the whole reply or `error`. \
                   Every sentence was checked before it is told and is never taken back.",
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
    let (sender, events) = unbounded_channel();
    let work = tokio::spawn(async move { answer(service, asking, sender).await });
    let stream = Stream { events, work: work.abort_handle() };
    let events = stream::unfold(stream, |mut stream| async move {
        let event = stream.events.recv().await?;
        Some((Ok::<_, Infallible>(sse(&event)), stream))
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

async fn answer(service: Service, asking: Asking, sender: UnboundedSender<Event>) {
    let id = &asking.request_id;
    let _ = sender.send(Event::Start { request_id: id.clone() });
    let listener = Sender(sender.clone());
    let walk =
        async { service.desk.answer_aloud(&asking, &listener).await.map_err(|error| Problem::of_desk(&error, id)) };
    let walked = AssertUnwindSafe(service.admitted(id, walk)).catch_unwind().await;
    let outcome = walked.unwrap_or_else(|_| Err(Problem::broken(id)));
    match outcome {
        Ok(Answered { reply, .. }) => {
            for notice in &reply.notices {
                let _ = sender.send(Event::Notice { text: notice.clone() });
            }
            let _ = sender.send(Event::Done { reply: Box::new(reply) });
        }
        Err(problem) => {
            let _ = sender.send(Event::Error { code: problem.code(), message: problem.detail().to_owned() });
        }
    }
}

fn sse(event: &Event) -> SseEvent {
    let data = serde_json::to_string(event).unwrap_or_default();
    SseEvent::default().event(event.word()).data(data)
}
