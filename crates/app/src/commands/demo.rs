//! `vouch demo`: the profile's corpus, loaded once, and a chat about it.

use std::{collections::BTreeSet, path::Path, process::ExitCode};

use vouch_adapters::{embedded::EmbedderCheck, skos_file};
use vouch_domain::{RawDocument, Reader, SourceFormat, document::Labels};
use vouch_engine::ingest::{IngestReport, Run};

use super::{chat, ingest, tell};
use crate::{
    cli::Common,
    profiles::{self, Profile},
    settings, wiring,
    wiring::House,
};

pub(super) async fn run(common: &Common, profile: &str) -> anyhow::Result<ExitCode> {
    let profile = profiles::named(profile)?;
    let loaded = settings::load(common.config.as_deref(), Some(profile.settings))
        .map_err(|error| crate::exit::Usage(format!("{error:#}")))?;
    let folder = common.data.join("demo").join(profile.name);
    let house = wiring::build(&loaded, &folder, EmbedderCheck::Enforce)?;
    load_vocabulary(&house, profile)?;
    let report = load_corpus(&house, profile).await?;
    if report.added + report.updated > 0 {
        tell(&format!("Loaded {} documents of the profile '{}'.", report.added + report.updated, profile.name));
    }
    introduce(profile, &folder);
    chat::converse(&house, &Reader::of_tenant(Reader::DEFAULT_TENANT), common.json).await
}

/// Takes the profile's terms in, in the place of those that were there.
fn load_vocabulary(house: &House, profile: &Profile) -> anyhow::Result<()> {
    let Some((name, text)) = profile.vocabulary else { return Ok(()) };
    let concepts = skos_file::read(Path::new(name), text.as_bytes())?;
    let source = format!("profile:{}/{name}", profile.name);
    house.store.vocabulary.replace(Reader::DEFAULT_TENANT, &source, &concepts)?;
    Ok(())
}

/// Takes the profile's documents in; the ones already there are left as they are.
async fn load_corpus(house: &House, profile: &Profile) -> anyhow::Result<IngestReport> {
    let labels = Labels { tenant: Reader::DEFAULT_TENANT.to_owned(), tags: BTreeSet::new(), ..Labels::default() };
    let documents = profile.corpus.iter().map(|(name, text)| {
        Ok(RawDocument {
            source: format!("profile:{}/{name}", profile.name),
            fallback_id: (*name).to_owned(),
            format: SourceFormat::Markdown,
            bytes: text.as_bytes().to_vec(),
            labels: labels.clone(),
        })
    });
    let bytes = profile.corpus.iter().map(|(_, text)| text.len() as u64).sum();
    let progress = ingest::Bar::start(bytes);
    progress.read(bytes);
    let run = Run { tenant: Reader::DEFAULT_TENANT, source_exists: &|_| true, progress: &progress };
    let report = house.ingest.take_in(documents, &run).await?;
    progress.finish();
    Ok(report)
}

fn introduce(profile: &Profile, folder: &Path) {
    let titles: Vec<String> = profile
        .corpus
        .iter()
        .filter_map(|(_, text)| text.lines().find_map(|line| line.strip_prefix("# ")))
        .map(|title| format!("  {title}"))
        .collect();
    let (answered, refused) = profile.examples;
    tell(&format!(
        "\nProfile '{}', stored in {}. Its documents:\n{}\n\nTry: {answered}\nOr:  {refused}  (not in there, so Vouch refuses)",
        profile.name,
        folder.display(),
        titles.join("\n")
    ));
}
