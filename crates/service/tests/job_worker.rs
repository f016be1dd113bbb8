//! Jobs worked off: what is due is asked for, what failed is tried again later, and what nobody wants any more ends.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, Job, JobState, JobTarget, NewJob, PortError, RawDocument, SourceFormat,
    document::Labels,
    ports::{Catalogue, Clock, DocumentSource, IsWanted, Jobs, OpenSource},
};
use vouch_engine::{
    ingest::{Ingest, PruneExtent},
    policy::IngestPolicy,
};
use vouch_service::jobs::{JobPolicy, JobWorker, OpenTarget, Opened, Schedule, Worker};
use vouch_testkit::{
    corpus::TENANT,
    fakes::{FakeEmbedder, FakeJobs, LineParser, MemoryStore, StoppedClock},
};

const PATIENCE: Duration = Duration::from_secs(20);

/// A source whose documents can be changed, that can be down, and that can hold up whoever reads it.
#[derive(Default)]
struct Shelf {
    documents: Mutex<BTreeMap<String, String>>,
    is_down: Mutex<bool>,
    is_slow: bool,
}

impl Shelf {
    fn put(&self, name: &str, text: &str) {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), text.to_owned());
    }

    fn set_down(&self, is_down: bool) {
        *self.is_down.lock().unwrap_or_else(PoisonError::into_inner) = is_down;
    }

    fn documents(&self) -> BTreeMap<String, String> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl DocumentSource for Shelf {
    async fn open(&self, is_wanted: IsWanted<'_>) -> Result<OpenSource, PortError> {
        if *self.is_down.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(PortError::new("source", Fault::Unavailable, "the shelf is down"));
        }
        while self.is_slow && is_wanted() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let documents = self.documents();
        let there = documents.clone();
        let raw = |(name, text): (String, String)| {
            Ok(RawDocument {
                source: format!("shelf/{name}"),
                fallback_id: name,
                url: None,
                format: SourceFormat::PlainText,
                bytes: text.into_bytes(),
                labels: Labels { tenant: TENANT.to_owned(), ..Labels::default() },
            })
        };
        Ok(OpenSource {
            roots: vec!["shelf".to_owned()],
            total: Some(documents.len() as u64),
            documents: Box::new(documents.into_iter().map(raw)),
            exists: Box::new(move |source| source.strip_prefix("shelf/").is_some_and(|name| there.contains_key(name))),
        })
    }

    async fn signature(&self) -> Option<u64> {
        Some(self.documents().len() as u64)
    }
}

struct Scene {
    jobs: Arc<FakeJobs>,
    store: Arc<MemoryStore>,
    shelf: Arc<Shelf>,
    clock: Arc<StoppedClock>,
}

impl Scene {
    fn new(shelf: Shelf) -> Self {
        Self {
            jobs: Arc::default(),
            store: Arc::default(),
            shelf: Arc::new(shelf),
            clock: Arc::new(StoppedClock::at(1_000_000)),
        }
    }

    fn start(&self, schedules: Vec<Schedule>) -> Worker {
        let ingest = Ingest {
            parser: Arc::new(LineParser),
            catalogue: self.store.clone(),
            lexical: self.store.clone(),
            dense: self.store.clone(),
            findings: None,
            embedder: Arc::new(FakeEmbedder::named("fake")),
            clock: self.clock.clone(),
            policy: IngestPolicy { addresses: Vec::new(), passage_tokens: 200, batch_passages: 64, passages_max: 100 },
        };
        let shelf = self.shelf.clone();
        let open: OpenTarget =
            Arc::new(move |_: &Job| Ok(Opened { source: shelf.clone(), prunes: Some(PruneExtent::Many) }));
        let policy =
            JobPolicy { attempts_max: 3, retry_first: Duration::from_secs(10), retry_longest: Duration::from_secs(15) };
        Worker::start(JobWorker {
            jobs: self.jobs.clone(),
            ingest,
            clock: self.clock.clone(),
            open,
            schedules,
            policy,
            is_alone: true,
            name: "w".to_owned(),
        })
    }

    async fn ask(&self) -> String {
        let job = NewJob { tenant: TENANT.to_owned(), target: target(), asked_by: "mira".to_owned() };
        self.jobs.enqueue(&job, self.clock.now_ms()).await.expect("kept").into_job().id
    }

