//! Every metric: its name, its kind and what it counts, registered before anything is counted.
//!
//! Invariant: a series whose labels are known exists from the start, at zero.

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use vouch_engine::trace::Fallback;

use super::abstention::Abstention;
use crate::{
    outcome::{CallOutcome, Outcome},
    surface::Surface,
};

/// Services that have a circuit breaker.
pub(super) const SERVICES: &[&str] = &["embeddings", "llm", "skosmos"];
/// Jobs a model can have.
pub(super) const JOBS: &[&str] = &["routing", "planning", "outline", "answer", "judge", "out_of_corpus"];
/// The label of a search that found nothing.
pub(super) const NO_COLLECTION: &str = "none";
/// The label of all collections, agents or tools beyond those that have one of their own.
pub(super) const OTHER: &str = "other";

/// Times of a search, in milliseconds.
const MILLISECONDS: &[f64] = &[1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1e3, 2.5e3, 5e3, 1e4];
/// Times of everything else, in seconds.
const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];
/// Shares.
const SHARES: &[f64] = &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Histograms and where their buckets end.
pub(super) const HISTOGRAMS: &[(&str, &[f64], &str)] = &[
    (
        "retrieval_latency_ms",
        MILLISECONDS,
        "Time a search took in milliseconds, by the collections it found something in.",
    ),
    ("vouch_request_duration_seconds", SECONDS, "Time from the headers of a request to the end of its response."),
    ("vouch_answer_duration_seconds", SECONDS, "Time a question took from its first stage to its decision."),
    ("vouch_stage_duration_seconds", SECONDS, "Time each stage of a question took."),
    ("vouch_audit_write_duration_seconds", SECONDS, "Time it took to write an audit entry."),
    ("vouch_model_call_duration_seconds", SECONDS, "Time from a request to a model to the end of its answer, by job."),
    ("vouch_answer_confidence", SHARES, "Confidence of answers, 0 to 1."),
    ("vouch_router_confidence", SHARES, "Confidence with which questions were assigned to an agent, 0 to 1, by agent."),
    ("vouch_tool_duration_seconds", SECONDS, "Time calls of tools took, by tool."),
];

const COUNTERS: &[(&str, &str)] = &[
    ("rag_abstention_total", "Questions that were not answered, by reason."),
    ("skosmos_lookup_total", "Vocabulary look-ups: hits, misses, timeouts and errors together."),
    ("skosmos_hit_total", "Vocabulary look-ups that found the term."),
    ("skosmos_miss_total", "Vocabulary look-ups that did not find the term."),
    ("skosmos_timeout_total", "Vocabulary look-ups that timed out."),
    ("skosmos_error_total", "Vocabulary look-ups that failed."),
    ("skosmos_cache_hit_total", "Vocabulary look-ups answered from the cache."),
    (
        "embedding_request_total",
        "Questions and searches that asked for a vector, by the collections they found something in.",
    ),
    ("embedding_fail_total", "Questions and searches that got no vector or could not search by it."),
    ("embedding_fallback_total", "Searches that fell back to words alone."),
    ("retrieval_request_total", "Searches, by the collections they found something in."),
    ("circuit_breaker_trip_total", "How often a circuit breaker opened."),
    ("vouch_service_requests_total", "Requests to a service behind a circuit breaker."),
    ("vouch_service_failures_total", "Failed requests to a service behind a circuit breaker."),
    ("vouch_service_fallbacks_total", "Requests that a fallback answered instead."),
    ("vouch_requests_total", "Requests, by surface, path and status."),
    ("vouch_turned_away_total", "Requests rejected because too many were waiting."),
    ("vouch_answers_total", "Questions, by surface and outcome."),
    ("vouch_refusals_total", "Questions that were not answered, by the gate or rule that stopped them."),
    ("vouch_failures_total", "Questions that failed with an error, by code."),
    (
        "vouch_no_context_total",
        "Questions refused, or asked back for details, because the documents do not contain enough.",
    ),
    ("vouch_cited_answers_total", "Answers from documents that cite at least one."),
    ("vouch_uncited_answers_total", "Answers from documents that cite none; must stay 0."),
    (
        "vouch_stale_sources_total",
        "Documents cited in answers that are older than the profile allows, each once per answer.",
    ),
    ("vouch_claims_checked_total", "Sentences checked against their sources."),
    ("vouch_claims_dropped_total", "Sentences removed because no source supports them."),
    ("vouch_auditor_identifiers_total", "Identifiers in replies that were looked up again before they left."),
    ("vouch_auditor_unknown_total", "Identifiers in replies that were not what they were shown as, by kind."),
    ("vouch_auditor_unfinished_total", "Replies whose identifiers could not all be looked up in time."),
    ("vouch_auditor_markers_total", "Citations that models wrote, by what became of them."),
    ("vouch_gauntlet_drops_total", "Items removed from what a model wrote, by kind."),
    ("vouch_fallbacks_total", "Questions answered in a degraded mode, by flag."),
    (
        "vouch_tool_calls_total",
        "Calls of tools by whether they found something, and look-ups by name by whether they had an answer.",
    ),
    ("vouch_agent_questions_total", "Questions, by the agent they went to."),
    ("vouch_model_calls_total", "Requests to models, by job and outcome."),
    ("vouch_feedback_total", "Feedback on answers, each caller's once, by what they said first."),
    ("vouch_feedback_changed_total", "Feedback that was changed, by what it was changed to."),
    ("vouch_feedback_ratings_total", "Ratings of answers from 1 to 5, each caller's once, by what they gave first."),
    ("vouch_refusals_suspected_total", "Refusals that were probably wrong, by the sign that says so; an estimate."),
    ("vouch_answers_suspected_total", "Answers that were probably wrong, by the sign that says so; an estimate."),
    ("vouch_audit_writes_total", "Audit entries, by whether they could be written."),
];

