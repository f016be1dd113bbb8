//! What documents are compared by: written, found again, forgotten.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction, params};
use vouch_domain::{
    CharSpan, DocumentId,
    finding::{SketchedDocument, UncomparedDocument},
};

use super::{document, from_bytes, kept, signed, to_bytes};
use crate::embedded::catalogue::card;

/// How documents are compared, kept with each that was. Documents compared in an earlier way are compared again, and what
/// that way found about them is forgotten.
const RECIPE: u8 = 2;

pub(super) fn uncompared(
    transaction: &Transaction<'_>,
    tenant: &str,
    limit: usize,
) -> rusqlite::Result<Vec<UncomparedDocument>> {
    // Rows are only chosen here; what is compared is read through the checked views below.
    let sql = "SELECT d.key, d.version FROM documents d JOIN tenants t ON t.id = d.tenant_id
               LEFT JOIN sketches s ON s.document = d.key AND s.version = d.version AND s.is_compared = ?3
               WHERE t.name = ?1 AND d.version IS NOT NULL AND s.document IS NULL ORDER BY d.key LIMIT ?2";
    let places = transaction
        .prepare_cached(sql)?
        .query_map(params![tenant, limit, RECIPE], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(i64, u32)>>>()?;
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let Some(card) = card(transaction, place)? else { continue };
        let sql = "SELECT text FROM checked_versions WHERE document = ?1 AND number = ?2
                   AND row_fits(text_sum, 'versions.text', text)";
        let text = transaction.prepare_cached(sql)?.query_row(params![place.0, place.1], |row| row.get(0))?;
        found.push(UncomparedDocument { card, version: place.1, text, headings: headings(transaction, place)? });
    }
    Ok(found)
}

fn headings(
    transaction: &Transaction<'_>,
    (key, version): (i64, u32),
) -> rusqlite::Result<Vec<(CharSpan, Arc<[String]>)>> {
    let sql = "SELECT start_char, end_char, section FROM checked_passages
               WHERE document = ?1 AND version = ?2 ORDER BY start_char";
    transaction
        .prepare_cached(sql)?
        .query_map(params![key, version], |row| {
            let section: String = row.get(2)?;
            let path = serde_json::from_str::<Vec<String>>(&section).unwrap_or_default();
            Ok((CharSpan { start: row.get(0)?, end: row.get(1)? }, path.into()))
        })?
        .collect()
}

pub(super) fn keep(transaction: &Transaction<'_>, tenant: i64, sketched: &SketchedDocument) -> rusqlite::Result<()> {
    let Some((key, _)) = document(transaction, tenant, &sketched.id)? else { return Ok(()) };
    let sql = "SELECT is_compared FROM sketches WHERE document = ?1";
    let recipe: Option<u8> = transaction.prepare_cached(sql)?.query_row([key], |row| row.get(0)).optional()?;
    if recipe.is_some_and(|recipe| recipe != 0 && recipe != RECIPE) {
        kept::forget_open(transaction, key)?;
    }
    forget(transaction, key)?;
    let sketch = &sketched.sketch;
    let signature: Vec<u8> = sketch.signature.iter().flat_map(|digest| digest.to_le_bytes()).collect();
    transaction
        .prepare_cached(
            "INSERT INTO sketches (document, version, is_compared, signature, bands) VALUES (?1, ?2, 0, ?3, ?4)",
        )?
        .execute(params![key, sketched.version, signature, to_bytes(&sketch.bands)])?;
    let sql = "INSERT OR IGNORE INTO sketch_bands (tenant_id, band, document) VALUES (?1, ?2, ?3)";
    for band in &sketch.bands {
        transaction.prepare_cached(sql)?.execute(params![tenant, signed(*band), key])?;
    }
    for claim in &sketch.claims {
        transaction
            .prepare_cached(
                "INSERT INTO claims (document, version, start_char, end_char, sentence, context, terms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                key,
                sketched.version,
                claim.span.start,
                claim.span.end,
                claim.sentence,
                claim.context,
                to_bytes(&claim.terms)
            ])?;
        let id = transaction.last_insert_rowid();
        let sql = "INSERT OR IGNORE INTO claim_terms (tenant_id, term, claim) VALUES (?1, ?2, ?3)";
        for term in &claim.terms {
            transaction.prepare_cached(sql)?.execute(params![tenant, signed(*term), id])?;
        }
    }
    Ok(())
}

pub(super) fn mark_compared(
    transaction: &Transaction<'_>,
    tenant: i64,
    id: &DocumentId,
    version: u32,
) -> rusqlite::Result<()> {
    let Some((key, _)) = document(transaction, tenant, id)? else { return Ok(()) };
    let sql = "UPDATE sketches SET is_compared = ?3 WHERE document = ?1 AND version = ?2";
    transaction.prepare_cached(sql)?.execute(params![key, version, RECIPE]).map(|_| ())
}

/// Takes out what a document is compared by.
pub(in crate::embedded) fn forget(transaction: &Transaction<'_>, key: i64) -> rusqlite::Result<()> {
    let sql =
        "SELECT s.bands, d.tenant_id FROM sketches s JOIN documents d ON d.key = s.document WHERE s.document = ?1";
    let sketch: Option<(Vec<u8>, i64)> =
        transaction.prepare_cached(sql)?.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((bands, tenant)) = sketch else { return Ok(()) };
    for band in from_bytes(&bands) {
        transaction
            .prepare_cached("DELETE FROM sketch_bands WHERE tenant_id = ?1 AND band = ?2 AND document = ?3")?
            .execute(params![tenant, signed(band), key])?;
    }
    let claims = transaction
        .prepare_cached("SELECT id, terms FROM claims WHERE document = ?1")?
        .query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(i64, Vec<u8>)>>>()?;
    for (claim, terms) in claims {
        for term in from_bytes(&terms) {
            transaction
                .prepare_cached("DELETE FROM claim_terms WHERE tenant_id = ?1 AND term = ?2 AND claim = ?3")?
                .execute(params![tenant, signed(term), claim])?;
        }
    }
    transaction.prepare_cached("DELETE FROM claims WHERE document = ?1")?.execute([key])?;
    transaction.prepare_cached("DELETE FROM sketches WHERE document = ?1")?.execute([key]).map(|_| ())
}
