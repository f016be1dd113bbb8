//! What people have set of documents ⇄ rows, and a document's new version with another card, in the caller's transaction.

use rusqlite::{OptionalExtension, Transaction, params};
use vouch_domain::{CardEdit, CardField, DocumentId, ports::EditedCard};

use super::upsert::{audience_id, bury_passages, find, next_generation, tenant_id};
use crate::embedded::{past_access, shelves, totals};

pub(super) fn edits(transaction: &Transaction<'_>, tenant: &str, id: &DocumentId) -> rusqlite::Result<Vec<CardEdit>> {
    let mut statement = transaction.prepare_cached(
        "SELECT e.field, e.value, e.stated, e.set_by, e.set_ms FROM checked_documents d
         JOIN checked_tenants t ON t.id = d.tenant_id JOIN checked_edits e ON e.document = d.key
         WHERE t.name = ?1 AND d.id = ?2",
    )?;
    let rows = statement.query_map(params![tenant, id.as_str()], |row| {
        let field: String = row.get(0)?;
        let (value, stated, set_by, set_ms) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(CardField::parse(&field).map(|field| CardEdit { field, value, stated, set_by, set_ms }))
    })?;
    let mut found: Vec<CardEdit> = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect();
    found.sort_by_key(|edit| edit.field);
    Ok(found)
}

/// Gives a document a new version that differs in its card alone.
pub(super) fn edit(transaction: &Transaction<'_>, edited: &EditedCard) -> rusqlite::Result<Option<u32>> {
    let card = &edited.card;
    let Some((key, Some(current))) = find(transaction, &card.tenant, &card.id)? else { return Ok(None) };
    let generation = next_generation(transaction)?;
    let tenant = tenant_id(transaction, &card.tenant)?;
    let audience = audience_id(transaction, tenant, card)?;
    shelves::keep(transaction, audience, &card.collection)?;
    let last: Option<u32> = transaction
        .prepare_cached("SELECT max(number) FROM versions WHERE document = ?1")?
        .query_row([key], |row| row.get(0))?;
    let number = last.unwrap_or(0) + 1;
    copy_version(transaction, edited, (key, current, number), audience)?;
    bury_passages(transaction, key, generation)?;
    let copied = copy_passages(transaction, edited, (key, current, number), (audience, generation))?;
    for topic in &card.topics {
        transaction
            .prepare_cached("INSERT INTO version_topics (document, version, topic) VALUES (?1, ?2, ?3)")?
            .execute(params![key, number, topic])?;
    }
    transaction.prepare_cached("UPDATE documents SET version = ?2 WHERE key = ?1")?.execute(params![key, number])?;
    // What it was read from gives the same document as before.
    transaction
        .prepare_cached("UPDATE readings SET version = ?2 WHERE document = ?1 AND version = ?3")?
        .execute(params![key, number, current])?;
    totals::add(transaction, "passages", copied)?;
    totals::add(transaction, "versions", 1)?;
    past_access::forget_if_open(transaction, (tenant, key), card)?;
    for edit in &edited.edits {
        note(transaction, key, edit, generation)?;
    }
    Ok(Some(number))
}

fn note(transaction: &Transaction<'_>, document: i64, edit: &CardEdit, generation: u64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO edits (document, field, value, stated, set_by, set_ms, generation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (document, field) DO UPDATE SET value = excluded.value, stated = excluded.stated,
                 set_by = excluded.set_by, set_ms = excluded.set_ms, generation = excluded.generation",
        )?
        .execute(params![
            document,
            edit.field.as_str(),
            edit.value,
            edit.stated,
            edit.set_by,
            i64::try_from(edit.set_ms).unwrap_or(i64::MAX),
            i64::try_from(generation).unwrap_or(i64::MAX),
        ])
        .map(|_| ())
}

fn copy_version(
    transaction: &Transaction<'_>,
    edited: &EditedCard,
    (key, from, to): (i64, u32, u32),
    audience: i64,
) -> rusqlite::Result<()> {
    let card = &edited.card;
    transaction
        .prepare_cached(
            "INSERT INTO versions (document, number, hash, audience, title, kind, collection, status, date, label,
                                   owner, address, url, taken_in_ms, text, address_key, superseded_by, text_sum,
                                   passage_count)
             SELECT document, ?3, hash, ?4, ?5, ?6, collection, ?7, date, ?8, owner, address, url, ?9, text,
                    address_key, ?10, text_sum, passage_count
             FROM checked_versions WHERE document = ?1 AND number = ?2 AND row_fits(text_sum, 'versions.text', text)",
        )?
        .execute(params![
            key,
            from,
            to,
            audience,
            card.title,
            card.kind,
            card.status,
            card.version,
            i64::try_from(edited.edited_ms).unwrap_or(i64::MAX),
            card.superseded_by.as_ref().map(|address| address.as_str()),
        ])
        .map(|_| ())
}

/// Copies the passages of a version with their vectors, or with those that are given; answers how many there are.
fn copy_passages(
    transaction: &Transaction<'_>,
    edited: &EditedCard,
    (key, from, to): (i64, u32, u32),
    (audience, generation): (i64, u64),
) -> rusqlite::Result<usize> {
    let sql = "SELECT key FROM checked_passages WHERE document = ?1 AND version = ?2 ORDER BY ordinal";
    let old = transaction
        .prepare_cached(sql)?
        .query_map(params![key, from], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    let given = edited.embeddings.as_deref().filter(|all| all.len() == old.len());
    for (at, passage) in old.iter().enumerate() {
        transaction
            .prepare_cached(
                "INSERT INTO passages (document, version, ordinal, audience, born, start_char, end_char, section, address,
                                       text, times)
                 SELECT document, ?2, ordinal, ?3, ?4, start_char, end_char, section, address, text, times
                 FROM checked_passages WHERE key = ?1",
            )?
            .execute(params![passage, to, audience, i64::try_from(generation).unwrap_or(i64::MAX)])?;
        let copy = transaction.last_insert_rowid();
        let vector: Option<Vec<u8>> = match given.and_then(|all| all.get(at)) {
            Some(embedding) => Some(embedding.values().iter().flat_map(|value| value.to_le_bytes()).collect()),
            None => transaction
                .prepare_cached("SELECT vector FROM checked_embeddings WHERE passage = ?1")?
                .query_row([passage], |row| row.get(0))
                .optional()?,
        };
        if let Some(vector) = vector {
            transaction
                .prepare_cached("INSERT INTO embeddings (passage, vector) VALUES (?1, ?2)")?
                .execute(params![copy, vector])?;
        }
    }
    Ok(old.len())
}
