//! The trace of a question → metrics: what was decided and why, what was searched, checked and removed.

use std::time::Duration;

use metrics::{counter, histogram};
use vouch_domain::Fault;
use vouch_engine::{
    ask::Response,
    auditor::Inspection,
    decide::{Decision, Refusal, RefusalReason, ToolStep, UnsureOutcome, VerifiedAnswer},
    retrieve::Candidates,
    trace::{EmbeddingReport, Lane, LaneReport, LookupOutcome, Stage},
};

use super::{Metrics, abstention::Abstention, add, families::NO_COLLECTION};
use crate::{
    context,
    outcome::{CallOutcome, Outcome},
    question::AskOutcome,
    surface::Surface,
    wire::Reply,
};

/// What one search was like.
pub(super) struct Searched {
    pub(super) collections: Vec<String>,
    /// None if the question was made ready and then not searched for.
    pub(super) took_ms: Option<f64>,
    pub(super) is_embedded: bool,
    pub(super) is_unembedded: bool,
    pub(super) is_stood_in_for: bool,
}

impl Metrics {
    /// Counts what a question came to, and whether its reply cites what it rests on.
    pub fn observe(&self, surface: Surface, answered: &AskOutcome) {
        let AskOutcome { response, reply } = answered;
        add(&self.tally.questions, 1);
        let outcome = Outcome::from_decision(&response.decision).as_str();
        self.count(|| {
            counter!("vouch_answers_total", "surface" => surface.as_str(), "outcome" => outcome).increment(1);
            histogram!("vouch_answer_duration_seconds").record(response.elapsed_ms / 1e3);
            for timing in &response.trace.timings {
                let stage = timing.stage.as_str().replace(' ', "_");
                histogram!("vouch_stage_duration_seconds", "stage" => stage).record(timing.elapsed_ms / 1e3);
            }
            for flag in context::fallback_flags(response) {
                counter!("vouch_fallbacks_total", "flag" => flag).increment(1);
            }
        });
        if let Some(refusal) = refusal(&response.decision) {
            self.abstained(&refusal.reason);
        }
        if let Some(answer) = answer(&response.decision) {
            self.answered(answer, reply);
        }
        self.asked_back(&response.decision);
        self.checked(response);
        self.looked_up(response);
        self.handed_over(response, reply);
        self.searched_for(response);
        self.readings.keep(&response.trace.gates);
        self.keep_up();
    }

    /// Counts a question that could not be walked to an end.
    pub(crate) fn observe_failure(&self, surface: Surface, code: &'static str) {
        add(&self.tally.questions, 1);
        self.count(|| {
            counter!("vouch_answers_total", "surface" => surface.as_str(), "outcome" => Outcome::Failed.as_str())
                .increment(1);
            counter!("vouch_failures_total", "code" => code).increment(1);
        });
        self.keep_up();
    }

    /// Counts a search without an answer.
    pub(crate) fn observe_search(&self, found: &Candidates, took: Duration) {
        let mut collections: Vec<&str> =
            found.items().iter().map(|one| one.passage.document.collection.as_str()).collect();
        collections.sort_unstable();
        collections.dedup();
        let took_ms = Some(took.as_secs_f64() * 1e3);
        self.search(&searched((found.lanes(), found.embedding()), &collections, took_ms));
    }

    /// Counts what the auditor found in a reply: every identifier it looked up again, and what became of a model's citations.
    pub(crate) fn observe_inspection(&self, inspection: &Inspection) {
        self.count(|| {
            counter!("vouch_auditor_identifiers_total").increment(inspection.checked as u64);
            counter!("vouch_auditor_unfinished_total").increment(u64::from(inspection.unfinished.is_some()));
            for one in &inspection.unknown {
                counter!("vouch_auditor_unknown_total", "kind" => one.kind.as_str()).increment(1);
            }
            let markers = inspection.markers.unwrap_or_default();
            let counts = [("emitted", markers.emitted), ("dropped", markers.dropped), ("invented", markers.invented)];
            for (kind, count) in counts {
                counter!("vouch_auditor_markers_total", "kind" => kind).increment(count as u64);
            }
        });
    }

    fn abstained(&self, reason: &RefusalReason) {
        let is_no_context = lacks_context(reason);
        if is_no_context {
            add(&self.tally.no_context, 1);
        }
        self.count(|| {
            counter!("rag_abstention_total", "reason" => Abstention::new(reason).as_str()).increment(1);
            counter!("vouch_refusals_total", "reason" => reason.as_str()).increment(1);
            counter!("vouch_no_context_total").increment(u64::from(is_no_context));
        });
    }

