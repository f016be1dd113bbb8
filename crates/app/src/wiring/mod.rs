//! The only place where ports meet their adapters.

mod aside;
mod breakers;
mod database;
mod dense;
mod disk_probe;
mod lent;
mod models;
mod one_reader;
mod parsers;
mod reload;
mod retrieve;
mod sources;
mod tools;
mod traces;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
    time::Duration,
};

use vouch_adapters::{
    embedded::{EmbeddedKeys, EmbeddedSessions, EmbeddedStore, EmbeddedVectors, EmbedderCheck, TrailLimits},
    extractive::Extractive,
    oidc::{Oidc, OidcSignIn},
    otlp::{OtlpExporter, OtlpSender},
    postgres::PostgresDatabase,
    skosmos::{Skosmos, SkosmosSettings},
    system_clock::SystemClock,
};
use vouch_domain::{
    PortError,
    ports::{ClaimJudge, Clock, Embedder, PassageJudge, Reranker, Sessions, SignIn, Vocabulary},
};
use vouch_engine::{
    ask::{Agents, Engine},
    ingest::{Comparing, Ingest},
    model_registry::{JobModel, ModelRegistry},
    terminology::TermLookup,
};
use vouch_models::{GteSmall, JUDGE_DIGEST, Judge};
use vouch_service::{
    admin_service::AdminService,
    ask_service::{AskService, AuditPolicy},
    circumstances::Circumstances,
    metrics::Metrics,
    tenant_locks::TenantLocks,
    walk_report::WalkObserver,
    wire::Words,
};

pub use breakers::BreakerBoard;
use breakers::Breakers;
pub use database::{keys_alone, trail_to_read};
pub use sources::{Sources, sources_alone};
pub use tools::tools_fault;

use crate::{
    exit::Usage,
    settings::{
        AuditSettings, BackgroundSettings, JudgeModel, LoadedSettings, ModelSettings, OidcSettings, PassageOrder,
        ServeSettings, Settings, StoreSettings, TermSource, ThresholdSettings,
    },
};

/// Everything a process is built from; a copy shares all of it.
#[derive(Clone)]
pub struct App {
    pub engine: Engine,
    pub ingest: Ingest,
    pub store: EmbeddedStore,
    pub embedder: Arc<dyn Embedder>,
    breakers: BreakerBoard,
    pub circumstances: Circumstances,
    pub sources: Sources,
    /// The settings it was built from.
    pub loaded: Arc<LoadedSettings>,
    /// Those that were read again since, if any; one for all copies.
    in_use: Arc<RwLock<Option<Arc<LoadedSettings>>>>,
    folder: PathBuf,
    /// What the folder is a copy of, where it is one.
    database: Option<PostgresDatabase>,
    trail_limits: TrailLimits,
    audit_policy: AuditPolicy,
    tenant_locks: TenantLocks,
    /// The service that answers, where these parts are lent by a process that has one.
    lent: Option<AskService>,
}

impl App {
    /// Answers questions on callers' behalf and records them.
    pub fn ask_service(&self) -> Result<AskService, PortError> {
        if let Some(lent) = self.lent_service() {
            return Ok(lent);
        }
        let breakers = self.breakers.clone();
        let metrics = Arc::new(Metrics::new(Box::new(move || breakers.states())));
        let engine = Engine { model_registry: metrics.instrument(&self.engine.model_registry), ..self.engine.clone() };
        Ok(AskService {
            engine: Arc::new(engine),
            trail: self.trail()?,
            sessions: self.sessions()?,
            circumstances: self.circumstances.clone(),
            audit_policy: self.audit_policy,
            metrics,
            walks: None,
            copy: self.copy_probe(),
        })
    }

    /// What conversations have come to; nothing is kept where there are no agents.
    fn sessions(&self) -> Result<Option<Arc<dyn Sessions>>, PortError> {
        match self.engine.agents {
            None => Ok(None),
            Some(_) => Ok(Some(match &self.database {
                Some(database) => Arc::new(database.sessions()),
                None => Arc::new(EmbeddedSessions::open(&self.folder)?),
            })),
        }
    }

