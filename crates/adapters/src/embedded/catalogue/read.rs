//! Rows → documents and passages, for one reader, in the caller's transaction.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rusqlite::{OptionalExtension, Row, Transaction, params};
use vouch_domain::{
    Address, CharSpan, ContentHash, DocumentCard, DocumentId, Passage, PassageKey, Reader, SourceDigest, StoredPassage,
    ports::{Counts, Fingerprint},
};

use super::marks;
use crate::embedded::audiences::VisibleAudiences;

macro_rules! fingerprints_where {
    () => {
        "SELECT d.id, d.source, v.hash, a.tags, r.digest
         FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
         JOIN checked_versions v ON v.document = d.key AND v.number = d.version
         JOIN checked_audiences a ON a.id = v.audience
         LEFT JOIN checked_readings r ON r.document = d.key AND r.version = v.number
         WHERE t.name = ?1 AND "
    };
}
/// How many documents of one text are told.
const SAME_TEXT_MAX: usize = 1_000;

pub(super) fn fingerprints(
    transaction: &Transaction<'_>,
    tenant: &str,
    ids: &[DocumentId],
) -> rusqlite::Result<Vec<Fingerprint>> {
    let mut statement = transaction.prepare_cached(concat!(fingerprints_where!(), "d.id = ?2"))?;
    let mut found = Vec::new();
    for id in ids {
        found.extend(statement.query_row(params![tenant, id.as_str()], fingerprint).optional()?.flatten());
    }
    Ok(found)
}

/// Two statements and not one with an `OR` and an order: for that every document of the tenant is looked at, and an ingest
/// asks once per file.
const OF_SOURCE: &str = concat!(fingerprints_where!(), "d.source = ?2 AND ?3 = ''");
const BELOW_SOURCE: &str = concat!(fingerprints_where!(), "d.source >= ?2 AND d.source < ?3");

pub(super) fn under_source(
    transaction: &Transaction<'_>,
    tenant: &str,
    source: &str,
) -> rusqlite::Result<Vec<Fingerprint>> {
    let folder = source.trim_end_matches('/');
    let mut found = Vec::new();
    // The character after the slash ends the range of everything below the folder.
    for (statement, first, end) in
        [(OF_SOURCE, folder.to_owned(), String::new()), (BELOW_SOURCE, format!("{folder}/"), format!("{folder}0"))]
    {
        let mut statement = transaction.prepare_cached(statement)?;
        let rows = statement.query_map(params![tenant, first, end], fingerprint)?;
        found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten());
    }
    found.sort_by(|one: &Fingerprint, other| one.id.cmp(&other.id));
    Ok(found)
}

pub(super) fn with_text(transaction: &Transaction<'_>, tenant: &str, text: &str) -> rusqlite::Result<Vec<Fingerprint>> {
    // The order of a cross join is kept, and the sum of the text finds few rows. The plus keeps the tenant's name out of the
    // sums of other tenants' rows.
    let mut statement = transaction.prepare_cached(
        "SELECT d.id, d.source, v.hash, a.tags, NULL FROM checked_versions v
         CROSS JOIN checked_documents d ON d.key = v.document AND d.version = v.number
         CROSS JOIN checked_tenants t ON t.id = d.tenant_id CROSS JOIN checked_audiences a ON a.id = v.audience
         WHERE v.text_sum = row_sum('versions.text', ?2) AND +t.name = ?1 ORDER BY d.id LIMIT ?3",
    )?;
    let rows = statement
        .query_map(params![tenant, text, SAME_TEXT_MAX], fingerprint)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(rows.into_iter().flatten().collect())
}

fn fingerprint(row: &Row<'_>) -> rusqlite::Result<Option<Fingerprint>> {
    let (id, source, hash): (String, String, [u8; 32]) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let tags: String = row.get(3)?;
    let tags = serde_json::from_str(&tags).unwrap_or_default();
    let read_from = row.get::<_, Option<[u8; 32]>>(4)?.map(SourceDigest);
    Ok(DocumentId::parse(&id).map(|id| Fingerprint { id, source, hash: ContentHash(hash), tags, read_from }))
}

pub(in crate::embedded) fn passages(
    transaction: &Transaction<'_>,
    reader: &Reader,
    keys: &[PassageKey],
) -> rusqlite::Result<Vec<StoredPassage>> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let mut statement = transaction.prepare_cached(
        "SELECT document, version, audience, ordinal, start_char, end_char, section, address, text,
                times
         FROM checked_passages WHERE key = ?1 AND died IS NULL",
    )?;
    let mut cards: BTreeMap<(i64, u32), Arc<DocumentCard>> = BTreeMap::new();
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        let number = i64::try_from(key.0).unwrap_or(-1);
        let Some((place, audience, passage)) = statement.query_row([number], passage).optional()? else { continue };
        if !visible.has(audience) {
            continue;
        }
        let document = match cards.get(&place) {
            Some(known) => Arc::clone(known),
            None => {
                let Some(loaded) = card(transaction, place)? else { continue };
                let loaded = Arc::new(loaded);
                cards.insert(place, Arc::clone(&loaded));
                loaded
            }
        };
        if visible.includes(audience, &document.collection) {
            found.push(StoredPassage { key: *key, document, passage });
        }
    }
    Ok(found)
}

fn passage(row: &Row<'_>) -> rusqlite::Result<((i64, u32), u32, Passage)> {
    let section: String = row.get(6)?;
    let address: Option<String> = row.get(7)?;
    let kept: Option<String> = row.get(9)?;
    let (times, pages) = kept.map(|json| marks::from_json(&json)).unwrap_or_default();
    let passage = Passage {
        ordinal: row.get(3)?,
        section: serde_json::from_str::<Vec<String>>(&section).unwrap_or_default().into(),
        span: CharSpan { start: row.get(4)?, end: row.get(5)? },
        text: row.get(8)?,
        address: address.as_deref().and_then(Address::parse),
        times,
        pages,
    };
    Ok(((row.get(0)?, row.get(1)?), row.get(2)?, passage))
}

