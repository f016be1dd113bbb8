//! Documents → rows, all in the caller's transaction.

use rusqlite::{OptionalExtension, Transaction, params};
use vouch_domain::{
    CardField, DocumentCard, DocumentId, EmbeddedPassage, EmbedderIdentity,
    ports::{KeptDocument, UpsertOutcome},
};

use super::marks;
use crate::embedded::{
    database::tags_to_json,
    facts::{generation, set_meta},
    findings, past_access, shelves, totals,
};

pub(super) fn upsert(
    transaction: &Transaction<'_>,
    documents: &[KeptDocument],
    embedder: &EmbedderIdentity,
) -> rusqlite::Result<Vec<UpsertOutcome>> {
    set_meta(transaction, "embedder", &embedder.digest)?;
    set_meta(transaction, "embedder_name", &embedder.name)?;
    let generation = next_generation(transaction)?;
    let filed = documents
        .iter()
        .map(|document| keep_one(transaction, document, generation))
        .collect::<rusqlite::Result<Vec<UpsertOutcome>>>()?;
    let passages = documents.iter().map(|document| document.passages.len()).sum();
    totals::add(transaction, "passages", passages)?;
    totals::add(transaction, "versions", documents.len())?;
    Ok(filed)
}

pub(super) fn remove(transaction: &Transaction<'_>, tenant: &str, ids: &[DocumentId]) -> rusqlite::Result<u64> {
    let mut removed = 0;
    let generation = if ids.is_empty() { 0 } else { next_generation(transaction)? };
    for id in ids {
        let Some((key, Some(_))) = find(transaction, tenant, id)? else { continue };
        past_access::remember(transaction, key)?;
        bury_passages(transaction, key, generation)?;
        findings::forget(transaction, key)?;
        transaction.prepare_cached("UPDATE documents SET version = NULL WHERE key = ?1")?.execute([key])?;
        removed += 1;
    }
    Ok(removed)
}

pub(super) fn rename(
    transaction: &Transaction<'_>,
    tenant: &str,
    renames: &[(DocumentId, String)],
) -> rusqlite::Result<()> {
    if !renames.is_empty() {
        next_generation(transaction)?;
    }
    for (id, source) in renames {
        let Some((key, version)) = find(transaction, tenant, id)? else { continue };
        if version.is_some() {
            past_access::remember_source(transaction, key)?;
        }
        transaction.prepare_cached("UPDATE documents SET source = ?2 WHERE key = ?1")?.execute(params![key, source])?;
    }
    Ok(())
}

pub(super) fn next_generation(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let next = generation(transaction)?.0 + 1;
    set_meta(transaction, "generation", &next.to_string())?;
    Ok(next)
}

fn keep_one(transaction: &Transaction<'_>, kept: &KeptDocument, generation: u64) -> rusqlite::Result<UpsertOutcome> {
    let card = &kept.document.card;
    let tenant = tenant_id(transaction, &card.tenant)?;
    let audience = audience_id(transaction, tenant, card)?;
    shelves::keep(transaction, audience, &card.collection)?;
    let known = find(transaction, &card.tenant, &card.id)?;
    let key = match known {
        Some((key, version)) => {
            if version.is_some() {
                past_access::remember_text(transaction, key)?;
            }
            if version.is_some() && source_of(transaction, key)? != card.source {
                past_access::remember_source(transaction, key)?;
            }
            key
        }
        None => {
            transaction
                .prepare_cached("INSERT INTO documents (tenant_id, id, source) VALUES (?1, ?2, ?3)")?
                .execute(params![tenant, card.id.as_str(), card.source])?;
            let key = transaction.last_insert_rowid();
            totals::add(transaction, "documents", 1)?;
            key
        }
    };
    let last: Option<u32> = transaction
        .prepare_cached("SELECT max(number) FROM versions WHERE document = ?1")?
        .query_row([key], |row| row.get(0))?;
    let number = last.unwrap_or(0) + 1;
    insert_version(transaction, kept, (key, number, audience))?;
    bury_passages(transaction, key, generation)?;
    for passage in &kept.passages {
        insert_passage(transaction, passage, (key, number, audience), generation)?;
    }
    for topic in &card.topics {
        transaction
            .prepare_cached("INSERT INTO version_topics (document, version, topic) VALUES (?1, ?2, ?3)")?
            .execute(params![key, number, topic])?;
    }
    transaction.prepare_cached("UPDATE documents SET version = ?2, source = ?3 WHERE key = ?1")?.execute(params![
        key,
        number,
        card.source
    ])?;
    end_edits(transaction, key, &kept.ended_edits)?;
    past_access::forget_if_open(transaction, (tenant, key), card)?;
    let was_there = known.is_some_and(|(_, version)| version.is_some());
    Ok(if was_there { UpsertOutcome::Updated(number) } else { UpsertOutcome::Added })
}