    /// The same for one question: the folder is let go while a model writes, and taken again before anything is written down.
    pub fn ask_service_aside(&self) -> Result<AskService, PortError> {
        let mut service = self.ask_service()?;
        if self.lent.is_some() {
            // Whoever lends the folder holds it for itself, too.
            return Ok(service);
        }
        let lease = self.store.lease();
        let mut engine = Engine::clone(&service.engine);
        let registry = &mut engine.model_registry;
        for job_model in [&mut registry.answer, &mut registry.stand_in, &mut registry.on_request] {
            *job_model = job_model.take().map(|job_model| aside::aside(job_model, &lease));
        }
        service.engine = Arc::new(engine);
        service.trail = Arc::new(aside::HeldTrail { trail: Arc::clone(&service.trail), lease });
        Ok(service)
    }

    /// The same, with its traces sent to a collector; shutdown waits for the last of them.
    pub fn ask_service_traced_to(&self, endpoint: &str) -> Result<(AskService, OtlpSender), PortError> {
        let (exporter, sender) = OtlpExporter::start(endpoint)?;
        let walks: Arc<dyn WalkObserver> = Arc::new(traces::ToCollector(exporter));
        Ok((AskService { walks: Some(walks), ..self.ask_service()? }, sender))
    }

    /// What admins keep over the wire.
    pub fn admin_service(&self) -> AdminService {
        AdminService {
            ingest: self.ingest.clone(),
            register: self.store.register.clone(),
            versions: self.store.versions.clone(),
            memory: self.store.memory.clone(),
            directory: self.store.directory.clone(),
            questions: self.store.questions.clone(),
            findings: self.store.findings.clone(),
            tenant_locks: self.tenant_locks.clone(),
        }
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Tries whether the disk of the data folder can be written.
    pub fn disk_probe(&self) -> impl Fn() -> Result<(), PortError> + Send + Sync + use<> {
        disk_probe::disk_probe(self.folder.clone())
    }
}

/// Starts over without keys; returns the names the old files have now.
pub async fn reset_keys(folder: &Path) -> Result<Vec<String>, PortError> {
    EmbeddedKeys::reset(folder).await
}

/// Who knows callers by the tokens of an issuer, and where people sign in for one.
pub fn oidc(settings: &OidcSettings) -> anyhow::Result<(Oidc, Option<Arc<dyn SignIn>>)> {
    let oidc = Oidc::new(settings.for_adapter())?;
    let secret = |name: &String| {
        let sentence =
            format!("serve.oidc: the environment variable {name} is not set; it must hold the client's secret");
        std::env::var(name).map_err(|_| Usage(sentence))
    };
    let secret = settings.client_secret_variable.as_ref().map(secret).transpose()?;
    let sign_in: Option<Arc<dyn SignIn>> = match settings.client(secret) {
        Some(client) => Some(Arc::new(OidcSignIn::new(oidc.clone(), client)?)),
        None => None,
    };
    Ok((oidc, sign_in))
}

/// Opens the store in a folder and puts the parts together.
pub fn build(loaded: &LoadedSettings, folder: &Path, check: EmbedderCheck) -> anyhow::Result<App> {
    Ok(put_together(loaded, folder, check, (embedder(loaded)?, judge(loaded)?))?)
}

/// The same to answer at once: embedder and judge get ready while the store is opened.
pub fn build_to_ask(loaded: &LoadedSettings, folder: &Path) -> anyhow::Result<App> {
    let judge = judge(loaded)?;
    let embedder: Arc<dyn Embedder> = match &loaded.settings.models.embedder {
        Some(_) => embedder(loaded)?,
        None => {
            let built_in = GteSmall::load(threads())?;
            built_in.warm_up();
            Arc::new(built_in)
        }
    };
    judge.iter().for_each(Judge::warm_up);
    Ok(put_together(loaded, folder, EmbedderCheck::Enforce, (embedder, judge))?)
}

/// The embedder the settings name.
pub fn embedder(loaded: &LoadedSettings) -> anyhow::Result<Arc<dyn Embedder>> {
    match &loaded.settings.models.embedder {
        Some(job) => models::embedder(job, &loaded.settings.models),
        None => Ok(Arc::new(GteSmall::load(threads())?)),
    }
}

/// The same with an embedder that is already loaded.
pub fn build_with(
    loaded: &LoadedSettings,
    folder: &Path,
    check: EmbedderCheck,
    embedder: Arc<dyn Embedder>,
) -> Result<App, PortError> {
    put_together(loaded, folder, check, (embedder, judge(loaded)?))
}

/// The models of every job alone, for whoever cannot open the store, and the clock they are timed by.
pub fn model_registry(loaded: &LoadedSettings) -> Result<(ModelRegistry, Arc<dyn Clock>), PortError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let mut breakers = Breakers::new(&loaded.settings.circuit_breaker, &clock);
    let registry = models::model_registry(&loaded.settings.models, &mut breakers)?;
    Ok((registry, Arc::clone(&clock)))
}

