//! `vouch verify`: the certificate of an answer against the store as it is now; neither a model nor a network is asked.

use std::{path::Path, process::ExitCode};

use vouch_service::answer_certificate::{
    AnswerCertificate, CertifiedReader, CheckedAnswer, CheckedSource, SourceStanding, check,
};

use super::{open_filled, print, print_json};
use crate::{
    answer_certificate_file::{circumstances, digest, ports, read},
    cli::Common,
    exit::Usage,
};

/// How much of the question and of a title is shown.
const SHOWN_CHARS: usize = 100;

pub(super) async fn run(common: &Common, path: &Path) -> anyhow::Result<ExitCode> {
    let unreadable = |fault: String| Usage(format!("{} {fault}", path.display()));
    let (certificate, text) = read(path).map_err(unreadable)?;
    let is_whole = certificate.is_whole(&text, digest);
    let app = open_filled(common)?;
    let now = circumstances(&app, certificate.asked.model.as_deref());
    let checked = check(&certificate, is_whole, (&ports(&app), app.store.directory.as_ref()), &now).await?;
    if common.json {
        print_json(&checked)?;
    } else {
        print(&shown(&certificate, &checked))?;
    }
    Ok(if checked.holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn shown(certificate: &AnswerCertificate, checked: &CheckedAnswer) -> String {
    let question = beginning(&certificate.asked.question);
    let file = if checked.whole { "whole" } else { "changed after it was written" };
    let mut rows = vec![
        ("question".to_owned(), format!("\"{question}\" ({}, {})", certificate.outcome, certificate.date)),
        ("reader".to_owned(), reader(&certificate.reader, checked.reader_known)),
        ("file".to_owned(), file.to_owned()),
    ];
    rows.extend(checked.sources.iter().map(|source| (name(source), standing(source))));
    for one in checked.circumstances.iter().filter(|one| !one.same) {
        rows.push((one.name.to_owned(), format!("changed: {} before, {} now", one.before, one.now)));
    }
    let same: Vec<&str> = checked.circumstances.iter().filter(|one| one.same).map(|one| one.name).collect();
    if !same.is_empty() {
        rows.push(("the same".to_owned(), same.join(", ")));
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let table: String = rows.iter().map(|(name, told)| format!("{name:width$}  {told}\n")).collect();
    format!("{table}{}\n", checked.verdict)
}

fn reader(reader: &CertifiedReader, is_known: bool) -> String {
    let scope = match (&reader.user, &reader.tags) {
        (Some(user), _) if is_known => format!("user {user} with their current tags"),
        (Some(user), _) => format!("user {user}, who no longer exists"),
        (None, Some(tags)) => format!("tags {}", tags.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        (None, None) => "everything".to_owned(),
    };
    format!("tenant {}, {scope}", reader.tenant)
}

/// `[^1]` for what is cited.
fn name(source: &CheckedSource) -> String {
    match source.marker {
        Some(marker) => format!("[^{marker}] {}", source.kind),
        None => source.kind.to_owned(),
    }
}

fn standing(source: &CheckedSource) -> String {
    let words = match source.standing {
        SourceStanding::Unchanged => "unchanged",
        SourceStanding::QuoteStands => "CHANGED (the quote is still there word for word)",
        SourceStanding::QuoteGone => "CHANGED (the quote is gone)",
        SourceStanding::Unavailable => "MISSING (removed, or no longer open to this reader)",
        SourceStanding::Unchecked => "NOT CHECKED (the store has nothing to check it against)",
    };
    let remark = source.remark.as_ref().map(|remark| format!(" ({remark})")).unwrap_or_default();
    let id = if source.id == source.title { String::new() } else { format!(" ({})", source.id) };
    let missing: String = source.missing.iter().map(|quote| format!("; gone: \"{}\"", beginning(quote))).collect();
    format!("{words}{remark}: {}{id}{missing}", beginning(&source.title))
}

/// The beginning of a text, on one line.
fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(SHOWN_CHARS).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}
