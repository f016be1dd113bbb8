//! `vouch demo`: the profile's corpus, loaded once, and a page to ask about it, or a chat.

use std::{collections::BTreeSet, net::SocketAddr, path::Path, process::ExitCode};

use anyhow::Context;
use vouch_adapters::{embedded::EmbedderCheck, files, skos_file, tools};
use vouch_domain::{
    Caller, RawDocument, Reader, Role, SourceFormat,
    document::Labels,
    ports::{Memory, Register},
};
use vouch_engine::ingest::{IngestReport, IngestRun};

use super::{chat, memory, reader, serve, tell};
use crate::{
    cli::{Common, ReaderArgs},
    delegation::runner::Runner,
    memory_file, people_file,
    profiles::{self, Profile},
    progress::Bar,
    settings::{self, ServeSettings},
    wiring,
    wiring::App,
};

/// How many ports after the usual one are tried where it is taken.
const PORTS_TRIED: u16 = 20;

/// A profile that is loaded, and who asks.
struct Stage {
    app: App,
    serve: ServeSettings,
    asker: Caller,
}

/// Serves the page and the API over the profile's corpus.
pub(super) async fn serve(
    common: &Common,
    profile: &str,
    listen: Option<SocketAddr>,
    runner: Runner,
) -> anyhow::Result<ExitCode> {
    let stage = set(common, profile).await?;
    let addresses = match listen {
        Some(address) => vec![address],
        None => {
            let usual = serve::address(&stage.serve)?;
            let ports = usual.port()..=usual.port().saturating_add(PORTS_TRIED);
            ports.map(|port| SocketAddr::new(usual.ip(), port)).collect()
        }
    };
    tell("\nOpen the address below in a browser; press Ctrl-C to stop. Use `vouch demo --chat` to ask here instead.");
    serve::serve(&stage.app, &addresses, &stage.serve, (stage.asker, None, runner)).await
}

/// Answers questions about the profile's corpus line by line.
pub(super) async fn chat(common: &Common, profile: &str) -> anyhow::Result<ExitCode> {
    let stage = set(common, profile).await?;
    chat::converse(&stage.app, &stage.asker, common.json).await
}

async fn set(common: &Common, profile: &str) -> anyhow::Result<Stage> {
    let profile = profiles::find(profile)?;
    let loaded = settings::load(common.config.as_deref(), Some(profile.settings))
        .map_err(|error| crate::exit::Usage(format!("{error:#}")))?;
    let folder = common.data.join("demo").join(profile.name);
    load_database(profile, &folder)?;
    let app = wiring::build(&loaded, &folder, EmbedderCheck::Enforce)?;
    load_vocabulary(&app, profile)?;
    let mut taken_in = 0;
    for tenant in tenants(profile) {
        let report = load_corpus(&app, profile, tenant).await?;
        taken_in += report.added + report.updated;
    }
    load_memory(&app, profile).await?;
    if taken_in > 0 {
        tell(&format!("Loaded {taken_in} documents of the profile '{}'.", profile.name));
    }
    let asker = load_people(&app, profile).await?;
    introduce(profile, &folder, &visible_titles(&app, profile, &asker.reader).await?);
    let mut serve = loaded.settings.serve;
    if serve.examples.is_empty() {
        serve.examples = [profile.examples.0, profile.examples.1].map(str::to_owned).to_vec();
    }
    Ok(Stage { app, serve, asker })
}

/// Whose documents the profile holds.
fn tenants(profile: &Profile) -> BTreeSet<&'static str> {
    profile.corpus.iter().map(|(name, _)| tenant_of(profile, name)).collect()
}

