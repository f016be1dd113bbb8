//! Settings that are read again → the same service with other models.
//!
//! Invariant: models alone change. What else the settings say by then is named, and waits for a restart; what a reply is
//! recorded under is what it was made with.

use std::sync::{Arc, PoisonError};

use vouch_engine::{
    ask::Engine,
    policy::{ComposePolicy, Policies},
};
use vouch_service::{ask_service::AskService, models_in_use::ModelsInUse};

use super::{App, breakers::Breakers, circumstances, models};
use crate::settings::{LoadedSettings, ModelSettings, Settings};

/// What is read from the models' section when the process starts and stays.
const FIXED: [&str; 2] = ["embedder", "reranker"];

impl App {
    /// How the models of a running service are swapped for those of the settings that `read` gives by then.
    pub fn reload(
        &self,
        loaded: LoadedSettings,
        read: impl Fn() -> anyhow::Result<LoadedSettings> + Send + Sync + 'static,
    ) -> impl Fn(&AskService) -> anyhow::Result<(AskService, ModelsInUse)> + Send + Sync + 'static {
        let (board, clock) = (self.breakers.clone(), Arc::clone(&self.engine.clock));
        let in_use = Arc::clone(&self.in_use);
        move |old| {
            let wanted = read()?;
            let restart_needed = changed_besides(&loaded.settings, &wanted.settings);
            let together = with_models(&loaded, &wanted);
            let mut fresh = Breakers::new(&together.settings.circuit_breaker, &clock);
            let registry = models::model_registry(&together.settings.models, &mut fresh)?;
            let models = registry.jobs().map(|(job, job_model)| (job.to_owned(), job_model.model.clone())).collect();
            let engine = Engine {
                model_registry: old.metrics.instrument(&registry),
                policies: with_budget(&old.engine.policies, &together.policies),
                ..Engine::clone(&old.engine)
            };
            let ask_service = AskService {
                circumstances: circumstances(&together, &engine),
                engine: Arc::new(engine),
                trail: Arc::clone(&old.trail),
                sessions: old.sessions.clone(),
                audit_policy: old.audit_policy,
                metrics: Arc::clone(&old.metrics),
                walks: old.walks.clone(),
                copy: old.copy.clone(),
            };
            board.replace_models(fresh.of_models());
            *in_use.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(together));
            Ok((ask_service, ModelsInUse { models, restart_needed }))
        }
    }
}

/// The settings a process was started with, and the models of others.
fn with_models(started: &LoadedSettings, wanted: &LoadedSettings) -> LoadedSettings {
    let own = &started.settings.models;
    let models = ModelSettings {
        embedder: own.embedder.clone(),
        reranker: own.reranker.clone(),
        ..wanted.settings.models.clone()
    };
    let policies = with_budget(&started.policies, &wanted.policies);
    LoadedSettings {
        settings: Settings { models, ..started.settings.clone() },
        policies,
        agents: started.agents.clone(),
    }
}

/// The window of a model is shared out as its settings say.
fn with_budget(policies: &Policies, wanted: &Policies) -> Policies {
    let compose = ComposePolicy { budget: wanted.compose.budget, ..policies.compose.clone() };
    Policies { compose, ..policies.clone() }
}

/// What differs between two settings besides the models, by name.
fn changed_besides(started: &Settings, wanted: &Settings) -> Vec<String> {
    let [started, wanted] = [started, wanted].map(|settings| serde_json::to_value(settings).unwrap_or_default());
    let sections = started.as_object().into_iter().flat_map(|sections| sections.keys());
    let differs = |pointer: &str| started.pointer(pointer) != wanted.pointer(pointer);
    let mut changed: Vec<String> =
        sections.filter(|name| *name != "models" && differs(&format!("/{name}"))).cloned().collect();
    // A fixed job also stays with the server that it was made for.
    let server = |name: &str| started.pointer(&format!("/models/{name}/server")).and_then(|server| server.as_str());
    let moved = |name: &str| server(name).is_some_and(|server| differs(&format!("/models/servers/{server}")));
    let fixed = FIXED.iter().filter(|name| differs(&format!("/models/{name}")) || moved(name));
    changed.extend(fixed.map(|name| format!("models.{name}")));
    changed
}
