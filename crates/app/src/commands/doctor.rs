//! `vouch doctor`: whether every file of the store is whole, every part of it says the same, and every passage what its
//! document says. A store that cannot be opened, or that another process holds, is looked through all the same.

use std::{path::Path, process::ExitCode, sync::Arc};

use serde::Serialize;

use vouch_adapters::embedded::{EmbeddedTrail, Finding, examine, state_of};
use vouch_domain::{Fault, PortError, ports::Clock};
use vouch_engine::{
    model_registry::{JobModel, ModelRegistry, measure_speed},
    policy::BudgetPolicy,
};

use super::{load, open, print, print_json};
use crate::{certificate_file, cli::Common, render, settings::LoadedSettings, wiring};

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
    /// What searches vectors, where that is a server of its own; null if the data folder does.
    dense: Option<DenseWire>,
    /// What is damaged, file by file; what is derived has been rebuilt by the time this is told.
    findings: Vec<FindingWire>,
    /// The last link of the trail's chain; kept elsewhere it shows later whether the trail was rewritten.
    trail_head: Option<String>,
    embedder: String,
    models: Vec<ModelWire>,
    /// Why the profile's tools cannot be used; null if they can, or there are none.
    tools_fault: Option<String>,
    /// What is certified of the answers, and whether it still holds; null if nothing is.
    certificate: Option<String>,
}

/// A server of vectors, brought up to the store and compared with it.
#[derive(Serialize)]
struct DenseWire {
    engine: &'static str,
    failure: Option<String>,
}

/// Something that was found damaged.
#[derive(Serialize)]
struct FindingWire {
    part: String,
    what: String,
    mended: bool,
}

/// One job's model, and whether its server has it.
#[derive(Serialize)]
struct ModelWire {
    job: &'static str,
    model: String,
    provider: &'static str,
    failure: Option<String>,
    /// How fast it is here; told of the model that writes answers.
    speed: Option<SpeedWire>,
}

/// How fast a model is, and how long an answer would take it.
#[derive(Serialize)]
struct SpeedWire {
    reads_tokens_per_s: f64,
    writes_tokens_per_s: Option<f64>,
    first_word_s: f64,
    answer_s: f64,
    /// What to do where an answer would not begin in time, or could not be measured.
    advice: Option<String>,
}

pub(super) async fn run(common: &Common) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    let embedder = wiring::embedder(&loaded)?;
    let findings = if common.data.is_dir() { examine(&common.data, embedder.identity())? } else { Vec::new() };
    let app = match open(common) {
        Ok(app) => app,
        // Whoever holds the folder may have been writing while it was looked through.
        Err(error) if held(&error).is_some() && examine(&common.data, embedder.identity())?.is_empty() => {
            return tell_held(common, &loaded, &error).await;
        }
        Err(error) if findings.is_empty() => return Err(error),
        Err(_) => return tell_unopened(common, findings),
    };
    let health = app.store.health()?;
    let findings: Vec<FindingWire> = findings.into_iter().map(|finding| wire(finding, true)).collect();
    let trail_head = trail_head(&common.data)?;
    let engine = &app.engine;
    let models = models(&engine.model_registry, &engine.clock, &engine.policies.compose.budget).await;
    let tools_fault = wiring::tools_fault(&loaded.settings.tools, &common.data).map(|error| error.sentence);
    let dense = dense(&app).await;
    let is_served = models.iter().all(|model| model.failure.is_none())
        && dense.as_ref().is_none_or(|dense| dense.failure.is_none());
    let wire = HealthWire {
        sound: health.is_sound() && findings.iter().all(|finding| finding.mended),
        generation: health.generation.0,
        documents: health.documents,
        passages: health.passages,
        incomplete_documents: health.incomplete_documents,
        identity_disagreements: health.identity_disagreements,
        missing_successors: health.missing_successors,
        lexical_disagreements: health.lexical_disagreements,
        dense_disagreements: health.dense_disagreements,
        dense,
        findings,
        trail_head,
        embedder: app.embedder.identity().name.clone(),
        models,
        tools_fault,
        certificate: certificate_file::standing(&app).await?.map(|(_, sentence)| sentence),
    };
    if common.json {
        print_json(&wire)?;
    } else {
        print(&format!(
            "{}\n\n{}",
            headline(&common.data, (wire.sound, wire.tools_fault.is_none()), wire.documents, is_served),
            render::table(&rows(&wire))
        ))?;
    }
    Ok(match (wire.sound, is_served && wire.tools_fault.is_none()) {
        (false, _) => ExitCode::FAILURE,
        (true, false) => ExitCode::from(3),
        (true, true) => ExitCode::SUCCESS,
    })
}

