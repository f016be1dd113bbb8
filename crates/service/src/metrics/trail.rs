//! The entries of a trail → figures under the names a running server gives them, where no server runs.
//!
//! Every family is there. What no entry holds, such as requests that asked nothing or the state of a service, stays at zero.

use std::{collections::BTreeMap, fmt::Write};

use metrics::{counter, gauge, histogram};
use vouch_domain::{AuditedEntry, FeedbackOutcome};
use vouch_engine::{
    ask::QuestionKind,
    trace::{Fallback, GateName, Lane, LookupOutcome, Removal, Stage},
};

use super::{
    Asked, Metrics, Snapshot,
    abstention::Abstention,
    add,
    recorded::{Recorded, RecordedInspection, RecordedLookup, RecordedResponse, RecordedTrace},
    walk::{Searched, has_answer},
};
use crate::{
    outcome::{CallOutcome, Outcome},
    surface::Surface,
};

/// Where look-ups that are not in a vocabulary go.
const CATALOGUE: &str = "catalogue";
/// Reasons of refusals, beside gates, that say that the documents do not hold enough.
const NO_CONTEXT: &[&str] = &["nothing_found", "nothing_to_say"];

/// Figures of the entries added so far.
#[derive(Default)]
pub struct TrailFigures {
    metrics: Metrics,
    entries: BTreeMap<String, u64>,
}

impl TrailFigures {
    /// Counts an entry; they are added in the order they were written in.
    pub fn add(&mut self, audited: &AuditedEntry) {
        let entry = &audited.entry;
        *self.entries.entry(entry.outcome.clone()).or_default() += 1;
        let recorded: Recorded = serde_json::from_str(&entry.record).unwrap_or_default();
        let metrics = &self.metrics;
        metrics.count(|| {
            counter!("vouch_audit_writes_total", "outcome" => "written").increment(1);
            #[expect(clippy::cast_precision_loss, reason = "a count of changes")]
            gauge!("vouch_store_generation").set(entry.generation.0 as f64);
        });
        match Outcome::parse(&entry.outcome) {
            Some(Outcome::Begun) | None => return,
            Some(Outcome::Failed) => metrics.failed_as_recorded(&recorded, entry.reason.as_deref()),
            Some(
                outcome @ (Outcome::Answered
                | Outcome::Refused
                | Outcome::Clarify
                | Outcome::Routed
                | Outcome::Tool
                | Outcome::General),
            ) => metrics.ended_as_recorded(audited, &recorded, outcome),
        }
        for feedback in &audited.feedback {
            metrics.feedback(&entry.id, feedback.opinion, FeedbackOutcome::New);
        }
        metrics.keep_up();
    }

    /// All that was counted, and how many entries there are.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.metrics.count(|| self.metrics.tally.tell());
        let mut text = self.metrics.handle.render();
        let name = "vouch_trail_entries_total";
        let _ = writeln!(text, "# HELP {name} Requests in the audit trail, by outcome.\n# TYPE {name} counter");
        for (outcome, count) in &self.entries {
            let outcome: String = outcome.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let _ = writeln!(text, "{name}{{outcome=\"{outcome}\"}} {count}");
        }
        Snapshot::read(&text)
    }
}

impl Metrics {
    fn failed_as_recorded(&self, recorded: &Recorded, code: Option<&str>) {
        add(&self.tally.questions, 1);
        let code = code.unwrap_or("unknown").to_owned();
        self.count(|| {
            counter!("vouch_answers_total", "surface" => surface(recorded), "outcome" => Outcome::Failed.as_str())
                .increment(1);
            counter!("vouch_failures_total", "code" => code).increment(1);
        });
    }

    fn ended_as_recorded(&self, audited: &AuditedEntry, recorded: &Recorded, outcome: Outcome) {
        let entry = &audited.entry;
        add(&self.tally.questions, 1);
        let response = recorded.response.as_ref();
        let is_general = outcome == Outcome::Answered && response.is_some_and(|response| !response.grounded);
        let told = if is_general { Outcome::General } else { outcome };
        self.count(|| {
            counter!("vouch_answers_total", "surface" => surface(recorded), "outcome" => told.as_str()).increment(1);
            histogram!("vouch_answer_duration_seconds").record(entry.elapsed_ms / 1e3);
        });
        let is_refused = response.map_or(entry.reason.is_some(), |response| response.refused);
        if let (true, Some(reason)) = (is_refused, &entry.reason) {
            match response.is_some_and(|response| response.intent == QuestionKind::Tool.as_str()) {
                true => self.count_tool_refusal(reason.clone()),
                false => self.abstained_as_recorded(reason),
            }
        }
        if response.is_some_and(|response| response.no_context) {
            self.count_no_context();
        }
        if let Some(agent) = &recorded.agent {
            self.count_routing(agent, recorded.router_decision.as_ref().and_then(|routing| routing.confidence));
        }
        let is_answer = !is_refused && matches!(told, Outcome::Answered | Outcome::Routed);
        if let Some(response) = response.filter(|_| is_answer) {
            self.answered_as_recorded(response);
        }
        if let Some(trace) = &recorded.trace {
            self.walked_as_recorded(trace, response.filter(|_| is_answer));
        }
        if let Some(inspection) = &recorded.auditor {
            self.inspected_as_recorded(inspection);
        }
        if outcome != Outcome::Clarify {
            self.replied(&Asked {
                id: &entry.id,
                asker: (&entry.tenant, &entry.asker),
                text: recorded.asked.query.as_deref().unwrap_or_default(),
                is_refused,
                at_ms: entry.at_ms,
            });
        }
    }

