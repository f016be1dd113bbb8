//! `vouch show`: one document by its address, whole.

use std::process::ExitCode;

use serde::Serialize;
use vouch_domain::{AddressKey, DocumentCard};
use vouch_service::wire::{CardWire, DocumentWire};

use super::{open, print, print_json, reader};
use crate::cli::{Common, ReaderArgs};

/// How many neighbours of a missing address are told.
const NEAR_MAX: usize = 3;

/// No document, and what is called nearly so.
#[derive(Serialize)]
struct Missing {
    document_id: Option<String>,
    address: String,
    near: Vec<String>,
}

pub(super) async fn run(common: &Common, address: &str, args: &ReaderArgs) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    let who = reader::from_args(args, app.store.directory.as_ref()).await?;
    let key = AddressKey::new(address);
    let cards = app.engine.retrieve.register.by_address(&who, std::slice::from_ref(&key)).await?;
    if cards.is_empty() {
        let near = app.engine.retrieve.register.near_address(&who, &key, NEAR_MAX).await?;
        let near: Vec<String> = near.iter().map(name).collect();
        if common.json {
            print_json(&Missing { document_id: None, address: address.trim().to_owned(), near })?;
        } else {
            let offer = if near.is_empty() { String::new() } else { format!(" Near it: {}.", near.join(", ")) };
            print(&format!("No document is called '{}'.{offer}\n", address.trim()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for card in &cards {
        let text = app.engine.retrieve.catalogue.text(&who, &card.id).await?.unwrap_or_default();
        if common.json {
            print_json(&DocumentWire { card: CardWire::new(card, &who), text })?;
        } else {
            let facts: Vec<String> = [
                Some(format!("{}, {}", card.kind, card.collection)),
                card.status.clone(),
                card.superseded_by.as_ref().map(|successor| format!("superseded by {}", successor.as_str())),
                card.date.clone(),
                card.version.as_ref().map(|version| format!("version {version}")),
            ]
            .into_iter()
            .flatten()
            .collect();
            print(&format!("{}\n{}\n\n{}\n", name(card), facts.join(" · "), text.trim()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn name(card: &DocumentCard) -> String {
    card.address.as_ref().map_or_else(|| card.title.clone(), |own| format!("{} ({})", own.as_str(), card.title))
}
