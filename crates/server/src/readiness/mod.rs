//! What answers depend on, and whether a question asked now could be answered: the keys can be checked, the catalogue
//! read, the trail and the disk written, and something can be searched. An answer that cannot be recorded is not given, so a
//! server that cannot write is not ready. Without the rest there are answers, fewer or slower: it is degraded.

mod dependencies;
mod probe;

use std::{sync::Arc, time::Duration};

use futures::future::{join_all, join3};
use vouch_domain::PortError;
use vouch_service::{
    ask_service::AskService,
    copy_state::{CopyProbe, CopyState},
};

use crate::access_control::AccessControl;

use probe::{Finding, LATE, Probe};

/// How long what no answer can do without is waited for.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long anything else is waited for; what takes longer is told as it was found before.
const PATIENCE: Duration = Duration::from_millis(250);

/// Writes something to the disk the data is on, and takes it away again.
pub type DiskProbe = dyn Fn() -> Result<(), PortError> + Send + Sync;

/// Everything that answers depend on.
#[derive(Clone)]
pub struct Readiness {
    probes: Arc<Probes>,
}

struct Probes {
    required: Vec<Probe>,
    words: Probe,
    vectors: Probe,
    embedder: Probe,
    helpers: Vec<Probe>,
    copy: Option<Arc<CopyProbe>>,
}

/// What was found of one thing.
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) model: Option<String>,
    pub(crate) is_required: bool,
    /// None if it is not known yet.
    pub(crate) is_up: Option<bool>,
    pub(crate) sentence: &'static str,
}

/// What was found of everything.
pub(crate) struct Report {
    pub(crate) is_ready: bool,
    pub(crate) dependencies: Vec<Dependency>,
    /// How the copy stands that is answered from, where it is one.
    pub(crate) copy: Option<CopyState>,
}

impl Report {
    /// Whether something that is configured is known not to work.
    pub(crate) fn is_degraded(&self) -> bool {
        self.dependencies.iter().any(|one| one.is_up == Some(false))
    }
}

impl Readiness {
    /// Finds out about what questions are asked of; the disk is tried with this probe.
    #[must_use]
    pub fn new(access_control: &AccessControl, ask_service: &Arc<AskService>, disk: Arc<DiskProbe>) -> Self {
        let engine = &ask_service.engine;
        let probes = Probes {
            required: dependencies::required(access_control, ask_service, disk),
            words: dependencies::word_index(access_control, &engine.retrieve),
            vectors: dependencies::vector_index(access_control, &engine.retrieve),
            embedder: dependencies::embedder(access_control, engine),
            // Without the database questions are answered from the copy, and nothing can be changed.
            helpers: dependencies::helpers(access_control, engine)
                .into_iter()
                .chain(ask_service.copy.clone().map(|copy| dependencies::database(access_control, copy)))
                .collect(),
            copy: ask_service.copy.clone(),
        };
        Self { probes: Arc::new(probes) }
    }

    /// What can be said at once: what takes longer is told as it was found before.
    pub(crate) async fn glance(&self) -> Report {
        let required = self.probes.required.iter().map(|probe| glance(probe, true));
        self.report(join_all(required)).await
    }

    /// Whether questions can be answered; what no answer can do without is waited for, and is down where it is late.
    pub(crate) async fn check(&self) -> Report {
        let required = self.probes.required.iter().map(|probe| async {
            let found = probe.found(TIMEOUT).await;
            told(probe, Some(found.unwrap_or(Finding::Down(LATE))), true)
        });
        self.report(join_all(required)).await
    }

    async fn report(&self, required: impl Future<Output = Vec<Dependency>>) -> Report {
        let Probes { words, vectors, embedder, helpers, .. } = self.probes.as_ref();
        let helpers = join_all(helpers.iter().map(|probe| glance(probe, false)));
        let search = join3(glance(words, false), glance(vectors, false), glance(embedder, false));
        let (mut dependencies, (words, vectors, embedder), helpers) = join3(required, search, helpers).await;
        let works = |one: &Dependency| one.is_up != Some(false);
        let can_search = works(&words) || (works(&vectors) && works(&embedder));
        let is_ready = can_search && dependencies.iter().all(|one| one.is_up == Some(true));
        dependencies.extend([words, vectors, embedder]);
        dependencies.extend(helpers);
        let copy = self.probes.copy.as_ref().map(|copy| copy());
        Report { is_ready, dependencies, copy }
    }
}

async fn glance(probe: &Probe, is_required: bool) -> Dependency {
    told(probe, probe.found(PATIENCE).await.or_else(|| probe.last()), is_required)
}

fn told(probe: &Probe, finding: Option<Finding>, is_required: bool) -> Dependency {
    let (is_up, sentence) = match finding {
        Some(Finding::Up) => (Some(true), "It works."),
        Some(Finding::Down(sentence)) => (Some(false), sentence),
        None => (None, "It has not answered yet."),
    };
    Dependency { name: probe.name.clone(), model: probe.model.clone(), is_required, is_up, sentence }
}
