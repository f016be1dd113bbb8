//! The database as the place that a store is copied to, a few rows at a time.
//!
//! Invariant: until the copy is finished every node refuses the database; what was written stays written and is noted with the
//! rows themselves, so that a copy that was broken off goes on behind them.

use std::sync::Arc;

use vouch_domain::{Fault, PortError};

use super::{
    changes::{self, WHOLE_STORE},
    fault::PORT,
    server::{Server, within},
    tenant::{signed, unsigned},
    truth::{Client, Wanted, read},
};
use crate::embedded::following::{Changed, CopyTarget, Origin, Place, TableShape, Unfinished, Visit, key_of, key_text};

/// Rows that are removed in one transaction.
const REMOVED_MAX: usize = 20_000;

pub(super) struct PostgresTarget {
    server: Arc<Server>,
}

/// What was found of an earlier attempt.
enum Found {
    Nothing,
    /// The same store as it is now, up to a place.
    Same(Option<Place>),
    /// The same store in another form.
    Older,
    Other,
}

impl PostgresTarget {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self { server }
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
            within(limit, client.get()?.batch_execute("COMMIT")).await?;
            if let Some(mut client) = Arc::into_inner(client) {
                client.is_fit = true;
            }
            Ok(outcome)
        })
    }

    fn find(&self, origin: &Origin) -> Result<Found, PortError> {
        let limit = self.server.limit();
        self.transact(|client| async move {
            let sql = "SELECT changed_at FROM vouch.head FOR UPDATE";
            let head: i64 = within(limit, client.get()?.query_one(sql, &[])).await?.get(0);
            if head > 0 {
                let sentence = "the database holds a store already; a copy needs an empty one";
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
            let sql = "SELECT store_id, revision, table_name, row_key FROM vouch.copying";
            let Some(row) = within(limit, client.get()?.query_opt(sql, &[])).await? else { return Ok(Found::Nothing) };
            let (store_id, revision): (String, i64) = (row.get(0), row.get(1));
            if store_id != origin.store_id {
                return Ok(Found::Other);
            }
            if unsigned(revision) != origin.revision {
                return Ok(Found::Older);
            }
            let place: (Option<String>, Option<String>) = (row.get(2), row.get(3));
            let (Some(table), Some(key)) = place else { return Ok(Found::Same(None)) };
            Ok(Found::Same(Some(Place { table, key: key_of(&key)? })))
        })
    }

    /// Removes every row, those that others refer to last.
    fn clear(&self, tables: &[TableShape]) -> Result<(), PortError> {
        let limit = self.server.limit();
        for table in tables.iter().rev() {
            let sql = format!(
                "DELETE FROM vouch.\"{0}\" WHERE ctid = ANY (ARRAY (SELECT ctid FROM vouch.\"{0}\" LIMIT {REMOVED_MAX}))",
                table.name
            );
            let remove = || {
                let sql = &sql;
                self.transact(|client| async move { within(limit, client.get()?.execute(sql, &[])).await })
            };
            while remove()? > 0 {}
        }
        self.transact(|client| async move {
            within(limit, client.get()?.execute("DELETE FROM vouch.copying", &[])).await.map(drop)
        })
    }
}

impl CopyTarget for PostgresTarget {
    fn begin(
        &self,
        origin: &Origin,
        tables: &[TableShape],
        unfinished: Unfinished,
    ) -> Result<Option<Place>, PortError> {
        match self.find(origin)? {
            Found::Same(place) if unfinished == Unfinished::Keep => return Ok(place),
            Found::Nothing => {}
            Found::Same(_) | Found::Older => self.clear(tables)?,
            Found::Other if unfinished == Unfinished::Discard => self.clear(tables)?,
            Found::Other => {
                let sentence = "the database holds an unfinished copy of another store; run that copy again, or add \
                                --start-over to remove it";
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
        }
        let limit = self.server.limit();
        self.transact(|client| async move {
            let sql = "INSERT INTO vouch.copying (store_id, revision) VALUES ($1, $2)";
            let revision = signed(origin.revision);
            within(limit, client.get()?.execute(sql, &[&origin.store_id, &revision])).await.map(drop)
        })?;
        Ok(None)
    }

    fn write(&self, changed: Changed) -> Result<(), PortError> {
        let limit = self.server.limit();
        let Some(Place { table, key }) = Place::after(&changed) else { return Ok(()) };
        let key = key_text(&key)?;
        self.transact(|client| async move {
            let sql = "UPDATE vouch.copying SET table_name = $1, row_key = $2 RETURNING first_change";
            let noted = within(limit, client.get()?.query_opt(sql, &[&table, &key])).await?;
            let first = noted.ok_or_else(given_way)?.get(0);
            changes::write(client.get()?, limit, unsigned(first), changed).await
        })
    }

    fn written(&self, tables: &[TableShape], visit: Visit<'_>) -> Result<(), PortError> {
        read(&self.server, Wanted::Copied { tables }, visit).map(drop)
    }

    fn finish(&self) -> Result<(), PortError> {
        let limit = self.server.limit();
        self.transact(|client| async move {
            within(limit, client.get()?.batch_execute("SET LOCAL synchronous_commit = on")).await?;
            let ended = client.get()?.query_opt("DELETE FROM vouch.copying RETURNING first_change", &[]);
            let first: i64 = within(limit, ended).await?.ok_or_else(given_way)?.get(0);
            within(limit, client.get()?.execute("UPDATE vouch.head SET first_change = $1", &[&first])).await?;
            changes::finish(client.get()?, limit, unsigned(first)).await
        })
    }
}

fn given_way() -> PortError {
    PortError::new(PORT, Fault::Invalid, "another copy into this database has begun meanwhile")
}
