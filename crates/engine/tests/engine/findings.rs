//! Documents compared with one another: contradictions in other words are found, and what only sounds alike is not.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use vouch_domain::{
    DocumentCard, DocumentId, DocumentSketch, Finding, FindingKind,
    finding::{Similar, SimilarClaim, SimilarDocument, TermCount, UncomparedDocument},
    ports::Support,
};
use vouch_engine::{
    findings::{duplicates, sketch, suspicions},
    reading::budget::Budget,
};

fn card(id: &str) -> Option<DocumentCard> {
    Some(DocumentCard {
        id: DocumentId::parse(id)?,
        tenant: "t".to_owned(),
        source: id.to_owned(),
        title: Path::new(id).file_stem()?.to_string_lossy().replace('-', " "),
        kind: String::new(),
        collection: String::new(),
        status: None,
        date: None,
        version: None,
        tags: BTreeSet::new(),
        topics: BTreeSet::new(),
        owner: None,
        address: None,
        url: None,
        superseded_by: None,
    })
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
type Sketched = (Arc<DocumentCard>, DocumentSketch);

fn sketched(card: DocumentCard, text: &str) -> Sketched {
    let document = UncomparedDocument { card, version: 1, text: text.to_owned(), headings: Vec::new() };
    let sketch = sketch(&document, &Budget::default());
    (Arc::new(document.card), sketch)
}

/// Everything that is kept of the others, as a store without any limit would give it.
fn similar(own: &Sketched, others: &[Sketched]) -> Similar {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    let all = others.iter().chain([own]).flat_map(|(_, sketch)| &sketch.claims);
    let claims_kept = all.clone().count() as u64;
    all.flat_map(|claim| &claim.terms).for_each(|term| *counts.entry(*term).or_default() += 1);
    let others = || others.iter().filter(|other| other.0.id != own.0.id);
    let claims: Vec<SimilarClaim> = others()
        .flat_map(|(card, sketch)| sketch.claims.iter().map(move |claim| (card, claim)))
        .map(|(card, claim)| SimilarClaim { document: Arc::clone(card), claim: claim.clone() })
        .collect();
    Similar {
        documents: others()
            .map(|(card, sketch)| SimilarDocument { document: Arc::clone(card), signature: sketch.signature.clone() })
            .collect(),
        claims: own.1.claims.iter().map(|_| claims.clone()).collect(),
        terms: counts.into_iter().map(|(term, claims)| TermCount { term, claims }).collect(),
        claims_kept,
    }
}

fn found(text: &str, others: &[Sketched]) -> Outcome<Vec<Finding>> {
    let own = sketched(card("note").ok_or("an id")?, text);
    let similar = similar(&own, others);
    let suspected = suspicions(&own.0, &own.1, &similar, 0);
    let mut found = duplicates(&own.0, &own.1, &similar, 0);
    found.extend(suspected.into_iter().filter_map(|one| one.settle(None)));
    Ok(found)
}

const LEAVE: &str = "Full-time employees of the harbour office receive 28 days of annual leave per calendar year.";

#[test]
fn without_a_judge_the_words_in_common_decide() -> Outcome<()> {
    let others = [sketched(card("leave").ok_or("an id")?, LEAVE)];
    assert_eq!(found(&LEAVE.replace("28", "30"), &others)?.len(), 1);
    assert!(found(LEAVE, &others)?.is_empty(), "it says the same");
    assert!(found("The harbour office closes for 30 days each winter.", &others)?.is_empty(), "another matter");
    Ok(())
}

#[test]
fn a_judge_reads_each_sentence_with_the_others_value_in_it() -> Outcome<()> {
    let other = sketched(card("leave").ok_or("an id")?, LEAVE);
    let own = sketched(card("note").ok_or("an id")?, &LEAVE.replace("28", "30"));
    let suspected = suspicions(&own.0, &own.1, &similar(&own, &[other]), 0);
    let [suspicion] = suspected.as_slice() else { return Err(format!("{suspected:?}").into()) };
    for pair in suspicion.readings() {
        let said = |text: &str| text.split_once(": ").map(|(_, said)| said.to_owned());
        assert_eq!(said(&pair.claim), said(&pair.evidence), "{pair:?}");
    }
    let reading = |supported: f32| Support { supported, contradicted: 0.0, silent: 1.0 - supported };
    assert!(suspicion.clone().settle(Some([reading(0.99); 2])).is_some());
    assert!(suspicion.clone().settle(Some([reading(0.001); 2])).is_none());
    Ok(())
}

#[test]
fn a_document_that_does_not_hold_contradicts_nothing() -> Outcome<()> {
    let text = "A mailbox holds 50 gigabytes and a former employee keeps it for 5 days.";
    let withdrawn = DocumentCard { status: Some("withdrawn".to_owned()), ..card("old").ok_or("an id")? };
    assert_eq!(sketched(withdrawn, text).1, DocumentSketch::default());
    assert!(!sketched(card("new").ok_or("an id")?, text).1.claims.is_empty());
    Ok(())
}

#[test]
fn the_same_page_with_few_changes_is_nearly_the_same() -> Outcome<()> {
    let words: Vec<String> = (0..300).map(|at| format!("word{at}")).collect();
    let page = words.join(" ");
    let other = sketched(card("page").ok_or("an id")?, &page);
    let found = found(&page.replace("word150 ", "another "), &[other])?;
    assert_eq!(found.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::Duplicate]);
    assert!(found.iter().all(|finding| (90..100).contains(&finding.likeness)));
    Ok(())
}
