//! What a repair keeps of a damaged file: everything but what the damage took with it, and never a file that nothing opens.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use vouch_adapters::embedded::{EmbeddedTrail, TrailLimits, repair};
use vouch_domain::{
    AuditScope, Concept, Feedback, Label, LabelKind, Opinion, Reader, TermKey, Wording,
    ports::{AuditTrail, EmbeddedEntry, LexicalIndex, Memory, Vocabulary},
};
use vouch_testkit::{
    contracts::{everyone, memory},
    corpus::TENANT,
};

use crate::support::filled_store::{
    CATALOGUE, MARK, TRAIL, WORDS, damage_page, damage_rows, fill, filled, folder, found, let_go, open, written_trail,
};

#[tokio::test]
async fn a_damaged_entry_of_the_trail_takes_its_feedback_with_it_and_nothing_else() {
    let folder = folder();
    let trail = written_trail(folder.path(), &["a", "b", "c"]).await;
    let scope = AuditScope::for_tenant(TENANT);
    for id in ["a", "b"] {
        let said = Feedback { asker: "mira".to_owned(), at_ms: 5, opinion: Opinion::thumb(true), comment: None };
        assert!(trail.comment(&scope, id, said).await.expect("said").is_kept());
    }
    drop(trail);
    let_go(folder.path()).await;
    damage_rows(&folder.path().join(TRAIL), "entries", "id = 'b'");
    let report = repair(folder.path()).expect("repaired");
    assert!(report.lost.iter().any(|lost| lost.contains("feedback on an entry")), "{report:?}");
    let trail = EmbeddedTrail::open(folder.path(), TrailLimits::default()).expect("it opens");
    assert_eq!(trail.newest(&scope, 9).await.expect("entries").len(), 2);
    let kept = trail.entry(&scope, "a").await.expect("an answer").expect("it is there");
    assert_eq!(kept.feedback.len(), 1);
}

fn concept(uri: &str, name: &str) -> Concept {
    let wording = |text: &str| Wording { text: text.to_owned(), language: None };
    Concept {
        uri: uri.to_owned(),
        labels: vec![Label { kind: LabelKind::Preferred, wording: wording(name) }],
        definitions: vec![wording("A word.")],
        ..Concept::default()
    }
}

#[tokio::test]
async fn a_damaged_tenant_takes_what_is_its_own_with_it_by_name() {
    let folder = filled().await;
    let store = open(folder.path()).expect("it opens");
    for (tenant, source) in [(TENANT, "mill.ttl"), ("other", "tap.ttl")] {
        store.vocabulary.replace(tenant, source, &[concept("urn:tap", "tap")]).expect("taken in");
    }
    drop(store);
    damage_rows(&folder.path().join(CATALOGUE), "tenants", &format!("name = '{TENANT}'"));
    let report = repair(folder.path()).expect("repaired");
    for lost in ["vocabulary mill.ttl", "document granary.md"] {
        assert!(report.lost.iter().any(|line| line.starts_with(lost)), "{lost}: {report:?}");
    }
    assert!(!report.lost.iter().any(|line| line.contains("tap.ttl")), "{report:?}");
    assert_eq!(found(folder.path()).await, Vec::<&str>::new());
    assert!(!open(folder.path()).expect("it opens").vocabulary.is_empty().expect("an answer"));
}

#[tokio::test]
async fn a_repair_that_fails_leaves_a_folder_as_it_was() {
    let folder = filled().await;
    damage_rows(&folder.path().join(CATALOGUE), "passages", "text LIKE '%windmill%'");
    // Nothing can be made under this name.
    let in_the_way = folder.path().join("repaired-catalogue.sqlite");
    std::fs::create_dir(&in_the_way).expect("a folder");
    repair(folder.path()).expect_err("there is no place for the repaired file");
    assert!(!folder.path().join(MARK).exists() && folder.path().join(CATALOGUE).exists());
    std::fs::remove_dir(&in_the_way).expect("removed");
    repair(folder.path()).expect("repaired");
    assert_eq!(found(folder.path()).await.len(), WORDS.len() - 1);
}

