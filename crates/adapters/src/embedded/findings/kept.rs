//! Findings → rows and back, for readers who may see both sides.

use std::sync::Arc;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use vouch_domain::{CharSpan, Dismissal, Finding, FindingKind, FindingPage, FindingSide, Reader};

use super::{document, tenant_id};
use crate::embedded::catalogue::card;

const COLUMNS: &str = "f.id, f.kind, f.likeness, f.found_ms, f.dismissed_by, f.dismissed_ms,
                       f.left_document, f.left_version, f.left_start, f.left_end, f.left_sentence,
                       f.right_document, f.right_version, f.right_start, f.right_end, f.right_sentence";
/// Holds where both documents are of the versions the finding is of.
const TABLES: &str = "checked_findings f JOIN documents l ON l.key = f.left_document AND l.version = f.left_version
                      JOIN documents r ON r.key = f.right_document AND r.version = f.right_version";

pub(super) fn keep(transaction: &Transaction<'_>, tenant: i64, finding: &Finding) -> rusqlite::Result<()> {
    let [left, right] = &finding.sides;
    let (Some(left_place), Some(right_place)) =
        (document(transaction, tenant, &left.document.id)?, document(transaction, tenant, &right.document.id)?)
    else {
        return Ok(());
    };
    let sql =
        "INSERT INTO findings (tenant_id, id, kind, left_document, left_version, left_start, left_end, left_sentence,
                                     right_document, right_version, right_start, right_end, right_sentence, likeness,
                                     found_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
               ON CONFLICT (tenant_id, id) DO UPDATE SET
                   left_version = ?5, left_start = ?6, left_end = ?7, right_version = ?10, right_start = ?11,
                   right_end = ?12, likeness = ?14";
    transaction
        .prepare_cached(sql)?
        .execute(params![
            tenant,
            finding.id,
            finding.kind.as_str(),
            left_place.0,
            left_place.1,
            left.span.start,
            left.span.end,
            left.sentence,
            right_place.0,
            right_place.1,
            right.span.start,
            right.span.end,
            right.sentence,
            finding.likeness,
            finding.found_ms,
        ])
        .map(|_| ())
}

pub(super) fn open(
    transaction: &Transaction<'_>,
    reader: &Reader,
    kind: Option<FindingKind>,
    limit: usize,
) -> rusqlite::Result<FindingPage> {
    let Some(tenant) = tenant_id(transaction, &reader.tenant)? else { return Ok(FindingPage::default()) };
    // Without the sign SQLite would sum the kind that is looked for in the place of the row's own, and call the row damaged.
    let sql = format!(
        "SELECT {COLUMNS} FROM {TABLES} WHERE f.tenant_id = ?1 AND +f.kind = ?2 AND f.dismissed_ms IS NULL
         ORDER BY f.found_ms DESC, f.id"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut page = FindingPage::default();
    for own in FindingKind::ALL.into_iter().filter(|own| kind.is_none_or(|kind| kind == *own)) {
        let mut rows = statement.query(params![tenant, own.as_str()])?;
        while let Some(row) = rows.next()? {
            let Some(finding) = finding(transaction, reader, row)? else { continue };
            page.total += 1;
            if page.findings.len() < limit {
                page.findings.push(finding);
            }
        }
    }
    Ok(page)
}

pub(super) fn dismiss(
    transaction: &Transaction<'_>,
    reader: &Reader,
    id: &str,
    dismissal: &Dismissal,
) -> rusqlite::Result<bool> {
    let Some(tenant) = tenant_id(transaction, &reader.tenant)? else { return Ok(false) };
    let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE f.tenant_id = ?1 AND f.id = ?2");
    let known = transaction
        .prepare_cached(&sql)?
        .query_row(params![tenant, id], |row| finding(transaction, reader, row))
        .optional()?
        .flatten();
    if known.is_none() {
        return Ok(false);
    }
    let sql = "UPDATE findings SET dismissed_by = ?3, dismissed_ms = ?4 WHERE tenant_id = ?1 AND id = ?2";
    transaction.prepare_cached(sql)?.execute(params![tenant, id, dismissal.by, dismissal.at_ms])?;
    Ok(true)
}

/// A finding of which the reader may see both sides.
fn finding(transaction: &Transaction<'_>, reader: &Reader, row: &Row<'_>) -> rusqlite::Result<Option<Finding>> {
    let kind: String = row.get(1)?;
    let Some(kind) = FindingKind::parse(&kind) else { return Ok(None) };
    let by: Option<String> = row.get(4)?;
    let at_ms: Option<u64> = row.get(5)?;
    let (Some(left), Some(right)) = (side(transaction, reader, row, 6)?, side(transaction, reader, row, 11)?) else {
        return Ok(None);
    };
    Ok(Some(Finding {
        id: row.get(0)?,
        kind,
        sides: [left, right],
        likeness: row.get(2)?,
        found_ms: row.get(3)?,
        dismissed: by.zip(at_ms).map(|(by, at_ms)| Dismissal { by, at_ms }),
    }))
}

fn side(
    transaction: &Transaction<'_>,
    reader: &Reader,
    row: &Row<'_>,
    first: usize,
) -> rusqlite::Result<Option<FindingSide>> {
    let place = (row.get(first)?, row.get(first + 1)?);
    let span = CharSpan { start: row.get(first + 2)?, end: row.get(first + 3)? };
    let sentence = row.get(first + 4)?;
    let visible = card(transaction, place)?.filter(|card| reader.may_see(card));
    Ok(visible.map(|card| FindingSide { document: Arc::new(card), span, sentence }))
}

/// Forgets what was found about a document, but for what somebody has dismissed.
pub(super) fn forget_open(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM findings WHERE (left_document = ?1 OR right_document = ?1) AND dismissed_ms IS NULL";
    transaction.prepare_cached(sql)?.execute([document]).map(|_| ())
}
