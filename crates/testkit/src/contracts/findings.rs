//! The contract of `Findings`.

use std::sync::Arc;

use vouch_domain::{
    CharSpan, ClaimSketch, Dismissal, DocumentCard, DocumentId, DocumentSketch, Finding, FindingKind, FindingSide,
    Reader,
    finding::{Similar, SketchedDocument},
    ports::{Catalogue, Findings},
};

use super::{everyone, tagged};
use crate::corpus::{TENANT, card, kept};

type Ports = (Arc<dyn Catalogue>, Arc<dyn Findings>);

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> Ports) {
    a_document_waits_until_its_present_form_is_compared(make()).await;
    what_shares_a_band_or_a_term_is_similar(make()).await;
    what_is_similar_is_of_present_forms_and_of_the_tenant(make()).await;
    open_findings_are_listed_by_kind_and_newest_first(make()).await;
    a_finding_is_shown_only_to_who_may_read_both_sides(make()).await;
    a_finding_goes_with_the_forms_it_is_of(make()).await;
    what_was_dismissed_stays_so(make()).await;
}

fn id(text: &str) -> DocumentId {
    DocumentId::parse(text).expect("a usable id")
}

async fn keep(catalogue: &dyn Catalogue, name: &str, tags: &[&str], line: &str) {
    catalogue.upsert(vec![kept(card(name, tags), &[line])]).await.expect("keep");
}

fn sketch(sentence: &str, terms: &[u64], bands: &[u64]) -> DocumentSketch {
    let claim = ClaimSketch {
        span: CharSpan { start: 0, end: sentence.chars().count() },
        sentence: sentence.to_owned(),
        context: "About it".to_owned(),
        terms: terms.to_vec(),
    };
    DocumentSketch { signature: vec![7, 8], bands: bands.to_vec(), claims: vec![claim] }
}

async fn keep_sketch(findings: &dyn Findings, name: &str, version: u32, sketch: DocumentSketch) {
    let sketched = SketchedDocument { id: id(name), version, sketch };
    findings.keep_sketches(TENANT, vec![sketched]).await.expect("keep");
}

async fn waiting(findings: &dyn Findings, tenant: &str) -> Vec<(String, u32)> {
    let found = findings.uncompared(tenant, 100).await.expect("documents");
    found.iter().map(|one| (one.card.id.as_str().to_owned(), one.version)).collect()
}

fn finding(name: &str, kind: FindingKind, of: [DocumentCard; 2], found_ms: u64) -> Finding {
    let side = |card: DocumentCard| FindingSide {
        document: Arc::new(card),
        span: CharSpan { start: 0, end: 4 },
        sentence: "Said".to_owned(),
    };
    Finding { id: name.to_owned(), kind, sides: of.map(side), likeness: 90, found_ms, dismissed: None }
}

/// A contradiction of documents `a` and `b`.
fn contradiction(name: &str) -> Finding {
    finding(name, FindingKind::Contradiction, [card("a", &[]), card("b", &[])], 5)
}

async fn record(findings: &dyn Findings, found: Vec<Finding>) {
    findings.record(TENANT, Vec::new(), found).await.expect("record");
}

async fn open(findings: &dyn Findings, reader: &Reader) -> Vec<String> {
    let page = findings.open(reader, None, 100).await.expect("findings");
    assert_eq!(page.total, page.findings.len() as u64);
    page.findings.into_iter().map(|finding| finding.id).collect()
}

fn dismissal(by: &str) -> Dismissal {
    Dismissal { by: by.to_owned(), at_ms: 9 }
}

