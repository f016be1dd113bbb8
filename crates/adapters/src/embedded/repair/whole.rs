//! A catalogue of rows that are sound one by one → one whose documents and entries are whole.
//!
//! A document that lost a passage would be answered from as if the passage had never been there, so it goes as a whole
//! and is named; so does an entry of the curated memory that lost a phrase. A vocabulary keeps the concepts it has left,
//! since each is whole by itself, and is named, since how many it had is not known; so is a note that may have lost a
//! sentence it is found by.

use rusqlite::Transaction;

use super::{column, salvage::LostRows};
use crate::embedded::{
    database::mark_changed,
    facts::{generation, set_meta},
    shelves, totals,
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
/// Entries that lost a phrase they are found by. Phrases come first among their texts, so those at the end are missed too.
const BROKEN_ENTRIES: &str = "SELECT m.key FROM memory m WHERE m.tenant_id NOT IN (SELECT id FROM tenants) OR
    (SELECT count(*) FROM memory_texts t WHERE t.entry = m.key) IS NOT
    (SELECT max(max(ordinal) + 1, json_array_length(m.entry, '$.phrases')) FROM memory_texts t WHERE t.entry = m.key)";
/// Rows that belong to nothing any more, in the order in which they can go.
const ORPHANS: &[&str] = &[
    "DELETE FROM vocabularies WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM embeddings WHERE passage NOT IN (SELECT key FROM passages)",
    "DELETE FROM passages WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = passages.document
         AND v.number = passages.version) OR audience NOT IN (SELECT id FROM audiences)",
    "DELETE FROM embeddings WHERE passage NOT IN (SELECT key FROM passages)",
    "DELETE FROM versions WHERE document NOT IN (SELECT key FROM documents)
         OR audience NOT IN (SELECT id FROM audiences)",
    "DELETE FROM version_topics WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.document = version_topics.document
         AND v.number = version_topics.version)",
    "DELETE FROM memory_texts WHERE entry NOT IN (SELECT key FROM memory)",
    "DELETE FROM labels WHERE concept NOT IN (SELECT key FROM concepts)",
    "DELETE FROM concepts WHERE vocabulary NOT IN (SELECT key FROM vocabularies)",
    "DELETE FROM audiences WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM people WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM topics WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM sent_questions WHERE tenant_id NOT IN (SELECT id FROM tenants)",
    "DELETE FROM findings WHERE tenant_id NOT IN (SELECT id FROM tenants)",
];

/// Removes what is incomplete; returns what that was, by name. What may be incomplete follows from the damaged tables.
pub(super) fn keep_whole(transaction: &Transaction<'_>, lacking: &[LostRows]) -> rusqlite::Result<Vec<String>> {
    let mut lost = Vec::new();
    for key in column::<i64>(transaction, BROKEN_DOCUMENTS)? {
        let id: String = transaction.query_row("SELECT id FROM documents WHERE key = ?1", [key], |row| row.get(0))?;
        lost.push(format!("document {id}; ingest it again"));
        for sql in [
            "DELETE FROM embeddings WHERE passage IN (SELECT key FROM passages WHERE document = ?1)",
            "DELETE FROM passages WHERE document = ?1",
            "DELETE FROM versions WHERE document = ?1",
            "DELETE FROM version_topics WHERE document = ?1",
            "DELETE FROM documents WHERE key = ?1",
        ] {
            transaction.execute(sql, [key])?;
        }
    }
    for key in column::<i64>(transaction, BROKEN_ENTRIES)? {
        let id: String = transaction.query_row("SELECT id FROM memory WHERE key = ?1", [key], |row| row.get(0))?;
        lost.push(format!("memory entry {id}; add it again"));
        transaction.execute("DELETE FROM memory WHERE key = ?1", [key])?;
    }
    let stray = "SELECT source FROM vocabularies WHERE tenant_id NOT IN (SELECT id FROM tenants)";
    for source in column::<String>(transaction, stray)? {
        lost.push(format!("vocabulary {source}; import it again"));
    }
    for sql in ORPHANS {
        transaction.execute(sql, [])?;
    }
    shelves::number_all(transaction)?;
    lost.extend(perhaps_lacking(transaction, lacking)?);
    bring_facts_up(transaction)?;
    Ok(lost)
}

/// What is kept although it may have lost a part that nothing else tells of.
fn perhaps_lacking(transaction: &Transaction<'_>, lacking: &[LostRows]) -> rusqlite::Result<Vec<String>> {
    let lacks = |tables: &[&str]| lacking.iter().any(|lost| tables.contains(&lost.table));
    let mut told = Vec::new();
    if lacks(&["concepts", "labels"]) {
        let sources = column::<String>(transaction, "SELECT source FROM vocabularies ORDER BY source")?;
        told.extend(sources.iter().map(|source| format!("perhaps terms of vocabulary {source}; import it again")));
    }
    if lacks(&["memory_texts"]) {
        let sql = "SELECT id FROM memory WHERE json_array_length(entry, '$.note') > 0 ORDER BY id";
        let notes = column::<String>(transaction, sql)?;
        told.extend(notes.iter().map(|id| format!("perhaps sentences that note {id} is found by; add it again")));
    }
    Ok(told)
}

/// Removes feedback on lost entries from a trail; returns how much that was.
pub(super) fn without_stray_feedback(transaction: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let sql = "DELETE FROM feedback WHERE place NOT IN (SELECT place FROM entries)";
    Ok(match transaction.execute(sql, [])? {
        0 => None,
        1 => Some("feedback on an entry that is lost".to_owned()),
        many => Some(format!("{many} pieces of feedback on entries that are lost")),
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
