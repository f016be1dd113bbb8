//! The look-up tables of findings, which follow from rows that are copied.

use rusqlite::{OptionalExtension, Transaction, params, types::Value};

/// Takes out what follows from a row that is about to change or to go.
pub(super) fn forget(transaction: &Transaction<'_>, table: &str, key: &[Value]) -> rusqlite::Result<()> {
    let Some(key) = key.first() else { return Ok(()) };
    match table {
        "claims" => {
            for term in numbers(transaction, "SELECT terms FROM claims WHERE id = ?1", key)? {
                let sql =
                    "DELETE FROM claim_terms WHERE tenant_id IN (SELECT id FROM tenants) AND term = ?1 AND claim = ?2";
                transaction.prepare_cached(sql)?.execute(params![term, key])?;
            }
        }
        "sketches" => {
            for band in numbers(transaction, "SELECT bands FROM sketches WHERE document = ?1", key)? {
                let sql = "DELETE FROM sketch_bands WHERE tenant_id IN (SELECT id FROM tenants) AND band = ?1 AND document = ?2";
                transaction.prepare_cached(sql)?.execute(params![band, key])?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Adds what follows from a row that was written; its document is there by now.
pub(super) fn add(transaction: &Transaction<'_>, table: &str, key: &[Value]) -> rusqlite::Result<()> {
    let Some(key) = key.first() else { return Ok(()) };
    let (tenant, read, insert) = match table {
        "claims" => (
            "SELECT d.tenant_id FROM claims c JOIN documents d ON d.key = c.document WHERE c.id = ?1",
            "SELECT terms FROM claims WHERE id = ?1",
            "INSERT OR IGNORE INTO claim_terms (tenant_id, term, claim) VALUES (?1, ?2, ?3)",
        ),
        "sketches" => (
            "SELECT tenant_id FROM documents WHERE key = ?1",
            "SELECT bands FROM sketches WHERE document = ?1",
            "INSERT OR IGNORE INTO sketch_bands (tenant_id, band, document) VALUES (?1, ?2, ?3)",
        ),
        _ => return Ok(()),
    };
    let tenant: Option<i64> = transaction.prepare_cached(tenant)?.query_row([key], |row| row.get(0)).optional()?;
    let Some(tenant) = tenant else { return Ok(()) };
    for number in numbers(transaction, read, key)? {
        transaction.prepare_cached(insert)?.execute(params![tenant, number, key])?;
    }
    Ok(())
}

/// As many entries are sorted at a time before they are written.
const SORTED_MAX: usize = 2_000_000;

/// Makes both look-up tables of all the rows that they follow from, in their own order. Written as the rows come, nearly every
/// entry would go to another page, and a table larger than the cache would be read and written again for each.
pub(in crate::embedded) fn make_all(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch("DELETE FROM sketch_bands; DELETE FROM claim_terms;")?;
    for (read, insert) in [
        (
            "SELECT d.tenant_id, s.document, s.bands FROM sketches s JOIN documents d ON d.key = s.document",
            "INSERT OR IGNORE INTO sketch_bands (tenant_id, band, document) VALUES (?1, ?2, ?3)",
        ),
        (
            "SELECT d.tenant_id, c.id, c.terms FROM claims c JOIN documents d ON d.key = c.document",
            "INSERT OR IGNORE INTO claim_terms (tenant_id, term, claim) VALUES (?1, ?2, ?3)",
        ),
    ] {
        let (mut statement, mut insert) = (transaction.prepare(read)?, transaction.prepare(insert)?);
        let mut write = |entries: &mut Vec<(i64, i64, i64)>| -> rusqlite::Result<()> {
            entries.sort_unstable();
            entries.drain(..).try_for_each(|entry| insert.execute(params![entry.0, entry.1, entry.2]).map(drop))
        };
        let (mut rows, mut entries) = (statement.query([])?, Vec::new());
        while let Some(row) = rows.next()? {
            let (tenant, key): (i64, i64) = (row.get(0)?, row.get(1)?);
            let bytes = row.get_ref(2)?.as_blob()?;
            entries.extend(bytes.as_chunks::<8>().0.iter().map(|bytes| (tenant, i64::from_le_bytes(*bytes), key)));
            if entries.len() >= SORTED_MAX {
                write(&mut entries)?;
            }
        }
        write(&mut entries)?;
    }
    Ok(())
}

/// The numbers of a row's column, as they are looked up.
fn numbers(transaction: &Transaction<'_>, sql: &str, key: &Value) -> rusqlite::Result<Vec<i64>> {
    let bytes: Option<Vec<u8>> = transaction.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
    let bytes = bytes.unwrap_or_default();
    Ok(bytes.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect())
}