fn topics(transaction: &Transaction<'_>, (document, version): (i64, u32)) -> rusqlite::Result<BTreeSet<String>> {
    let sql = "SELECT topic FROM checked_version_topics WHERE document = ?1 AND version = ?2";
    transaction.prepare_cached(sql)?.query_map(params![document, version], |row| row.get(0))?.collect()
}

pub(in crate::embedded) fn card(
    transaction: &Transaction<'_>,
    (document, version): (i64, u32),
) -> rusqlite::Result<Option<DocumentCard>> {
    let mut statement = transaction.prepare_cached(
        "SELECT d.id, t.name, d.source, v.title, v.kind, v.collection, v.status, v.date, v.label, v.owner, v.address,
                v.url, a.tags, v.superseded_by
         FROM checked_versions v JOIN checked_documents d ON d.key = v.document
         JOIN checked_tenants t ON t.id = d.tenant_id JOIN checked_audiences a ON a.id = v.audience WHERE v.document = ?1 AND v.number = ?2",
    )?;
    let found = statement.query_row(params![document, version], |row| {
        let id: String = row.get(0)?;
        let address: Option<String> = row.get(10)?;
        let tags: String = row.get(12)?;
        let superseded_by: Option<String> = row.get(13)?;
        let Some(id) = DocumentId::parse(&id) else { return Ok(None) };
        Ok(Some(DocumentCard {
            id,
            tenant: row.get(1)?,
            source: row.get(2)?,
            title: row.get(3)?,
            kind: row.get(4)?,
            collection: row.get(5)?,
            status: row.get(6)?,
            date: row.get(7)?,
            version: row.get(8)?,
            owner: row.get(9)?,
            address: address.as_deref().and_then(Address::parse),
            url: row.get(11)?,
            superseded_by: superseded_by.as_deref().and_then(Address::parse),
            tags: serde_json::from_str::<BTreeSet<String>>(&tags).unwrap_or_default(),
            topics: topics(transaction, (document, version))?,
        }))
    });
    found.optional().map(Option::flatten)
}

pub(super) fn text(
    transaction: &Transaction<'_>,
    reader: &Reader,
    id: &DocumentId,
) -> rusqlite::Result<Option<String>> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let found: Option<(u32, String, String)> = transaction
        .prepare_cached(
            "SELECT v.audience, v.collection, v.text FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
             JOIN checked_versions v ON v.document = d.key AND v.number = d.version
             JOIN checked_audiences a ON a.id = v.audience
             WHERE t.name = ?1 AND d.id = ?2 AND row_fits(v.text_sum, 'versions.text', v.text)",
        )?
        .query_row(params![reader.tenant, id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    Ok(found.filter(|(audience, collection, _)| visible.includes(*audience, collection)).map(|(_, _, text)| text))
}

pub(super) fn counts(transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<Counts> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let mut statement = transaction.prepare_cached(
        "SELECT v.audience, v.collection, count(*), sum((SELECT count(*) FROM passages p
             WHERE p.document = d.key AND p.version = d.version AND p.died IS NULL))
         FROM documents d JOIN versions v ON v.document = d.key AND v.number = d.version
         GROUP BY v.audience, v.collection",
    )?;
    let mut rows = statement.query([])?;
    let mut counts = Counts::default();
    while let Some(row) = rows.next()? {
        if visible.includes(row.get(0)?, &row.get::<_, String>(1)?) {
            counts.documents += row.get::<_, u64>(2)?;
            counts.passages += row.get::<_, u64>(3)?;
        }
    }
    Ok(counts)
}

/// Living passages in the order of their keys, from one key on, whoever may see them.
pub(in crate::embedded) fn living_passages_after(
    transaction: &Transaction<'_>,
    after: u64,
    limit: usize,
) -> rusqlite::Result<Vec<(u64, Arc<DocumentCard>, Passage)>> {
    let mut statement = transaction.prepare_cached(
        "SELECT document, version, audience, ordinal, start_char, end_char, section, address, text, times,
                key
         FROM checked_passages WHERE key > ?1 AND died IS NULL ORDER BY key LIMIT ?2",
    )?;
    let rows = statement
        .query_map(params![i64::try_from(after).unwrap_or(i64::MAX), limit], |row| {
            Ok((row.get::<_, u64>(10)?, passage(row)?))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut found = Vec::with_capacity(rows.len());
    for (key, (place, _, passage)) in rows {
        if let Some(card) = card(transaction, place)? {
            found.push((key, Arc::new(card), passage));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use rusqlite::OpenFlags;

    use super::{BELOW_SOURCE, OF_SOURCE};
    use crate::embedded::{database::connect, schema};

    #[test]
    fn the_documents_of_a_file_are_found_without_looking_at_all_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = connect(&folder.path().join("catalogue"), OpenFlags::default()).expect("a database");
        schema::migrate(&mut connection, schema::CATALOGUE).expect("tables");
        for statement in [OF_SOURCE, BELOW_SOURCE] {
            let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).expect("a plan");
            let steps = plan.query_map(["acme", "/docs/", "/docs0"], |row| row.get::<_, String>(3)).expect("steps");
            let steps: Vec<String> = steps.map(|step| step.expect("a step")).collect();
            let by_source = "documents USING INDEX documents_by_source (tenant_id=? AND source";
            assert!(steps.iter().any(|step| step.contains(by_source)), "{steps:#?}");
        }
    }
}
