//! A question being answered → its log lines, metrics and spans.

use std::future::Future;

use tracing::{Instrument, Span};
use vouch_domain::PortError;
use vouch_engine::ask::{AskError, Response};

use super::{Answered, Asking, Desk, DeskError};
use crate::{context, metrics::Figures, walks::Walked};

impl Desk {
    /// Does the work of one request within its span: logged from start to end, and counted.
    pub(super) async fn watched(
        &self,
        asking: &Asking,
        work: impl Future<Output = Result<Answered, DeskError>>,
    ) -> Result<Answered, DeskError> {
        let has_several = self.figures.has_several_collections();
        let route = context::expected_route(&asking.question, &self.engine, has_several);
        let span = tracing::info_span!(
            "question",
            request_id = asking.request_id,
            surface = asking.surface,
            route,
            fallback_flags = tracing::field::Empty
        );
        async {
            let (started, started_ms) = (self.engine.clock.since_start(), self.engine.clock.now_ms());
            let query = tracing::enabled!(tracing::Level::DEBUG).then_some(asking.question.text.as_str());
            tracing::info!(component = "router", event = "request_start", query);
            let mut unfinished = Unfinished { figures: &self.figures, surface: asking.surface, is_finished: false };
            let outcome = work.await;
            unfinished.is_finished = true;
            let total_ms = self.engine.clock.since_start().saturating_sub(started).as_secs_f64() * 1e3;
            self.noted(asking, &outcome, total_ms);
            if let (Ok(answered), Some(walks)) = (&outcome, &self.walks) {
                walks.hear(Walked::of(asking, answered, started_ms, total_ms));
            }
            outcome
        }
        .instrument(span)
        .await
    }

    fn noted(&self, asking: &Asking, outcome: &Result<Answered, DeskError>, total_ms: f64) {
        match outcome {
            Ok(Answered { response, reply }) => {
                self.figures.observe(asking.surface, response);
                Span::current().record("route", reply.route);
                Span::current().record("fallback_flags", context::fallback_flags(response).join(","));
                let (outcome, reason) = (reply.outcome, reply.abstain_reason);
                let stages = stages(response);
                tracing::info!(component = "router", event = "request_complete", outcome, reason, stages, total_ms);
            }
            Err(error) => {
                let code = code(error);
                self.figures.observe_failure(asking.surface, code);
                tracing::warn!(component = "router", event = "request_failed", code, total_ms);
            }
        }
    }

    /// A write to the trail, timed.
    pub(super) async fn timed<T>(&self, write: impl Future<Output = Result<T, PortError>>) -> Result<T, DeskError> {
        let started = self.engine.clock.since_start();
        let written = write.await;
        let took = self.engine.clock.since_start().saturating_sub(started);
        self.figures.audit_written(written.is_ok(), took);
        written.map_err(DeskError::Unrecorded)
    }
}

/// A question being answered; counted as abandoned if it is dropped before its end.
struct Unfinished<'a> {
    figures: &'a Figures,
    surface: &'static str,
    is_finished: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.figures.observe_failure(self.surface, "abandoned");
            tracing::warn!(component = "router", event = "request_abandoned");
        }
    }
}

/// Why a question failed, as one word.
pub(super) fn ask_code(error: &AskError) -> &'static str {
    match error {
        AskError::NotAQuestion(_) => "invalid_request",
        AskError::Port(_) => "context",
        AskError::Model(error) => error.code(),
    }
}

fn code(error: &DeskError) -> &'static str {
    match error {
        DeskError::Ask(error) => ask_code(error),
        DeskError::Unrecorded(_) => "unrecorded",
    }
}

/// Time stage by stage, in milliseconds, as one word each.
fn stages(response: &Response) -> String {
    let stage =
        |timing: &vouch_domain::StageTiming| format!("{}={:.1}", timing.stage.replace(' ', "_"), timing.elapsed_ms);
    response.trace.timings.iter().map(stage).collect::<Vec<_>>().join(" ")
}