/// A store whose documents lie on many pages.
async fn large() -> (tempfile::TempDir, Vec<String>) {
    let (folder, words) = (folder(), (0..30).map(|number| format!("barn{number}x")).collect::<Vec<String>>());
    let names: Vec<&str> = words.iter().map(String::as_str).collect();
    fill(&open(folder.path()).expect("it opens"), &names, 60).await;
    (folder, words)
}

async fn count_found(folder: &std::path::Path, words: &[String]) -> usize {
    let store = open(folder).expect("it opens");
    let mut found = 0;
    for word in words {
        found += store.lexical.matching(&everyone(), word, 3).await.expect("hits").len();
    }
    found
}

#[tokio::test]
async fn a_damaged_page_costs_the_documents_on_it_and_no_others() {
    for table in ["versions", "passages"] {
        let (folder, words) = large().await;
        damage_page(&folder.path().join(CATALOGUE), table);
        let report = repair(folder.path()).expect("repaired");
        let kept = count_found(folder.path(), &words).await;
        assert!((words.len() - 5..words.len()).contains(&kept), "{table}: {kept} of {}: {report:?}", words.len());
        let named = report.lost.iter().filter(|lost| lost.starts_with("document barn")).count();
        assert_eq!(named + kept, words.len(), "{table}: {report:?}");
    }
}

fn pinned_by(tenant: &str, id: &str, phrases: &[&str]) -> EmbeddedEntry {
    let mut made = memory::pinned(id, "unused", "doc").entry;
    made.tenant = tenant.to_owned();
    made.phrases = phrases.iter().map(|text| Wording { text: (*text).to_owned(), language: None }).collect();
    memory::embedded(made)
}

#[tokio::test]
async fn an_entry_of_the_memory_that_lost_a_phrase_goes_and_its_namesake_stays() {
    for damaged in ["'the first phrase'", "'the last phrase'"] {
        let folder = filled().await;
        let entries = vec![
            pinned_by(TENANT, "depth", &["the first phrase", "the last phrase"]),
            pinned_by("other", "depth", &["how deep is it"]),
            pinned_by(TENANT, "height", &["how high is it"]),
        ];
        open(folder.path()).expect("it opens").memory.upsert(entries).await.expect("kept");
        damage_rows(&folder.path().join(CATALOGUE), "memory_texts", &format!("text = {damaged}"));
        let report = repair(folder.path()).expect("repaired");
        assert_eq!(report.lost.iter().filter(|lost| lost.starts_with("memory entry")).count(), 1, "{report:?}");
        let store = open(folder.path()).expect("it opens");
        for (tenant, left) in [(TENANT, "height"), ("other", "depth")] {
            let reader = Reader { tenant: tenant.to_owned(), ..everyone() };
            let entries = store.memory.entries(&reader).await.expect("entries");
            let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
            assert_eq!(ids, [left], "{damaged} of {tenant}");
        }
    }
}

#[tokio::test]
async fn a_vocabulary_that_lost_a_concept_is_named_and_keeps_the_others() {
    let folder = filled().await;
    let store = open(folder.path()).expect("it opens");
    let concepts = [concept("urn:tap", "tap"), concept("urn:mill", "mill")];
    store.vocabulary.replace(TENANT, "words.ttl", &concepts).expect("taken in");
    drop(store);
    damage_rows(&folder.path().join(CATALOGUE), "concepts", "uri = 'urn:tap'");
    let report = repair(folder.path()).expect("repaired");
    assert!(report.lost.iter().any(|lost| lost.contains("words.ttl")), "{report:?}");
    let store = open(folder.path()).expect("it opens");
    for (name, count) in [("mill", 1), ("tap", 0)] {
        let term = TermKey::parse(name).expect("a term");
        assert_eq!(store.vocabulary.look_up(&everyone(), &term).await.expect("concepts").len(), count, "{name}");
    }
}
