//! Sources of the settings and targets of jobs → the adapters that read them.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use vouch_adapters::{
    embedded::EmbeddedJobs,
    files::{Links, Reading},
    postgres::PostgresDatabase,
    sources::{
        BucketKey, BucketSettings, BucketSource, FolderSource, GitSettings, GitSource, SiteSettings, SiteSource,
    },
};
use vouch_domain::{
    Fault, Job, JobPaths, JobTarget, PortError,
    document::Labels,
    ports::{DocumentSource, Jobs},
};
use vouch_engine::ingest::PruneExtent;
use vouch_service::jobs::{JobPolicy, JobService, JobWorker, OpenTarget, Opened, Schedule, SourceCard};

use super::{App, one_reader::Turns};
use crate::settings::{BackgroundSettings, LoadedSettings, PostgresStoreSettings, SourceKind, SourceSettings};

const GIT_TIMEOUT_S: u64 = 600;
const PAGE_TIMEOUT_S: u64 = 30;
const SITE_DELAY_MS: u64 = 500;
const SITE_PAGES_MAX: usize = 10_000;
const OBJECTS_MAX: usize = 100_000;
/// The region of servers that have none.
const REGION: &str = "us-east-1";
/// The largest copy of a repository, a site or a bucket.
const COPY_BYTES_MAX: u64 = 2 << 30;
/// Where the data folder keeps what is brought from elsewhere.
const KEPT_IN: &str = "sources";

/// Where documents come from, for whoever does not open the store.
pub fn sources_alone(loaded: &LoadedSettings, folder: &Path) -> Sources {
    Sources::new(&loaded.settings, folder)
}

/// Where documents come from, as the settings say.
#[derive(Debug, Clone)]
pub struct Sources {
    pub all: Arc<[SourceSettings]>,
    jobs: BackgroundSettings,
    postgres: Option<PostgresStoreSettings>,
    folder: PathBuf,
    bytes_max: u64,
    /// Endings that the site has converters for.
    foreign: Vec<String>,
    turns: Turns,
}

impl Sources {
    pub(super) fn new(settings: &crate::settings::Settings, folder: &Path) -> Self {
        Self {
            all: settings.sources.clone().into(),
            jobs: settings.jobs.clone(),
            postgres: settings.store.postgres.clone(),
            folder: folder.to_owned(),
            bytes_max: settings.ingest.file_bytes_max,
            foreign: settings.ingest.convert.iter().flat_map(|one| one.endings.clone()).collect(),
            turns: Turns::default(),
        }
    }

    /// The queue of the data folder, which need not be held, or of its database.
    pub fn queue(&self) -> anyhow::Result<Arc<dyn Jobs>> {
        Ok(match &self.postgres {
            Some(postgres) => Arc::new(PostgresDatabase::open(&postgres.for_adapter()?)?.jobs(self.jobs.kept_max)),
            None => Arc::new(EmbeddedJobs::open(&self.folder, self.jobs.kept_max)?),
        })
    }

