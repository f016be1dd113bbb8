//! A store that goes on from an earlier generation: it is as it was then, and nothing of what came later is met again.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::path::Path;

use vouch_adapters::embedded::{
    BackupReport, PointInTime, RestoreConsent, backup, backup_at, restore, restore_at, rewind,
};
use vouch_domain::{
    CharSpan, DocumentId, DocumentSketch, Fault, Finding, FindingKind, FindingSide, PortError, SentQuestion,
    WrittenAnswer,
    finding::SketchedDocument,
    ports::{Catalogue, Findings, Generation, SentQuestions, Versions},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{TENANT, card, kept},
};

use super::rewind::{history, open, refreshed, seen, titled};

const LAST: u64 = 6;

fn point(generation: u64) -> Option<PointInTime> {
    Some(PointInTime::Generation(Generation(generation)))
}

fn place() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn restored(backup: &Path, to: &Path, point: Option<&PointInTime>) -> Result<BackupReport, PortError> {
    restore_at(backup, to, RestoreConsent { replaces: false, opens: false }, point)
}

#[tokio::test]
async fn a_store_goes_on_from_any_generation_as_it_was_then() {
    let (folder, place) = (place(), place());
    let states = history(folder.path()).await;
    let whole = place.path().join("whole");
    backup(folder.path(), &whole).expect("backed up");
    for (generation, then) in (0u64..).zip(&states) {
        let (made, one, other) = (
            place.path().join(format!("backup-{generation}")),
            place.path().join(format!("one-{generation}")),
            place.path().join(format!("other-{generation}")),
        );
        let report = backup_at(folder.path(), &made, point(generation).as_ref()).expect("backed up");
        let goes_on_at = if generation == LAST { LAST } else { LAST + 1 };
        let turned = report.turned_back.expect("turned back");
        assert_eq!((turned.to, turned.goes_on_at), (Generation(generation), Generation(goes_on_at)));
        restore(&made, &one, false).expect("restored");
        restored(&whole, &other, point(generation).as_ref()).expect("restored");
        for folder in [&one, &other] {
            let store = open(folder);
            assert_eq!(seen(&store).await.get(1..), then.get(1..), "generation {generation}");
            assert_eq!(store.catalogue.generation().await.expect("a generation"), Generation(goes_on_at));
            assert!(store.health().expect("health").is_sound(), "generation {generation}");
        }
    }
    assert_eq!(states.last(), Some(&seen(&open(folder.path())).await), "the original is as it was");
}

#[tokio::test]
async fn what_is_turned_back_over_is_refused_and_what_was_before_can_be_seen_again() {
    let (folder, place) = (place(), place());
    let states = history(folder.path()).await;
    let (made, back) = (place.path().join("made"), place.path().join("back"));
    let first = place.path().join("first");
    backup_at(folder.path(), &first, point(1).as_ref()).expect("backed up");
    restore(&first, &place.path().join("one"), false).expect("restored");
    let later = DocumentId::parse("c").expect("an id");
    let known = open(&place.path().join("one")).versions.current_at(TENANT, &later, Generation(2)).await;
    let known = known.expect("versions");
    assert!(known.is_known && known.now.is_none(), "an answer that rests on it rests on what was removed");
    backup_at(folder.path(), &made, point(3).as_ref()).expect("backed up");
    restore(&made, &back, false).expect("restored");
    let store = open(&back);
    let id = DocumentId::parse("a").expect("an id");
    let versions = |store: vouch_adapters::embedded::EmbeddedStore| {
        let id = id.clone();
        async move { store.versions.versions(&everyone(), &id, 9).await.expect("versions").len() }
    };
    assert_eq!(versions(store.clone()).await, 2, "the third came later");
    let then = |generation| store.versions.current_at(TENANT, &id, Generation(generation));
    assert_eq!(then(3).await.expect("versions").then, Some(2));
    assert_eq!(then(4).await.expect("versions").then, None, "what was there at the fourth is not here");
    assert_eq!(then(LAST + 1).await.expect("versions").then, Some(2));
    let another = kept(titled("a", "Masts", &[]), &["The mast is 5 m tall."]);
    store.catalogue.upsert(vec![another]).await.expect("kept");
    refreshed(&store).await;
    assert_eq!(store.catalogue.generation().await.expect("a generation"), Generation(LAST + 2));
    assert_eq!(versions(store.clone()).await, 3);
    assert!(store.health().expect("health").is_sound());
    drop(store);
    for (generation, is_kept) in [(2, true), (3, true), (4, false), (6, false), (7, true), (8, true)] {
        let copy = place.path().join(format!("copy-{generation}"));
        let rewound = rewind(&back, &copy, Generation(generation));
        assert_eq!(rewound.is_ok(), is_kept, "{generation}");
        let error = rewound.err().map(|error| (error.fault, error.sentence));
        assert!(
            error.as_ref().is_none_or(|(fault, told)| *fault == Fault::Invalid && told.contains("turned back from"))
        );
        let then = usize::try_from(generation).ok().and_then(|at| states.get(at)).filter(|_| generation < 4);
        if let Some(then) = then {
            assert_eq!(&seen(&open(&copy)).await, then, "{generation}");
        }
    }
}

