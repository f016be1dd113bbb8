//! A running question → its sentences as they are verified, then its end; shared by every streaming endpoint.
//!
//! Invariant: the work stops when the client stops listening.

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::AbortHandle,
};
use tracing::Instrument;
use vouch_engine::ask::{AnswerSentence, Listener};
use vouch_service::{
    question::{AskOutcome, AskRequest},
    walk_report::{PARENT, parent},
    wire::Event,
};

use crate::{
    problem::{Code, Problem},
    service::Service,
};

/// One thing that is told.
pub(super) enum StreamItem {
    /// A sentence that passed, or a source it cites.
    Event(Event),
    /// The end: everything, or why there is nothing more.
    End(Box<Result<AskOutcome, Problem>>),
}

/// The events of one question, and the work behind them, which stops when this is dropped.
pub(super) struct AnswerStream {
    told: UnboundedReceiver<StreamItem>,
    work: AbortHandle,
    request_id: String,
    has_ended: bool,
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// Passes on what it hears; an answer has few sentences, so the line needs no bound of its own.
struct Sender(UnboundedSender<StreamItem>);

impl Listener for Sender {
    fn on_sentence(&self, said: &AnswerSentence<'_>) {
        for event in Event::from_sentence(said) {
            // Nobody listens any more where the client has left; the work is ended elsewhere.
            let _ = self.0.send(StreamItem::Event(event));
        }
    }

    fn on_checking(&self) {
        let _ = self.0.send(StreamItem::Event(Event::checking()));
    }
}

impl AnswerStream {
    /// Starts the work.
    pub(super) fn begin(service: Service, ask_request: AskRequest) -> Self {
        let (sender, told) = unbounded_channel();
        let request_id = ask_request.request_id.clone();
        let work = async move {
            let listener = Sender(sender);
            let id = &ask_request.request_id;
            let walk = async {
                let answered = service.ask_service.answer_streaming(&ask_request, &listener).await;
                answered.map_err(|error| Problem::from_ask_service_error(&error, id))
            };
            let outcome = service.run_admitted(id, walk).await;
            let _ = listener.0.send(StreamItem::End(Box::new(outcome)));
        };
        let work = tokio::spawn(PARENT.scope(parent(), work).in_current_span());
        Self { told, work: work.abort_handle(), request_id, has_ended: false }
    }

    /// The next event; none after the end, and there is an end even if the work panicked.
    pub(super) async fn next(&mut self) -> Option<StreamItem> {
        if self.has_ended {
            return None;
        }
        let told = self.told.recv().await.unwrap_or_else(|| {
            let broken =
                Problem::new(Code::Context, "An internal error stopped this answer; try again.", &self.request_id);
            StreamItem::End(Box::new(Err(broken)))
        });
        self.has_ended = matches!(told, StreamItem::End(_));
        Some(told)
    }
}
