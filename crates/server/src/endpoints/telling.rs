//! A running question → its sentences as they are verified, then its end; shared by every streaming endpoint.
//!
//! Invariant: the work stops when the client stops listening.

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::AbortHandle,
};
use tracing::Instrument;
use vouch_engine::ask::{Listener, Said};
use vouch_service::{
    question::{Answered, Asking},
    walks::{PARENT, parent},
    wire::Event,
};

use crate::{
    problem::{Code, Problem},
    service::Service,
};

/// One thing that is told.
pub(super) enum Told {
    /// A sentence that passed, or a source it cites.
    Said(Event),
    /// The end: everything, or why there is nothing more.
    Ended(Box<Result<Answered, Problem>>),
}

/// The events of one question, and the work behind them, which stops when this is dropped.
pub(super) struct Telling {
    told: UnboundedReceiver<Told>,
    work: AbortHandle,
    request_id: String,
    has_ended: bool,
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// Passes on what it hears; an answer has few sentences, so the line needs no bound of its own.
struct Sender(UnboundedSender<Told>);

impl Listener for Sender {
    fn hear(&self, said: &Said<'_>) {
        for event in Event::of(said) {
            // Nobody listens any more where the client has left; the work is ended elsewhere.
            let _ = self.0.send(Told::Said(event));
        }
    }
}

impl Telling {
    /// Starts the work.
    pub(super) fn begin(service: Service, asking: Asking) -> Self {
        let (sender, told) = unbounded_channel();
        let request_id = asking.request_id.clone();
        let work = async move {
            let listener = Sender(sender);
            let id = &asking.request_id;
            let walk = async {
                let answered = service.desk.answer_aloud(&asking, &listener).await;
                answered.map_err(|error| Problem::of_desk(&error, id))
            };
            let outcome = service.admitted(id, walk).await;
            let _ = listener.0.send(Told::Ended(Box::new(outcome)));
        };
        let work = tokio::spawn(PARENT.scope(parent(), work).in_current_span());
        Self { told, work: work.abort_handle(), request_id, has_ended: false }
    }

    /// The next event; none after the end, and there is an end even if the work panicked.
    pub(super) async fn next(&mut self) -> Option<Told> {
        if self.has_ended {
            return None;
        }
        let told = self.told.recv().await.unwrap_or_else(|| {
            let broken = Problem::of(Code::Context, "An internal error stopped this answer.", &self.request_id);
            Told::Ended(Box::new(Err(broken)))
        });
        self.has_ended = matches!(told, Told::Ended(_));
        Some(told)
    }
}