#[tokio::test]
async fn findings_of_versions_that_came_later_are_not_those_of_versions_with_their_numbers() {
    let (folder, place) = (place(), place());
    let store = open(folder.path());
    let sketch = || DocumentSketch { signature: vec![1], bands: vec![2], claims: Vec::new() };
    for name in ["a", "b"] {
        store.catalogue.upsert(vec![kept(card(name, &[]), &["The mast is 3 m tall."])]).await.expect("kept");
    }
    let id = DocumentId::parse("a").expect("an id");
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is 4 m tall."])]).await.expect("kept");
    let sketched = SketchedDocument { id: id.clone(), version: 2, sketch: sketch() };
    store.findings.keep_sketches(TENANT, vec![sketched]).await.expect("kept");
    let side = |name: &str| FindingSide {
        document: std::sync::Arc::new(card(name, &[])),
        span: CharSpan { start: 0, end: 4 },
        sentence: "The mast".to_owned(),
    };
    let finding = Finding {
        id: "f".to_owned(),
        kind: FindingKind::Contradiction,
        sides: [side("a"), side("b")],
        likeness: 90,
        found_ms: 5,
        dismissed: None,
    };
    store.findings.record(TENANT, vec![(id.clone(), 2)], vec![finding]).await.expect("recorded");
    assert_eq!(store.findings.open(&everyone(), None, 9).await.expect("findings").total, 1);
    drop(store);
    let (made, back) = (place.path().join("made"), place.path().join("back"));
    backup_at(folder.path(), &made, point(2).as_ref()).expect("backed up");
    restore(&made, &back, false).expect("restored");
    let store = open(&back);
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is red."])]).await.expect("kept");
    assert_eq!(store.findings.open(&everyone(), None, 9).await.expect("findings").total, 0);
    let waiting = store.findings.uncompared(TENANT, 9).await.expect("documents");
    assert_eq!(waiting.len(), 2, "both are compared again");
}

#[tokio::test]
async fn a_generation_or_a_moment_that_is_not_kept_leaves_nothing_behind() {
    let (folder, place) = (place(), place());
    history(folder.path()).await;
    for (number, point, told) in [
        (0, PointInTime::Generation(Generation(99)), "has never been at 99"),
        (1, PointInTime::Moment("soon".to_owned()), "is not a point in time"),
    ] {
        let target = place.path().join(format!("backup-{number}"));
        let error = backup_at(folder.path(), &target, Some(&point)).expect_err(told);
        assert!(error.fault == Fault::Invalid && error.sentence.contains(told), "{error}");
        assert!(!target.join("backup.json").exists() && !target.join("catalogue.sqlite").exists());
    }
    let whole = place.path().join("whole");
    backup(folder.path(), &whole).expect("backed up");
    let (to, before) = (place.path().join("to"), seen(&open(folder.path())).await);
    restore(&whole, &to, false).expect("restored");
    let never = PointInTime::Generation(Generation(99));
    restore_at(&whole, &to, RestoreConsent { replaces: true, opens: false }, Some(&never)).expect_err("it never was");
    assert_eq!(seen(&open(&to)).await, before, "what is there stays");
}

