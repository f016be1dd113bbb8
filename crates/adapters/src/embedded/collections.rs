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

/// The shelves that something stands on. Nothing is read through: while documents are taken in every question asks for it.
const IN_USE: &str = "SELECT s.audience, s.collection FROM checked_shelves s WHERE EXISTS (
    SELECT 1 FROM checked_versions v JOIN checked_documents d ON d.key = v.document AND d.version = v.number
    WHERE v.audience = s.audience AND v.collection = s.collection)";

fn read(transaction: &Transaction<'_>) -> rusqlite::Result<Pairs> {
    let mut statement = transaction.prepare_cached(IN_USE)?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::OpenFlags;

    use super::IN_USE;
    use crate::embedded::{database::connect, schema};

    #[test]
    fn shelves_in_use_are_found_without_looking_at_every_document() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = connect(&folder.path().join("catalogue"), OpenFlags::default()).expect("a database");
        schema::migrate(&mut connection, schema::CATALOGUE).expect("tables");
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {IN_USE}")).expect("a plan");
        let steps = plan.query_map([], |row| row.get::<_, String>(3)).expect("steps");
        let steps: Vec<String> = steps.map(|step| step.expect("a step")).collect();
        let by_shelf = "versions USING INDEX versions_by_shelf (audience=? AND collection=?)";
        assert!(steps.iter().any(|step| step.contains(by_shelf)), "{steps:#?}");
    }
}
