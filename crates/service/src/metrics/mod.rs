//! The metrics of a service: almost all come from the trace of each question, the rest is polled on request.
//!
//! Invariant: no label holds a tenant, a question or a document's text, and no label has more values than its limit.
//! The metrics belong to one service; nothing here is global to the process.

mod abstention;
mod families;
mod models;
mod reactions;
mod recorded;
mod snapshot;
mod suspicion;
mod trail;
mod walk;

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use metrics::{counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use vouch_engine::terminology::TermCounts;

use crate::surface::Surface;

pub use snapshot::Snapshot;
pub use trail::TrailFigures;

use families::{HISTOGRAMS, OTHER};
use suspicion::Suspicions;

pub(crate) use suspicion::Asked;

/// Most collections that have figures of their own.
const COLLECTIONS_MAX: usize = 50;
/// Longest name of a collection in a label, in characters.
const COLLECTION_CHARS_MAX: usize = 80;
/// After this many questions the timings are put into their buckets, so that memory stays bounded if nobody reads the
/// metrics.
const UPKEEP_EVERY: u64 = 64;

/// What is known of a service behind a breaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceState {
    /// `embeddings`, `llm` or `skosmos`.
    pub service: String,
    /// 0 closed, 1 half-open, 2 open.
    pub state: u8,
    /// How often it was cut off.
    pub trips: u64,
    /// How often it was asked.
    pub requests: u64,
    /// How often it failed.
    pub failures: u64,
    /// How often something stood in for it.
    pub fallbacks: u64,
}

/// Who says how the services behind breakers are.
pub type ServiceStates = Box<dyn Fn() -> Vec<ServiceState> + Send + Sync>;

/// How many run and wait at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AdmissionCounts {
    /// How many run.
    pub running: usize,
    /// How many wait.
    pub waiting: usize,
    /// How many were rejected since the start.
    pub turned_away: u64,
}

/// What is read when the figures are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gauges {
    /// How look-ups of terms went; none if there is no vocabulary.
    pub terms: Option<TermCounts>,
    /// How many run and wait at the moment.
    pub admission_counts: AdmissionCounts,
    /// How often the corpus has changed; none if the store cannot say.
    pub generation: Option<u64>,
    /// Documents and passages; none if the store cannot say.
    pub corpus: Option<(u64, u64)>,
}

/// The figures of one service.
pub struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    services: ServiceStates,
    collections: Mutex<BTreeSet<String>>,
    counted: AtomicU64,
    started: Instant,
    tally: Tally,
    suspicions: Mutex<Suspicions>,
}

/// What the ready-made shares are made of.
#[derive(Debug, Default)]
struct Tally {
    questions: AtomicU64,
    no_context: AtomicU64,
    tools: AtomicU64,
    tools_failed: AtomicU64,
    cited: AtomicU64,
    uncited: AtomicU64,
    confidence_sum: AtomicU64,
    confidences: AtomicU64,
    helpful: AtomicU64,
    unhelpful: AtomicU64,
    in_flight: AtomicU64,
    refused: AtomicU64,
    answered: AtomicU64,
    refusals_suspected: AtomicU64,
    answers_suspected: AtomicU64,
}

fn add(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

/// Ratio of `part` to `whole`; `of_nothing` when `whole` is zero.
#[expect(clippy::cast_precision_loss, reason = "counts of requests")]
fn share(part: &AtomicU64, whole: u64, of_nothing: f64) -> f64 {
    if whole == 0 { of_nothing } else { part.load(Ordering::Relaxed) as f64 / whole as f64 }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(Box::new(Vec::new))
    }
}

impl Metrics {
    /// Metrics at zero, with the breakers to poll.
    #[must_use]
    pub fn new(services: ServiceStates) -> Self {
        let mut builder = PrometheusBuilder::new();
        for (name, buckets, _) in HISTOGRAMS {
            let matcher = Matcher::Full((*name).to_owned());
            // Only an empty list of buckets is refused, and none of ours is.
            builder = match builder.set_buckets_for_metric(matcher, buckets) {
                Ok(builder) => builder,
                Err(_) => PrometheusBuilder::new(),
            };
        }
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        with_local_recorder(&recorder, families::describe);
        Self {
            recorder,
            handle,
            services,
            collections: Mutex::default(),
            counted: AtomicU64::default(),
            started: Instant::now(),
            tally: Tally::default(),
            suspicions: Mutex::default(),
        }
    }

