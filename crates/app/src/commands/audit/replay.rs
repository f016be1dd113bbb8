//! `vouch audit replay`: a recorded question, asked again on the corpus as it was, and whether the same is replied.
//!
//! Invariant: nothing of the data folder is changed, and nothing of the copy stays. What is not kept by generation is compared and
//! named where it has changed.

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, anyhow};
use serde::Serialize;
use tempfile::TempDir;
use vouch_adapters::embedded::{EmbedderCheck, rewind, state_of};
use vouch_domain::{
    AuditedEntry, Fault, PortError, Question,
    ports::{Embedder, Generation, StoreState, Toolbox},
};
use vouch_engine::{
    ask::{AskError, Engine},
    ingest::enrich,
};
use vouch_service::{
    outcome::Route,
    recorded_toolbox::RecordedToolbox,
    wire::{DifferenceWire, RecordedRequest, Reply, ReplySummary, ToolCallWire},
};

use super::super::{load, print, print_json, tell};
use crate::{
    cli::Common,
    render,
    settings::LoadedSettings,
    wiring::{self, App},
};

/// What the folder of a copy is called.
const COPY_PREFIX: &str = "replay-";
/// A copy this old is no longer in use.
const LEFT_AFTER: Duration = Duration::from_secs(86_400);

#[derive(Serialize)]
struct Replayed {
    request_id: String,
    same: bool,
    differs: Vec<DifferenceWire>,
    changed: Vec<DifferenceWire>,
    generation: u64,
    replayed_on: &'static str,
}

/// Where a question is asked again; a copy is removed when this is dropped.
struct Stage {
    app: App,
    replayed_on: &'static str,
    _copy: Option<TempDir>,
}

