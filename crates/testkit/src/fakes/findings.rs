//! Documents of the memory store compared with one another, and what was found.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    Dismissal, DocumentCard, DocumentId, DocumentSketch, Finding, FindingKind, FindingPage, FindingSide, PortError,
    Reader,
    finding::{Similar, SimilarClaim, SimilarDocument, SketchedDocument, TermCount, UncomparedDocument},
    ports::Findings,
};

use super::{
    MemoryStore,
    compared::{Compared, Found, Place, Sketched},
    held::PastVersion,
};

impl MemoryStore {
    fn compared(&self) -> MutexGuard<'_, Compared> {
        self.compared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present form of a document.
    fn present(&self, tenant: &str, id: &DocumentId) -> Option<PastVersion> {
        self.past(tenant, id).into_iter().find(|one| one.died.is_none())
    }

    /// What is kept of a document, as far as it is of the document's present form.
    fn present_card(&self, (tenant, id): &Place, version: u32) -> Option<DocumentCard> {
        self.present(tenant, id).filter(|one| one.number == version).map(|one| one.kept.document.card)
    }

    /// A finding as it is shown to a reader, if they may see both sides of it.
    fn shown(&self, reader: &Reader, found: &Found) -> Option<Finding> {
        let [left, right] = &found.finding.sides;
        let side = |side: &FindingSide, version: u32| {
            let place = (reader.tenant.clone(), side.document.id.clone());
            let card = self.present_card(&place, version).filter(|card| reader.may_see(card))?;
            Some(FindingSide { document: Arc::new(card), ..side.clone() })
        };
        let sides = [side(left, found.versions[0])?, side(right, found.versions[1])?];
        Some(Finding { sides, ..found.finding.clone() })
    }

    fn shown_to(&self, reader: &Reader) -> Vec<Finding> {
        let compared = self.compared();
        let own = compared.findings.iter().filter(|((tenant, _), _)| *tenant == reader.tenant);
        let mut shown: Vec<Finding> = own.filter_map(|(_, found)| self.shown(reader, found)).collect();
        shown.sort_by(|one, other| {
            let key = |one: &Finding| (one.kind, u64::MAX - one.found_ms, one.id.clone());
            key(one).cmp(&key(other))
        });
        shown
    }
}

fn is_open(finding: &Finding) -> bool {
    finding.dismissed.is_none()
}

#[async_trait]
impl Findings for MemoryStore {
    async fn uncompared(&self, tenant: &str, limit: usize) -> Result<Vec<UncomparedDocument>, PortError> {
        let compared = self.compared();
        let waits = |card: &DocumentCard| {
            let past = self.present(tenant, &card.id)?;
            let known = compared.sketches.get(&(tenant.to_owned(), card.id.clone()));
            let is_known = known.is_some_and(|known| known.is_compared && known.version == past.number);
            let document = past.kept.document;
            let headings = past.kept.passages.iter().map(|one| (one.passage.span, one.passage.section.clone()));
            (!is_known).then(|| UncomparedDocument {
                headings: headings.collect(),
                card: document.card,
                version: past.number,
                text: document.text,
            })
        };
        Ok(self.cards(&Reader::of_tenant(tenant)).iter().filter_map(waits).take(limit).collect())
    }

    async fn keep_sketches(&self, tenant: &str, sketches: Vec<SketchedDocument>) -> Result<(), PortError> {
        let mut compared = self.compared();
        for one in sketches.into_iter().filter(|one| self.present(tenant, &one.id).is_some()) {
            let kept = Sketched { version: one.version, sketch: one.sketch, is_compared: false };
            compared.sketches.insert((tenant.to_owned(), one.id), kept);
        }
        Ok(())
    }

    async fn similar(&self, tenant: &str, id: &DocumentId, sketch: &DocumentSketch) -> Result<Similar, PortError> {
        let compared = self.compared();
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let mut claims_kept = 0;
        let mut others: Vec<(Arc<DocumentCard>, &DocumentSketch)> = Vec::new();
        for (place, kept) in compared.sketches.iter().filter(|((of, _), _)| of == tenant) {
            let Some(card) = self.present_card(place, kept.version) else { continue };
            claims_kept += kept.sketch.claims.len() as u64;
            kept.sketch.claims.iter().flat_map(|claim| &claim.terms).for_each(|term| {
                *counts.entry(*term).or_default() += 1;
            });
            if place.1 != *id {
                others.push((Arc::new(card), &kept.sketch));
            }
        }
        let documents = others.iter().filter(|(_, other)| other.bands.iter().any(|band| sketch.bands.contains(band)));
        let claims = sketch.claims.iter().map(|claim| {
            let all = others.iter().flat_map(|(card, other)| other.claims.iter().map(move |claim| (card, claim)));
            let alike = all.filter(|(_, other)| other.terms.iter().any(|term| claim.terms.contains(term)));
            alike.map(|(card, other)| SimilarClaim { document: Arc::clone(card), claim: other.clone() }).collect()
        });
        let claims: Vec<Vec<SimilarClaim>> = claims.collect();
        let told: BTreeSet<u64> = claims.iter().flatten().flat_map(|one| one.claim.terms.iter().copied()).collect();
        Ok(Similar {
            documents: documents
                .map(|(card, other)| SimilarDocument { document: Arc::clone(card), signature: other.signature.clone() })
                .collect(),
            claims,
            terms: counts
                .into_iter()
                .filter(|(term, _)| told.contains(term))
                .map(|(term, claims)| TermCount { term, claims })
                .collect(),
            claims_kept,
        })
    }

    async fn record(
        &self,
        tenant: &str,
        compared: Vec<(DocumentId, u32)>,
        findings: Vec<Finding>,
    ) -> Result<(), PortError> {
        let mut kept = self.compared();
        for finding in findings {
            let [left, right] = &finding.sides;
            let version = |side: &FindingSide| self.present(tenant, &side.document.id).map(|one| one.number);
            let (Some(left), Some(right)) = (version(left), version(right)) else { continue };
            let place = (tenant.to_owned(), finding.id.clone());
            let known = kept.findings.remove(&place).map(|known| known.finding);
            let finding = Finding {
                found_ms: known.as_ref().map_or(finding.found_ms, |known| known.found_ms),
                dismissed: known.and_then(|known| known.dismissed),
                ..finding
            };
            kept.findings.insert(place, Found { finding, versions: [left, right] });
        }
        for (id, version) in compared {
            if let Some(one) = kept.sketches.get_mut(&(tenant.to_owned(), id)).filter(|one| one.version == version) {
                one.is_compared = true;
            }
        }
        Ok(())
    }

    async fn open(&self, reader: &Reader, kind: Option<FindingKind>, limit: usize) -> Result<FindingPage, PortError> {
        let mut findings = self.shown_to(reader);
        findings.retain(|finding| is_open(finding) && kind.is_none_or(|kind| kind == finding.kind));
        let total = findings.len() as u64;
        findings.truncate(limit);
        Ok(FindingPage { findings, total })
    }

    async fn dismiss(&self, reader: &Reader, id: &str, dismissal: Dismissal) -> Result<bool, PortError> {
        let mut compared = self.compared();
        let Some(found) = compared.findings.get_mut(&(reader.tenant.clone(), id.to_owned())) else { return Ok(false) };
        if self.shown(reader, found).is_none() {
            return Ok(false);
        }
        found.finding.dismissed = Some(dismissal);
        Ok(true)
    }
}