/// Ends edits that a source has a newer statement on.
fn end_edits(transaction: &Transaction<'_>, document: i64, fields: &[CardField]) -> rusqlite::Result<()> {
    for field in fields {
        transaction
            .prepare_cached("DELETE FROM edits WHERE document = ?1 AND field = ?2")?
            .execute(params![document, field.as_str()])?;
    }
    Ok(())
}

fn source_of(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<String> {
    let sql = "SELECT source FROM checked_documents WHERE key = ?1";
    transaction.prepare_cached(sql)?.query_row([document], |row| row.get(0))
}

pub(super) fn find(
    transaction: &Transaction<'_>,
    tenant: &str,
    id: &DocumentId,
) -> rusqlite::Result<Option<(i64, Option<u32>)>> {
    transaction
        .prepare_cached(
            "SELECT d.key, d.version FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
             WHERE t.name = ?1 AND d.id = ?2",
        )?
        .query_row(params![tenant, id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

pub(super) fn tenant_id(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
    transaction.prepare_cached("INSERT OR IGNORE INTO tenants (name) VALUES (?1)")?.execute([name])?;
    transaction.prepare_cached("SELECT id FROM checked_tenants WHERE name = ?1")?.query_row([name], |row| row.get(0))
}

pub(super) fn audience_id(transaction: &Transaction<'_>, tenant: i64, card: &DocumentCard) -> rusqlite::Result<i64> {
    let tags = tags_to_json(&card.tags);
    transaction
        .prepare_cached("INSERT OR IGNORE INTO audiences (tenant_id, tags) VALUES (?1, ?2)")?
        .execute(params![tenant, tags])?;
    transaction
        .prepare_cached("SELECT id FROM checked_audiences WHERE tenant_id = ?1 AND tags = ?2")?
        .query_row(params![tenant, tags], |row| row.get(0))
}

fn insert_version(
    transaction: &Transaction<'_>,
    kept: &KeptDocument,
    (key, number, audience): (i64, u32, i64),
) -> rusqlite::Result<()> {
    let card = &kept.document.card;
    transaction
        .prepare_cached(
            "INSERT INTO versions (document, number, hash, audience, title, kind, collection, status, date, label,
                                   owner, address, url, taken_in_ms, text, address_key, superseded_by, text_sum,
                                   passage_count)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                     row_sum('versions.text', ?15), ?18)",
        )?
        .execute(params![
            key,
            number,
            kept.hash.0.as_slice(),
            audience,
            card.title,
            card.kind,
            card.collection,
            card.status,
            card.date,
            card.version,
            card.owner,
            card.address.as_ref().map(|address| address.as_str()),
            card.url,
            i64::try_from(kept.taken_in_ms).unwrap_or(i64::MAX),
            kept.document.text,
            card.address.as_ref().map(|address| address.key().as_str().to_owned()),
            card.superseded_by.as_ref().map(|address| address.as_str()),
            kept.passages.len(),
        ])
        .map(|_| ())
}

fn insert_passage(
    transaction: &Transaction<'_>,
    embedded: &EmbeddedPassage,
    (key, number, audience): (i64, u32, i64),
    generation: u64,
) -> rusqlite::Result<()> {
    let passage = &embedded.passage;
    transaction
        .prepare_cached(
            "INSERT INTO passages (document, version, ordinal, audience, born, start_char, end_char, section, address,
                                   text, times)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            key,
            number,
            passage.ordinal,
            audience,
            i64::try_from(generation).unwrap_or(i64::MAX),
            i64::try_from(passage.span.start).unwrap_or(i64::MAX),
            i64::try_from(passage.span.end).unwrap_or(i64::MAX),
            serde_json::to_string(&*passage.section).unwrap_or_else(|_| "[]".to_owned()),
            passage.address.as_ref().map(|address| address.as_str()),
            passage.text,
            marks::to_json(passage),
        ])?;
    let passage_key = transaction.last_insert_rowid();
    let vector: Vec<u8> = embedded.embedding.values().iter().flat_map(|value| value.to_le_bytes()).collect();
    transaction
        .prepare_cached("INSERT INTO embeddings (passage, vector) VALUES (?1, ?2)")?
        .execute(params![passage_key, vector])
        .map(|_| ())
}

pub(super) fn bury_passages(transaction: &Transaction<'_>, document: i64, generation: u64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE passages SET died = ?2 WHERE document = ?1 AND died IS NULL")?
        .execute(params![document, i64::try_from(generation).unwrap_or(i64::MAX)])
        .map(|_| ())
}
