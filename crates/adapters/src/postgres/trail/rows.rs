//! Entries of the trail ↔ rows of the database, each under a checksum that its node has made.

use std::time::Duration;

use deadpool_postgres::Transaction;
use tokio_postgres::{Row, types::ToSql};
use vouch_domain::{AuditEntry, Fault, Feedback, Opinion, PortError, Rating, ports::Generation};

use crate::{
    embedded::audit::outgoing::{OutgoingEntry, SentEntry},
    postgres::{
        fault::fault,
        server::within,
        tenant::{signed, unsigned},
    },
};

pub(super) const PORT: &str = "audit";
/// What is read of an entry.
pub(super) const COLUMNS: &str =
    "number, node, place, id, tenant, asker, at_ms, outcome, reason, generation, elapsed_ms, record, link, sum";

/// Keeps entries of a node, each of another place, in the order of their places; those that are there are as they are now, and never
/// as they were before that. All of them go in one statement, so that a batch waits for the network once.
pub(super) async fn upsert(
    transaction: &Transaction<'_>,
    limit: Duration,
    (node, entries): (&str, &[OutgoingEntry]),
) -> Result<(), PortError> {
    let sql = "INSERT INTO vouch.trail
                   (node, place, id, tenant, asker, at_ms, outcome, reason, generation, elapsed_ms, record, link, sum)
               SELECT $1::text, given.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
                       $8::text[], $9::bigint[], $10::float8[], $11::text[], $12::bigint[], $13::bytea[])
                   AS given (place, id, tenant, asker, at_ms, outcome, reason, generation, elapsed_ms, record, link, sum)
               ORDER BY given.place
               ON CONFLICT (node, place, id, at_ms, tenant, asker) DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason,
                   generation = excluded.generation, elapsed_ms = excluded.elapsed_ms, record = excluded.record,
                   link = excluded.link, sum = excluded.sum
               WHERE vouch.trail.link < excluded.link";
    let statement = within(limit, transaction.prepare_cached(sql)).await?;
    let stored: Vec<AuditEntry> = entries.iter().map(|one| storable(&one.entry)).collect();
    let sums: Vec<Vec<u8>> =
        entries.iter().zip(&stored).map(|(one, entry)| sum(node, one.place, one.link, entry)).collect();
    let places: Vec<i64> = entries.iter().map(|one| signed(one.place)).collect();
    let links: Vec<i64> = entries.iter().map(|one| signed(one.link)).collect();
    let ids: Vec<&str> = stored.iter().map(|entry| entry.id.as_str()).collect();
    let tenants: Vec<&str> = stored.iter().map(|entry| entry.tenant.as_str()).collect();
    let askers: Vec<&str> = stored.iter().map(|entry| entry.asker.as_str()).collect();
    let times: Vec<i64> = stored.iter().map(|entry| signed(entry.at_ms)).collect();
    let outcomes: Vec<&str> = stored.iter().map(|entry| entry.outcome.as_str()).collect();
    let reasons: Vec<Option<&str>> = stored.iter().map(|entry| entry.reason.as_deref()).collect();
    let generations: Vec<i64> = stored.iter().map(|entry| signed(entry.generation.0)).collect();
    let elapsed: Vec<f64> = stored.iter().map(|entry| entry.elapsed_ms).collect();
    let records: Vec<&str> = stored.iter().map(|entry| entry.record.as_str()).collect();
    let values: [&(dyn ToSql + Sync); 13] = [
        &node,
        &places,
        &ids,
        &tenants,
        &askers,
        &times,
        &outcomes,
        &reasons,
        &generations,
        &elapsed,
        &records,
        &links,
        &sums,
    ];
    within(limit, transaction.execute(&statement, &values)).await.map(drop)
}