pub(super) async fn run(common: &Common, tenant: &str, id: &str) -> anyhow::Result<ExitCode> {
    let AuditedEntry { entry, .. } = super::entry(common, tenant, id).await?;
    let recorded = RecordedRequest::read(&entry).ok_or_else(|| anyhow!("the record of '{id}' cannot be read"))?;
    let question = recorded.question(tenant).ok_or_else(|| {
        anyhow!("the question of '{id}' was not recorded (audit.record_questions was false), so it cannot be replayed")
    })?;
    let state = state_of(&common.data)?;
    if let Some(then) = recorded.store()
        && state.store.as_deref() != Some(then)
    {
        return Err(anyhow!("'{id}' was answered from a different store than the one in {}", common.data.display()));
    }
    let stage = set_stage(common, &load(common)?, entry.generation, &state).await?;
    let now = asked_again(&stage.app, &question, recorded.tools_called()).await?;
    let differs = recorded.told(&entry).differences(&now);
    let replayed = Replayed {
        request_id: entry.id.clone(),
        same: differs.is_empty(),
        differs,
        changed: recorded.changes(&stage.app.circumstances, &state),
        generation: entry.generation.0,
        replayed_on: stage.replayed_on,
    };
    if common.json {
        print_json(&replayed)?;
    } else {
        print(&shown(&replayed))?;
    }
    Ok(if replayed.same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The store itself if it is unchanged and free, else a copy rewound to that time.
async fn set_stage(
    common: &Common,
    loaded: &LoadedSettings,
    generation: Generation,
    state: &StoreState,
) -> anyhow::Result<Stage> {
    let embedder = wiring::embedder(loaded)?;
    // A copy of the past follows nothing; the folder of a node may have moved on before it is read.
    let is_node = loaded.settings.store.postgres.is_some();
    let loaded = &loaded.without_database();
    if state.generation == generation && !is_node {
        match wiring::build_with(loaded, &common.data, EmbedderCheck::Enforce, Arc::clone(&embedder)) {
            Ok(app) => return Ok(Stage { app, replayed_on: "store", _copy: None }),
            Err(error) if matches!(error.fault, Fault::Held | Fault::OtherEmbedder) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // Beside the catalogue, if there is room for one and nobody else may look.
    clear_leftovers(&common.data);
    let copy = tempfile::Builder::new().prefix(COPY_PREFIX).tempdir_in(&common.data);
    let copy = copy.with_context(|| format!("cannot create a folder in {}", common.data.display()))?;
    let rewound = rewind(&common.data, copy.path(), generation)?;
    let app = match rewound.passages_without_vector {
        0 => wiring::build_with(loaded, copy.path(), EmbedderCheck::Enforce, Arc::clone(&embedder)),
        _ => Err(PortError::new("embedder", Fault::OtherEmbedder, "some vectors no longer exist")),
    };
    let app = match app {
        Ok(app) => app,
        Err(error) if error.fault == Fault::OtherEmbedder => anew(loaded, &copy, embedder).await?,
        Err(error) => return Err(error.into()),
    };
    Ok(Stage { app, replayed_on: "copy", _copy: Some(copy) })
}

/// Removes the copies that killed replays left behind; one in use is younger than that.
fn clear_leftovers(data: &Path) {
    let is_left = |path: &Path| {
        let is_copy = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(COPY_PREFIX));
        let age = path.metadata().and_then(|facts| facts.modified()).ok().and_then(|made| made.elapsed().ok());
        is_copy && age.is_some_and(|age| age > LEFT_AFTER)
    };
    for entry in std::fs::read_dir(data).into_iter().flatten().flatten() {
        // What cannot be removed now is tried again next time.
        let _ = is_left(&entry.path()).then(|| std::fs::remove_dir_all(entry.path()));
    }
}

/// The copy with every vector made by the configured embedder.
async fn anew(loaded: &LoadedSettings, copy: &TempDir, embedder: Arc<dyn Embedder>) -> anyhow::Result<App> {
    tell("The vectors from that time no longer exist; making them again in a copy.");
    let app = wiring::build_with(loaded, copy.path(), EmbedderCheck::Reembedding, embedder)?;
    app.store.reembed(&app.embedder, enrich, |_| {}).await?;
    Ok(app)
}

/// The same question; tools are not called, and say what they said then.
async fn asked_again(app: &App, question: &Question, calls: &[ToolCallWire]) -> anyhow::Result<ReplySummary> {
    let recorded = |declared: &Arc<dyn Toolbox>| RecordedToolbox::new(Arc::clone(declared), calls);
    let toolbox = app.engine.toolbox.as_ref().map(|declared| Arc::new(recorded(declared)) as Arc<dyn Toolbox>);
    let engine = Engine { toolbox, ..app.engine.clone() };
    match engine.ask(question).await {
        // A summary names no route.
        Ok(response) => Ok(ReplySummary::new(&Reply::new(&response, String::new(), Route::Direct, false))),
        Err(AskError::NotAQuestion(_) | AskError::Agent(_)) => Ok(ReplySummary::failed("invalid_request")),
        Err(AskError::Model(error)) => Ok(ReplySummary::failed(error.code())),
        Err(error @ AskError::Port(_)) => Err(error.into()),
    }
}

fn shown(replayed: &Replayed) -> String {
    let mut out = String::new();
    let verdict = match replayed.same {
        true => format!("The reply is the same on the corpus as it was then (generation {}).", replayed.generation),
        false => format!("The reply is different on the corpus as it was then (generation {}):", replayed.generation),
    };
    render::push_line(&mut out, &verdict);
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for one in &replayed.differs {
        render::push_line(
            &mut out,
            &format!("  {}\n    then: {}\n    now:  {}", one.what, text(&one.then), text(&one.now)),
        );
    }
    if !replayed.changed.is_empty() {
        render::push_line(&mut out, "Changed since:");
    }
    for one in &replayed.changed {
        render::push_line(&mut out, &format!("  {}: {} → {}", one.what, text(&one.then), text(&one.now)));
    }
    out
}
