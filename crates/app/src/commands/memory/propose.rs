//! `vouch memory propose`: what was asked often, or in vain, as entries for an editor to accept.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::Context;
use vouch_domain::{AuditScope, DocumentId, MemoryEntry, MemoryKind, Reader, Reference, Wording, ports::Memory};
use vouch_service::proposals::{Likeness, Proposal, propose};

use super::{open, print, tell};
use crate::{
    cli::{Common, ProposeArgs},
    memory_file::write::{ProposalFields, file, list, quoted},
    wiring::{self, App},
};

/// How many words of a question its entry is named after.
const ID_WORDS: usize = 6;
const HEADER: &str = "\
# Questions from the trail, as entries for the memory. `vouch memory import` skips every entry that still has its
# `proposal`: to accept one, check that its references answer it and remove that line.
";

pub(super) async fn run(common: &Common, args: &ProposeArgs) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    // Whoever has the data folder may read the whole trail of a tenant, as `vouch audit` does.
    let entries = match wiring::trail_to_read(&app.loaded, &common.data)? {
        Some(trail) => trail.newest(&AuditScope::for_tenant(&args.tenant), usize::from(args.newest)).await?,
        None => Vec::new(),
    };
    let likeness = Likeness {
        embedder: app.embedder.as_ref(),
        plain_words: app.engine.retrieve.plain_words.as_ref(),
        at_least: app.engine.policies.memory.pinned_at_least,
    };
    let reader = Reader::of_tenant(&args.tenant);
    let mut written: Vec<(MemoryEntry, Option<ProposalFields>)> = Vec::new();
    let mut ids: BTreeSet<String> =
        app.store.memory.entries(&reader).await?.into_iter().map(|entry| entry.id).collect();
    for (proposal, vector) in propose(&entries, usize::from(args.asked_at_least), &likeness).await? {
        if written.len() == usize::from(args.limit) {
            break;
        }
        if args.unanswered && proposal.unanswered() == 0 {
            continue;
        }
        let languages = [app.engine.policies.memory.language.clone()];
        let near = app.store.memory.nearest(&reader, &[vector], &languages, 1).await?;
        let map = app.embedder.likeness_map();
        if near.iter().any(|one| map.relevance(one.cosine) >= likeness.at_least) {
            continue;
        }
        let entry = entry(&app, &proposal, &reader, &mut ids).await?;
        written.push((entry, Some(fields(&proposal))));
    }
    let text = format!("{HEADER}{}", file(&written));
    match &args.output {
        None => print(&text)?,
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
            tell(&format!("{} proposals in {}", written.len(), path.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A pinned question under a name of its own; of its sources those that are still there, and seen by those who may see them all.
async fn entry(
    app: &App,
    proposal: &Proposal,
    reader: &Reader,
    ids: &mut BTreeSet<String>,
) -> anyhow::Result<MemoryEntry> {
    let (mut references, mut tags) = (Vec::new(), BTreeSet::new());
    for source in &proposal.sources {
        let Some(id) = DocumentId::parse(source) else { continue };
        let passages = app.engine.retrieve.register.passages_of(reader, &id).await?;
        if let Some(first) = passages.first() {
            tags = narrowed(tags, &first.document.tags);
            references.extend(Reference::parse(source));
        }
    }
    // What only some have asked is not for everybody to read.
    if tags.is_empty() {
        tags.clone_from(&proposal.asked_with_tags);
    }
    Ok(MemoryEntry {
        id: name(proposal, ids),
        tenant: reader.tenant.clone(),
        kind: MemoryKind::Pinned,
        phrases: proposal.phrases.iter().map(|text| Wording { text: text.clone(), language: None }).collect(),
        note: Vec::new(),
        references,
        tags,
        is_for_readers: false,
        translated_by_model: BTreeSet::new(),
    })
}

/// The tags of those who may see a further document too; where nobody has tags of both, of those who may see the first.
fn narrowed(tags: BTreeSet<String>, further: &BTreeSet<String>) -> BTreeSet<String> {
    if tags.is_empty() {
        return further.clone();
    }
    let both: BTreeSet<String> = tags.intersection(further).cloned().collect();
    if both.is_empty() { tags } else { both }
}

fn fields(proposal: &Proposal) -> ProposalFields {
    let ended: Vec<String> = proposal.ended.iter().map(|(how, count)| format!("{}: {count}", quoted(how))).collect();
    let mut fields = vec![("asked", proposal.asked.to_string()), ("ended", format!("{{ {} }}", ended.join(", ")))];
    if !proposal.asked_with_tags.is_empty() {
        let tags: Vec<String> = proposal.asked_with_tags.iter().cloned().collect();
        fields.push(("asked_with_tags", list(&tags)));
    }
    fields
}

/// A name after the first words of the question that no other entry has.
fn name(proposal: &Proposal, ids: &mut BTreeSet<String>) -> String {
    let first = proposal.phrases.first().map(String::as_str).unwrap_or_default();
    let words = first.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(ID_WORDS);
    let words =
        words.map(|word| word.to_lowercase().chars().take(20).collect::<String>()).collect::<Vec<_>>().join("-");
    let mut name = words.clone();
    let mut number = 2;
    while !ids.insert(name.clone()) {
        name = format!("{words}-{number}");
        number += 1;
    }
    name
}
