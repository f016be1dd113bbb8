//! `vouch audit recalls`: answers that rest on what no longer stands; works while a server runs.

use std::process::ExitCode;

use vouch_adapters::embedded::{EmbeddedVersions, holds_store, state_of};
use vouch_domain::{AuditScope, Reader, Timestamp, ports::AuditPlace};
use vouch_service::recalls::{
    RecallList, RecallQuery, RecallReason, RecallWire, RecalledSource, RecalledVersion, Recalls,
};

use super::super::{print, print_json};
use crate::{
    cli::Common,
    exit::{NothingIngested, Usage},
    render,
};

pub(super) async fn run(
    common: &Common,
    tenant: &str,
    since: Option<String>,
    limit: usize,
) -> anyhow::Result<ExitCode> {
    if let Some(day) = since.as_ref().filter(|day| Timestamp::parse(&format!("{day}T00:00")).is_none()) {
        return Err(Usage(format!("--since is '{day}', it must be a day such as 2026-05-21")).into());
    }
    if !holds_store(&common.data) {
        return Err(NothingIngested(common.data.display().to_string()).into());
    }
    let list = match super::trail(common)? {
        Some(trail) => {
            let versions = EmbeddedVersions::open_to_read(&common.data)?;
            let state = state_of(&common.data)?;
            let recalls = Recalls { trail: trail.as_ref(), versions: &versions, state: &state };
            let list = whole(&recalls, tenant, (since, limit)).await?;
            super::tell_if_partial(trail.as_ref());
            list
        }
        None => RecallList { recalls: Vec::new(), searched: 0, skipped: 0, next: None },
    };
    if common.json {
        print_json(&list)?;
    } else {
        print(&shown(&list))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The list of the whole trail, up to a limit: nobody waits behind this command as behind a server.
async fn whole(
    recalls: &Recalls<'_>,
    tenant: &str,
    (since, limit): (Option<String>, usize),
) -> anyhow::Result<RecallList> {
    let (scope, reader) = (AuditScope::for_tenant(tenant), Reader::of_tenant(tenant));
    let mut query = RecallQuery { since, before: None, limit };
    let mut list = recalls.list(&scope, &reader, &query).await?;
    while let Some(next) = list.next.as_deref().and_then(|next| next.parse().ok())
        && list.recalls.len() < limit
    {
        query = RecallQuery { before: Some(AuditPlace(next)), limit: limit - list.recalls.len(), ..query };
        let further = recalls.list(&scope, &reader, &query).await?;
        list.recalls.extend(further.recalls);
        list.searched += further.searched;
        list.skipped += further.skipped;
        list.next = further.next;
    }
    Ok(list)
}

fn shown(list: &RecallList) -> String {
    let mut out = String::new();
    for recall in &list.recalls {
        answer(&mut out, recall);
    }
    let count = match list.recalls.len() {
        0 => "No answer relies on an outdated source".to_owned(),
        1 => "One answer relies on an outdated source".to_owned(),
        many => format!("{many} answers rely on outdated sources"),
    };
    let looked = if list.searched == 1 { "request of the trail was" } else { "requests of the trail were" };
    render::push_line(&mut out, &format!("{count}; {} {looked} looked at.", list.searched));
    if list.next.is_some() {
        render::push_line(&mut out, "There are older requests; raise --limit to look further back.");
    }
    if list.skipped > 0 {
        let line = format!(
            "{} could not be compared: their records cannot be read, or they came from another store.",
            list.skipped
        );
        render::push_line(&mut out, &line);
    }
    out
}

fn answer(out: &mut String, recall: &RecallWire) {
    let query = recall.query.as_deref().map_or("(not recorded)".to_owned(), one_line);
    render::push_line(out, &format!("{}  {}  {}", recall.timestamp, recall.request_id, recall.user_id));
    render::push_line(out, &format!("  asked: {query}"));
    for source in &recall.sources {
        let title = if source.title.is_empty() { &source.document_id } else { &source.title };
        let what = format!("  [^{}] {title} ({}) {}", source.marker, source.document_id, became(source));
        render::push_line(out, &what);
        for sentence in &source.sentences {
            render::push_line(out, &format!("    cited: {}", one_line(&sentence.text)));
            if let Some(now) = &sentence.in_its_place {
                let section = sentence.section.as_ref().map(|section| format!(" (in {section})"));
                render::push_line(out, &format!("    now:   {}{}", one_line(now), section.unwrap_or_default()));
            }
        }
    }
    out.push('\n');
}

/// What became of a document, in words.
fn became(source: &RecalledSource) -> String {
    let versions = match &source.version_now {
        Some(now) => format!("; {} then, {} now", version(&source.version_then), version(now)),
        None => String::new(),
    };
    let became = match source.reason {
        RecallReason::Removed => "was removed".to_owned(),
        RecallReason::Superseded => {
            format!("is superseded by {}", source.superseded_by.as_deref().unwrap_or("another document"))
        }
        RecallReason::Withdrawn => {
            format!("is no longer valid: its status is {}", source.status.as_deref().unwrap_or("unknown"))
        }
        RecallReason::Changed => "no longer says this".to_owned(),
        RecallReason::Unknown => "has changed, and the version that was cited is no longer kept".to_owned(),
    };
    format!("{became}{versions}")
}

fn version(version: &RecalledVersion) -> String {
    let number = version.number.map_or("a version".to_owned(), |number| format!("version {number}"));
    let facts: Vec<String> =
        version.label.iter().map(|label| format!("labelled {label}")).chain(version.date.clone()).collect();
    if facts.is_empty() { number } else { format!("{number} ({})", facts.join(", ")) }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
