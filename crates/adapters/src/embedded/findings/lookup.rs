//! What is kept of other documents that is similar to a document: those that share a band, claims that share rare terms.
//!
//! Invariant: the work for a claim is bounded, however many claims a tenant has: terms that stand in very many claims lead
//! nowhere, and of the claims that the others lead to only the most similar are read.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rusqlite::{OptionalExtension, Transaction, params};
use vouch_domain::{
    CharSpan, ClaimSketch, DocumentCard, DocumentId, DocumentSketch,
    finding::{Similar, SimilarClaim, SimilarDocument, TermCount},
};

use super::{document, from_bytes, signed};
use crate::embedded::catalogue::card;

/// A term is counted up to here, and leads to claims only below it.
const COUNTED_MAX: u64 = 400;
/// The rarest terms of a claim that lead to others.
const LEADING_TERMS: usize = 6;
/// Claims that one is compared with.
const CLAIMS_MAX: usize = 40;
/// Documents of one band; a band that more share is that of boilerplate.
const BAND_MAX: usize = 50;

/// Reads claims and cards once, whatever number of claims leads to them.
struct Lookup<'t> {
    transaction: &'t Transaction<'t>,
    tenant: i64,
    own: i64,
    counts: BTreeMap<u64, u64>,
    cards: BTreeMap<(i64, u32), Option<Arc<DocumentCard>>>,
}

pub(super) fn similar(
    transaction: &Transaction<'_>,
    tenant: i64,
    id: &DocumentId,
    sketch: &DocumentSketch,
) -> rusqlite::Result<Similar> {
    let own = document(transaction, tenant, id)?.map_or(-1, |(key, _)| key);
    let mut lookup = Lookup { transaction, tenant, own, counts: BTreeMap::new(), cards: BTreeMap::new() };
    let documents = lookup.documents(sketch)?;
    let claims = sketch.claims.iter().map(|claim| lookup.claims(claim)).collect::<rusqlite::Result<Vec<_>>>()?;
    // Counting a large table takes long; how many there ever were is near enough for the weight of a word.
    let claims_kept: Option<u64> = transaction.query_row("SELECT max(id) FROM claims", [], |row| row.get(0))?;
    let terms = lookup.counts.iter().map(|(term, claims)| TermCount { term: *term, claims: *claims }).collect();
    Ok(Similar { documents, claims, terms, claims_kept: claims_kept.unwrap_or(0) })
}

impl Lookup<'_> {
    fn documents(&mut self, sketch: &DocumentSketch) -> rusqlite::Result<Vec<SimilarDocument>> {
        let sql = "SELECT document FROM sketch_bands WHERE tenant_id = ?1 AND band = ?2 AND document <> ?3 LIMIT ?4";
        let mut keys: BTreeSet<i64> = BTreeSet::new();
        for band in &sketch.bands {
            let mut statement = self.transaction.prepare_cached(sql)?;
            let found =
                statement.query_map(params![self.tenant, signed(*band), self.own, BAND_MAX], |row| row.get(0))?;
            keys.extend(found.collect::<rusqlite::Result<Vec<i64>>>()?);
        }
        let mut found = Vec::new();
        for key in keys {
            let sql = "SELECT version, signature FROM checked_sketches WHERE document = ?1";
            let row: Option<(u32, Vec<u8>)> = self
                .transaction
                .prepare_cached(sql)?
                .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((version, signature)) = row else { continue };
            let signature = signature.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
            if let Some(document) = self.card(key, version)? {
                found.push(SimilarDocument { document, signature });
            }
        }
        Ok(found)
    }

    fn claims(&mut self, claim: &ClaimSketch) -> rusqlite::Result<Vec<SimilarClaim>> {
        let mut leading: Vec<(u64, u64)> = Vec::new();
        for term in &claim.terms {
            let count = self.count(*term)?;
            if (1..COUNTED_MAX).contains(&count) {
                leading.push((count, *term));
            }
        }
        leading.sort_unstable();
        let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
        let sql = "SELECT claim FROM claim_terms WHERE tenant_id = ?1 AND term = ?2 LIMIT ?3";
        for (count, term) in leading.into_iter().take(LEADING_TERMS) {
            let mut statement = self.transaction.prepare_cached(sql)?;
            let found = statement.query_map(params![self.tenant, signed(term), COUNTED_MAX], |row| row.get(0))?;
            #[expect(clippy::cast_precision_loss, reason = "counted up to a small bound")]
            let weight = (1.0 + COUNTED_MAX as f64 / count as f64).ln();
            for id in found.collect::<rusqlite::Result<Vec<i64>>>()? {
                *scores.entry(id).or_default() += weight;
            }
        }
        let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        let mut found = Vec::new();
        for (id, _) in best {
            if found.len() >= CLAIMS_MAX {
                break;
            }
            found.extend(self.claim(id)?);
        }
        Ok(found)
    }

    /// A claim of another document as it stands now, with its terms counted.
    fn claim(&mut self, id: i64) -> rusqlite::Result<Option<SimilarClaim>> {
        let sql = "SELECT document, version, start_char, end_char, sentence, context, terms FROM checked_claims
                   WHERE id = ?1";
        let row = self
            .transaction
            .prepare_cached(sql)?
            .query_row([id], |row| {
                let terms: Vec<u8> = row.get(6)?;
                let claim = ClaimSketch {
                    span: CharSpan { start: row.get(2)?, end: row.get(3)? },
                    sentence: row.get(4)?,
                    context: row.get(5)?,
                    terms: from_bytes(&terms),
                };
                Ok(((row.get(0)?, row.get(1)?), claim))
            })
            .optional()?;
        let Some(((key, version), claim)) = row.filter(|((key, _), _)| *key != self.own) else { return Ok(None) };
        let Some(document) = self.card(key, version)? else { return Ok(None) };
        for term in &claim.terms {
            self.count(*term)?;
        }
        Ok(Some(SimilarClaim { document, claim }))
    }

    fn count(&mut self, term: u64) -> rusqlite::Result<u64> {
        if let Some(known) = self.counts.get(&term) {
            return Ok(*known);
        }
        let sql = "SELECT count(*) FROM (SELECT 1 FROM claim_terms WHERE tenant_id = ?1 AND term = ?2 LIMIT ?3)";
        let values = params![self.tenant, signed(term), COUNTED_MAX];
        let count = self.transaction.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
        self.counts.insert(term, count);
        Ok(count)
    }

    /// The card of a document whose present version this is.
    fn card(&mut self, key: i64, version: u32) -> rusqlite::Result<Option<Arc<DocumentCard>>> {
        if let Some(known) = self.cards.get(&(key, version)) {
            return Ok(known.clone());
        }
        let sql = "SELECT 1 FROM checked_documents WHERE key = ?1 AND +version = ?2";
        let is_present =
            self.transaction.prepare_cached(sql)?.query_row(params![key, version], |_| Ok(())).optional()?.is_some();
        let found = if is_present { card(self.transaction, (key, version))?.map(Arc::new) } else { None };
        self.cards.insert((key, version), found.clone());
        Ok(found)
    }
}
