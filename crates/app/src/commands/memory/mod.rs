//! `vouch memory`: what editors prepare.

mod propose;
mod translate;

use std::{collections::BTreeSet, path::Path, process::ExitCode, time::Duration};

use vouch_domain::{MemoryEntry, MemoryKind, Reader, Reference, Wording, ports::Memory};
use vouch_engine::recall::{CurateError, CurateReport, Curator};
use vouch_service::{
    phrase_check::{PhraseReport, check_phrases},
    wire::EntryWire,
};

use super::{open, print, print_json, reader, tell};
use crate::{
    cli::{Common, MemoryCommand},
    exit::Usage,
    limited_file, memory_file,
    wiring::App,
};

/// How long the phrases of entries that were kept are asked.
const CHECK_TIMEOUT: Duration = Duration::from_secs(600);
const FILE_BYTES_MAX: u64 = 16 << 20;

pub(super) async fn run(common: &Common, command: MemoryCommand) -> anyhow::Result<ExitCode> {
    match command {
        MemoryCommand::Add { id, phrases, note, for_readers, references, tags, tenant } => {
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
                is_for_readers: for_readers,
                translated_by_model: BTreeSet::new(),
            };
            keep_in_turn(common, vec![entry], &tenant).await
        }
        MemoryCommand::Import { file, tenant } => {
            let memory_file::Read { entries, proposals } = read(&file, &tenant)?;
            if proposals > 0 {
                tell(&format!("left out {proposals} proposals; to accept one, remove its `proposal` line"));
            }
            keep_in_turn(common, entries, &tenant).await
        }
        MemoryCommand::Remove { ids, tenant } => {
            let app = open(common)?;
            let turn = app.turn_for_small_change(&tenant).await?;
            let removed = app.store.memory.remove(&tenant, &ids).await?;
            drop(turn);
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
    let text = limited_file::read_text(file, FILE_BYTES_MAX)?;
    memory_file::parse(&text, tenant).map_err(|error| Usage(format!("{}: {error:#}", file.display())).into())
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

/// The same for one change, in the tenant's turn: beside a server others change its memory, too. Then every phrase is asked, and
/// those that do not reach their entry are named.
async fn keep_in_turn(common: &Common, entries: Vec<MemoryEntry>, tenant: &str) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    let turn = app.turn_for_small_change(tenant).await?;
    let report = keep(&app, entries.clone(), tenant).await?;
    drop(turn);
    told(common, report, &check_phrases(&app.engine, &entries, CHECK_TIMEOUT).await)
}

fn told(
    common: &Common,
    CurateReport { added, changed }: CurateReport,
    phrases: &PhraseReport,
) -> anyhow::Result<ExitCode> {
    if common.json {
        let PhraseReport { asked, unasked, unreached } = phrases;
        print_json(&serde_json::json!({
            "added": added, "changed": changed, "asked": asked, "unasked": unasked, "unreached": unreached
        }))?;
    } else {
        phrases.lines().iter().for_each(|line| tell(line));
        let reached = match phrases.unreached.is_empty() {
            true => "all reach their entry".to_owned(),
            false => format!("{} do not reach their entry", phrases.unreached.len()),
        };
        print(&format!("added {added}, changed {changed}; asked {} phrases: {reached}\n", phrases.asked))?;
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

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, pin::pin, time::Duration};

    use tokio::time::timeout;
    use vouch_adapters::embedded::EmbedderCheck;

    use super::run;
    use crate::{
        cli::{Common, MemoryCommand},
        delegation::{borrowed_app, protocol::Terminal, remote_output::RemoteOutput},
        settings, wiring,
    };

    const ENTRY: &str = "- id: leave-form\n  kind: pinned\n  questions: [\"Which form carries leave over?\"]\n  \
                         references: [\"docs/leave.md\"]\n";

    fn changes(file: PathBuf) -> [MemoryCommand; 3] {
        let tenant = || "default".to_owned();
        let add = MemoryCommand::Add {
            id: "leave-form".to_owned(),
            phrases: vec!["Which form carries leave over?".to_owned()],
            note: None,
            for_readers: false,
            references: vec!["docs/leave.md".to_owned()],
            tags: Vec::new(),
            tenant: tenant(),
        };
        let remove = MemoryCommand::Remove { ids: vec!["leave-form".to_owned()], tenant: tenant() };
        [add, MemoryCommand::Import { file, tenant: tenant() }, remove]
    }

    #[tokio::test]
    async fn a_change_of_the_memory_waits_for_its_turn_beside_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let (data, file) = (folder.path().join("data"), folder.path().join("memory.yaml"));
        std::fs::write(&file, ENTRY).expect("our own file");
        let loaded = settings::parse_text("test", "").expect("settings");
        let app = wiring::build(&loaded, &data, EmbedderCheck::Enforce).expect("a store");
        let common = Common { config: None, data, json: false, log: None };
        for command in changes(file) {
            let turn = app.turn_for_small_change("default").await.expect("a turn");
            let output = RemoteOutput::new(std::io::sink(), Terminal::default());
            let mut change = pin!(output.scope(borrowed_app::scope(app.clone(), run(&common, command))));
            assert!(timeout(Duration::from_millis(50), &mut change).await.is_err(), "it waits");
            drop(turn);
            // Whether the entry can be kept is for other tests.
            assert!(timeout(Duration::from_secs(60), change).await.is_ok(), "it has its turn");
        }
    }
}
