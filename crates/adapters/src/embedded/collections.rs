//! Which collections each audience has documents of: read once per generation, since every question asks for it.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use rusqlite::Transaction;
use vouch_domain::{Reader, ports::Generation};

use super::{audiences::VisibleAudiences, facts::generation};

/// Every audience with every collection it has documents of.
type Pairs = BTreeSet<(u32, String)>;

/// The collections by audience, as they were at a generation.
#[derive(Default)]
pub(super) struct Collections {
    known: Mutex<Option<(Generation, Pairs)>>,
}

impl Collections {
    pub(super) fn are_several(&self, transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<bool> {
        let (now, visible) = (generation(transaction)?, VisibleAudiences::load(transaction, reader)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = match known.take() {
            Some((at, pairs)) if at == now => pairs,
            Some(_) | None => read(transaction)?,
        };
        let mut names = pairs.iter().filter(|(audience, name)| visible.includes(*audience, name)).map(|(_, name)| name);
        let first = names.next();
        let are_several = names.any(|name| Some(name) != first);
        *known = Some((now, pairs));
        Ok(are_several)
    }
}

fn read(transaction: &Transaction<'_>) -> rusqlite::Result<Pairs> {
    let mut statement = transaction.prepare_cached(
        "SELECT DISTINCT v.audience, v.collection FROM checked_versions v JOIN checked_documents d
         ON d.key = v.document AND d.version = v.number",
    )?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