/// Everything that was looked at, a line each.
fn rows(wire: &HealthWire) -> Vec<Vec<String>> {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = vec![
        row("version", crate::version::text().to_owned()),
        row("embedder", wire.embedder.clone()),
        row("generation", wire.generation.to_string()),
        row("documents", wire.documents.to_string()),
        row("passages", wire.passages.to_string()),
        row("incomplete documents", wire.incomplete_documents.to_string()),
        row("identity mismatches", wire.identity_disagreements.to_string()),
        row("missing successors", wire.missing_successors.join("; ")),
        row("word index mismatches", wire.lexical_disagreements.to_string()),
        row("vector index mismatches", wire.dense_disagreements.to_string()),
    ];
    rows.extend(wire.dense.iter().map(|dense| {
        let state = dense.failure.as_deref().unwrap_or("available and in step with the catalogue");
        row("vectors in", format!("{}: {state}", dense.engine))
    }));
    rows.extend(wire.trail_head.iter().map(|head| row("head of the trail", head.clone())));
    rows.extend(wire.findings.iter().map(finding_row));
    rows.extend(wire.models.iter().map(model_row));
    rows.extend(wire.tools_fault.iter().map(|sentence| row("tools", format!("cannot be used: {sentence}"))));
    rows.extend(wire.certificate.iter().map(|sentence| row("certificate", sentence.clone())));
    rows.push(row("verdict", if wire.sound { "sound".to_owned() } else { "not sound".to_owned() }));
    rows
}

/// What can be said of a store that another process holds.
#[derive(Serialize)]
struct HeldWire {
    sound: bool,
    /// Who holds it.
    held: String,
    generation: u64,
    trail_head: Option<String>,
    models: Vec<ModelWire>,
}

/// The store's own word, where another process holds it.
fn held(error: &anyhow::Error) -> Option<String> {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<PortError>());
    causes.find(|error| error.fault == Fault::Held).map(|error| error.sentence.clone())
}