    /// Whether the queue is that of a database, which any server may work off.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.postgres.is_some()
    }

    /// A source of the settings, ready to be read.
    pub fn source(&self, settings: &SourceSettings) -> Result<Arc<dyn DocumentSource>, PortError> {
        self.source_to(settings, false)
    }

    /// The same, where its documents may be opened to more people than could see them before.
    pub fn source_to_open(&self, settings: &SourceSettings) -> Result<Arc<dyn DocumentSource>, PortError> {
        self.source_to(settings, true)
    }

    fn source_to(&self, settings: &SourceSettings, opens: bool) -> Result<Arc<dyn DocumentSource>, PortError> {
        let reading = Reading {
            bytes_max: self.bytes_max,
            links: Links::Within,
            labels: Labels {
                tenant: settings.tenant.clone(),
                collection: settings.collection.clone(),
                kind: settings.kind.clone(),
                tags: settings.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect(),
                opens,
            },
            foreign: self.foreign.clone(),
        };
        let folder = self.folder.join(KEPT_IN).join(&settings.name);
        let alone = |source| self.turns.one_reader(&settings.name, source);
        match (&settings.folder, &settings.git, &settings.site, &settings.bucket) {
            (Some(folder), None, None, None) => Ok(Arc::new(FolderSource::new(vec![folder.clone()], reading))),
            (None, None, Some(sitemap), None) => Ok(alone(Arc::new(SiteSource::new(SiteSettings {
                sitemap: sitemap.clone(),
                hosts: settings.hosts.clone(),
                delay: Duration::from_millis(settings.delay_ms.unwrap_or(SITE_DELAY_MS)),
                timeout: Duration::from_secs(settings.timeout_s.unwrap_or(PAGE_TIMEOUT_S)),
                pages_max: settings.pages_max.unwrap_or(SITE_PAGES_MAX),
                page_bytes_max: self.bytes_max,
                bytes_max: settings.bytes_max.unwrap_or(COPY_BYTES_MAX),
                folder,
                labels: reading.labels,
            })))),
            (None, Some(url), None, None) => Ok(alone(Arc::new(GitSource::new(GitSettings {
                name: settings.name.clone(),
                url: url.clone(),
                branch: settings.branch.clone(),
                path: settings.path.clone(),
                page_url: settings.url.clone(),
                folder,
                timeout: Duration::from_secs(settings.timeout_s.unwrap_or(GIT_TIMEOUT_S)),
                bytes_max: settings.bytes_max.unwrap_or(COPY_BYTES_MAX),
                reading,
            })))),
            (None, None, None, Some(bucket)) => Ok(alone(Arc::new(BucketSource::new(BucketSettings {
                name: settings.name.clone(),
                endpoint: settings.endpoint.clone().unwrap_or_default(),
                bucket: bucket.clone(),
                prefix: settings.prefix.clone().unwrap_or_default(),
                region: settings.region.clone().unwrap_or_else(|| REGION.to_owned()),
                addressing: settings.addressing(),
                key: bucket_key(settings)?,
                hosts: settings.hosts.clone(),
                timeout: Duration::from_secs(settings.timeout_s.unwrap_or(PAGE_TIMEOUT_S)),
                objects_max: settings.objects_max.unwrap_or(OBJECTS_MAX),
                bytes_max: settings.bytes_max.unwrap_or(COPY_BYTES_MAX),
                folder,
                reading,
            })))),
            (Some(_) | None, Some(_) | None, Some(_) | None, Some(_) | None) => Err(unknown(&settings.name)),
        }
    }

    /// The paths of a job, ready to be read.
    fn paths(&self, tenant: &str, wanted: &JobPaths) -> Arc<dyn DocumentSource> {
        let labels = Labels {
            tenant: tenant.to_owned(),
            collection: wanted.collection.clone(),
            kind: wanted.kind.clone(),
            tags: wanted.tags.clone(),
            opens: wanted.opens,
        };
        let links = if wanted.follows_links { Links::Everywhere } else { Links::Within };
        let reading = Reading { bytes_max: self.bytes_max, links, labels, foreign: self.foreign.clone() };
        Arc::new(FolderSource::new(wanted.paths.iter().map(PathBuf::from).collect(), reading))
    }

    fn open(&self, job: &Job) -> Result<Opened, PortError> {
        match &job.target {
            JobTarget::Paths(wanted) => {
                let extent = if wanted.prunes_many { PruneExtent::Many } else { PruneExtent::Few };
                Ok(Opened { source: self.paths(&job.tenant, wanted), prunes: wanted.prunes.then_some(extent) })
            }
            JobTarget::Source(name) => {
                let known = self.all.iter().find(|source| source.name == *name && source.tenant == job.tenant);
                let settings = known.ok_or_else(|| unknown(name))?;
                let prunes = settings.prune.then_some(PruneExtent::Few);
                Ok(Opened { source: self.source(settings)?, prunes })
            }
        }
    }

    fn schedules(&self) -> Result<Vec<Schedule>, PortError> {
        let due = self.all.iter().filter(|source| source.every.is_some() || source.watch);
        due.map(|source| {
            Ok(Schedule {
                name: source.name.clone(),
                tenant: source.tenant.clone(),
                every: source.interval().and_then(Result::ok),
                watched: if source.watch { Some(self.source(source)?) } else { None },
            })
        })
        .collect()
    }

    fn cards(&self) -> Arc<[SourceCard]> {
        let card = |source: &SourceSettings| SourceCard {
            name: source.name.clone(),
            tenant: source.tenant.clone(),
            kind: source.source_kind().map_or("", SourceKind::as_str),
            every_s: source.interval().and_then(Result::ok).map(|every| every.as_secs()),
            is_watched: source.watch,
        };
        self.all.iter().map(card).collect()
    }
}

impl App {
    /// What admins may do with jobs.
    pub fn job_service(&self) -> Result<JobService, PortError> {
        let jobs: Arc<dyn Jobs> = match &self.database {
            Some(database) => Arc::new(database.jobs(self.sources.jobs.kept_max)),
            None => Arc::new(EmbeddedJobs::open(&self.folder, self.sources.jobs.kept_max)?),
        };
        Ok(JobService { jobs, sources: self.sources.cards(), clock: Arc::clone(&self.engine.clock) })
    }

    /// Who works off the jobs of a queue. The one who holds a folder of its own is the only one; nodes of a database are many.
    pub fn job_worker(&self, service: &JobService) -> Result<JobWorker, PortError> {
        let (sources, jobs) = (self.sources.clone(), &self.sources.jobs);
        let open: OpenTarget = Arc::new(move |job: &Job| sources.open(job));
        Ok(JobWorker {
            jobs: Arc::clone(&service.jobs),
            ingest: self.ingest.clone(),
            clock: Arc::clone(&self.engine.clock),
            open,
            schedules: self.sources.schedules()?,
            policy: JobPolicy {
                attempts_max: jobs.attempts_max,
                retry_first: Duration::from_secs(jobs.retry_first_s),
                retry_longest: Duration::from_secs(jobs.retry_longest_s),
            },
            is_alone: self.database.is_none(),
            name: worker_name(self.engine.clock.now_ms()),
        })
    }
}

/// A name that no other worker has, on this machine or another.
fn worker_name(now_ms: u64) -> String {
    // The keys of a hasher are drawn by lot.
    let lot = RandomState::new().build_hasher().finish();
    format!("{}-{now_ms}-{lot:x}", std::process::id())
}

/// The key of a bucket, out of the environment; none if the settings name none.
fn bucket_key(settings: &SourceSettings) -> Result<Option<BucketKey>, PortError> {
    let value = |name: &String| {
        let missing = || {
            let sentence = format!(
                "the environment variable {name} is not set; it must hold a key of the source {}",
                settings.name
            );
            PortError::new("source", Fault::Invalid, sentence)
        };
        std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(missing)
    };
    match (&settings.key_variable, &settings.secret_variable) {
        (Some(id), Some(secret)) => Ok(Some(BucketKey { id: value(id)?, secret: value(secret)? })),
        (Some(_) | None, Some(_) | None) => Ok(None),
    }
}

fn unknown(name: &str) -> PortError {
    PortError::new("source", Fault::Invalid, format!("the settings have no source '{name}'"))
}