    fn count(&self, work: impl FnOnce()) {
        with_local_recorder(&self.recorder, work);
    }

    /// A collection's name as a label: the first few keep theirs, the rest share one.
    fn label(&self, collection: &str) -> String {
        // Characters that would have to be escaped twice are replaced.
        let plain = |c: char| if c == '\\' || c.is_control() { '_' } else { c };
        let name: String = collection.chars().take(COLLECTION_CHARS_MAX).map(plain).collect();
        let mut known = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&name) {
            return name;
        }
        if known.len() >= COLLECTIONS_MAX {
            return OTHER.to_owned();
        }
        self.count(|| families::describe_collection(&name));
        known.insert(name.clone());
        name
    }

    /// An entry of the trail, and how long it took to write.
    pub(crate) fn record_audit_write(&self, is_written: bool, took: Duration) {
        let outcome = if is_written { "written" } else { "failed" };
        self.count(|| {
            counter!("vouch_audit_writes_total", "outcome" => outcome).increment(1);
            histogram!("vouch_audit_write_duration_seconds").record(took.as_secs_f64());
        });
    }

    /// A request has come.
    pub fn begin_request(&self) {
        add(&self.tally.in_flight, 1);
    }

    /// A request is at its end, however it ended.
    pub fn end_request(&self) {
        self.tally.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// A response has gone out, and how long that took.
    pub fn record_response(&self, surface: Surface, path: &str, status: u16, took: Duration) {
        self.count(|| {
            let (path, status) = (path.to_owned(), status.to_string());
            histogram!("vouch_request_duration_seconds", "surface" => surface.as_str(), "path" => path.clone())
                .record(took.as_secs_f64());
            counter!("vouch_requests_total", "surface" => surface.as_str(), "path" => path, "status" => status)
                .increment(1);
        });
        self.keep_up();
    }

    fn keep_up(&self) {
        if self.counted.fetch_add(1, Ordering::Relaxed).is_multiple_of(UPKEEP_EVERY) {
            self.handle.run_upkeep();
        }
    }

    /// Everything counted so far.
    #[must_use]
    pub fn snapshot(&self, gauges: &Gauges) -> Snapshot {
        self.count(|| {
            self.poll(gauges);
            self.shares();
        });
        Snapshot::read(&self.handle.render())
    }

    #[expect(clippy::cast_precision_loss, reason = "counts, and bytes of one process")]
    fn poll(&self, gauges: &Gauges) {
        if let Some(terms) = gauges.terms {
            let at_vocabulary = [
                ("skosmos_lookup_total", terms.lookups),
                ("skosmos_hit_total", terms.hits),
                ("skosmos_miss_total", terms.misses),
                ("skosmos_timeout_total", terms.timeouts),
                ("skosmos_error_total", terms.errors),
            ];
            for (name, count) in at_vocabulary {
                counter!(name, "backend" => "skosmos").absolute(count);
            }
            counter!("skosmos_cache_hit_total", "backend" => "cache").absolute(terms.cache_hits);
        }
        for service in (self.services)() {
            let of = service.service;
            gauge!("circuit_breaker_state", "service" => of.clone()).set(f64::from(service.state));
            counter!("circuit_breaker_trip_total", "service" => of.clone()).absolute(service.trips);
            counter!("vouch_service_requests_total", "service" => of.clone()).absolute(service.requests);
            counter!("vouch_service_failures_total", "service" => of.clone()).absolute(service.failures);
            counter!("vouch_service_fallbacks_total", "service" => of).absolute(service.fallbacks);
        }
        counter!("vouch_turned_away_total").absolute(gauges.admission_counts.turned_away);
        gauge!("vouch_questions_running").set(gauges.admission_counts.running as f64);
        gauge!("vouch_questions_waiting").set(gauges.admission_counts.waiting as f64);
        gauge!("vouch_requests_in_flight").set(self.tally.in_flight.load(Ordering::Relaxed) as f64);
        if let Some(generation) = gauges.generation {
            gauge!("vouch_store_generation").set(generation as f64);
        }
        if let Some((documents, passages)) = gauges.corpus {
            gauge!("vouch_store_documents").set(documents as f64);
            gauge!("vouch_store_passages").set(passages as f64);
        }
        gauge!("vouch_uptime_seconds").set(self.started.elapsed().as_secs_f64());
        gauge!("vouch_process_resident_memory_bytes").set(resident_bytes().unwrap_or(0) as f64);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of requests")]
    fn shares(&self) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let tally = &self.tally;
        let tools = read(&tally.tools);
        gauge!("vouch_no_context_ratio").set(share(&tally.no_context, read(&tally.questions), 0.0));
        gauge!("vouch_tool_success_ratio").set(1.0 - share(&tally.tools_failed, tools, 0.0));
        let answers = read(&tally.cited) + read(&tally.uncited);
        gauge!("vouch_citation_compliance_ratio").set(share(&tally.cited, answers, 1.0));
        let sum = read(&tally.confidence_sum) as f64 / 100.0;
        let confidences = read(&tally.confidences);
        gauge!("vouch_answer_confidence_ratio").set(if confidences == 0 { 0.0 } else { sum / confidences as f64 });
        let rated = read(&tally.helpful) + read(&tally.unhelpful);
        gauge!("vouch_false_refusal_ratio").set(share(&tally.refusals_suspected, read(&tally.refused), 0.0));
        gauge!("vouch_overconfidence_ratio").set(share(&tally.answers_suspected, read(&tally.answered), 0.0));
        gauge!("vouch_feedback_helpful_ratio").set(share(&tally.helpful, rated, 0.0));
    }
}

