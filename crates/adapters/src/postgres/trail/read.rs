//! The database's trail, read and commented on; every row is reached through its tenant's name.

use std::sync::Arc;

use deadpool_postgres::Transaction;
use tokio_postgres::types::ToSql;
use vouch_domain::{
    AuditEntry, AuditScope, AuditedEntry, Fault, Feedback, FeedbackOutcome, Opinion, PortError, Rating,
    ports::AuditPlace,
};

use super::rows::{COLUMNS, PORT, SAID, entry_of, feedback_of, opinion};
use crate::postgres::{
    fault::fault,
    server::Server,
    tenant::{ALL, begin, signed},
};

/// What a caller may see: the tenant's entries, or only their own.
const IN_SIGHT: &str = "tenant = $1 AND ($2::text IS NULL OR asker = $2)";
/// Entries that are read at a time where all are.
const BATCH: i64 = 200;

/// The newest entry of this name that is in sight.
pub(super) async fn entry(
    server: &Arc<Server>,
    scope: AuditScope,
    id: String,
) -> Result<Option<AuditedEntry>, PortError> {
    let own = Arc::clone(server);
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, &scope.tenant).await?;
            let sql =
                format!("SELECT {COLUMNS} FROM vouch.trail WHERE {IN_SIGHT} AND id = $3 ORDER BY number DESC LIMIT 1");
            let values: [&(dyn ToSql + Sync); 3] = [&scope.tenant, &scope.asker, &id];
            let found = match transaction.query_opt(&sql, &values).await.map_err(fault)? {
                Some(row) => {
                    let (number, entry) = entry_of(&row)?;
                    Some(AuditedEntry { entry, feedback: said(&transaction, number).await? })
                }
                None => None,
            };
            transaction.commit().await.map_err(fault)?;
            Ok(found)
        })
        .await
}

/// The entries in sight before a place, newest first.
pub(super) async fn before(
    server: &Arc<Server>,
    scope: AuditScope,
    place: Option<AuditPlace>,
    limit: usize,
) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError> {
    let own = Arc::clone(server);
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, &scope.tenant).await?;
            let whose = match &scope.asker {
                Some(_) => "tenant = $1 AND asker = $2",
                None => "tenant = $1 AND $2::text IS NULL",
            };
            let sql = format!(
                "SELECT {COLUMNS} FROM vouch.trail WHERE {whose} AND number < $3 ORDER BY number DESC LIMIT $4"
            );
            let (before, limit) =
                (place.map_or(i64::MAX, |place| signed(place.0)), i64::try_from(limit).unwrap_or(i64::MAX));
            let values: [&(dyn ToSql + Sync); 4] = [&scope.tenant, &scope.asker, &before, &limit];
            let rows = transaction.query(&sql, &values).await.map_err(fault)?;
            transaction.commit().await.map_err(fault)?;
            rows.iter().map(|row| entry_of(row).map(|(number, entry)| (AuditPlace(number), entry))).collect()
        })
        .await
}

/// The entries in sight that somebody has spoken on, newest first.
pub(super) async fn commented(
    server: &Arc<Server>,
    scope: AuditScope,
    limit: usize,
) -> Result<Vec<AuditedEntry>, PortError> {
    let own = Arc::clone(server);
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, &scope.tenant).await?;
            let sql = format!(
                "SELECT {COLUMNS} FROM vouch.trail WHERE {IN_SIGHT}
                     AND number IN (SELECT number FROM vouch.trail_feedback WHERE tenant = $1)
                     ORDER BY number DESC LIMIT $3"
            );
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let values: [&(dyn ToSql + Sync); 3] = [&scope.tenant, &scope.asker, &limit];
            let rows = transaction.query(&sql, &values).await.map_err(fault)?;
            let mut found = Vec::with_capacity(rows.len());
            for row in &rows {
                let (number, entry) = entry_of(row)?;
                found.push(AuditedEntry { entry, feedback: said(&transaction, number).await? });
            }
            transaction.commit().await.map_err(fault)?;
            Ok(found)
        })
        .await
}

