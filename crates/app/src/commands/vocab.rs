//! `vouch vocab`: SKOS files into the store, each whole or not at all, and out of it again.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use serde::Serialize;
use vouch_adapters::{
    embedded::{VocabularyCounts, VocabularySource},
    skos_file,
};
use vouch_domain::Concept;

use super::{open, print, print_json, tell};
use crate::{
    cli::{Common, VocabCommand},
    delegation::remote_output::is_abandoned,
    wiring::App,
};

/// The largest vocabulary file.
const FILE_BYTES_MAX: u64 = 256 << 20;

#[derive(Serialize)]
struct Imported {
    file: String,
    concepts: usize,
    labels: usize,
    defined: usize,
    replaced: usize,
}

#[derive(Serialize)]
struct Listed {
    file: String,
    concepts: usize,
    defined: usize,
}

#[derive(Serialize)]
struct Removed {
    file: String,
    removed: usize,
}

pub(super) async fn run(common: &Common, command: &VocabCommand) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    match command {
        VocabCommand::Import { files, tenant } => import_all(common, &app, files, tenant).await,
        VocabCommand::List { tenant } => list(common, &app, tenant),
        VocabCommand::Remove { names, tenant } => remove(common, &app, names, tenant),
    }
}

fn list(common: &Common, app: &App, tenant: &str) -> anyhow::Result<ExitCode> {
    let listed = app.store.vocabulary.sources(tenant)?;
    let listed = listed.into_iter().map(|VocabularySource { source, concepts, defined }| Listed {
        file: source,
        concepts,
        defined,
    });
    if common.json {
        print_json(&listed.collect::<Vec<_>>())?;
    } else {
        for Listed { file, concepts, defined } in listed {
            print(&format!("{file}: {concepts} concepts, {defined} with a definition\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Removes every source that is named, or none where a name is not that of one.
fn remove(common: &Common, app: &App, names: &[String], tenant: &str) -> anyhow::Result<ExitCode> {
    let known = app.store.vocabulary.sources(tenant)?;
    let found = names.iter().map(|name| named(name, &known)).collect::<anyhow::Result<Vec<_>>>()?;
    for source in found {
        let removed = app.store.vocabulary.replace(tenant, source, &[])?.replaced;
        if common.json {
            print_json(&Removed { file: source.to_owned(), removed })?;
        } else {
            print(&format!("{source}: {removed} concepts removed\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The one source of this name, or of a name that ends so.
fn named<'a>(name: &str, known: &'a [VocabularySource]) -> anyhow::Result<&'a str> {
    // A file that is there goes by its whole path; one that is gone by however much of it is said.
    let whole = std::fs::canonicalize(name).ok().filter(|path| known.iter().any(|one| Path::new(&one.source) == path));
    let end = whole.unwrap_or_else(|| PathBuf::from(name.trim_start_matches("./")));
    let is_named = |one: &&VocabularySource| Path::new(&one.source).ends_with(&end);
    match known.iter().filter(is_named).collect::<Vec<_>>().as_slice() {
        [only] => Ok(&only.source),
        [] => bail!("no vocabulary was imported from {name}; `vouch vocab list` names those that were"),
        several => {
            let names: Vec<&str> = several.iter().map(|one| one.source.as_str()).collect();
            bail!("{name} may be any of {}; name it in full", names.join(", "))
        }
    }
}

async fn import_all(common: &Common, app: &App, files: &[PathBuf], tenant: &str) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for file in files {
        match import(app, tenant, file).await {
            Err(error) => {
                tell(&format!("failed: {error:#}"));
                code = ExitCode::FAILURE;
            }
            Ok(VocabularyCounts { concepts, labels, defined, replaced }) => {
                let file = file.display().to_string();
                if concepts == 0 {
                    tell(&format!("note: {file} has no concepts; is it a SKOS file?"));
                }
                if common.json {
                    print_json(&Imported { file, concepts, labels, defined, replaced })?;
                } else {
                    print(&format!(
                        "{file}: {concepts} concepts, {labels} labels, {defined} with a definition, {replaced} replaced\n"
                    ))?;
                }
            }
        }
    }
    Ok(code)
}

async fn import(app: &App, tenant: &str, file: &Path) -> anyhow::Result<VocabularyCounts> {
    let path = file.to_owned();
    // Away from whoever hears that nobody waits for it any more, and ends it.
    let read = tokio::task::spawn_blocking(move || read(&path)).await;
    let concepts = read.context("an internal error stopped the import")??;
    if is_abandoned() {
        bail!("the import of {} was abandoned because nobody waits for it; nothing was imported", file.display());
    }
    let source = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    Ok(app.store.vocabulary.replace(tenant, &source.display().to_string(), &concepts)?)
}

fn read(file: &Path) -> anyhow::Result<Vec<Concept>> {
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{} has {size} bytes, the limit is {FILE_BYTES_MAX}", file.display());
    }
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    skos_file::read(file, &bytes).map_err(|fault| {
        let place = if fault.place.is_empty() { String::new() } else { format!(", {}", fault.place) };
        anyhow::anyhow!("{}{place}: {}", file.display(), fault.sentence)
    })
}

#[cfg(test)]
mod tests {
    use vouch_adapters::embedded::EmbedderCheck;

    use super::import;
    use crate::{
        delegation::{protocol::Terminal, remote_output::RemoteOutput},
        settings, wiring,
    };

    const TERMS: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
        <https://tarnside.example/terms/spindle> a skos:Concept ; skos:prefLabel \"spindle valve\"@en .\n";

    #[tokio::test]
    async fn a_vocabulary_that_nobody_waits_for_any_more_is_not_imported() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("terms.ttl");
        std::fs::write(&file, TERMS).expect("our own file");
        let loaded = settings::parse_text("test", "").expect("settings");
        let app = wiring::build(&loaded, &folder.path().join("data"), EmbedderCheck::Enforce).expect("a store");
        let output = RemoteOutput::new(std::io::sink(), Terminal::default());
        output.abandon();
        assert!(output.scope(import(&app, "default", &file)).await.is_err());
        assert!(app.store.vocabulary.is_empty().expect("a store"));
        assert_eq!(import(&app, "default", &file).await.expect("an import").concepts, 1);
    }
}