/// Memory the process holds, where the system says so.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}

#[cfg(test)]
mod tests {
    use vouch_domain::FeedbackOutcome;
    use vouch_engine::trace::Fallback;

    use super::{COLLECTIONS_MAX, Gauges, Metrics, ServiceState, abstention::Abstention};

    #[test]
    fn every_series_whose_labels_are_known_is_there_from_the_start() {
        let text = Metrics::default().snapshot(&Gauges::default()).text();
        for reason in Abstention::ALL {
            assert!(text.contains(&format!("rag_abstention_total{{reason=\"{reason}\"}} 0\n")), "{reason}\n{text}");
        }
        for fallback in Fallback::ALL {
            assert!(text.contains(&format!("vouch_fallbacks_total{{flag=\"{fallback}\"}} 0\n")), "{fallback}\n{text}");
        }
        for line in [
            "skosmos_lookup_total{backend=\"skosmos\"} 0\n",
            "skosmos_cache_hit_total{backend=\"cache\"} 0\n",
            "embedding_fallback_total{collection=\"none\"} 0\n",
            "retrieval_latency_ms_bucket{collection=\"none\",le=\"+Inf\"} 0\n",
            "circuit_breaker_state{service=\"embeddings\"} 0\n",
            "circuit_breaker_trip_total{service=\"llm\"} 0\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("# HELP  "), "no help is missing");
    }

    #[test]
    fn collections_beyond_the_limit_share_a_label_and_none_breaks_a_line() {
        let metrics = Metrics::default();
        let odd = metrics.label("a\"b\\c\nd");
        assert_eq!(odd, "a\"b_c_d");
        for at in 1..COLLECTIONS_MAX {
            assert_eq!(metrics.label(&format!("c{at}")), format!("c{at}"));
        }
        assert_eq!(metrics.label("one more"), "other");
        assert_eq!(metrics.label("c1"), "c1");
        let text = metrics.snapshot(&Gauges::default()).text();
        assert!(text.contains("retrieval_request_total{collection=\"a\\\"b_c_d\"} 0\n"), "{text}");
    }

    #[test]
    fn breakers_are_read_when_the_figures_are() {
        let state = ServiceState {
            service: "embeddings".to_owned(),
            state: 2,
            trips: 3,
            requests: 9,
            failures: 5,
            fallbacks: 4,
        };
        let metrics = Metrics::new(Box::new(move || vec![state.clone()]));
        let text = metrics.snapshot(&Gauges::default()).text();
        assert!(text.contains("circuit_breaker_state{service=\"embeddings\"} 2\n"), "{text}");
        assert!(text.contains("circuit_breaker_trip_total{service=\"embeddings\"} 3\n"), "{text}");
    }

    #[test]
    fn what_readers_say_becomes_a_share() {
        let metrics = Metrics::default();
        for is_helpful in [true, true, true, false] {
            metrics.feedback("r", is_helpful, FeedbackOutcome::New);
        }
        let text = metrics.snapshot(&Gauges::default()).text();
        assert!(text.contains("vouch_feedback_helpful_ratio 0.75\n"), "{text}");
        assert!(text.contains("vouch_citation_compliance_ratio 1\n"), "nothing was answered without a source\n{text}");
    }
}