/// The model that compares answers, where the settings name one.
pub fn pairwise_model(loaded: &LoadedSettings) -> Result<Option<JobModel>, PortError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let mut breakers = Breakers::new(&loaded.settings.circuit_breaker, &clock);
    models::pairwise_model(&loaded.settings.models, &mut breakers)
}

fn put_together(
    loaded: &LoadedSettings,
    folder: &Path,
    check: EmbedderCheck,
    (embedder, judge): (Arc<dyn Embedder>, Option<Judge>),
) -> Result<App, PortError> {
    let settings = &loaded.settings;
    let (database, store) = database::open(loaded, folder, (embedder.identity(), check))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let mut breakers = Breakers::new(&settings.circuit_breaker, &clock);
    let dense = dense::open(settings, &store, embedder.identity(), &mut breakers)?;
    let retrieve = retrieve::ports(&store, (&dense, &embedder), &breakers);
    let ingest = Ingest {
        parser: parsers::parser(&settings.ingest),
        catalogue: store.catalogue.clone(),
        lexical: store.lexical.clone(),
        dense,
        embedder: Arc::clone(&embedder),
        findings: Some(comparing(&store, judge.as_ref())),
        clock: Arc::clone(&clock),
        policy: loaded.policies.ingest.clone(),
    };
    let is_without_terms = store.vocabulary.is_empty()?;
    let terms = vocabulary(loaded, &store)?
        .map(|kept| TermLookup::new(kept, Arc::clone(&clock), loaded.policies.terminology.clone()))
        .map(|ask_service| match settings.terminology.source {
            TermSource::Skosmos => ask_service.with_breaker(breakers.skosmos()),
            // Terms come and go while a server runs.
            TermSource::Auto if is_without_terms => ask_service.once_filled(),
            TermSource::Auto => ask_service.while_filled(),
            TermSource::None | TermSource::SkosFile => ask_service,
        })
        .map(Arc::new);
    let engine = Engine {
        retrieve,
        terms,
        memory: Some(store.memory.clone()),
        passage_judge: judge.clone().map(|judge| Arc::new(judge) as Arc<dyn PassageJudge>),
        reranker: reranker(settings, judge.as_ref(), &mut breakers)?,
        claim_judge: judge.map(|judge| Arc::new(judge) as Arc<dyn ClaimJudge>),
        model_registry: models::model_registry(&settings.models, &mut breakers)?,
        agents: loaded.agents.clone().map(|policy| Agents::new(policy).keeping(Arc::new(EmbeddedVectors::new(folder)))),
        toolbox: tools::toolbox(&settings.tools, folder),
        directory: Some(store.directory.clone()),
        writer: Arc::new(Extractive),
        clock: Arc::clone(&clock),
        policies: loaded.policies.clone(),
    };
    Ok(App {
        circumstances: circumstances(loaded, &engine),
        engine,
        ingest,
        store,
        embedder,
        breakers: BreakerBoard::new(breakers.all),
        sources: Sources::new(settings, folder),
        loaded: Arc::new(loaded.clone()),
        in_use: Arc::default(),
        folder: folder.to_owned(),
        database,
        trail_limits: TrailLimits { keep_days: settings.audit.keep_days, bytes_max: settings.audit.bytes_max },
        audit_policy: audit_policy(settings),
        tenant_locks: TenantLocks::default(),
        lent: None,
    })
}

