//! Which collections each audience has documents of: read once per generation, since every question asks for it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use rusqlite::Transaction;
use vouch_domain::{Reader, ports::Generation};

use super::{audiences::VisibleAudiences, facts::generation};

/// Two names of an audience suffice to tell one collection from several.
const NAMES_MAX: usize = 2;

/// Some names of collections by audience.
type NamesByAudience = BTreeMap<u32, BTreeSet<String>>;

/// The collections by audience, as they were at a generation.
#[derive(Default)]
pub(super) struct Collections {
    known: Mutex<Option<(Generation, NamesByAudience)>>,
}

impl Collections {
    pub(super) fn are_several(&self, transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<bool> {
        let (now, visible) = (generation(transaction)?, VisibleAudiences::load(transaction, reader)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let by_audience = match known.take() {
            Some((at, by_audience)) if at == now => by_audience,
            Some(_) | None => read(transaction)?,
        };
        let names: BTreeSet<&str> =
            visible.ids().filter_map(|id| by_audience.get(&id)).flatten().map(String::as_str).collect();
        let are_several = names.len() > 1;
        *known = Some((now, by_audience));
        Ok(are_several)
    }
}

fn read(transaction: &Transaction<'_>) -> rusqlite::Result<NamesByAudience> {
    let mut statement = transaction.prepare_cached(
        "SELECT v.audience, v.collection FROM checked_versions v JOIN checked_documents d
         ON d.key = v.document AND d.version = v.number",
    )?;
    let mut rows = statement.query([])?;
    let mut by_audience = NamesByAudience::new();
    while let Some(row) = rows.next()? {
        let names = by_audience.entry(row.get(0)?).or_default();
        if names.len() < NAMES_MAX {
            names.insert(row.get(1)?);
        }
    }
    Ok(by_audience)
}