const GAUGES: &[(&str, &str)] = &[
    ("circuit_breaker_state", "State of the circuit breaker: 0 closed, 1 half-open, 2 open."),
    ("vouch_requests_in_flight", "Requests whose response has not ended yet."),
    ("vouch_questions_running", "Questions being answered."),
    ("vouch_questions_waiting", "Questions waiting to be admitted."),
    (
        "vouch_no_context_ratio",
        "Share of questions refused, or asked back for details, because the documents do not contain enough; target: below 0.1.",
    ),
    (
        "vouch_tool_success_ratio",
        "Share of calls of tools that did not fail; 1 while there are none; target: above 0.95.",
    ),
    ("vouch_citation_compliance_ratio", "Share of answers from documents that cite one; it must be 1."),
    ("vouch_answer_confidence_ratio", "Mean confidence of answers; target: above 0.75."),
    (
        "vouch_false_refusal_ratio",
        "Share of refusals since the start that were probably wrong; an estimate, target: below 0.1.",
    ),
    (
        "vouch_overconfidence_ratio",
        "Share of answers since the start that were probably wrong; an estimate, target: below 0.01.",
    ),
    (
        "vouch_router_confidence_mean",
        "Mean confidence with which questions were assigned to an agent; target: above 0.75.",
    ),
    ("vouch_feedback_helpful_ratio", "Share of feedback that says the answer helped; target: above 0.8."),
    ("vouch_feedback_rating_mean", "Mean of the latest rating each caller gave an answer, 1 to 5; target: above 4."),
    ("vouch_store_generation", "How often the corpus has changed."),
    ("vouch_store_documents", "Documents of the tenant that is served without keys."),
    ("vouch_store_passages", "Passages of the tenant that is served without keys."),
    ("vouch_uptime_seconds", "Time since the process started."),
    ("vouch_process_resident_memory_bytes", "Resident memory of the process."),
];

/// Tells the recorder what there is.
pub(super) fn describe() {
    for (name, help) in COUNTERS {
        describe_counter!(*name, *help);
    }
    for (name, help) in GAUGES {
        describe_gauge!(*name, *help);
    }
    for (name, _, help) in HISTOGRAMS {
        describe_histogram!(*name, *help);
    }
    begin();
}

