//! Which source a document was read from → a row, in the caller's transaction.

use rusqlite::{Transaction, params};
use vouch_domain::ports::SourceReading;

pub(super) fn note(transaction: &Transaction<'_>, tenant: &str, readings: &[SourceReading]) -> rusqlite::Result<()> {
    let mut note = transaction.prepare_cached(
        "INSERT INTO readings (document, version, digest)
         SELECT d.key, d.version, ?4 FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
         JOIN checked_versions v ON v.document = d.key AND v.number = d.version
         WHERE t.name = ?1 AND d.id = ?2 AND +v.hash = ?3
         ON CONFLICT (document) DO UPDATE SET version = excluded.version, digest = excluded.digest",
    )?;
    for reading in readings {
        note.execute(params![tenant, reading.id.as_str(), reading.hash.0.as_slice(), reading.read_from.0.as_slice()])?;
    }
    Ok(())
}