    /// The job once it is as wanted.
    async fn wait(&self, id: &str, is_so: impl Fn(&Job) -> bool) -> Job {
        let began = std::time::Instant::now();
        loop {
            let job = self.jobs.find(None, id).await.expect("an answer").expect("the job");
            if is_so(&job) || began.elapsed() > PATIENCE {
                assert!(is_so(&job), "{job:?}");
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn stored(&self) -> usize {
        self.store.under_source(TENANT, "shelf").await.expect("the store answers").len()
    }
}

fn target() -> JobTarget {
    JobTarget::Source("shelf".to_owned())
}

#[tokio::test]
async fn a_job_is_done_and_tells_what_it_did() {
    let scene = Scene::new(Shelf::default());
    for (name, text) in [("a", "one"), ("b", "two"), ("c", "bad")] {
        scene.shelf.put(name, text);
    }
    let id = scene.ask().await;
    let worker = scene.start(Vec::new());
    let job = scene.wait(&id, |job| job.state == JobState::Done).await;
    assert_eq!((job.progress.seen, job.progress.total), (3, Some(3)));
    assert_eq!((job.progress.added, job.progress.failed), (2, 1));
    assert_eq!(job.failures.iter().map(|one| one.sentence.as_str()).collect::<Vec<_>>(), ["it is bad"]);
    worker.stop();
    worker.ended().await;
}

#[tokio::test]
async fn a_job_that_fails_waits_longer_each_time_and_then_gives_up() {
    let scene = Scene::new(Shelf::default());
    scene.shelf.set_down(true);
    let id = scene.ask().await;
    let worker = scene.start(Vec::new());
    for (attempt, wait_ms) in [(1, 10_000), (2, 15_000)] {
        let job = scene.wait(&id, |job| job.state == JobState::Waiting && job.attempts == attempt).await;
        assert_eq!(job.next_try_ms, Some(scene.clock.now_ms() + wait_ms), "attempt {attempt}");
        assert_eq!(job.error.as_deref(), Some("the shelf is down"));
        scene.clock.advance(Duration::from_millis(wait_ms));
    }
    let job = scene.wait(&id, |job| job.state == JobState::Failed).await;
    assert_eq!(job.attempts, 3);
    scene.shelf.set_down(false);
    scene.jobs.retry(None, &id, scene.clock.now_ms()).await.expect("kept");
    scene.wait(&id, |job| job.state == JobState::Done).await;
    worker.stop();
    worker.ended().await;
}

#[tokio::test]
async fn a_job_that_is_cancelled_ends_and_one_that_is_cut_off_is_put_back() {
    let scene = Scene::new(Shelf { is_slow: true, ..Shelf::default() });
    scene.shelf.put("a", "one");
    let id = scene.ask().await;
    let worker = scene.start(Vec::new());
    scene.wait(&id, |job| job.state == JobState::Running).await;
    scene.jobs.cancel(None, &id, scene.clock.now_ms()).await.expect("kept");
    scene.wait(&id, |job| job.state == JobState::Cancelled).await;
    let next = scene.ask().await;
    scene.wait(&next, |job| job.state == JobState::Running).await;
    worker.stop();
    worker.ended().await;
    let job = scene.wait(&next, |_| true).await;
    assert_eq!((job.state, job.attempts), (JobState::Queued, 0));
    assert_eq!(scene.stored().await, 0, "nothing was kept of either");
}

#[tokio::test]
async fn what_is_due_or_has_changed_is_asked_for() {
    let scene = Scene::new(Shelf::default());
    scene.shelf.put("a", "one");
    let every = Some(Duration::from_secs(60));
    let schedule = |every, watched| Schedule { name: "shelf".to_owned(), tenant: TENANT.to_owned(), every, watched };
    let newest = async || scene.jobs.list(None, 99).await.expect("jobs").len();
    let until = async |count: usize| {
        let began = std::time::Instant::now();
        while newest().await < count && began.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(newest().await, count);
        let id = scene.jobs.list(None, 1).await.expect("jobs").first().expect("a job").id.clone();
        scene.wait(&id, |job| job.state == JobState::Done).await;
    };
    let worker = scene.start(vec![schedule(every, None)]);
    until(1).await;
    scene.clock.advance(Duration::from_secs(59));
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(newest().await, 1, "not yet");
    scene.clock.advance(Duration::from_secs(1));
    until(2).await;
    worker.stop();
    worker.ended().await;
    let worker = scene.start(vec![schedule(None, Some(scene.shelf.clone() as Arc<dyn DocumentSource>))]);
    until(3).await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(newest().await, 3, "nothing has changed");
    scene.shelf.put("b", "two");
    until(4).await;
    worker.stop();
    worker.ended().await;
}
