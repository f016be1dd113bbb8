//! `vouch memory`: what editors prepare.

mod propose;
mod translate;

use std::{collections::BTreeSet, path::Path, process::ExitCode};

use anyhow::Context;
use vouch_domain::{MemoryEntry, MemoryKind, Reader, Reference, Wording, ports::Memory};
use vouch_engine::recall::{CurateError, CurateReport, Curator};
use vouch_service::wire::EntryWire;

use super::{open, print, print_json, reader, tell};
use crate::{
    cli::{Common, MemoryCommand},
    exit::Usage,
    memory_file,
    wiring::App,
};

const FILE_BYTES_MAX: u64 = 16 << 20;

pub(super) async fn run(common: &Common, command: MemoryCommand) -> anyhow::Result<ExitCode> {
    match command {
        MemoryCommand::Add { id, phrases, note, references, tags, tenant } => {
            let say = |text: &String| Wording { text: text.clone(), language: None };
            let mut read = Vec::new();
            for reference in &references {
                read.push(Reference::parse(reference).ok_or_else(|| Usage("a reference is empty".to_owned()))?);
            }
            let entry = MemoryEntry {
                id,
                tenant: tenant.clone(),
                kind: if note.is_some() { MemoryKind::Note } else { MemoryKind::Pinned },
                phrases: phrases.iter().map(say).collect(),
                note: note.iter().map(say).collect(),
                references: read,
                tags: tags.into_iter().collect(),
                translated_by_model: BTreeSet::new(),
            };
            told(common, keep(&open(common)?, vec![entry], &tenant).await?)
        }
        MemoryCommand::Import { file, tenant } => {
            let memory_file::Read { entries, proposals } = read(&file, &tenant)?;
            if proposals > 0 {
                tell(&format!("left out {proposals} proposals; one is accepted by taking out its `proposal`"));
            }
            told(common, keep(&open(common)?, entries, &tenant).await?)
        }
        MemoryCommand::Remove { ids, tenant } => {
            let removed = open(common)?.store.memory.remove(&tenant, &ids).await?;
            if common.json {
                print_json(&serde_json::json!({ "removed": removed }))?;
            } else {
                print(&format!("removed {removed}\n"))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        MemoryCommand::Export { reader: args } => {
            let store = open(common)?.store;
            let who = reader::from_args(&args, store.directory.as_ref()).await?;
            let entries = store.memory.entries(&who).await?;
            print(&memory_file::write::file(&entries.into_iter().map(|entry| (entry, None)).collect::<Vec<_>>()))?;
            Ok(ExitCode::SUCCESS)
        }
        MemoryCommand::Translate(args) => translate::run(common, &args).await,
        MemoryCommand::Propose(args) => propose::run(common, &args).await,
        MemoryCommand::List { reader: args } => {
            let store = open(common)?.store;
            let who = reader::from_args(&args, store.directory.as_ref()).await?;
            let entries = store.memory.entries(&who).await?;
            if common.json {
                print_json(&entries.iter().map(|entry| EntryWire::new(entry, &who)).collect::<Vec<_>>())?;
            } else {
                print(&listed(&entries))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A file's entries, or what is wrong with it.
pub(super) fn read(file: &Path, tenant: &str) -> anyhow::Result<memory_file::Read> {
    let shown = file.display();
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {shown}"))?.len();
    if size > FILE_BYTES_MAX {
        return Err(Usage(format!("{shown} has {size} bytes, the limit is {FILE_BYTES_MAX}")).into());
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    memory_file::parse(&text, tenant).map_err(|error| Usage(format!("{shown}: {error:#}")).into())
}

/// Checks, embeds and keeps a tenant's entries: all of them, or none.
pub(super) async fn keep(app: &App, entries: Vec<MemoryEntry>, tenant: &str) -> anyhow::Result<CurateReport> {
    let curator = Curator {
        memory: app.store.memory.as_ref(),
        register: app.engine.retrieve.register.as_ref(),
        embedder: app.embedder.as_ref(),
    };
    curator.upsert(entries, &Reader::of_tenant(tenant)).await.map_err(|error| match error {
        CurateError::Bad(_) => Usage(format!("nothing was imported: {error}")).into(),
        CurateError::Port(error) => error.into(),
    })
}

fn told(common: &Common, CurateReport { added, changed }: CurateReport) -> anyhow::Result<ExitCode> {
    if common.json {
        print_json(&serde_json::json!({ "added": added, "changed": changed }))?;
    } else {
        print(&format!("added {added}, changed {changed}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn listed(entries: &[MemoryEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let references: Vec<String> = entry.references.iter().map(Reference::to_text).collect();
        text.push_str(&format!("{} ({}) → {}\n", entry.id, entry.kind.as_str(), references.join(", ")));
        for phrase in &entry.phrases {
            text.push_str(&format!("    {}\n", phrase.text));
        }
    }
    if entries.is_empty() { "The memory is empty.\n".to_owned() } else { text }
}