fn audit_policy(settings: &Settings) -> AuditPolicy {
    AuditPolicy {
        words: if settings.audit.record_questions { Words::Kept } else { Words::LeftOut },
        check_timeout: Duration::from_millis(settings.audit.check_timeout_ms),
        logs_questions: settings.serve.log_questions,
    }
}

/// What documents are compared by when they are taken in.
fn comparing(store: &EmbeddedStore, judge: Option<&Judge>) -> Comparing {
    let judge = judge.cloned().map(|judge| Arc::new(judge) as Arc<dyn ClaimJudge>);
    Comparing { findings: store.findings.clone(), judge }
}

/// Who puts the pool in order, where the settings say that somebody does.
fn reranker(
    settings: &Settings,
    judge: Option<&Judge>,
    breakers: &mut Breakers<'_>,
) -> Result<Option<Arc<dyn Reranker>>, PortError> {
    match (settings.judge.order, &settings.models.reranker) {
        (PassageOrder::Blended, _) => Ok(None),
        (PassageOrder::Reranked, Some(job)) => models::reranker(job, &settings.models, breakers).map(Some),
        (PassageOrder::Reranked, None) => Ok(judge.map(|judge| Arc::new(judge.clone()) as Arc<dyn Reranker>)),
    }
}

/// As much of a digest as it takes to tell two apart.
const DIGEST_CHARS: usize = 16;

/// What answers depend on besides the corpus.
fn circumstances(loaded: &LoadedSettings, engine: &Engine) -> Circumstances {
    // Where a server listens, how long its trail and versions are kept and who compares answers later changes no answer.
    let (serve, audit, store) = (ServeSettings::default(), AuditSettings::default(), StoreSettings::default());
    let models = ModelSettings { pairwise: None, ..loaded.settings.models.clone() };
    let (sources, jobs) = (Vec::new(), BackgroundSettings::default());
    let dense = dense::of_answers(&loaded.settings);
    let settings = Settings { serve, audit, store, models, sources, jobs, dense, ..loaded.settings.clone() };
    let mut settings = serde_json::to_vec(&settings).unwrap_or_default();
    // A file is a setting by what is in it, not by its name.
    if let Some(ThresholdSettings::File(_)) = &loaded.settings.judge.thresholds {
        settings.extend(format!("{:?}", engine.policies.judge.thresholds).into_bytes());
    }
    let embedder = engine.retrieve.embedder.identity();
    Circumstances {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings: blake3::hash(&settings).to_hex().chars().take(DIGEST_CHARS).collect(),
        embedder: format!("{} ({})", embedder.name, embedder.digest.chars().take(DIGEST_CHARS).collect::<String>()),
        judge: engine.passage_judge.as_ref().map(|judge| format!("{} ({JUDGE_DIGEST})", judge.name())),
    }
}

/// The vocabulary the settings name.
fn vocabulary(loaded: &LoadedSettings, store: &EmbeddedStore) -> Result<Option<Arc<dyn Vocabulary>>, PortError> {
    let settings = &loaded.settings.terminology;
    Ok(match settings.source {
        TermSource::None => None,
        TermSource::Auto | TermSource::SkosFile => Some(store.vocabulary.clone()),
        TermSource::Skosmos => Some(Arc::new(Skosmos::new(SkosmosSettings {
            base_url: settings.skosmos_url.clone().unwrap_or_default(),
            vocabularies: settings.skosmos_vocabularies.clone(),
            language: settings.language.clone(),
            timeout: loaded.policies.terminology.timeout,
            response_bytes_max: SkosmosSettings::RESPONSE_BYTES_MAX,
        })?)),
    })
}

/// The judge the settings name; its weights are read when it is first asked.
pub fn judge(loaded: &LoadedSettings) -> Result<Option<Judge>, PortError> {
    match loaded.settings.judge.model {
        JudgeModel::BuiltIn => Ok(Some(Judge::load(threads())?)),
        JudgeModel::None => Ok(None),
    }
}

/// How many texts are embedded at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
