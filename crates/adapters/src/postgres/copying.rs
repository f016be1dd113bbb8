//! The database as the place that a store is copied to, a few rows at a time.
//!
//! Invariant: until the copy is finished every node refuses the database; what was written stays written and is noted with the
//! rows themselves, so that a copy that was broken off goes on behind them. A copy begins, and counts, only while `head` is locked
//! and says that there is no store, and changes nothing once another has taken its place.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use deadpool_postgres::Object;
use tokio_postgres::types::ToSql;
use vouch_domain::{Fault, PortError};

use super::{
    changes::{self, WHOLE_STORE},
    fault::{PORT, is_away},
    server::{Server, within},
    tenant::{signed, unsigned},
    truth::{Client, Wanted, read, unknown},
};
use crate::embedded::following::{Changed, CopyTarget, Origin, Place, TableShape, Unfinished, Visit, key_of, key_text};

/// Rows that are removed in one transaction.
const REMOVED_MAX: usize = 20_000;

pub(super) struct PostgresTarget {
    server: Arc<Server>,
    /// The copy that was begun or is gone on with.
    own: Mutex<Option<CopyRow>>,
}

/// What was found of an earlier attempt.
enum Found {
    Nothing,
    /// The same store as it is now, up to a place.
    Same(CopyRow, Option<Place>),
    /// The same store in another form.
    Older(CopyRow),
    /// The same store, among rows of the copy that was there before.
    NotCleared(CopyRow),
    Other(CopyRow),
}

/// What tells a copy from every other: it may be overtaken, and the row is then another's.
#[derive(Debug, Clone)]
struct CopyRow {
    store_id: String,
    revision: i64,
    first_change: i64,
}

/// In the place of a key: rows of the copy that was there before are still to be removed.
const NOT_CLEARED: &str = "[]";

/// The row of a copy, by the parameters that `CopyRow` gives.
const IS_IT: &str = "store_id = $1 AND revision = $2 AND first_change = $3";

impl CopyRow {
    fn parameters(&self) -> [&(dyn ToSql + Sync); 3] {
        [&self.store_id, &self.revision, &self.first_change]
    }

    /// Keeps others from taking its place until the transaction ends.
    async fn lock(&self, client: &Object, limit: Duration) -> Result<(), PortError> {
        let sql = format!("SELECT 1 FROM vouch.copying WHERE {IS_IT} FOR UPDATE");
        let row = within(limit, client.query_opt(&sql, &self.parameters())).await?;
        row.map(drop).ok_or_else(given_way)
    }

    async fn remove(&self, client: &Object, limit: Duration) -> Result<(), PortError> {
        let sql = format!("DELETE FROM vouch.copying WHERE {IS_IT}");
        let removed = within(limit, client.execute(&sql, &self.parameters())).await?;
        if removed == 1 { Ok(()) } else { Err(given_way()) }
    }
}

impl PostgresTarget {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self { server, own: Mutex::default() }
    }

    /// Runs steps in one transaction, on a connection that is given up where one fails.
    fn transact<T: Send, F: Future<Output = Result<T, PortError>> + Send>(
        &self,
        work: impl FnOnce(Arc<Client>) -> F + Send,
    ) -> Result<T, PortError> {
        let (server, limit) = (self.server.as_ref(), self.server.limit());
        self.server.wait(async move {
            let client = Arc::new(Client::take(server).await?);
            let begin = format!("BEGIN; {WHOLE_STORE}; SET LOCAL synchronous_commit = off");
            within(limit, client.get()?.batch_execute(&begin)).await?;
            let outcome = work(Arc::clone(&client)).await?;
            let ended = within(limit, client.get()?.batch_execute("COMMIT")).await;
            ended.map_err(|error| if is_away(&error) { unknown(error) } else { error })?;
            if let Some(mut client) = Arc::into_inner(client) {
                client.is_fit = true;
            }
            Ok(outcome)
        })
    }

    fn find(&self, origin: &Origin) -> Result<Found, PortError> {
        let limit = self.server.limit();
        self.transact(|client| async move {
            lock_empty(client.get()?, limit, origin).await?;
            let sql = "SELECT store_id, revision, first_change, table_name, row_key FROM vouch.copying";
            let Some(row) = within(limit, client.get()?.query_opt(sql, &[])).await? else { return Ok(Found::Nothing) };
            let found = CopyRow { store_id: row.get(0), revision: row.get(1), first_change: row.get(2) };
            if found.store_id != origin.store_id {
                return Ok(Found::Other(found));
            }
            if unsigned(found.revision) != origin.revision {
                return Ok(Found::Older(found));
            }
            let place: (Option<String>, Option<String>) = (row.get(3), row.get(4));
            match place {
                (Some(table), Some(key)) => Ok(Found::Same(found, Some(Place { table, key: key_of(&key)? }))),
                (None, Some(_)) => Ok(Found::NotCleared(found)),
                (_, None) => Ok(Found::Same(found, None)),
            }
        })
    }

    /// Removes every row of the copy that this one has taken the place of, those that others refer to last.
    fn clear(&self, tables: &[TableShape], own: &CopyRow) -> Result<(), PortError> {
        let limit = self.server.limit();
        for table in tables.iter().rev() {
            let sql = format!(
                "DELETE FROM vouch.\"{0}\" WHERE ctid = ANY (ARRAY (SELECT ctid FROM vouch.\"{0}\" LIMIT {REMOVED_MAX}))",
                table.name
            );
            let remove = || {
                let sql = &sql;
                self.transact(|client| async move {
                    // Where somebody else was faster, the rows are another copy's, or a whole store's.
                    own.lock(client.get()?, limit).await?;
                    within(limit, client.get()?.execute(sql, &[])).await
                })
            };
            while remove()? > 0 {}
        }
        self.transact(|client| async move {
            let sql = format!("UPDATE vouch.copying SET row_key = NULL WHERE {IS_IT}");
            let cleared = within(limit, client.get()?.execute(&sql, &own.parameters())).await?;
            if cleared == 1 { Ok(()) } else { Err(given_way()) }
        })
    }

    /// Notes that a copy begins, in the place of another where there was one: that writes nothing from then on, and what it has written
    /// is to be removed.
    fn claim(&self, origin: &Origin, replaced: Option<&CopyRow>) -> Result<CopyRow, PortError> {
        let limit = self.server.limit();
        self.transact(|client| async move {
            // The first node of a database locks the same row, and may have been here since.
            lock_empty(client.get()?, limit, origin).await?;
            if let Some(replaced) = replaced {
                replaced.remove(client.get()?, limit).await?;
            }
            let (store_id, revision) = (origin.store_id.clone(), signed(origin.revision));
            let sql = "INSERT INTO vouch.copying (store_id, revision, row_key) VALUES ($1, $2, $3)
                       ON CONFLICT DO NOTHING RETURNING first_change";
            let key = replaced.map(|_| NOT_CLEARED);
            let begun = within(limit, client.get()?.query_opt(sql, &[&store_id, &revision, &key])).await?;
            let first_change = begun.ok_or_else(given_way)?.get(0);
            Ok(CopyRow { store_id, revision, first_change })
        })
    }

    fn set_own(&self, own: CopyRow) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
    }

    fn own(&self) -> Result<CopyRow, PortError> {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).clone();
        own.ok_or_else(|| PortError::new(PORT, Fault::Internal, "rows are copied before the copy was begun"))
    }
}