#[tokio::test]
async fn a_moment_is_the_generation_of_the_last_document_that_was_taken_in_by_then() {
    let (folder, place) = (place(), place());
    let store = open(folder.path());
    // 2026-05-21T00:00Z is 1779321600.
    for (name, taken_in_ms) in [("a", 1_779_321_500_000), ("b", 1_779_321_600_000), ("c", 1_779_321_600_001)] {
        let mut document = kept(card(name, &[]), &["The mast is tall."]);
        document.taken_in_ms = taken_in_ms;
        store.catalogue.upsert(vec![document]).await.expect("kept");
    }
    drop(store);
    for (number, (moment, documents)) in [
        ("2026-05-20T00:00", 0),
        ("2026-05-20T23:59Z", 1),
        ("2026-05-21T00:00", 2),
        ("2026-05-21T01:59+02:00", 1),
        ("2027-01-01T00:00", 3),
    ]
    .into_iter()
    .enumerate()
    {
        let (made, back) = (place.path().join(format!("made-{number}")), place.path().join(format!("back-{number}")));
        backup_at(folder.path(), &made, Some(&PointInTime::Moment(moment.to_owned()))).expect("backed up");
        restore(&made, &back, false).expect("restored");
        let counts = open(&back).catalogue.counts(&everyone()).await.expect("counts");
        assert_eq!(counts.documents, documents, "{moment}");
    }
}

/// The documents that are there once a store was turned back to a moment.
async fn there_at(folder: &Path, moment: &str) -> Vec<String> {
    let place = place();
    let (made, back) = (place.path().join("made"), place.path().join("back"));
    backup_at(folder, &made, Some(&PointInTime::Moment(moment.to_owned()))).expect("backed up");
    restore(&made, &back, false).expect("restored");
    let store = open(&back);
    assert!(store.health().expect("health").is_sound(), "{moment}");
    let mut there = Vec::new();
    for name in ["a", "b"] {
        let id = DocumentId::parse(name).expect("an id");
        there.extend(store.catalogue.text(&everyone(), &id).await.expect("a text").map(|_| name.to_owned()));
    }
    there
}

#[tokio::test]
async fn the_moment_before_an_accidental_removal_gives_back_what_was_removed() {
    let folder = place();
    let store = open(folder.path());
    let id = DocumentId::parse("a").expect("an id");
    // Taken in a second after 1970 began.
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("kept");
    store.catalogue.remove(TENANT, &[id]).await.expect("removed");
    drop(store);
    assert_eq!(there_at(folder.path(), "1970-01-01T00:00:01Z").await, ["a"]);
    assert_eq!(there_at(folder.path(), "1970-01-01T00:00:00Z").await, [""; 0]);
    assert_eq!(there_at(folder.path(), "2999-01-01T00:00Z").await, [""; 0], "what has not passed yet is as it is now");
    let store = open(folder.path());
    let mut later = kept(card("b", &[]), &["The heater is red."]);
    later.taken_in_ms = 5_000;
    store.catalogue.upsert(vec![later]).await.expect("kept");
    drop(store);
    assert_eq!(there_at(folder.path(), "1970-01-01T00:00:01Z").await, ["a"]);
    assert_eq!(there_at(folder.path(), "1970-01-01T00:00:04").await, ["a"]);
    assert_eq!(
        there_at(folder.path(), "1970-01-01T00:00:05").await,
        ["b"],
        "the removal counts from the next document on"
    );
}

#[tokio::test]
async fn a_moment_that_a_wrong_clock_leaves_in_doubt_is_refused_and_no_other() {
    let (folder, place) = (place(), place());
    let store = open(folder.path());
    // The clock ran a year ahead for the second and was put right; 2025-05-21T00:00Z is 1747785600.
    const DAY_MS: u64 = 86_400_000;
    let began_ms = 1_747_785_600_000;
    for (name, day) in [("a", 0), ("ahead", 365), ("b", 2), ("c", 3)] {
        let mut document = kept(card(name, &[]), &["The mast is tall."]);
        document.taken_in_ms = began_ms + day * DAY_MS;
        store.catalogue.upsert(vec![document]).await.expect("kept");
    }
    drop(store);
    for (number, (moment, documents)) in [
        ("2025-05-20T00:00Z", Some(0)),
        // It lies between its neighbours, and is left out as a removal would be.
        ("2025-05-22T00:00Z", Some(1)),
        ("2025-05-23T00:00Z", None),
        ("2025-05-24T00:00Z", None),
        ("2026-05-20T00:00Z", None),
        ("2026-05-21T00:00Z", Some(4)),
    ]
    .into_iter()
    .enumerate()
    {
        let (made, back) = (place.path().join(format!("made-{number}")), place.path().join(format!("back-{number}")));
        let backed_up = backup_at(folder.path(), &made, Some(&PointInTime::Moment(moment.to_owned())));
        let Some(documents) = documents else {
            let error = backed_up.expect_err(moment);
            assert!(error.fault == Fault::Invalid && error.sentence.contains("--generation"), "{error}");
            assert!(error.sentence.contains("ahead is dated after"), "it is named: {error}");
            continue;
        };
        backed_up.expect("backed up");
        restore(&made, &back, false).expect("restored");
        let counts = open(&back).catalogue.counts(&everyone()).await.expect("counts");
        assert_eq!(counts.documents, documents, "{moment}");
    }
}

