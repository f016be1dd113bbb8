//! Questions that wait for somebody's answer, in the catalogue's file, behind the `SentQuestions` port.
//!
//! Invariant: every row is reached through its tenant's name, so that no tenant sees another's.

use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, Transaction, params, types::Type};
use vouch_domain::{
    DocumentId, Fault, PortError,
    ports::SentQuestions,
    sent_question::{SENT_QUESTIONS_MAX, SentQuestion, WrittenAnswer},
};

use super::{
    blocking::blocking,
    database::{Database, tags_to_json},
    sqlite_fault::fault,
};

const PORT: &str = "questions";
const COLUMNS: &str =
    "q.id, t.name, q.query, q.topic, q.owner, q.sent_by, q.sent_ms, q.tags, q.document, q.answered_ms";
const TABLES: &str = "checked_sent_questions q JOIN checked_tenants t ON t.id = q.tenant_id";
const OF_TENANT: &str = "tenant_id = (SELECT id FROM tenants WHERE name = ?1)";

/// The questions of one data folder.
pub struct EmbeddedQuestions {
    database: Arc<Database>,
}

impl EmbeddedQuestions {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database }
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, PortError> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.write_if_fit(work)).await
    }

    /// A tenant's questions, in no order.
    async fn all(&self, tenant: &str) -> Result<Vec<SentQuestion>, PortError> {
        let (database, tenant) = (Arc::clone(&self.database), tenant.to_owned());
        blocking(PORT, move || {
            database.read(|transaction| {
                let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE t.name = ?1");
                transaction.prepare_cached(&sql)?.query_map([tenant], question)?.collect()
            })
        })
        .await
    }
}

#[async_trait]
impl SentQuestions for EmbeddedQuestions {
    async fn send(&self, question: SentQuestion) -> Result<(), PortError> {
        self.write(move |transaction| {
            let count = keep(transaction, &question).map_err(fault)?;
            if count > SENT_QUESTIONS_MAX {
                let sentence = format!("there are {SENT_QUESTIONS_MAX} questions already, which is the limit");
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
            Ok(())
        })
        .await
    }

    async fn sent(&self, tenant: &str, owner: Option<&str>, limit: usize) -> Result<Vec<SentQuestion>, PortError> {
        let mut found = self.all(tenant).await?;
        found.retain(|one| owner.is_none_or(|owner| one.owner == owner));
        found.sort_by(|a, b| {
            let rank = |one: &SentQuestion| (one.answer.is_some(), std::cmp::Reverse(one.sent_ms));
            rank(a).cmp(&rank(b)).then_with(|| a.id.cmp(&b.id))
        });
        found.truncate(limit);
        Ok(found)
    }

    async fn question(&self, tenant: &str, id: &str) -> Result<Option<SentQuestion>, PortError> {
        let (database, names) = (Arc::clone(&self.database), [tenant.to_owned(), id.to_owned()]);
        blocking(PORT, move || {
            database.read(|transaction| {
                let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE t.name = ?1 AND q.id = ?2");
                transaction.prepare_cached(&sql)?.query_row(names, question).optional()
            })
        })
        .await
    }

    async fn answered(&self, tenant: &str, id: &str, answer: WrittenAnswer) -> Result<bool, PortError> {
        let (tenant, id) = (tenant.to_owned(), id.to_owned());
        self.write(move |transaction| {
            let sql =
                format!("UPDATE sent_questions SET document = ?3, answered_ms = ?4 WHERE {OF_TENANT} AND id = ?2");
            let values = params![tenant, id, answer.document.as_str(), answer.at_ms];
            let changed = transaction.prepare_cached(&sql).and_then(|mut sql| sql.execute(values)).map_err(fault)?;
            Ok(changed > 0)
        })
        .await
    }

    async fn withdraw(&self, tenant: &str, id: &str) -> Result<bool, PortError> {
        let names = [tenant.to_owned(), id.to_owned()];
        self.write(move |transaction| {
            let sql = format!("DELETE FROM sent_questions WHERE {OF_TENANT} AND id = ?2");
            let removed = transaction.prepare_cached(&sql).and_then(|mut sql| sql.execute(names)).map_err(fault)?;
            Ok(removed > 0)
        })
        .await
    }
}

/// Writes a question; answers how many its tenant has then.
fn keep(transaction: &Transaction<'_>, question: &SentQuestion) -> rusqlite::Result<usize> {
    transaction.prepare_cached("INSERT OR IGNORE INTO tenants (name) VALUES (?1)")?.execute([&question.tenant])?;
    let tenant: i64 = transaction
        .prepare_cached("SELECT id FROM tenants WHERE name = ?1")?
        .query_row([&question.tenant], |row| row.get(0))?;
    let sql = "INSERT OR REPLACE INTO sent_questions
                   (tenant_id, id, query, topic, owner, sent_by, sent_ms, tags, document, answered_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let answer = question.answer.as_ref();
    transaction.prepare_cached(sql)?.execute(params![
        tenant,
        question.id,
        question.query,
        question.topic,
        question.owner,
        question.sent_by,
        question.sent_ms,
        tags_to_json(&question.tags),
        answer.map(|answer| answer.document.as_str()),
        answer.map(|answer| answer.at_ms),
    ])?;
    let sql = "SELECT count(*) FROM sent_questions WHERE tenant_id = ?1";
    transaction.prepare_cached(sql)?.query_row([tenant], |row| row.get(0))
}

fn question(row: &Row<'_>) -> rusqlite::Result<SentQuestion> {
    let tags = serde_json::from_str(row.get_ref(7)?.as_str()?)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(7, Type::Text, Box::new(error)))?;
    let document: Option<String> = row.get(8)?;
    let answered_ms: Option<u64> = row.get(9)?;
    let answer = document.as_deref().and_then(DocumentId::parse).zip(answered_ms);
    Ok(SentQuestion {
        id: row.get(0)?,
        tenant: row.get(1)?,
        query: row.get(2)?,
        topic: row.get(3)?,
        owner: row.get(4)?,
        sent_by: row.get(5)?,
        sent_ms: row.get(6)?,
        tags,
        answer: answer.map(|(document, at_ms)| WrittenAnswer { document, at_ms }),
    })
}