    /// A question back for details counts as one that the documents do not answer. A tool that did not run is a refusal of its own.
    fn asked_back(&self, decision: &Decision) {
        match decision {
            Decision::Clarify(clarification) if clarification.is_no_context => self.count_no_context(),
            Decision::Tool(tool) => match &tool.step {
                ToolStep::Failed { reason, .. } => self.count_tool_refusal((*reason).to_owned()),
                ToolStep::Ran { .. } | ToolStep::Missing(_) | ToolStep::Waiting | ToolStep::Withdrawn => {}
            },
            Decision::Clarify(_)
            | Decision::Answer(_)
            | Decision::Refuse(_)
            | Decision::Refer(_)
            | Decision::General(_) => {}
        }
    }

    /// Counts a question that the documents do not answer and whose asker was asked for details.
    pub(super) fn count_no_context(&self) {
        add(&self.tally.no_context, 1);
        self.count(|| counter!("vouch_no_context_total").increment(1));
    }

    /// Counts a question that a tool was meant for which did not run, or not to its end.
    pub(super) fn count_tool_refusal(&self, reason: String) {
        self.count(|| {
            counter!("rag_abstention_total", "reason" => Abstention::ToolNotRun.as_str()).increment(1);
            counter!("vouch_refusals_total", "reason" => reason).increment(1);
        });
    }

    /// The reply is what the reader has: whatever the decision rests on, an answer without sources there has none.
    fn answered(&self, answer: &VerifiedAnswer, reply: &Reply) {
        let is_cited = !reply.citations.is_empty() && !reply.sources.is_empty();
        self.count_answer(is_cited, answer.confidence().overall.min(100));
        self.count_stale(answer.stale_sources().len() as u64);
    }

    /// Counts the stale documents that an answer cites.
    pub(super) fn count_stale(&self, sources: u64) {
        self.count(|| counter!("vouch_stale_sources_total").increment(sources));
    }

    /// Counts an answer, with its confidence of 100.
    pub(super) fn count_answer(&self, is_cited: bool, confidence: u32) {
        add(if is_cited { &self.tally.cited } else { &self.tally.uncited }, 1);
        add(&self.tally.confidence_sum, u64::from(confidence));
        add(&self.tally.confidences, 1);
        let name = if is_cited { "vouch_cited_answers_total" } else { "vouch_uncited_answers_total" };
        self.count(|| {
            counter!(name).increment(1);
            histogram!("vouch_answer_confidence").record(f64::from(confidence) / 100.0);
        });
    }

    fn checked(&self, response: &Response) {
        let passed = answer(&response.decision).map_or(0, |answer| answer.text().claims().len());
        let unverified = match refusal(&response.decision).map(|refusal| &refusal.reason) {
            Some(RefusalReason::NothingVerified(claims)) => claims.len(),
            _ => 0,
        };
        let writer = response.trace.writer.as_ref();
        let dropped = unverified.max(writer.map_or(0, |writer| writer.left_out.len()));
        self.count(|| {
            counter!("vouch_claims_checked_total").increment((passed + dropped) as u64);
            counter!("vouch_claims_dropped_total").increment(dropped as u64);
            for (kind, count) in writer.into_iter().flat_map(|writer| &writer.drops) {
                counter!("vouch_gauntlet_drops_total", "kind" => kind.as_str()).increment(*count as u64);
            }
        });
    }

    fn looked_up(&self, response: &Response) {
        let Some(lookup) = &response.trace.lookup else { return };
        self.count_lookup(lookup.backend.to_owned(), has_answer(lookup.outcome));
    }

    fn handed_over(&self, response: &Response, reply: &Reply) {
        if let Some(agent) = &reply.agent {
            self.count_routing(agent, response.trace.routing.as_ref().map(|routing| routing.confidence));
        }
        for report in &response.trace.tools {
            self.count_call(&report.call.tool, CallOutcome::from_report(report), report.elapsed_ms);
        }
    }

    /// Counts a look-up by name.
    pub(super) fn count_lookup(&self, tool: String, has_answer: bool) {
        let outcome = if has_answer { "succeeded" } else { "failed" };
        self.count(|| counter!("vouch_tool_calls_total", "tool" => tool, "outcome" => outcome).increment(1));
    }