fn tenant_of(profile: &Profile, name: &'static str) -> &'static str {
    match &profile.people {
        Some(people) if people.has_tenant_folders => name.split('/').next().unwrap_or(Reader::DEFAULT_TENANT),
        Some(_) | None => Reader::DEFAULT_TENANT,
    }
}

/// Imports the profile's people; returns the one who asks.
async fn load_people(app: &App, profile: &Profile) -> anyhow::Result<Caller> {
    let Some(people) = &profile.people else { return Ok(serve::local()) };
    let file = people_file::parse(people.text)?;
    let topics = file.topics.into_iter().map(|(_, topic)| topic).collect();
    app.store.directory.upsert(file.people, topics).await?;
    let args = ReaderArgs { tags: None, user: Some(people.user.to_owned()), tenant: people.tenant.to_owned() };
    let reader = reader::from_args(&args, app.store.directory.as_ref()).await?;
    tell(&format!("You are {} of {} and see what this user may see.", people.user, people.tenant));
    Ok(Caller {
        id: people.user.to_owned(),
        name: None,
        person: Some(people.user.to_owned()),
        reader,
        role: Role::Reader,
        requests_per_minute: None,
    })
}

/// Makes the database that the profile's tools look at, if it is not there yet.
pub(super) fn load_database(profile: &Profile, folder: &Path) -> anyhow::Result<()> {
    let Some((name, statements)) = profile.database else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(name);
    tools::sample_database(&path, statements).with_context(|| format!("cannot make {}", path.display()))
}

/// Imports the profile's terms, replacing those that were there.
fn load_vocabulary(app: &App, profile: &Profile) -> anyhow::Result<()> {
    let Some((name, text)) = profile.vocabulary else { return Ok(()) };
    let concepts = skos_file::read(Path::new(name), text.as_bytes())?;
    let source = format!("profile:{}/{name}", profile.name);
    app.store.vocabulary.replace(Reader::DEFAULT_TENANT, &source, &concepts)?;
    Ok(())
}

/// Imports the profile's curated memory, if it is not there yet.
async fn load_memory(app: &App, profile: &Profile) -> anyhow::Result<()> {
    let Some(text) = profile.memory else { return Ok(()) };
    let mut entries = memory_file::parse(text, Reader::DEFAULT_TENANT)?.entries;
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    let there = app.store.memory.entries(&Reader::of_tenant(Reader::DEFAULT_TENANT)).await?;
    if there != entries {
        memory::keep(app, entries, Reader::DEFAULT_TENANT).await?;
    }
    Ok(())
}

/// Ingests the profile's documents; those already stored stay as they are.
async fn load_corpus(app: &App, profile: &Profile, tenant: &str) -> anyhow::Result<IngestReport> {
    let labels = Labels { tenant: tenant.to_owned(), tags: BTreeSet::new(), ..Labels::default() };
    let own = || profile.corpus.iter().filter(|(name, _)| tenant_of(profile, name) == tenant);
    let documents = own().map(|(name, text)| {
        Ok(RawDocument {
            source: format!("profile:{}/{name}", profile.name),
            fallback_id: (*name).to_owned(),
            url: None,
            format: files::format_of(Path::new(name)).unwrap_or(SourceFormat::Markdown),
            bytes: text.as_bytes().to_vec(),
            labels: labels.clone(),
        })
    });
    let bytes = own().map(|(_, text)| text.len() as u64).sum();
    let progress = Bar::start(bytes);
    progress.read(bytes);
    let run = IngestRun { sees_all: true, tenant, roots: &[], source_exists: &|_| true, progress: &progress };
    let report = app.ingest.ingest(documents, &run).await?;
    progress.finish();
    Ok(report)
}

/// The titles of the documents whoever asks may see; where a profile has no people, all of them.
async fn visible_titles(app: &App, profile: &Profile, reader: &Reader) -> anyhow::Result<Vec<String>> {
    let titled = |text: &'static str| {
        let titled = text.lines().find_map(|line| line.strip_prefix("title: "));
        titled
            .or_else(|| text.lines().find_map(|line| line.strip_prefix("# ")))
            .map(|title| title.trim_matches('"').to_owned())
    };
    let mut titles: Vec<String> = profile.corpus.iter().filter_map(|(_, text)| titled(text)).collect();
    if profile.people.is_some() {
        let mut seen = BTreeSet::new();
        for kind in app.store.register.kinds(reader).await? {
            let cards = app.store.register.of_kind(reader, &kind.kind, profile.corpus.len()).await?;
            seen.extend(cards.into_iter().map(|card| card.title));
        }
        titles.retain(|title| seen.contains(title));
    }
    Ok(titles)
}

fn introduce(profile: &Profile, folder: &Path, titles: &[String]) {
    let titles: Vec<String> = titles.iter().map(|title| format!("  {title}")).collect();
    let (answered, refused) = profile.examples;
    tell(&format!(
        "\nProfile '{}', stored in {}. Its documents:\n{}\n\nTry: {answered}\nOr:  {refused}  (not in the documents, \
         so Vouch refuses)",
        profile.name,
        folder.display(),
        titles.join("\n")
    ));
}
