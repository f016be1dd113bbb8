//! `vouch doctor`: whether every part of the store says the same, and every passage what its document says.

use std::process::ExitCode;

use serde::Serialize;

use super::{open, print, print_json};
use crate::{cli::Common, render};

#[derive(Serialize)]
struct HealthWire {
    sound: bool,
    generation: u64,
    documents: u64,
    passages: u64,
    incomplete_documents: u64,
    identity_disagreements: u64,
    missing_successors: Vec<String>,
    lexical_disagreements: u64,
    dense_disagreements: u64,
    embedder: String,
    models: Vec<ModelWire>,
}

/// One job's model, and whether its server has it.
#[derive(Serialize)]
struct ModelWire {
    job: &'static str,
    model: String,
    provider: &'static str,
    failure: Option<String>,
}

pub(super) async fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let house = open(common)?;
    let health = house.store.health()?;
    let mut models = Vec::new();
    for (job, rung) in house.engine.ladder.jobs() {
        let failure = rung.check_available().await.err().map(|error| error.to_string());
        models.push(ModelWire { job, model: rung.model.clone(), provider: rung.server.provider(), failure });
    }
    let is_served = models.iter().all(|model| model.failure.is_none());
    let wire = HealthWire {
        sound: health.is_sound(),
        generation: health.generation.0,
        documents: health.documents,
        passages: health.passages,
        incomplete_documents: health.incomplete_documents,
        identity_disagreements: health.identity_disagreements,
        missing_successors: health.missing_successors,
        lexical_disagreements: health.lexical_disagreements,
        dense_disagreements: health.dense_disagreements,
        embedder: house.embedder.identity().name.clone(),
        models,
    };
    if common.json {
        print_json(&wire)?;
    } else {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let mut rows = vec![
            row("embedder", wire.embedder),
            row("generation", wire.generation.to_string()),
            row("documents", wire.documents.to_string()),
            row("passages", wire.passages.to_string()),
            row("documents not whole", wire.incomplete_documents.to_string()),
            row("identity disagrees on", wire.identity_disagreements.to_string()),
            row("successors not there", wire.missing_successors.join("; ")),
            row("words index disagrees on", wire.lexical_disagreements.to_string()),
            row("vector index disagrees on", wire.dense_disagreements.to_string()),
        ];
        rows.extend(wire.models.iter().map(|model| {
            let state = model.failure.as_ref().map_or("there".to_owned(), |failure| failure.clone());
            row(&format!("model for {}", model.job), format!("{} of {}: {state}", model.model, model.provider))
        }));
        rows.push(row("verdict", if wire.sound { "sound".to_owned() } else { "not sound".to_owned() }));
        print(&render::table(&rows))?;
    }
    Ok(match (wire.sound, is_served) {
        (false, _) => ExitCode::FAILURE,
        (true, false) => ExitCode::from(3),
        (true, true) => ExitCode::SUCCESS,
    })
}
