//! Everything that answers depend on, each with the cheapest call that shows whether it works.

use std::{sync::Arc, time::Duration};

use vouch_domain::{Embedding, Fault, PortError, Reader, ports::JudgedPassage};
use vouch_engine::{
    ask::Engine,
    model_registry::JobModel,
    retrieve::{RetrievePorts, with_timeout},
};
use vouch_service::{ask_service::AskService, copy_state::CopyProbe};

use super::{DiskProbe, probe::Probe};
use crate::access_control::AccessControl;

/// How long a finding about this process' own files is reused.
const OWN_HOLDS: Duration = Duration::from_secs(1);
/// The same for what may be somebody else's server, or takes work.
const OTHERS_HOLD: Duration = Duration::from_secs(10);
/// An entry, a tenant and a reader that cannot exist: no tenant has this name.
const NOBODY: &str = "";
/// What is embedded, looked up and searched for to see whether that can be done.
const WORD: &str = "health";

/// Without any of these there is no answer.
pub(super) fn required(
    access_control: &AccessControl,
    ask_service: &Arc<AskService>,
    disk: Arc<DiskProbe>,
) -> Vec<Probe> {
    let own = (OWN_HOLDS, &access_control.clock);
    let keys = access_control.clone();
    let (store, trail) = (Arc::clone(&ask_service.engine.retrieve.catalogue), Arc::clone(&ask_service.trail));
    vec![
        Probe::new("keys", own, move || {
            let keys = keys.clone();
            async move { Ok(keys.check().await?) }
        }),
        Probe::new("store", own, move || {
            let store = Arc::clone(&store);
            async move { Ok(store.generation().await.map(drop)?) }
        }),
        Probe::new("audit trail", own, move || {
            let trail = Arc::clone(&trail);
            async move { Ok(trail.check().await?) }
        }),
        Probe::new("disk", own, move || {
            let disk = Arc::clone(&disk);
            async move {
                let broken =
                    |error| PortError::new("store", Fault::Internal, "the disk could not be tested").with_source(error);
                Ok(tokio::task::spawn_blocking(move || disk()).await.map_err(broken)??)
            }
        }),
    ]
}

/// What the store is a copy of.
pub(super) fn database(access_control: &AccessControl, copy: Arc<CopyProbe>) -> Probe {
    Probe::new("database", (OWN_HOLDS, &access_control.clock), move || {
        let is_away = copy().is_away();
        let away = || PortError::new("database", Fault::Unavailable, "the database cannot be reached");
        async move { if is_away { Err(away().into()) } else { Ok(()) } }
    })
}

/// Where passages are found by their words.
pub(super) fn word_index(access_control: &AccessControl, ports: &RetrievePorts) -> Probe {
    let index = Arc::clone(&ports.lexical);
    Probe::new("word index", (OWN_HOLDS, &access_control.clock), move || {
        let index = Arc::clone(&index);
        async move { Ok(index.matching(&Reader::of_tenant(NOBODY), WORD, 1).await.map(drop)?) }
    })
}

/// Where passages are found by their meaning.
pub(super) fn vector_index(access_control: &AccessControl, ports: &RetrievePorts) -> Probe {
    let (index, dimensions) = (Arc::clone(&ports.dense), ports.embedder.identity().dimensions);
    Probe::new("vector index", (OWN_HOLDS, &access_control.clock), move || {
        let index = Arc::clone(&index);
        async move {
            let Some(vector) = Embedding::normalised(vec![1.0; dimensions]) else { return Ok(()) };
            Ok(index.nearest(&Reader::of_tenant(NOBODY), &vector, 1).await.map(drop)?)
        }
    })
}

/// Who turns text into vectors, here or behind a server.
pub(super) fn embedder(access_control: &AccessControl, engine: &Engine) -> Probe {
    let (ports, policy) = (engine.retrieve.clone(), engine.policies.retrieve.clone());
    let name = ports.embedder.identity().name.clone();
    let check = move || {
        let (ports, policy) = (ports.clone(), policy.clone());
        async move {
            ports.breaker.check_closed()?;
            Ok(with_timeout(&policy, "embedder", ports.embedder.embed(vec![WORD.to_owned()])).await.map(drop)?)
        }
    };
    Probe::new("embedder", (OTHERS_HOLD, &access_control.clock), check).of_model(name)
}

/// The judge, the reranker, the vocabulary and the model of every job, as far as there are any.
pub(super) fn helpers(access_control: &AccessControl, engine: &Engine) -> Vec<Probe> {
    let others = (OTHERS_HOLD, &access_control.clock);
    let judge = engine.passage_judge.clone().map(|judge| {
        let (name, timeout) = (judge.name().to_owned(), engine.policies.judge.read_timeout);
        let check = move || {
            let judge = Arc::clone(&judge);
            async move {
                let passage = JudgedPassage { heading: String::new(), text: WORD.to_owned() };
                let readings = judge.read(WORD, vec![passage], timeout).await?;
                let late = || PortError::new("judge", Fault::Timeout, "a word was not read in time");
                Ok(readings.into_iter().flatten().next().map(drop).ok_or_else(late)?)
            }
        };
        Probe::new("judge", others, check).of_model(name)
    });
    let built_in = engine.passage_judge.as_ref().map(|judge| judge.name().to_owned());
    let external = engine.reranker.clone().filter(|reranker| Some(reranker.name()) != built_in.as_deref());
    let reranker = external.map(|reranker| {
        let (name, timeout) = (reranker.name().to_owned(), engine.policies.judge.read_timeout);
        let check = move || {
            let reranker = Arc::clone(&reranker);
            async move {
                let passage = JudgedPassage { heading: String::new(), text: WORD.to_owned() };
                Ok(reranker.scores(WORD, vec![passage], timeout).await.map(drop)?)
            }
        };
        Probe::new("reranker", others, check).of_model(name)
    });
    let vocabulary = engine.terms.clone().filter(|terms| !terms.may_be_empty()).map(|terms| {
        Probe::new("vocabulary", others, move || {
            let terms = Arc::clone(&terms);
            async move { Ok(terms.check(&Reader::of_tenant(NOBODY)).await?) }
        })
    });
    let models = engine.model_registry.jobs().map(|(job, job_model)| {
        let (model, name) = (job_model.clone(), job_model.model.clone());
        let check = move || {
            let model: JobModel = model.clone();
            async move {
                if let Some(error) = model.server.unasked() {
                    return Err(error.into());
                }
                Ok(model.check_available().await?)
            }
        };
        Probe::new(format!("model for {job}"), others, check).of_model(name)
    });
    judge.into_iter().chain(reranker).chain(vocabulary).chain(models).collect()
}