impl CopyTarget for PostgresTarget {
    fn begin(
        &self,
        origin: &Origin,
        tables: &[TableShape],
        unfinished: Unfinished,
    ) -> Result<Option<Place>, PortError> {
        let replaced = match self.find(origin)? {
            Found::Same(found, place) if unfinished == Unfinished::Keep => {
                self.set_own(found);
                return Ok(place);
            }
            Found::Nothing => None,
            Found::Same(found, _) | Found::Older(found) | Found::NotCleared(found) => Some(found),
            Found::Other(found) if unfinished == Unfinished::Discard => Some(found),
            Found::Other(_) => {
                let sentence = "the database holds an unfinished copy of another store; run that copy again, or add \
                                --start-over to remove it";
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
        };
        let own = self.claim(origin, replaced.as_ref())?;
        if replaced.is_some() {
            self.clear(tables, &own)?;
        }
        self.set_own(own);
        Ok(None)
    }

    fn write(&self, changed: Changed) -> Result<(), PortError> {
        let Some(Place { table, key }) = Place::after(&changed) else { return Ok(()) };
        let (limit, own, key) = (self.server.limit(), self.own()?, key_text(&key)?);
        self.transact(|client| async move {
            let [store_id, revision, first_change] = own.parameters();
            let parameters: [&(dyn ToSql + Sync); 5] = [store_id, revision, first_change, &table, &key];
            let sql = format!("UPDATE vouch.copying SET table_name = $4, row_key = $5 WHERE {IS_IT}");
            if within(limit, client.get()?.execute(&sql, &parameters)).await? == 0 {
                return Err(given_way());
            }
            changes::write(client.get()?, limit, unsigned(own.first_change), changed).await
        })
    }

    fn written(&self, tables: &[TableShape], visit: Visit<'_>) -> Result<(), PortError> {
        read(&self.server, Wanted::Copied { tables }, visit).map(drop)
    }

    fn finish(&self) -> Result<(), PortError> {
        let (limit, own) = (self.server.limit(), self.own()?);
        self.transact(|client| async move {
            within(limit, client.get()?.batch_execute("SET LOCAL synchronous_commit = on")).await?;
            // In the order in which a copy that begins locks them.
            let sql = "UPDATE vouch.head SET first_change = $1 WHERE changed_at = 0";
            if within(limit, client.get()?.execute(sql, &[&own.first_change])).await? == 0 {
                let sentence = "a store was started in the database in the meantime; a copy needs an empty database";
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
            own.remove(client.get()?, limit).await?;
            changes::finish(client.get()?, limit, unsigned(own.first_change)).await
        })
    }
}

/// Locks the head of a database, which must say that there is no store.
async fn lock_empty(client: &Object, limit: Duration, origin: &Origin) -> Result<(), PortError> {
    let sql = "SELECT changed_at FROM vouch.head FOR UPDATE";
    let head: i64 = within(limit, client.query_one(sql, &[])).await?.get(0);
    if head == 0 {
        return Ok(());
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM vouch.meta WHERE key = 'store_id' AND value = $1)";
    let is_this: bool = within(limit, client.query_one(sql, &[&origin.store_id])).await?.get(0);
    let sentence = match is_this {
        // Whoever lost the database at the very end of a copy asks once more.
        true => {
            "the database already contains a store, and it is this one, as it was copied before or has gone on since; \
             `vouch store digest` shows whether both are the same"
        }
        false => "the database already contains a store; a copy needs an empty one",
    };
    Err(PortError::new(PORT, Fault::Invalid, sentence))
}

fn given_way() -> PortError {
    PortError::new(PORT, Fault::Invalid, "another copy into this database was started in the meantime")
}
