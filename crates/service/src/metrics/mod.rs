//! The metrics of a service: almost all come from the trace of each question, the rest is polled on request.
//!
//! Invariant: no label holds a tenant, a question or a document's text, and no label has more values than its limit.
//! The metrics belong to one service; nothing here is global to the process.

mod abstention;
mod families;
mod labels;
mod models;
mod reactions;
mod readings;
mod recorded;
mod snapshot;
mod suspicion;
mod tally;
mod tools;
mod trail;
mod walk;

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use metrics::{counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use vouch_engine::terminology::TermCounts;

use crate::{certificate::Live, surface::Surface};

pub use readings::answerability;
pub use snapshot::Snapshot;
pub use trail::TrailFigures;

use families::HISTOGRAMS;
use labels::Labels;
use readings::Readings;
use suspicion::Suspicions;
use tally::{Tally, add};

pub(crate) use suspicion::Asked;

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
    collections: Labels,
    agents: Labels,
    tools: Labels,
    counted: AtomicU64,
    started: Instant,
    tally: Tally,
    suspicions: Mutex<Suspicions>,
    readings: Readings,
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
            collections: Labels::default(),
            agents: Labels::default(),
            tools: Labels::default(),
            counted: AtomicU64::default(),
            started: Instant::now(),
            tally: Tally::default(),
            suspicions: Mutex::default(),
            readings: Readings::default(),
        }
    }

    /// What became of the questions since the start, and the last readings of the judge.
    #[must_use]
    pub fn live(&self) -> (Live, Vec<f64>) {
        (self.tally.live(), self.readings.all())
    }

    fn count(&self, work: impl FnOnce()) {
        with_local_recorder(&self.recorder, work);
    }

    /// A collection's name as a label.
    fn label(&self, collection: &str) -> String {
        let (label, is_new) = self.collections.label(collection);
        if is_new {
            self.count(|| families::describe_collection(&label));
        }
        label
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
            self.tally.tell();
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
    use vouch_domain::{FeedbackOutcome, Opinion, Rating};
    use vouch_engine::trace::Fallback;

    use super::{Gauges, Metrics, ServiceState, abstention::Abstention, labels::LABELS_MAX};

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
        for at in 1..LABELS_MAX {
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
            metrics.feedback("r", Opinion::thumb(is_helpful), FeedbackOutcome::New);
        }
        let text = metrics.snapshot(&Gauges::default()).text();
        assert!(text.contains("vouch_feedback_helpful_ratio 0.75\n"), "{text}");
        assert!(text.contains("vouch_citation_compliance_ratio 1\n"), "nothing was answered without a source\n{text}");
    }
    #[test]
    fn ratings_have_a_mean_of_what_everybody_says_now() {
        let metrics = Metrics::default();
        let figure = |name: &str| {
            let text = metrics.snapshot(&Gauges::default()).text();
            text.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).expect("a figure").to_owned()
        };
        assert_eq!(figure("vouch_feedback_rating_mean"), "0", "nobody has said anything");
        let rated = |stars: u8| Opinion { is_helpful: None, rating: Rating::new(stars) };
        metrics.feedback("a", rated(5), FeedbackOutcome::New);
        metrics.feedback("b", rated(2), FeedbackOutcome::New);
        assert_eq!(figure("vouch_feedback_rating_mean"), "3.5");
        metrics.feedback("b", rated(4), FeedbackOutcome::Replaced { before: rated(2) });
        assert_eq!(figure("vouch_feedback_rating_mean"), "4.5", "a later rating takes the place of the earlier");
        assert_eq!(figure("vouch_feedback_ratings_total{rating=\"2\"}"), "1");
        assert_eq!(figure("vouch_feedback_ratings_total{rating=\"4\"}"), "0", "each caller's first");
        metrics.feedback("c", rated(3), FeedbackOutcome::Replaced { before: rated(1) });
        assert_eq!(figure("vouch_feedback_rating_mean"), "4", "what was said before this process began is not counted");
        metrics.feedback("a", Opinion::thumb(true), FeedbackOutcome::Replaced { before: rated(5) });
        assert_eq!(figure("vouch_feedback_rating_mean"), "3.5", "what is left out is taken back");
        assert_eq!(figure("vouch_feedback_total{rating=\"helpful\"}"), "1");
        metrics.feedback("a", rated(1), FeedbackOutcome::Replaced { before: Opinion::thumb(true) });
        assert_eq!(figure("vouch_feedback_helpful_ratio"), "0", "a rating says nothing of the thumb");
    }
}