    fn abstained_as_recorded(&self, reason: &str) {
        let lacks_context = GateName::parse(reason).is_some() || NO_CONTEXT.contains(&reason);
        add(&self.tally.no_context, u64::from(lacks_context));
        self.count(|| {
            counter!("rag_abstention_total", "reason" => Abstention::recorded(reason).as_str()).increment(1);
            counter!("vouch_refusals_total", "reason" => reason.to_owned()).increment(1);
            counter!("vouch_no_context_total").increment(u64::from(lacks_context));
        });
    }

    fn answered_as_recorded(&self, response: &RecordedResponse) {
        let confidence = response.confidence.overall.unwrap_or_default().min(100);
        let has_sources = response.sources.as_ref().is_none_or(|sources| !sources.is_empty());
        self.count_answer(!response.citations.is_empty() && has_sources, confidence);
        self.count_stale(response.stale_sources.len() as u64);
    }

    fn walked_as_recorded(&self, trace: &RecordedTrace, answer: Option<&RecordedResponse>) {
        let passed = answer.map_or(0, |answer| answer.claims.len()) as u64;
        let dropped = trace.writer.as_ref().map_or(0, |writer| writer.left_out.len()) as u64;
        self.count(|| {
            counter!("vouch_claims_checked_total").increment(passed + dropped);
            counter!("vouch_claims_dropped_total").increment(dropped);
            for (kind, count) in trace.writer.iter().flat_map(|writer| &writer.drops) {
                if let Some(kind) = Removal::parse(kind) {
                    counter!("vouch_gauntlet_drops_total", "kind" => kind.as_str()).increment(*count);
                }
            }
            for flag in trace.fallbacks.iter().filter_map(|flag| Fallback::parse(flag)) {
                counter!("vouch_fallbacks_total", "flag" => flag.as_str()).increment(1);
            }
            for timing in &trace.timings_ms {
                if let Some(stage) = Stage::parse(&timing.stage) {
                    let stage = stage.as_str().replace(' ', "_");
                    histogram!("vouch_stage_duration_seconds", "stage" => stage).record(timing.elapsed_ms / 1e3);
                }
            }
        });
        if let Some(lookup) = &trace.lookup {
            self.looked_up_as_recorded(lookup);
        }
        for call in &trace.tools {
            if let Some(outcome) = CallOutcome::parse(&call.outcome) {
                self.count_call(&call.name, outcome, call.elapsed_ms);
            }
        }
        self.searched_as_recorded(trace);
    }

    fn looked_up_as_recorded(&self, lookup: &RecordedLookup) {
        let Some(outcome) = LookupOutcome::parse(&lookup.outcome) else { return };
        self.count_lookup(lookup.backend.clone(), has_answer(outcome));
        if lookup.backend == CATALOGUE {
            return;
        }
        let name = match outcome {
            LookupOutcome::Hit | LookupOutcome::Several => "skosmos_hit_total",
            LookupOutcome::Miss => "skosmos_miss_total",
            LookupOutcome::Timeout => "skosmos_timeout_total",
            LookupOutcome::Error => "skosmos_error_total",
            LookupOutcome::CircuitOpen => return,
        };
        self.count(|| match lookup.cached {
            true => counter!("skosmos_cache_hit_total", "backend" => "cache").increment(1),
            false => {
                for name in [name, "skosmos_lookup_total"] {
                    counter!(name, "backend" => "skosmos").increment(1);
                }
            }
        });
    }

    fn searched_as_recorded(&self, trace: &RecordedTrace) {
        let is_searched = trace.lanes.iter().any(|lane| lane.lane != Lane::Memory.as_str());
        if !is_searched && trace.embedded.is_none() {
            return;
        }
        let is_up = |lane: Lane| trace.lanes.iter().any(|own| own.lane == lane.as_str() && own.failure.is_none());
        let is_down = |lane: Lane| trace.lanes.iter().any(|own| own.lane == lane.as_str() && own.failure.is_some());
        let spent = |stage: Stage| {
            trace.timings_ms.iter().filter(|one| one.stage == stage.as_str()).map(|one| one.elapsed_ms).sum::<f64>()
        };
        let is_unasked = trace.fallbacks.iter().any(|flag| flag == Fallback::CircuitOpen.as_str());
        let is_embedded = match trace.embedded {
            Some(is_done) => is_done || !is_unasked,
            None => false,
        };
        self.search(&Searched {
            collections: trace.collections.clone(),
            took_ms: is_searched.then(|| spent(Stage::Embed) + spent(Stage::Retrieve)),
            is_embedded,
            is_unembedded: is_embedded && is_down(Lane::Dense),
            is_stood_in_for: is_down(Lane::Dense) && is_up(Lane::Lexical),
        });
    }

    fn inspected_as_recorded(&self, inspection: &RecordedInspection) {
        let markers = inspection.markers.as_ref();
        let markers = markers.map_or([0; 3], |markers| [markers.emitted, markers.dropped, markers.invented]);
        self.count(|| {
            counter!("vouch_auditor_identifiers_total").increment(inspection.checked);
            counter!("vouch_auditor_unfinished_total").increment(u64::from(inspection.unfinished.is_some()));
            for one in &inspection.unknown {
                counter!("vouch_auditor_unknown_total", "kind" => one.kind.clone()).increment(1);
            }
            for (kind, count) in ["emitted", "dropped", "invented"].into_iter().zip(markers) {
                counter!("vouch_auditor_markers_total", "kind" => kind).increment(count);
            }
        });
    }
}

/// The way a request came in; an entry that does not say came over the command line.
fn surface(recorded: &Recorded) -> &'static str {
    Surface::parse(&recorded.surface).unwrap_or(Surface::CommandLine).as_str()
}