async fn a_document_waits_until_its_present_form_is_compared((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    keep(catalogue.as_ref(), "a", &["hr"], "One.").await;
    keep(catalogue.as_ref(), "b", &[], "Other.").await;
    assert_eq!(waiting(findings, TENANT).await, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
    assert!(waiting(findings, "other").await.is_empty());
    let first = findings.uncompared(TENANT, 1).await.expect("documents");
    let told: Vec<_> = first.iter().map(|one| (one.text.as_str(), one.headings.clone())).collect();
    assert_eq!(told, [("One.", vec![(CharSpan { start: 0, end: 4 }, ["Facts".to_owned()].into())])]);
    for name in ["a", "b"] {
        keep_sketch(findings, name, 1, DocumentSketch::default()).await;
    }
    assert_eq!(waiting(findings, TENANT).await.len(), 2, "a sketch alone is no comparison");
    findings.record(TENANT, vec![(id("a"), 1), (id("b"), 1)], Vec::new()).await.expect("record");
    assert!(waiting(findings, TENANT).await.is_empty());
    keep(catalogue.as_ref(), "a", &["hr"], "Two.").await;
    assert_eq!(waiting(findings, TENANT).await, [("a".to_owned(), 2)]);
    findings.record(TENANT, vec![(id("a"), 1)], Vec::new()).await.expect("record");
    assert_eq!(waiting(findings, TENANT).await, [("a".to_owned(), 2)], "an earlier form was compared");
    catalogue.remove(TENANT, &[id("a")]).await.expect("remove");
    assert!(waiting(findings, TENANT).await.is_empty());
}

async fn similar(findings: &dyn Findings, tenant: &str, name: &str, own: &DocumentSketch) -> Similar {
    findings.similar(tenant, &id(name), own).await.expect("what is similar")
}

fn names(similar: &Similar) -> (Vec<&str>, Vec<Vec<&str>>) {
    let documents = similar.documents.iter().map(|one| one.document.id.as_str()).collect();
    let claims = similar.claims.iter().map(|claims| claims.iter().map(|one| one.document.id.as_str()).collect());
    (documents, claims.collect())
}

async fn what_shares_a_band_or_a_term_is_similar((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    for name in ["a", "b", "c", "d"] {
        keep(catalogue.as_ref(), name, &[], "Said.").await;
    }
    let own = sketch("Leave is 28 days.", &[1, 2], &[u64::MAX, 4]);
    keep_sketch(findings, "a", 1, own.clone()).await;
    keep_sketch(findings, "b", 1, sketch("Leave is 30 days.", &[2, u64::MAX], &[5])).await;
    keep_sketch(findings, "c", 1, sketch("Lunch is at noon.", &[6], &[u64::MAX])).await;
    keep_sketch(findings, "d", 1, sketch("Trams run late.", &[8], &[9])).await;
    let found = similar(findings, TENANT, "a", &own).await;
    assert_eq!(names(&found), (vec!["c"], vec![vec!["b"]]));
    assert_eq!(found.documents.first().map(|one| one.signature.clone()), Some(vec![7, 8]));
    let claim = found.claims.first().and_then(|claims| claims.first()).map(|one| &one.claim);
    assert_eq!(claim, sketch("Leave is 30 days.", &[2, u64::MAX], &[]).claims.first());
    let count = |term: u64| found.terms.iter().find(|one| one.term == term).map(|one| one.claims);
    assert_eq!((count(2), count(u64::MAX), found.claims_kept), (Some(2), Some(1), 4));
    keep_sketch(findings, "b", 1, sketch("Trams run early.", &[8], &[])).await;
    let found = similar(findings, TENANT, "a", &own).await;
    assert_eq!(names(&found).1, [Vec::<&str>::new()], "a sketch takes the place of the last");
}

async fn what_is_similar_is_of_present_forms_and_of_the_tenant((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    for name in ["a", "b", "c"] {
        keep(catalogue.as_ref(), name, &[], "Said.").await;
        keep_sketch(findings, name, 1, sketch("Leave is 28 days.", &[1, 2], &[4])).await;
    }
    let own = sketch("Leave is 28 days.", &[1, 2], &[4]);
    assert_eq!(names(&similar(findings, TENANT, "a", &own).await).0, ["b", "c"]);
    assert_eq!(names(&similar(findings, "other", "a", &own).await).0, Vec::<&str>::new());
    keep(catalogue.as_ref(), "b", &[], "Otherwise.").await;
    catalogue.remove(TENANT, &[id("c")]).await.expect("remove");
    let found = similar(findings, TENANT, "a", &own).await;
    assert_eq!(names(&found), (Vec::new(), vec![Vec::new()]));
}

async fn open_findings_are_listed_by_kind_and_newest_first((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    for name in ["a", "b"] {
        keep(catalogue.as_ref(), name, &[], "Said.").await;
    }
    let of = || [card("a", &[]), card("b", &[])];
    let duplicate = finding("d", FindingKind::Duplicate, of(), 9);
    let versions = finding("v", FindingKind::Versions, of(), 3);
    let (old, new) = (finding("o", FindingKind::Contradiction, of(), 1), contradiction("n"));
    record(findings, vec![duplicate.clone(), old.clone(), versions.clone(), new.clone()]).await;
    let page = findings.open(&everyone(), None, 3).await.expect("findings");
    assert_eq!((page.findings, page.total), (vec![versions, duplicate.clone(), new.clone()], 4));
    let page = findings.open(&everyone(), Some(FindingKind::Contradiction), 9).await.expect("findings");
    assert_eq!((page.findings, page.total), (vec![new, old], 2));
    let page = findings.open(&everyone(), Some(FindingKind::Duplicate), 2).await.expect("findings");
    assert_eq!((page.findings, page.total), (vec![duplicate], 1));
    let nobody = finding("x", FindingKind::Duplicate, [card("a", &[]), card("nobody", &[])], 1);
    record(findings, vec![nobody]).await;
    assert_eq!(open(findings, &everyone()).await, ["v", "d", "n", "o"]);
}

async fn a_finding_is_shown_only_to_who_may_read_both_sides((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    keep(catalogue.as_ref(), "a", &[], "Said.").await;
    keep(catalogue.as_ref(), "b", &["hr"], "Said.").await;
    record(findings, vec![contradiction("f")]).await;
    assert_eq!(open(findings, &everyone()).await, ["f"]);
    assert_eq!(open(findings, &tagged(&["hr"])).await, ["f"]);
    for stranger in [tagged(&["it"]), Reader::of_tenant("other")] {
        assert!(open(findings, &stranger).await.is_empty());
        assert!(!findings.dismiss(&stranger, "f", dismissal("it")).await.expect("an answer"));
    }
    let side = findings.open(&everyone(), None, 1).await.expect("findings").findings.pop();
    let tags = side.map(|one| one.sides.map(|side| side.document.tags.len()));
    assert_eq!(tags, Some([0, 1]), "cards are those of the documents as they stand");
}

async fn a_finding_goes_with_the_forms_it_is_of((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    for name in ["a", "b"] {
        keep(catalogue.as_ref(), name, &[], "Said.").await;
    }
    record(findings, vec![contradiction("f")]).await;
    keep(catalogue.as_ref(), "a", &[], "Otherwise.").await;
    assert!(open(findings, &everyone()).await.is_empty());
    record(findings, vec![contradiction("f")]).await;
    assert_eq!(open(findings, &everyone()).await, ["f"]);
    catalogue.remove(TENANT, &[id("b")]).await.expect("remove");
    assert!(open(findings, &everyone()).await.is_empty());
    assert!(!findings.dismiss(&everyone(), "f", dismissal("mira")).await.expect("an answer"));
}

async fn what_was_dismissed_stays_so((catalogue, findings): Ports) {
    let findings = findings.as_ref();
    for name in ["a", "b"] {
        keep(catalogue.as_ref(), name, &[], "Said.").await;
    }
    record(findings, vec![contradiction("f"), contradiction("g")]).await;
    assert!(findings.dismiss(&everyone(), "f", dismissal("mira")).await.expect("an answer"));
    assert!(!findings.dismiss(&everyone(), "x", dismissal("mira")).await.expect("an answer"));
    assert_eq!(open(findings, &everyone()).await, ["g"]);
    keep(catalogue.as_ref(), "a", &[], "Said. And more.").await;
    record(findings, vec![contradiction("f"), contradiction("g")]).await;
    assert_eq!(open(findings, &everyone()).await, ["g"]);
}