/// By which name indexes elsewhere know the vectors of a store.
fn vectors(folder: &Path) -> Option<String> {
    let catalogue = rusqlite::Connection::open(folder.join("catalogue.sqlite")).expect("the catalogue");
    let sql = "SELECT group_concat(key || value, ' ' ORDER BY key) FROM meta WHERE key IN ('vectors', 'lineage')";
    catalogue.query_row(sql, [], |row| row.get(0)).expect("one row")
}

#[tokio::test]
async fn an_index_elsewhere_of_what_came_later_is_not_taken_for_that_of_a_restored_store() {
    let (folder, place) = (place(), place());
    history(folder.path()).await;
    let (whole, then) = (place.path().join("whole"), place.path().join("then"));
    backup(folder.path(), &whole).expect("backed up");
    backup_at(folder.path(), &then, point(3).as_ref()).expect("backed up");
    let mut names = vec![vectors(folder.path()), vectors(&then)];
    for (number, (backup, point)) in
        [(&whole, None), (&whole, None), (&whole, point(3)), (&then, None), (&whole, point(LAST))]
            .into_iter()
            .enumerate()
    {
        let back = place.path().join(format!("back-{number}"));
        restored(backup, &back, point.as_ref()).expect("restored");
        names.push(vectors(&back));
        assert!(open(&back).health().expect("health").is_sound());
    }
    assert_eq!(vectors(&whole), vectors(folder.path()), "a backup has what its store has");
    let told = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), told, "no two have the same: {names:?}");
}

#[tokio::test]
async fn what_was_left_out_cannot_be_read_from_the_file() {
    let (folder, place) = (place(), place());
    let store = open(folder.path());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast is tall."])]).await.expect("kept");
    // Long enough to have pages of its own, which are free once it is gone.
    let secret = "The strongroom opens at seven. ".repeat(2_000);
    store.catalogue.upsert(vec![kept(card("b", &[]), &[&secret])]).await.expect("kept");
    drop(store);
    let (whole, made, back) = (place.path().join("whole"), place.path().join("made"), place.path().join("back"));
    backup(folder.path(), &whole).expect("backed up");
    backup_at(folder.path(), &made, point(1).as_ref()).expect("backed up");
    restored(&whole, &back, point(1).as_ref()).expect("restored");
    let holds = |folder: &Path| {
        let bytes = std::fs::read(folder.join("catalogue.sqlite")).expect("the catalogue");
        bytes.windows(b"strongroom".len()).any(|some| some == b"strongroom")
    };
    assert!(holds(&whole) && !holds(&made) && !holds(&back));
}

#[tokio::test]
async fn a_question_is_open_again_whose_answer_is_left_out() {
    let (folder, place) = (place(), place());
    let store = open(folder.path());
    let question = |id: &str| SentQuestion {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        query: format!("What of {id}?"),
        topic: None,
        owner: "mira".to_owned(),
        sent_by: "key:1".to_owned(),
        sent_ms: 1,
        tags: std::collections::BTreeSet::new(),
        answer: None,
    };
    for name in ["early", "late", "open"] {
        store.questions.send(question(name)).await.expect("sent");
    }
    for name in ["early", "late"] {
        let document = format!("answers-{name}");
        store.catalogue.upsert(vec![kept(card(&document, &[]), &["The mast is tall."])]).await.expect("kept");
        let answer = WrittenAnswer { document: DocumentId::parse(&document).expect("an id"), at_ms: 5 };
        assert!(store.questions.answered(TENANT, name, answer).await.expect("noted"));
    }
    drop(store);
    let (made, back) = (place.path().join("made"), place.path().join("back"));
    backup_at(folder.path(), &made, point(1).as_ref()).expect("backed up");
    restore(&made, &back, false).expect("restored");
    let store = open(&back);
    for (name, is_answered) in [("early", true), ("late", false), ("open", false)] {
        let found = store.questions.question(TENANT, name).await.expect("read").expect("it is there");
        assert_eq!(found.answer.is_some(), is_answered, "{name}");
        assert_eq!(SentQuestion { answer: None, ..found }, question(name));
    }
}