/// Every entry of all tenants, oldest first.
pub(super) async fn each(server: &Arc<Server>, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError> {
    let mut after = 0_i64;
    loop {
        let own = Arc::clone(server);
        let read = server.run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, ALL).await?;
            let sql = format!("SELECT {COLUMNS} FROM vouch.trail WHERE number > $1 ORDER BY number LIMIT $2");
            let rows = transaction.query(&sql, &[&after, &BATCH]).await.map_err(fault)?;
            let mut found = Vec::with_capacity(rows.len());
            for row in &rows {
                let (number, entry) = entry_of(row)?;
                found.push((number, AuditedEntry { entry, feedback: said(&transaction, number).await? }));
            }
            transaction.commit().await.map_err(fault)?;
            Ok(found)
        });
        let found = read.await?;
        let Some((last, _)) = found.last() else { return Ok(()) };
        after = signed(*last);
        found.into_iter().for_each(|(_, audited)| visit(audited));
    }
}

/// Adds feedback to the newest entry of a name that is in sight.
pub(super) async fn comment(
    server: &Arc<Server>,
    scope: AuditScope,
    (id, feedback): (String, Feedback),
) -> Result<FeedbackOutcome, PortError> {
    let own = Arc::clone(server);
    server
        .run(async move {
            let mut client = own.connection().await?;
            let transaction = begin(&mut client, &scope.tenant).await?;
            let sql = format!(
                "SELECT number FROM vouch.trail WHERE {IN_SIGHT} AND id = $3 ORDER BY number DESC LIMIT 1 FOR UPDATE"
            );
            let values: [&(dyn ToSql + Sync); 3] = [&scope.tenant, &scope.asker, &id];
            let Some(row) = transaction.query_opt(&sql, &values).await.map_err(fault)? else {
                return Ok(FeedbackOutcome::NoEntry);
            };
            let outcome = add(&transaction, (row.get(0), &scope.tenant), &feedback).await?;
            transaction.commit().await.map_err(fault)?;
            Ok(outcome)
        })
        .await
}

/// Replaces the same caller's earlier feedback, unless there is too much from others.
async fn add(
    transaction: &Transaction<'_>,
    (number, tenant): (i64, &str),
    feedback: &Feedback,
) -> Result<FeedbackOutcome, PortError> {
    let others = "SELECT count(*) FROM vouch.trail_feedback WHERE number = $1 AND asker <> $2";
    let others: i64 = transaction.query_one(others, &[&number, &feedback.asker]).await.map_err(fault)?.get(0);
    let limit = Feedback::PER_ENTRY_MAX;
    if usize::try_from(others).unwrap_or(usize::MAX) >= limit {
        let sentence = format!("this answer already has feedback from {limit} callers, which is the limit");
        return Err(PortError::new(PORT, Fault::Invalid, sentence));
    }
    let before = "SELECT is_helpful, rating FROM vouch.trail_feedback WHERE number = $1 AND asker = $2";
    let before = transaction.query_opt(before, &[&number, &feedback.asker]).await.map_err(fault)?;
    let before = before.map(|row| opinion(row.get(0), row.get(1)));
    let sql = "INSERT INTO vouch.trail_feedback (number, tenant, asker, at_ms, is_helpful, rating, comment)
               VALUES ($1, $2, $3, $4, $5, $6, $7)
               ON CONFLICT (number, asker) DO UPDATE SET at_ms = excluded.at_ms, is_helpful = excluded.is_helpful,
                   rating = excluded.rating, comment = excluded.comment";
    let Opinion { is_helpful, rating } = feedback.opinion;
    let stars = rating.map(|rating| i16::from(Rating::stars(rating)));
    let values: [&(dyn ToSql + Sync); 7] =
        [&number, &tenant, &feedback.asker, &signed(feedback.at_ms), &is_helpful, &stars, &feedback.comment];
    transaction.execute(sql, &values).await.map_err(fault)?;
    Ok(before.map_or(FeedbackOutcome::New, |before| FeedbackOutcome::Replaced { before }))
}

/// What was said of an entry, oldest first.
async fn said(transaction: &Transaction<'_>, number: u64) -> Result<Vec<Feedback>, PortError> {
    let sql = format!("SELECT {SAID} FROM vouch.trail_feedback WHERE number = $1 ORDER BY at_ms, asker");
    let rows = transaction.query(&sql, &[&signed(number)]).await.map_err(fault)?;
    rows.iter().map(feedback_of).collect()
}
