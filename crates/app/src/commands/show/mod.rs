//! `vouch show`: one document by its address, id, file or title, whole, or as it was.

mod versions;

use std::{collections::BTreeSet, process::ExitCode};

use serde::Serialize;
use vouch_domain::{CardEdit, DocumentCard, Reader};
use vouch_service::{
    versions::{compare, list, read},
    wire::{DocumentWire, EditWire},
};

use super::{
    find_document::{Found, find},
    open_filled, print, print_json, print_styled, reader,
};
use crate::{
    cli::{Common, ShowArgs},
    markdown::{Piece, Screen, Styled, line, render},
    wiring::App,
};

/// No document, and what is called nearly so.
#[derive(Serialize)]
struct Missing {
    document_id: Option<String>,
    address: String,
    near: Vec<String>,
}

pub(super) async fn run(common: &Common, args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let app = open_filled(common)?;
    let who = reader::from_args(&args.reader, app.store.directory.as_ref()).await?;
    let cards = match find(&app, &who, &args.address).await? {
        Found::Cards(cards) => cards,
        Found::Near(near) => return missing(common, args.address.trim(), &near),
    };
    for card in &cards {
        if args.versions || args.version.is_some() || args.changes.is_some() {
            past(common, args, (&app, &who), card).await?;
            continue;
        }
        let text = app.engine.retrieve.catalogue.text(&who, &card.id).await?.unwrap_or_default();
        let edits = app.engine.retrieve.catalogue.edits(&card.tenant, &card.id).await?;
        if common.json {
            let passages = app.engine.retrieve.register.passages_of(&who, &card.id).await?;
            print_json(&DocumentWire::new((card, text), &passages, &who).with_edits(&edits, &who))?;
        } else {
            let facts: Vec<String> = [
                Some(format!("kind {}", card.kind)),
                Some(format!("collection {}", card.collection)),
                card.status.clone(),
                card.superseded_by.as_ref().map(|successor| format!("superseded by {}", successor.as_str())),
                card.date.clone(),
                card.version.as_ref().map(|version| format!("version {version}")),
                (!card.topics.is_empty()).then(|| format!("about {}", joined(&card.topics))),
                (!card.tags.is_empty()).then(|| format!("for people with the tag {}", joined(&card.tags))),
                Some(format!("id {}", card.id)),
            ]
            .into_iter()
            .flatten()
            .chain(edits.iter().map(|edit| set_by_hand(edit, &who)))
            .collect();
            let facts = facts.join(" · ");
            match Screen::of_stdout() {
                Some(on) => print_styled(&on_screen(card, &facts, &text, on))?,
                None => print(&format!("{}\n{facts}\n\n{}\n", name(card), text.trim()))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A document as it was.
async fn past(
    common: &Common,
    args: &ShowArgs,
    (app, who): (&App, &Reader),
    card: &DocumentCard,
) -> anyhow::Result<()> {
    let (kept, missing) = (app.store.versions.as_ref(), || versions::missing(card));
    if let Some(number) = args.version {
        let version = read(kept, who, &card.id, number).await?.ok_or_else(missing)?;
        return if common.json { print_json(&version) } else { print(&versions::shown(&version)) };
    }
    if let Some(range) = args.changes {
        let changes = compare(kept, who, &card.id, range).await?.ok_or_else(missing)?;
        return if common.json { print_json(&changes) } else { print(&versions::compared(&changes)) };
    }
    let list = list(kept, who, &card.id).await?.ok_or_else(missing)?;
    if common.json { print_json(&list) } else { print(&versions::listed(&list)) }
}

fn on_screen(card: &DocumentCard, facts: &str, text: &str, on: Screen) -> Styled {
    let mut shown = line(&[Piece::Name(&name(card), card.url.as_deref())], 0, on);
    shown.push(&line(&[Piece::Quiet(facts)], 0, on));
    shown.push_gap();
    shown.push(&render(text, on));
    shown
}

/// What a person has set, beside what the source says.
fn set_by_hand(edit: &CardEdit, who: &Reader) -> String {
    let EditWire { field, value, stated, set_by, .. } = EditWire::new(edit, who);
    let shown = |text: Option<String>| text.map_or_else(|| "nothing".to_owned(), |text| format!("'{text}'"));
    let (value, stated, field) = (shown(value), shown(stated), field.replace('_', " "));
    format!("{field} set to {value} by {set_by} (its source says {stated})")
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(" or ")
}

/// Says that there is none, and what is called nearly so.
fn missing(common: &Common, called: &str, near: &[DocumentCard]) -> anyhow::Result<ExitCode> {
    let near: Vec<String> = near.iter().map(name).collect();
    if common.json {
        print_json(&Missing { document_id: None, address: called.to_owned(), near })?;
    } else {
        let offer = if near.is_empty() {
            " `vouch search` finds documents by words, and prints the id of each.".to_owned()
        } else {
            format!(" Near it: {}.", near.join(", "))
        };
        print(&format!("No document is called '{called}'.{offer}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn name(card: &DocumentCard) -> String {
    card.address.as_ref().map_or_else(|| card.title.clone(), |own| format!("{} ({})", own.as_str(), card.title))
}
