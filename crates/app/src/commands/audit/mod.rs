//! `vouch audit`: the trail of requests. Listing and showing take no lock, so that they work while a server runs.

mod recalls;
mod replay;

use std::{process::ExitCode, sync::Arc};

use anyhow::anyhow;
use serde::Serialize;
use serde_json::Value;
use vouch_domain::{AuditScope, AuditedEntry, ports::AuditTrail};
use vouch_service::wire::{AuditLineWire, audited};

use super::{load, print, print_json, tell};
use crate::{
    cli::{AuditCommand, Common},
    render, wiring,
};

/// How much of a question is shown in a list.
const QUERY_CHARS: usize = 60;

#[derive(Serialize)]
struct Listed {
    entries: Vec<AuditLineWire>,
}

pub(super) async fn run(common: &Common, command: AuditCommand) -> anyhow::Result<ExitCode> {
    match command {
        AuditCommand::List { tenant, limit } => list(common, &tenant, usize::from(limit)).await,
        AuditCommand::Show { id, tenant } => show(common, &tenant, &id).await,
        AuditCommand::Recalls { tenant, since, limit } => {
            recalls::run(common, &tenant, since, usize::from(limit)).await
        }
        AuditCommand::Replay { id, tenant } => replay::run(common, &tenant, &id).await,
    }
}

/// The trail that the settings name; none where nothing was asked yet.
fn trail(common: &Common) -> anyhow::Result<Option<Arc<dyn AuditTrail>>> {
    wiring::trail_to_read(&load(common)?, &common.data)
}

fn tell_if_partial(trail: &dyn AuditTrail) {
    if trail.is_sending() {
        tell("Requests of this data folder are still being sent to the database: others may be missing.");
    } else if trail.is_partial() {
        tell("The database cannot be reached: these are only the requests of this data folder.");
    }
}

async fn list(common: &Common, tenant: &str, limit: usize) -> anyhow::Result<ExitCode> {
    let entries = match trail(common)? {
        Some(trail) => {
            let newest = trail.newest(&AuditScope::for_tenant(tenant), limit).await?;
            tell_if_partial(trail.as_ref());
            newest
        }
        None => Vec::new(),
    };
    let entries: Vec<AuditLineWire> = entries.iter().map(AuditLineWire::new).collect();
    if common.json {
        print_json(&Listed { entries })?;
    } else {
        let rows: Vec<Vec<String>> = entries.iter().map(line).collect();
        print(&render::table(&rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(entry: &AuditLineWire) -> Vec<String> {
    let query = entry.query.as_deref().unwrap_or("(not recorded)");
    let mut shown: String = query.chars().take(QUERY_CHARS).map(|sign| if sign == '\n' { ' ' } else { sign }).collect();
    if query.chars().count() > QUERY_CHARS {
        shown.push('…');
    }
    let outcome = entry.reason.as_ref().map_or(entry.outcome.clone(), |why| format!("{} ({why})", entry.outcome));
    let took = format!("{:.0} ms", entry.response_time_ms);
    vec![entry.timestamp.clone(), entry.request_id.clone(), entry.user_id.clone(), outcome, took, shown]
}

async fn show(common: &Common, tenant: &str, id: &str) -> anyhow::Result<ExitCode> {
    let whole = audited(&entry(common, tenant, id).await?);
    if common.json {
        print_json(&whole)?;
    } else {
        print(&shown(&whole))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The newest entry of this name.
async fn entry(common: &Common, tenant: &str, id: &str) -> anyhow::Result<AuditedEntry> {
    let found = match trail(common)? {
        Some(trail) => {
            let found = trail.entry(&AuditScope::for_tenant(tenant), id).await?;
            tell_if_partial(trail.as_ref());
            found
        }
        None => None,
    };
    found.ok_or_else(|| {
        anyhow!("tenant '{tenant}' has no request '{id}' in the audit trail of {}", common.data.display())
    })
}

/// What a person wants to know first; `--json` has everything.
fn shown(whole: &Value) -> String {
    let text = |pointer: &str| match whole.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    let mut out = String::new();
    for (name, pointer) in [
        ("request", "/request_id"),
        ("when", "/timestamp"),
        ("who", "/user_id"),
        ("tenant", "/tenant"),
        ("tags", "/scope/tags"),
        ("came in by", "/surface"),
        ("session", "/session_id"),
        ("turn", "/turn"),
        ("asked", "/asked/query"),
        ("outcome", "/outcome"),
        ("reason", "/reason"),
        ("replied", "/reply"),
        ("failure", "/failure/sentence"),
        ("took (ms)", "/response_time_ms"),
        ("route", "/router_decision/route"),
        ("intent", "/router_decision/classification/category"),
        ("hits", "/retrieval/hits"),
        ("mean score", "/retrieval/mean_score"),
        ("corpus generation", "/corpus/generation_before"),
        ("embedder", "/circumstances/embedder"),
        ("judge", "/circumstances/judge"),
        ("settings", "/circumstances/settings"),
        ("identifiers checked", "/auditor/checked"),
        ("unknown identifiers", "/auditor/unknown"),
    ] {
        let value = text(pointer);
        if !value.is_empty() && value != "[]" {
            let value = value.replace('\n', &format!("\n{:22}", ""));
            render::push_line(&mut out, &format!("{name:<20}  {value}"));
        }
    }
    for gate in whole["gates"].as_array().into_iter().flatten() {
        let verdict = match (gate["passed"] == true, gate["name"] == "keywords") {
            (true, _) => "passed",
            (false, true) => "warned",
            (false, false) => "failed",
        };
        let line =
            format!("{:<20}  {} {verdict}: {} against {}", "gate", name(gate), gate["reading"], gate["threshold"]);
        render::push_line(&mut out, &line);
    }
    for cited in whole.pointer("/response/citations").and_then(Value::as_array).into_iter().flatten() {
        let source = cited["source_id"].as_str().unwrap_or_default();
        let line = format!("{:<20}  [^{}] {source} {}", "cited", cited["marker"], cited["quote"]);
        render::push_line(&mut out, &line);
    }
    for said in whole["feedback"].as_array().into_iter().flatten() {
        let thumb = said["helpful"].as_bool().map(|is_helpful| if is_helpful { "helpful" } else { "not helpful" });
        let rating = said["rating"].as_u64().map(|stars| format!("rated {stars} of 5"));
        let verdict: Vec<String> = thumb.map(str::to_owned).into_iter().chain(rating).collect();
        let verdict = verdict.join(", ");
        let (who, when) =
            (said["user_id"].as_str().unwrap_or_default(), said["timestamp"].as_str().unwrap_or_default());
        let comment = said["comment"].as_str().map_or(String::new(), |comment| format!(": {comment}"));
        render::push_line(&mut out, &format!("{:<20}  {who}, {when}: {verdict}{comment}", "feedback"));
    }
    out
}

fn name(gate: &Value) -> &str {
    gate["name"].as_str().unwrap_or_default()
}
