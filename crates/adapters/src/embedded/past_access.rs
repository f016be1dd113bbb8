//! Who could see documents that are no longer there ⇄ rows, all in the caller's transaction.
//!
//! Invariant: a row goes only where a document of that id, source or text is kept for everyone, which somebody has said.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, Transaction, params, types::Type};
use vouch_domain::{DocumentCard, DocumentId, ports::PastAccess};

/// How many different sets of tags of one folder are told.
const SETS_MAX: usize = 1_000;

/// The current version of a document with its tags. The last one of a document that was removed is taken instead.
macro_rules! last_versions {
    () => {
        "FROM checked_documents d
         JOIN checked_versions v ON v.document = d.key
             AND v.number = coalesce(d.version, (SELECT max(number) FROM versions WHERE document = d.key))
         JOIN checked_audiences a ON a.id = v.audience"
    };
}

/// What was closed is not opened by what comes after it from the same source, and an open text needs no row.
const REMEMBER: [&str; 3] = [
    concat!(
        "INSERT INTO past_access (tenant_id, kind, name, tags) SELECT d.tenant_id, 'id', d.id, a.tags ",
        last_versions!(),
        " WHERE d.key = ?1 ON CONFLICT (tenant_id, kind, name) DO UPDATE SET tags = excluded.tags"
    ),
    concat!(
        "INSERT INTO past_access (tenant_id, kind, name, tags) SELECT d.tenant_id, 'source', d.source, a.tags ",
        last_versions!(),
        " WHERE d.key = ?1 ON CONFLICT (tenant_id, kind, name) DO UPDATE SET tags = excluded.tags
          WHERE excluded.tags <> '[]'"
    ),
    concat!(
        "INSERT INTO past_access (tenant_id, kind, name, tags) SELECT d.tenant_id, 'text', hex(v.text_sum), a.tags ",
        last_versions!(),
        " WHERE d.key = ?1 AND a.tags <> '[]' ON CONFLICT (tenant_id, kind, name) DO UPDATE SET tags = excluded.tags"
    ),
];

/// Remembers who can see a document that is about to go.
pub(super) fn remember(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<()> {
    for sql in REMEMBER {
        transaction.prepare_cached(sql)?.execute([document])?;
    }
    Ok(())
}

/// Remembers who can see a document that is about to come from another source.
pub(super) fn remember_source(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<()> {
    let [_, source, _] = REMEMBER;
    transaction.prepare_cached(source)?.execute([document]).map(|_| ())
}

/// Remembers all documents that are gone by now and of which a version is left; what is remembered already stays.
pub(super) fn remember_removed(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    // What is closed sorts before what is open, and the first one stays.
    for sql in REMEMBER {
        let (insert, _) = sql.split_once(" ON CONFLICT").unwrap_or((sql, ""));
        let of_all = insert.replace("d.key = ?1", "d.version IS NULL").replacen("INSERT", "INSERT OR IGNORE", 1);
        transaction.execute(&format!("{of_all} ORDER BY a.tags, d.key"), [])?;
    }
    Ok(())
}

/// Remembers who can see the text of a document that is about to have another.
pub(super) fn remember_text(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<()> {
    let [_, _, text] = REMEMBER;
    transaction.prepare_cached(text)?.execute([document]).map(|_| ())
}

/// Forgets who could see what a document takes the place of, where it is kept for everyone.
pub(super) fn forget_if_open(
    transaction: &Transaction<'_>,
    (tenant, document): (i64, i64),
    card: &DocumentCard,
) -> rusqlite::Result<()> {
    if !card.tags.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM past_access WHERE tenant_id = ?1 AND kind = ?2 AND name = ?3";
    for (kind, name) in [("id", card.id.as_str()), ("source", card.source.as_str())] {
        transaction.prepare_cached(sql)?.execute(params![tenant, kind, name])?;
    }
    let sql = "DELETE FROM past_access WHERE tenant_id = ?1 AND kind = 'text'
               AND name IN (SELECT hex(text_sum) FROM versions WHERE document = ?2)";
    transaction.prepare_cached(sql)?.execute(params![tenant, document]).map(|_| ())
}

pub(super) fn past_access(
    transaction: &Transaction<'_>,
    tenant: &str,
    (id, source, text): (&DocumentId, &str, &str),
) -> rusqlite::Result<PastAccess> {
    let named = |kind: &str, name: &str| -> rusqlite::Result<Option<BTreeSet<String>>> {
        let sql = "SELECT p.tags FROM checked_tenants t JOIN checked_past_access p ON p.tenant_id = t.id
                   WHERE t.name = ?1 AND p.kind = ?2 AND p.name = ?3";
        let tags: Option<String> =
            transaction.prepare_cached(sql)?.query_row([tenant, kind, name], |row| row.get(0)).optional()?;
        tags.map(|tags| from_json(&tags)).transpose()
    };
    let sum = sum_of(transaction, text)?;
    Ok(PastAccess {
        by_id: named("id", id.as_str())?,
        by_source: named("source", source)?,
        by_text: named("text", &sum)?,
    })
}

pub(super) fn below(
    transaction: &Transaction<'_>,
    tenant: &str,
    folder: &str,
) -> rusqlite::Result<Vec<BTreeSet<String>>> {
    let folder = folder.trim_end_matches('/');
    // The character after the slash ends the range of everything below the folder.
    let mut statement = transaction.prepare_cached(
        "SELECT DISTINCT p.tags FROM checked_tenants t JOIN checked_past_access p ON p.tenant_id = t.id
         WHERE t.name = ?1 AND p.kind = 'source' AND p.name >= ?2 AND p.name < ?3 ORDER BY p.tags LIMIT ?4",
    )?;
    let rows = statement
        .query_map(params![tenant, format!("{folder}/"), format!("{folder}0"), SETS_MAX], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    rows.iter().map(|tags| from_json(tags)).collect()
}

/// The sum of a text as its version has it.
fn sum_of(transaction: &Transaction<'_>, text: &str) -> rusqlite::Result<String> {
    let sql = "SELECT hex(row_sum('versions.text', ?1))";
    transaction.prepare_cached(sql)?.query_row([text], |row| row.get(0))
}

/// Tags that cannot be read are an error: an unreadable set would otherwise look like an empty one, which is open.
fn from_json(tags: &str) -> rusqlite::Result<BTreeSet<String>> {
    let unreadable = |error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error));
    serde_json::from_str(tags).map_err(unreadable)
}
