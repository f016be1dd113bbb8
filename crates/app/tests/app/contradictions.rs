//! Contradictions of the handbook of Tarn, written for the purpose: with the judge they are found, and most of what only sounds alike is not.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use vouch_domain::{
    DocumentCard, DocumentId, DocumentSketch, Finding,
    finding::{Similar, SimilarClaim, TermCount, UncomparedDocument},
    ports::{ClaimJudge, ClaimPair},
};
use vouch_engine::{
    findings::{sketch, suspicions},
    reading::budget::Budget,
};
use vouch_models::Judge;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles/handbook/corpus/tarn");

/// Each contradicts a sentence of the handbook of Tarn.
const CONTRADICTIONS: &[&str] = &[
    "Every advertisement stays open for at least 21 days.",
    "An interview for a shore post lasts about 90 minutes.",
    "The chair of the panel rings all applicants within ten working days.",
    "An employee who recommends a successful applicant gets £500 once the newcomer has passed probation.",
    "Seasonal recruitment starts on 1 March.",
    "Office employees ring their line manager before 10:30 on the first day.",
    "The line manager holds the return-to-work talk within seven working days of the return.",
    "On each vessel a man-overboard drill is held every six weeks.",
    "The engine room stays closed and is not opened again for 90 minutes after the gas has been released.",
    "The safety announcement is made within ten minutes of each departure.",
    "Probation may be extended once, by at most six months.",
    "Maternity leave lasts up to 40 weeks, whatever the length of service.",
    "The People Team confirms the dates in writing within 60 days.",
    "A password must have at least 10 characters.",
    "An account is locked for 2 hours after six wrong passwords.",
    "The mailbox of a former employee is kept for 30 days and then deleted.",
    "A mailbox holds 50 gigabytes.",
    "A deleted file on the shared drive can be recovered for 14 days.",
    "An investigation must be finished within 40 working days.",
    "At head office the full-time working week is 40 hours.",
];

/// Each is of another thing, or says the same in other words.
const NEAR_MISSES: &[&str] = &[
    "The mailbox of a shared account is kept for 400 days and then deleted.",
    "An investigation is finished within three weeks of 5 working days where the union asks for it.",
    "A password has fourteen characters at least.",
    "The part-time working week at head office is 20 hours.",
    "A boat drill is held on the training vessel every four days.",
    "Paternity leave lasts up to 3 weeks, whatever the length of service.",
    "The captain confirms the dates of the regatta within 3 days.",
    "A locker holds 30 litres.",
    "Codes by letter were switched off on 4 July 2019.",
    "An account manager is on leave for 30 minutes at lunch.",
];

/// Those of them that are taken for contradictions all the same.
const FALSE_ALARMS: &[&str] = &["The part-time working week at head office is 20 hours."];

fn card(id: &str) -> anyhow::Result<DocumentCard> {
    Ok(DocumentCard {
        id: DocumentId::parse(id).context("an id")?,
        tenant: "t".to_owned(),
        source: id.to_owned(),
        title: Path::new(id).file_stem().context("a name")?.to_string_lossy().replace('-', " "),
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

type Sketched = (Arc<DocumentCard>, DocumentSketch);

fn sketched(card: DocumentCard, text: &str) -> Sketched {
    let document = UncomparedDocument { card, version: 1, text: text.to_owned(), headings: Vec::new() };
    let sketch = sketch(&document, &Budget::default());
    (Arc::new(document.card), sketch)
}

fn handbook() -> anyhow::Result<Vec<Sketched>> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(CORPUS).to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let card = card(&path.display().to_string())?;
                found.push(sketched(card, &std::fs::read_to_string(&path)?));
            }
        }
    }
    found.sort_by(|one, other| one.0.id.cmp(&other.0.id));
    Ok(found)
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
        documents: Vec::new(),
        claims: own.1.claims.iter().map(|_| claims.clone()).collect(),
        terms: counts.into_iter().map(|(term, claims)| TermCount { term, claims }).collect(),
        claims_kept,
    }
}

async fn found(text: &str, others: &[Sketched], judge: &Judge) -> anyhow::Result<Vec<Finding>> {
    let own = sketched(card("note")?, text);
    let suspected = suspicions(&own.0, &own.1, &similar(&own, others), 0);
    let pairs: Vec<ClaimPair> = suspected.iter().flat_map(|one| one.readings().clone()).collect();
    let read = judge.weigh(pairs, Duration::from_secs(60)).await?;
    let readings = read.as_chunks::<2>().0.iter().map(|[one, other]| Some([(*one)?, (*other)?]));
    Ok(suspected.into_iter().zip(readings).filter_map(|(one, readings)| one.settle(readings)).collect())
}

async fn flagged(sentences: &[&'static str]) -> anyhow::Result<Vec<&'static str>> {
    let (handbook, judge) = (handbook()?, Judge::load(2)?);
    let mut flagged = Vec::new();
    for sentence in sentences {
        if !found(sentence, &handbook, &judge).await?.is_empty() {
            flagged.push(*sentence);
        }
    }
    Ok(flagged)
}

#[tokio::test]
async fn contradictions_in_other_words_are_found() -> anyhow::Result<()> {
    let found = flagged(CONTRADICTIONS).await?;
    let missed: Vec<_> = CONTRADICTIONS.iter().filter(|sentence| !found.contains(sentence)).collect();
    assert!(missed.len() <= 4, "{missed:#?}");
    Ok(())
}

#[tokio::test]
async fn what_only_sounds_alike_is_not_found_but_for_what_is_known() -> anyhow::Result<()> {
    let flagged = flagged(NEAR_MISSES).await?;
    assert_eq!(flagged, FALSE_ALARMS, "a rule that knows better takes one off the list");
    Ok(())
}
