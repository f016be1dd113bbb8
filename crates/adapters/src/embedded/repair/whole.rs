//! A catalogue of rows that are sound one by one → one whose documents, entries and vocabularies are whole.
//!
//! A document that lost a passage would be answered from as if the passage had never been there, so it goes as a whole
//! and is named.

use rusqlite::Transaction;

use super::column;
use crate::embedded::{
    database::{generation, mark_changed, set_meta},
    totals,
};

/// Documents whose current version is not all there.
const BROKEN_DOCUMENTS: &str = "SELECT d.key FROM documents d WHERE
    NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = d.tenant_id)
    OR (d.version IS NOT NULL AND (
        NOT EXISTS (SELECT 1 FROM versions v JOIN audiences a ON a.id = v.audience
                    WHERE v.document = d.key AND v.number = d.version)
        OR (SELECT passage_count FROM versions v WHERE v.document = d.key AND v.number = d.version) IS NOT
           (SELECT count(*) FROM passages p JOIN embeddings e ON e.passage = p.key
            WHERE p.document = d.key AND p.version = d.version AND p.died IS NULL)))";
/// Rows that belong to nothing any more, in the order in which they can go.
const ORPHANS: &[&str] = &[
    "DELETE FROM vocabularies WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM embeddings WHERE passage NOT IN (SELECT key FROM passages)",
    "DELETE FROM passages WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = passages.document
         AND v.number = passages.version) OR audience NOT IN (SELECT id FROM audiences)",
    "DELETE FROM embeddings WHERE passage NOT IN (SELECT key FROM passages)",
    "DELETE FROM versions WHERE document NOT IN (SELECT key FROM documents)
         OR audience NOT IN (SELECT id FROM audiences)",
    "DELETE FROM tags WHERE document NOT IN (SELECT key FROM documents)",
    "DELETE FROM memory_texts WHERE entry NOT IN (SELECT key FROM memory)",
    "DELETE FROM labels WHERE concept NOT IN (SELECT key FROM concepts)",
    "DELETE FROM concepts WHERE vocabulary NOT IN (SELECT key FROM vocabularies)",
    "DELETE FROM audiences WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM people WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM topics WHERE tenant_id NOT IN (SELECT id FROM tenants)",
];

/// Takes out what is not whole; answers what that was, by name.
pub(super) fn keep_whole(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    let mut lost = Vec::new();
    for key in column::<i64>(transaction, BROKEN_DOCUMENTS)? {
        let id: String = transaction.query_row("SELECT id FROM documents WHERE key = ?1", [key], |row| row.get(0))?;
        lost.push(format!("document {id}; ingest it again"));
        for sql in [
            "DELETE FROM embeddings WHERE passage IN (SELECT key FROM passages WHERE document = ?1)",
            "DELETE FROM passages WHERE document = ?1",
            "DELETE FROM versions WHERE document = ?1",
            "DELETE FROM tags WHERE document = ?1",
            "DELETE FROM documents WHERE key = ?1",
        ] {
            transaction.execute(sql, [key])?;
        }
    }
    for id in column::<String>(
        transaction,
        "SELECT id FROM memory m WHERE m.tenant_id NOT IN (SELECT id FROM tenants) OR
             (SELECT max(ordinal) + 1 FROM memory_texts t WHERE t.entry = m.key) IS NOT
             (SELECT count(*) FROM memory_texts t WHERE t.entry = m.key)",
    )? {
        lost.push(format!("memory entry {id}; add it again"));
        transaction.execute("DELETE FROM memory WHERE id = ?1", [id])?;
    }
    let stray = "SELECT source FROM vocabularies WHERE tenant_id NOT IN (SELECT id FROM tenants)";
    for source in column::<String>(transaction, stray)? {
        lost.push(format!("vocabulary {source}; import it again"));
    }
    for sql in ORPHANS {
        transaction.execute(sql, [])?;
    }
    bring_facts_up(transaction)?;
    Ok(lost)
}

/// Takes out of a trail what was said of entries that are lost; answers how much that was.
pub(super) fn without_stray_feedback(transaction: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let sql = "DELETE FROM feedback WHERE place NOT IN (SELECT place FROM entries)";
    Ok(match transaction.execute(sql, [])? {
        0 => None,
        1 => Some("feedback on an entry that is lost".to_owned()),
        many => Some(format!("{many} times feedback on entries that are lost")),
    })
}

/// The facts that follow from what is left.
fn bring_facts_up(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let last: Option<u64> =
        transaction.query_row("SELECT max(max(born), max(coalesce(died, 0))) FROM passages", [], |row| row.get(0))?;
    let next = generation(transaction)?.0.max(last.unwrap_or(0)) + 1;
    set_meta(transaction, "generation", &next.to_string())?;
    totals::count_anew(transaction)?;
    ["vectors", "memory", "people"].iter().try_for_each(|key| mark_changed(transaction, key))
}