/// The first link of those entries of a node that are not there as they were sent; none where all are.
pub(super) async fn first_missing(
    transaction: &Transaction<'_>,
    (node, sent): (&str, &[SentEntry]),
) -> Result<Option<u64>, PortError> {
    let sql = "SELECT min(s.link)
               FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[])
                   AS s (link, place, id, at_ms, tenant, asker)
               WHERE NOT EXISTS (SELECT 1 FROM vouch.trail t WHERE t.node = $1 AND t.place = s.place AND t.id = s.id
                   AND t.at_ms = s.at_ms AND t.tenant = s.tenant AND t.asker = s.asker AND t.link >= s.link)";
    let links: Vec<i64> = sent.iter().map(|one| signed(one.link)).collect();
    let places: Vec<i64> = sent.iter().map(|one| signed(one.place)).collect();
    let ids: Vec<String> = sent.iter().map(|one| storable_text(&one.id)).collect();
    let times: Vec<i64> = sent.iter().map(|one| signed(one.at_ms)).collect();
    let tenants: Vec<String> = sent.iter().map(|one| storable_text(&one.tenant)).collect();
    let askers: Vec<String> = sent.iter().map(|one| storable_text(&one.asker)).collect();
    let values: [&(dyn ToSql + Sync); 7] = [&node, &links, &places, &ids, &times, &tenants, &askers];
    let row = transaction.query_one(sql, &values).await.map_err(fault)?;
    Ok(row.get::<_, Option<i64>>(0).map(unsigned))
}

/// An entry and its number.
///
/// # Errors
/// Fails if it is not as its node wrote it.
pub(super) fn entry_of(row: &Row) -> Result<(u64, AuditEntry), PortError> {
    let read = || -> Result<_, tokio_postgres::Error> {
        let entry = AuditEntry {
            id: row.try_get(3)?,
            tenant: row.try_get(4)?,
            asker: row.try_get(5)?,
            at_ms: unsigned(row.try_get(6)?),
            outcome: row.try_get(7)?,
            reason: row.try_get(8)?,
            generation: Generation(unsigned(row.try_get(9)?)),
            elapsed_ms: row.try_get(10)?,
            record: row.try_get(11)?,
        };
        let (number, node): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
        let (place, link): (i64, i64) = (row.try_get(2)?, row.try_get(12)?);
        Ok((number, node, place, link, row.try_get::<_, Vec<u8>>(13)?, entry))
    };
    let (number, node, place, link, kept, entry) = read().map_err(fault)?;
    if sum(&node, unsigned(place), unsigned(link), &entry) != kept {
        let sentence =
            format!("entry {} of the audit trail was changed in the database after it was written", entry.id);
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    Ok((unsigned(number), entry))
}

/// What is read of feedback.
pub(super) const SAID: &str = "asker, at_ms, is_helpful, rating, comment";

/// One caller's feedback.
pub(super) fn feedback_of(row: &Row) -> Result<Feedback, PortError> {
    let read = || -> Result<Feedback, tokio_postgres::Error> {
        Ok(Feedback {
            asker: row.try_get(0)?,
            at_ms: unsigned(row.try_get(1)?),
            opinion: opinion(row.try_get(2)?, row.try_get(3)?),
            comment: row.try_get(4)?,
        })
    };
    read().map_err(fault)
}

/// What somebody thinks, out of the columns of the thumb and of the rating.
pub(super) fn opinion(is_helpful: Option<bool>, stars: Option<i16>) -> Opinion {
    let rating = stars.and_then(|stars| u8::try_from(stars).ok()).and_then(Rating::new);
    Opinion { is_helpful, rating }
}

fn storable(entry: &AuditEntry) -> AuditEntry {
    AuditEntry {
        id: storable_text(&entry.id),
        tenant: storable_text(&entry.tenant),
        asker: storable_text(&entry.asker),
        outcome: storable_text(&entry.outcome),
        reason: entry.reason.as_deref().map(storable_text),
        record: storable_text(&entry.record),
        ..entry.clone()
    }
}

/// PostgreSQL keeps no U+0000, and an entry must not be kept back for one.
fn storable_text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

fn sum(node: &str, place: u64, link: u64, entry: &AuditEntry) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    let reason = entry.reason.as_deref();
    for text in
        [node, &entry.id, &entry.tenant, &entry.asker, &entry.outcome, reason.unwrap_or_default(), &entry.record]
    {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    for number in [place, link, entry.at_ms, entry.generation.0, u64::from(reason.is_some())] {
        hasher.update(&number.to_le_bytes());
    }
    hasher.update(&entry.elapsed_ms.to_bits().to_le_bytes());
    hasher.finalize().as_bytes().to_vec()
}