async fn tell_held(common: &Common, loaded: &LoadedSettings, error: &anyhow::Error) -> anyhow::Result<ExitCode> {
    let (registry, clock) = wiring::model_registry(loaded)?;
    let models = models(&registry, &clock, &loaded.policies.compose.budget).await;
    let is_served = models.iter().all(|model| model.failure.is_none());
    let wire = HeldWire {
        sound: true,
        held: held(error).unwrap_or_default(),
        generation: state_of(&common.data)?.generation.0,
        trail_head: trail_head(&common.data)?,
        models,
    };
    if common.json {
        print_json(&wire)?;
    } else {
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let mut rows = vec![
            row("version", crate::version::text().to_owned()),
            row("generation", wire.generation.to_string()),
            row("held", wire.held),
        ];
        rows.extend(wire.trail_head.iter().map(|head| row("head of the trail", head.clone())));
        rows.extend(wire.models.iter().map(model_row));
        rows.push(row("verdict", "sound, as far as can be checked while another process uses it".to_owned()));
        print(&render::table(&rows))?;
    }
    Ok(if is_served { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

fn trail_head(folder: &Path) -> anyhow::Result<Option<String>> {
    let head = EmbeddedTrail::open_to_read(folder)?.map(|trail| trail.head()).transpose()?;
    Ok(head.map(|(number, chain)| format!("{number} {chain}")))
}

fn model_row(model: &ModelWire) -> Vec<String> {
    let there = || model.speed.as_ref().map_or("available".to_owned(), SpeedWire::sentence);
    let state = model.failure.clone().unwrap_or_else(there);
    vec![format!("model for {}", model.job), format!("{} of {}: {state}", model.model, model.provider)]
}

/// What can be said of a store that cannot be opened.
#[derive(Serialize)]
struct UnopenedWire {
    sound: bool,
    findings: Vec<FindingWire>,
}

fn tell_unopened(common: &Common, findings: Vec<Finding>) -> anyhow::Result<ExitCode> {
    let findings: Vec<FindingWire> = findings.into_iter().map(|finding| wire(finding, false)).collect();
    if common.json {
        print_json(&UnopenedWire { sound: false, findings })?;
    } else {
        let mut rows: Vec<Vec<String>> = findings.iter().map(finding_row).collect();
        rows.push(vec!["verdict".to_owned(), "not sound".to_owned()]);
        print(&render::table(&rows))?;
    }
    Ok(ExitCode::FAILURE)
}

fn wire(finding: Finding, is_opened: bool) -> FindingWire {
    FindingWire { part: finding.part, what: finding.what, mended: is_opened && finding.is_derived }
}

fn finding_row(finding: &FindingWire) -> Vec<String> {
    let mended = if finding.mended { " (rebuilt)" } else { "" };
    vec![format!("damage in {}", finding.part), format!("{}{mended}", finding.what)]
}

/// Whether all is well, in one line.
fn headline(folder: &Path, (is_sound, has_tools): (bool, bool), documents: u64, is_served: bool) -> String {
    let place = folder.display();
    match (is_sound, is_served, documents) {
        (false, _, _) => {
            format!("Not well: the store in {place} is damaged, see below; `vouch store repair` may fix it.")
        }
        (true, false, _) => "Not well: a server named in the settings cannot be reached, see below.".to_owned(),
        (true, true, _) if !has_tools => "Not well: the tools in the settings cannot be used, see below.".to_owned(),
        (true, true, 0) => {
            format!("All is well, but {place} has no documents yet: start with `vouch ingest FOLDER`.")
        }
        (true, true, _) => format!("All is well: {documents} documents in {place}."),
    }
}

/// The server of vectors, where there is one; its index is mended where it lacks something.
async fn dense(app: &wiring::App) -> Option<DenseWire> {
    let engine = app.dense_server()?;
    let failure = app.engine.retrieve.dense.refresh().await.err().map(|error| error.sentence);
    Some(DenseWire { engine, failure })
}

/// The model of every job, and whether its server has it.
async fn models(registry: &ModelRegistry, clock: &Arc<dyn Clock>, budget: &BudgetPolicy) -> Vec<ModelWire> {
    let mut models = Vec::new();
    for (job, job_model) in registry.jobs() {
        let failure = job_model.check_available().await.err().map(|error| error.to_string());
        let speed = match failure.is_none() && job == "answer" {
            true => Some(speed(job_model, clock, budget).await),
            false => None,
        };
        let provider = job_model.server.provider();
        models.push(ModelWire { job, model: job_model.model.clone(), provider, failure, speed });
    }
    models
}

/// Has the model that writes read and write a little.
async fn speed(job_model: &JobModel, clock: &Arc<dyn Clock>, budget: &BudgetPolicy) -> SpeedWire {
    match measure_speed(job_model, clock, budget).await {
        Ok(speed) => SpeedWire {
            reads_tokens_per_s: speed.reads.round(),
            writes_tokens_per_s: speed.writes.map(f64::round),
            first_word_s: tenths(speed.first_word.as_secs_f64()),
            answer_s: tenths(speed.answer.as_secs_f64()),
            advice: speed.context_advised.map(|tokens| {
                format!(
                    "that is later than first_token_timeout_ms allows; set models.context_tokens_max to {tokens}, or allow more time"
                )
            }),
        },
        Err(error) => SpeedWire {
            reads_tokens_per_s: 0.0,
            writes_tokens_per_s: None,
            first_word_s: 0.0,
            answer_s: 0.0,
            advice: Some(format!("its speed could not be measured: {error}")),
        },
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

impl SpeedWire {
    fn sentence(&self) -> String {
        if self.reads_tokens_per_s == 0.0 {
            return format!("available; {}", self.advice.as_deref().unwrap_or_default());
        }
        let writes = self.writes_tokens_per_s.map_or_else(String::new, |rate| format!(" and writes {rate}"));
        let advice = self.advice.as_ref().map_or_else(String::new, |advice| format!("; {advice}"));
        format!(
            "available; reads {} tokens per second{writes}: an answer begins after about {} s and takes about {} \
             s{advice}",
            self.reads_tokens_per_s, self.first_word_s, self.answer_s
        )
    }
}
