//! People and topics in the catalogue's file, behind the `Directory` port.
//!
//! Invariant: every row is reached through its tenant's name, so that no tenant sees another's.

mod upsert;

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, Transaction, types::Type};
use vouch_domain::{Person, PortError, Topic, ports::Directory};

use super::{
    blocking::blocking,
    database::{Database, mark_changed},
};

pub use upsert::UpsertCounts;

const PORT: &str = "directory";

const PEOPLE: &str =
    "SELECT p.id, t.name, p.email, p.tags FROM checked_people p JOIN checked_tenants t ON t.id = p.tenant_id";
const TOPICS: &str = "SELECT o.tag, t.name, o.owner FROM checked_topics o JOIN checked_tenants t ON t.id = o.tenant_id";

/// The people and topics of one data folder.
pub struct EmbeddedDirectory {
    database: Arc<Database>,
}

impl EmbeddedDirectory {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    /// Keeps people and topics, of any tenants, in one step: all of them, or none.
    ///
    /// # Errors
    /// Fails if one of them cannot be kept, a tenant would have too many, or the store fails.
    pub async fn upsert(&self, people: Vec<Person>, topics: Vec<Topic>) -> Result<UpsertCounts, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.write_if_fit(|transaction| upsert::upsert(transaction, &people, &topics))).await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.read(work)).await
    }

    /// Removes the row of a tenant that has this name.
    async fn remove(&self, sql: &'static str, tenant: &str, name: &str) -> Result<bool, PortError> {
        let (database, tenant, name) = (Arc::clone(&self.database), tenant.to_owned(), name.to_owned());
        blocking(PORT, move || {
            database.write(|transaction| {
                mark_changed(transaction, "people")?;
                Ok(transaction.prepare_cached(sql)?.execute([tenant, name])? > 0)
            })
        })
        .await
    }
}

#[async_trait]
impl Directory for EmbeddedDirectory {
    async fn upsert_people(&self, people: Vec<Person>) -> Result<(), PortError> {
        self.upsert(people, Vec::new()).await.map(|_| ())
    }

    async fn upsert_topics(&self, topics: Vec<Topic>) -> Result<(), PortError> {
        self.upsert(Vec::new(), topics).await.map(|_| ())
    }

    async fn remove_person(&self, tenant: &str, id: &str) -> Result<bool, PortError> {
        const SQL: &str = "DELETE FROM people WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?1) AND id = ?2";
        self.remove(SQL, tenant, id).await
    }

    async fn remove_topic(&self, tenant: &str, tag: &str) -> Result<bool, PortError> {
        const SQL: &str = "DELETE FROM topics WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?1) AND tag = ?2";
        self.remove(SQL, tenant, tag).await
    }

    async fn person(&self, tenant: &str, id: &str) -> Result<Option<Person>, PortError> {
        let names = [tenant.to_owned(), id.to_owned()];
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(&format!("{PEOPLE} WHERE t.name = ?1 AND p.id = ?2"))?;
            statement.query_row(names, person).optional()
        })
        .await
    }

    async fn topic(&self, tenant: &str, tag: &str) -> Result<Option<Topic>, PortError> {
        let names = [tenant.to_owned(), tag.to_owned()];
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(&format!("{TOPICS} WHERE t.name = ?1 AND o.tag = ?2"))?;
            statement.query_row(names, topic).optional()
        })
        .await
    }

    async fn people(&self, tenant: &str) -> Result<Vec<Person>, PortError> {
        let tenant = tenant.to_owned();
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(&format!("{PEOPLE} WHERE t.name = ?1 ORDER BY p.id"))?;
            statement.query_map([tenant], person)?.collect()
        })
        .await
    }

    async fn topics(&self, tenant: &str) -> Result<Vec<Topic>, PortError> {
        let tenant = tenant.to_owned();
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(&format!("{TOPICS} WHERE t.name = ?1 ORDER BY o.tag"))?;
            statement.query_map([tenant], topic)?.collect()
        })
        .await
    }
}

fn person(row: &Row<'_>) -> rusqlite::Result<Person> {
    let tags: BTreeSet<String> = serde_json::from_str(row.get_ref(3)?.as_str()?)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, Type::Text, Box::new(error)))?;
    Ok(Person { id: row.get(0)?, tenant: row.get(1)?, email: row.get(2)?, tags })
}

fn topic(row: &Row<'_>) -> rusqlite::Result<Topic> {
    Ok(Topic { tag: row.get(0)?, tenant: row.get(1)?, owner: row.get(2)? })
}