    fn searched_for(&self, response: &Response) {
        let trace = &response.trace;
        let spent =
            |stage: Stage| trace.timings.iter().filter(|one| one.stage == stage).map(|one| one.elapsed_ms).sum();
        // What an editor pinned is not searched for, though its question has a vector; what was looked up has neither.
        let is_searched = trace.lanes.iter().any(|lane| lane.lane != Lane::Memory);
        if !is_searched && trace.embedding.is_none() {
            return;
        }
        let collections: Vec<&str> = context::collections(response).into_iter().collect();
        let (embedding, searching): (f64, f64) = (spent(Stage::Embed), spent(Stage::Retrieve));
        let took_ms = is_searched.then_some(embedding + searching);
        self.search(&searched((&trace.lanes, trace.embedding), &collections, took_ms));
    }

    pub(super) fn search(&self, searched: &Searched) {
        let labels: Vec<String> = match searched.collections.as_slice() {
            [] => vec![NO_COLLECTION.to_owned()],
            some => {
                let mut labels: Vec<String> = some.iter().map(|name| self.label(name)).collect();
                labels.sort_unstable();
                labels.dedup();
                labels
            }
        };
        self.count(|| {
            for label in labels {
                let count = |name: &'static str, is_so: bool| {
                    counter!(name, "collection" => label.clone()).increment(u64::from(is_so));
                };
                count("retrieval_request_total", searched.took_ms.is_some());
                count("embedding_request_total", searched.is_embedded);
                count("embedding_fail_total", searched.is_unembedded);
                count("embedding_fallback_total", searched.is_stood_in_for);
                if let Some(took_ms) = searched.took_ms {
                    histogram!("retrieval_latency_ms", "collection" => label.clone()).record(took_ms);
                }
            }
        });
    }
}

/// A search by what its lanes did; a service that was not asked because its breaker is open has not failed.
fn searched(
    (lanes, embedding): (&[LaneReport], Option<EmbeddingReport>),
    collections: &[&str],
    took_ms: Option<f64>,
) -> Searched {
    let dense = lanes.iter().find(|lane| lane.lane == Lane::Dense);
    let is_embedded = embedding.is_some_and(|embedding| embedding.fault != Some(Fault::CircuitOpen));
    let is_down = dense.is_some_and(|dense| dense.failure.is_some());
    Searched {
        collections: collections.iter().map(|name| (*name).to_owned()).collect(),
        took_ms,
        is_embedded,
        is_unembedded: is_embedded && is_down,
        is_stood_in_for: is_down && lanes.iter().any(|lane| lane.lane == Lane::Lexical && lane.failure.is_none()),
    }
}

/// Whether a look-up had an answer, be it that there is no such thing; one that was not even made had none.
pub(super) fn has_answer(outcome: LookupOutcome) -> bool {
    match outcome {
        LookupOutcome::Hit | LookupOutcome::Miss | LookupOutcome::Several => true,
        LookupOutcome::Timeout | LookupOutcome::Error | LookupOutcome::CircuitOpen => false,
    }
}

fn refusal(decision: &Decision) -> Option<&Refusal> {
    match decision {
        Decision::Refuse(refusal) => Some(refusal),
        Decision::Refer(referral) => match &referral.unsure {
            UnsureOutcome::Refusal(refusal) => Some(refusal),
            UnsureOutcome::Answer(_) => None,
        },
        Decision::Answer(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => None,
    }
}

fn answer(decision: &Decision) -> Option<&VerifiedAnswer> {
    match decision {
        Decision::Answer(answer) => Some(answer),
        Decision::Refer(referral) => match &referral.unsure {
            UnsureOutcome::Answer(answer) => Some(answer),
            UnsureOutcome::Refusal(_) => None,
        },
        Decision::Refuse(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => None,
    }
}

/// Whether the documents did not hold enough.
fn lacks_context(reason: &RefusalReason) -> bool {
    match reason {
        RefusalReason::Gate(_) | RefusalReason::NothingFound { .. } | RefusalReason::NothingToSay => true,
        RefusalReason::NothingListed { .. }
        | RefusalReason::NotReadInTime { .. }
        | RefusalReason::NoThesis
        | RefusalReason::NothingVerified(_)
        | RefusalReason::TermUnknown { .. }
        | RefusalReason::TermLate { .. }
        | RefusalReason::TermFailed { .. }
        | RefusalReason::EntityMissing { .. }
        | RefusalReason::Unsearchable { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use vouch_engine::trace::LookupOutcome;

    use super::has_answer;

    #[test]
    fn a_lookup_behind_an_open_breaker_had_no_answer() {
        let answered: Vec<&str> =
            LookupOutcome::ALL.iter().filter(|outcome| has_answer(**outcome)).map(|outcome| outcome.as_str()).collect();
        assert_eq!(answered, ["hit", "miss", "several"]);
    }
}
