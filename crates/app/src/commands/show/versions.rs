//! `vouch show --versions`, `--version` and `--changes`: a document as it was.

use vouch_domain::DocumentCard;
use vouch_service::versions::{ChangeWire, VersionChanges, VersionList, VersionText, VersionWire};

use crate::{exit::Usage, render};

/// The error for a version that is not kept, or not open to the reader.
pub(super) fn missing(card: &DocumentCard) -> anyhow::Error {
    let sentence = format!("'{}' has no such version; `vouch show --versions` lists those that are kept", card.id);
    Usage(sentence).into()
}

pub(super) fn listed(list: &VersionList) -> String {
    let row = |one: &VersionWire| {
        let standing = if one.current { "current" } else { "" };
        let label = one.version.as_ref().map_or(String::new(), |label| format!("labelled {label}"));
        let facts = [one.date.clone(), one.status.clone()];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let number = format!("version {}", one.number);
        vec![
            number,
            standing.to_owned(),
            label,
            facts.join(", "),
            format!("taken in {}", one.taken_in),
            one.title.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = list.versions.iter().map(row).collect();
    let mut out = render::table(&rows);
    if list.is_cut {
        render::push_line(&mut out, "There are older versions that are not listed.");
    }
    out
}

pub(super) fn shown(version: &VersionText) -> String {
    format!("{}\n{}\n\n{}\n", version.version.title, name(&version.version), version.text.trim())
}

pub(super) fn compared(changes: &VersionChanges) -> String {
    let mut out = String::new();
    let Some(from) = &changes.from else {
        render::push_line(
            &mut out,
            &format!("{}: there is no version before {}.", changes.document_id, name(&changes.to)),
        );
        return out;
    };
    render::push_line(&mut out, &format!("{}: from {} to {}", changes.document_id, name(from), name(&changes.to)));
    if changes.changes.is_empty() {
        render::push_line(&mut out, "The text is the same.");
    }
    for change in &changes.changes {
        push_change(&mut out, change);
    }
    if changes.is_cut {
        render::push_line(
            &mut out,
            "There was too much to compare or list, so some changes may be missing, shortened, or shown as removed \
             and added.",
        );
    }
    out
}

fn push_change(out: &mut String, change: &ChangeWire) {
    let section = change.section.as_ref().map(|section| format!(" in {section}"));
    render::push_line(out, &format!("\n{}{}", change.kind, section.unwrap_or_default()));
    let lines = change.before.iter().map(|words| ("-", words)).chain(change.after.iter().map(|words| ("+", words)));
    for (sign, words) in lines {
        words.lines().for_each(|line| render::push_line(out, &format!("  {sign} {line}")));
    }
}

/// `version 2 (labelled 2.1, 2026-02-01, taken in 2026-02-03)`.
fn name(version: &VersionWire) -> String {
    let label = version.version.as_ref().map(|label| format!("labelled {label}"));
    let day = version.taken_in.split('T').next().unwrap_or_default();
    let facts: Vec<String> = label.into_iter().chain(version.date.clone()).chain([format!("taken in {day}")]).collect();
    format!("version {} ({})", version.number, facts.join(", "))
}
