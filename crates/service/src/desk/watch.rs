//! A question being answered → its log lines, metrics and spans.

use std::future::Future;

use tracing::{Instrument, Span};
use vouch_engine::ask::{Engine, Response};

use super::failure::{DeskError, code};
use crate::{
    context,
    metrics::Figures,
    question::{Answered, Asking},
    walks::{WalkListener, Walked},
};

/// Who sees how a question goes.
pub(super) struct Watch<'a> {
    pub(super) engine: &'a Engine,
    pub(super) figures: &'a Figures,
    pub(super) walks: Option<&'a dyn WalkListener>,
}

impl Watch<'_> {
    /// Does the work of one request within its span: logged from start to end, and counted.
    pub(super) async fn over(
        &self,
        asking: &Asking,
        work: impl Future<Output = Result<Answered, DeskError>>,
    ) -> Result<Answered, DeskError> {
        let has_several = self.figures.has_several_collections();
        let route = context::expected_route(&asking.question, self.engine, has_several);
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
            let mut unfinished = Unfinished { figures: self.figures, surface: asking.surface, is_finished: false };
            let outcome = work.await;
            unfinished.is_finished = true;
            let total_ms = self.engine.clock.since_start().saturating_sub(started).as_secs_f64() * 1e3;
            self.noted(asking, &outcome, total_ms);
            if let (Ok(answered), Some(walks)) = (&outcome, self.walks) {
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

/// Time stage by stage, in milliseconds, as one word each.
fn stages(response: &Response) -> String {
    let stage =
        |timing: &vouch_domain::StageTiming| format!("{}={:.1}", timing.stage.replace(' ', "_"), timing.elapsed_ms);
    response.trace.timings.iter().map(stage).collect::<Vec<_>>().join(" ")
}
