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
}

pub(super) fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let house = open(common)?;
    let health = house.store.health()?;
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
    };
    if common.json {
        print_json(&wire)?;
    } else {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        print(&render::table(&[
            row("embedder", wire.embedder),
            row("generation", wire.generation.to_string()),
            row("documents", wire.documents.to_string()),
            row("passages", wire.passages.to_string()),
            row("documents not whole", wire.incomplete_documents.to_string()),
            row("identity disagrees on", wire.identity_disagreements.to_string()),
            row("successors not there", wire.missing_successors.join("; ")),
            row("words index disagrees on", wire.lexical_disagreements.to_string()),
            row("vector index disagrees on", wire.dense_disagreements.to_string()),
            row("verdict", if wire.sound { "sound".to_owned() } else { "not sound".to_owned() }),
        ]))?;
    }
    Ok(if wire.sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
