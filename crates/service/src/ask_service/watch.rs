//! A question being answered → its log lines, metrics and spans.

use std::future::Future;

use tracing::{Instrument, Span};
use vouch_engine::ask::{Engine, Response};

use super::failure::{AskServiceError, code};
use crate::{
    context,
    metrics::Metrics,
    outcome::Route,
    question::{AskOutcome, AskRequest},
    surface::Surface,
    walk_report::{WalkObserver, WalkReport},
};

/// Who sees how a question goes.
pub(super) struct Watch<'a> {
    pub(super) engine: &'a Engine,
    pub(super) metrics: &'a Metrics,
    pub(super) walks: Option<&'a dyn WalkObserver>,
    pub(super) logs_questions: bool,
}

impl Watch<'_> {
    /// Does the work of one request within its span, under the route it has from now on: logged from start to end, and
    /// counted.
    pub(super) async fn over<W>(
        &self,
        ask_request: &AskRequest,
        route: impl Future<Output = Route>,
        work: impl FnOnce(Route) -> W,
    ) -> Result<AskOutcome, AskServiceError>
    where
        W: Future<Output = Result<AskOutcome, AskServiceError>>,
    {
        let span = tracing::info_span!(
            "question",
            request_id = ask_request.request_id,
            surface = ask_request.surface.as_str(),
            route = tracing::field::Empty,
            fallback_flags = tracing::field::Empty
        );
        async {
            let (started, started_ms) = (self.engine.clock.since_start(), self.engine.clock.now_ms());
            let is_told = self.logs_questions || tracing::enabled!(tracing::Level::DEBUG);
            let query = is_told.then_some(ask_request.question.text.as_str());
            let mut unfinished =
                UnfinishedRequest { metrics: self.metrics, surface: ask_request.surface, is_finished: false };
            let route = route.await;
            Span::current().record("route", route.as_str());
            tracing::info!(component = "router", event = "request_start", query);
            let outcome = work(route).await;
            unfinished.is_finished = true;
            let total_ms = self.engine.clock.since_start().saturating_sub(started).as_secs_f64() * 1e3;
            self.log_outcome(ask_request, &outcome, total_ms);
            if let (Ok(answered), Some(walks)) = (&outcome, self.walks) {
                walks.on_end(WalkReport::new(ask_request, answered, started_ms, total_ms));
            }
            outcome
        }
        .instrument(span)
        .await
    }

    fn log_outcome(&self, ask_request: &AskRequest, outcome: &Result<AskOutcome, AskServiceError>, total_ms: f64) {
        match outcome {
            Ok(answered) => {
                let AskOutcome { response, reply } = answered;
                self.metrics.observe(ask_request.surface, answered);
                Span::current().record("fallback_flags", context::fallback_flags(response).join(","));
                let (outcome, reason) = (reply.outcome.as_str(), reply.abstain_reason);
                let stages = stages(response);
                tracing::info!(component = "router", event = "request_complete", outcome, reason, stages, total_ms);
            }
            Err(error) => {
                let code = code(error);
                self.metrics.observe_failure(ask_request.surface, code);
                tracing::warn!(component = "router", event = "request_failed", code, total_ms);
            }
        }
    }
}

/// A question being answered; counted as abandoned if it is dropped before its end.
struct UnfinishedRequest<'a> {
    metrics: &'a Metrics,
    surface: Surface,
    is_finished: bool,
}

impl Drop for UnfinishedRequest<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.metrics.observe_failure(self.surface, "abandoned");
            tracing::warn!(component = "router", event = "request_abandoned");
        }
    }
}

/// Time stage by stage, in milliseconds, as one word each.
fn stages(response: &Response) -> String {
    let stage = |timing: &vouch_engine::trace::StageTiming| {
        format!("{}={:.1}", timing.stage.as_str().replace(' ', "_"), timing.elapsed_ms)
    };
    response.trace.timings.iter().map(stage).collect::<Vec<_>>().join(" ")
}