fn nought(name: &'static str, label: &'static str, values: &[&'static str]) {
    for value in values {
        counter!(name, label => *value).absolute(0);
    }
}

/// What is counted after a reply: what the auditor finds, and what askers make of it.
fn begin_auditor() {
    nought("vouch_auditor_markers_total", "kind", &["emitted", "dropped", "invented"]);
    for name in ["vouch_auditor_identifiers_total", "vouch_auditor_unfinished_total"] {
        counter!(name).absolute(0);
    }
    nought("vouch_auditor_unknown_total", "kind", &["document"]);
    for name in ["vouch_refusals_suspected_total", "vouch_answers_suspected_total"] {
        nought(name, "sign", &["feedback", "follow_up"]);
    }
}

/// Agents and tools: their names are the profile's, so all that is known is the label they share.
fn begin_agents() {
    for outcome in ["succeeded", "failed"] {
        counter!("vouch_tool_calls_total", "tool" => "skosmos", "outcome" => outcome).absolute(0);
    }
    for outcome in CallOutcome::ALL {
        counter!("vouch_tool_calls_total", "tool" => OTHER, "outcome" => outcome.as_str()).absolute(0);
    }
    let _ = histogram!("vouch_tool_duration_seconds", "tool" => OTHER);
    nought("vouch_agent_questions_total", "agent", &[OTHER]);
    let _ = histogram!("vouch_router_confidence", "agent" => OTHER);
}

/// Every series whose labels are known, at zero.
fn begin() {
    for reason in Abstention::ALL {
        counter!("rag_abstention_total", "reason" => reason.as_str()).absolute(0);
    }
    for name in ["skosmos_lookup_total", "skosmos_hit_total", "skosmos_miss_total", "skosmos_timeout_total"] {
        nought(name, "backend", &["skosmos"]);
    }
    nought("skosmos_error_total", "backend", &["skosmos"]);
    nought("skosmos_cache_hit_total", "backend", &["cache"]);
    for collection in [NO_COLLECTION, OTHER] {
        describe_collection(collection);
    }
    for service in SERVICES {
        gauge!("circuit_breaker_state", "service" => *service).set(0.0);
    }
    for name in ["circuit_breaker_trip_total", "vouch_service_requests_total"] {
        nought(name, "service", SERVICES);
    }
    for name in ["vouch_service_failures_total", "vouch_service_fallbacks_total"] {
        nought(name, "service", SERVICES);
    }
    // A request that has only begun has no outcome to count.
    for outcome in Outcome::ALL.iter().filter(|outcome| **outcome != Outcome::Begun) {
        let surface = Surface::Http.as_str();
        counter!("vouch_answers_total", "surface" => surface, "outcome" => outcome.as_str()).absolute(0);
    }
    for job in JOBS {
        counter!("vouch_model_calls_total", "job" => *job, "outcome" => "succeeded").absolute(0);
        let _ = histogram!("vouch_model_call_duration_seconds", "job" => *job);
    }
    for name in ["vouch_feedback_total", "vouch_feedback_changed_total"] {
        nought(name, "rating", &["helpful", "unhelpful"]);
    }
    nought("vouch_feedback_ratings_total", "rating", &["1", "2", "3", "4", "5"]);
    nought("vouch_audit_writes_total", "outcome", &["written", "failed"]);
    begin_agents();
    for fallback in Fallback::ALL {
        counter!("vouch_fallbacks_total", "flag" => fallback.as_str()).absolute(0);
    }
    nought("vouch_refusals_total", "reason", &["nothing_found"]);
    nought("vouch_failures_total", "code", &["context"]);
    begin_auditor();
    nought("vouch_gauntlet_drops_total", "kind", &["never_minted"]);
    counter!("vouch_requests_total", "surface" => "http", "path" => "/metrics", "status" => "200").absolute(0);
    let bare = ["vouch_turned_away_total", "vouch_no_context_total", "vouch_cited_answers_total"];
    let more = ["vouch_uncited_answers_total", "vouch_claims_checked_total", "vouch_claims_dropped_total"];
    counter!("vouch_stale_sources_total").absolute(0);
    for name in bare.into_iter().chain(more) {
        counter!(name).absolute(0);
    }
    for (name, _, _) in HISTOGRAMS.iter().filter(|(name, _, _)| {
        ["vouch_answer_duration_seconds", "vouch_answer_confidence", "vouch_audit_write_duration_seconds"]
            .contains(name)
    }) {
        let _ = histogram!(*name);
    }
    let _ = histogram!("vouch_stage_duration_seconds", "stage" => "understand");
    let _ = histogram!("vouch_request_duration_seconds", "surface" => "http", "path" => "/metrics");
    for (name, _) in GAUGES.iter().filter(|(name, _)| *name != "circuit_breaker_state") {
        gauge!(*name).set(0.0);
    }
}

/// The series of one collection, at zero where they are new.
pub(super) fn describe_collection(collection: &str) {
    for name in
        ["embedding_request_total", "embedding_fail_total", "embedding_fallback_total", "retrieval_request_total"]
    {
        counter!(name, "collection" => collection.to_owned()).increment(0);
    }
    let _ = histogram!("retrieval_latency_ms", "collection" => collection.to_owned());
}
