//! The contract of `LexicalIndex`.

use vouch_domain::{Reader, language::Nearness, ports::LaneHit};

use super::{StorePorts, everyone, of_collections, tagged};
use crate::corpus::{TENANT, card, card_of, kept};

/// Runs every clause, each on an empty store.
pub async fn check(make: impl Fn() -> StorePorts) {
    words_find_their_passages_best_first(&make()).await;
    the_index_follows_the_catalogue(&make()).await;
    a_limit_is_kept_and_ties_go_by_key(&make()).await;
    nothing_hidden_is_found_or_felt(&make()).await;
    other_collections_are_not_found_and_move_no_score(&make()).await;
    a_document_that_changes_its_collection_moves_over(&make()).await;
    words_nobody_wrote_find_nothing(&make()).await;
    a_rare_word_finds_all_who_hold_it(&make()).await;
    an_unknown_word_is_read_as_the_nearest_known_one(&make()).await;
}

async fn texts(store: &StorePorts, reader: &Reader, words: &str, limit: usize) -> Vec<String> {
    let hits = store.lexical.matching(reader, words, limit).await.expect("matching");
    let keys: Vec<_> = hits.iter().map(|hit| hit.key).collect();
    let found = store.catalogue.passages(&everyone(), &keys).await.expect("passages");
    found.into_iter().map(|one| one.passage.text).collect()
}

async fn words_find_their_passages_best_first(store: &StorePorts) {
    let lines = ["The mast is tall.", "The gauge collects rain.", "Rain gauges stand near the mast."];
    store.catalogue.upsert(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let found = texts(store, &everyone(), "rain gauge", 10).await;
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|text| text.to_lowercase().contains("rain")), "{found:?}");
    let hits = store.lexical.matching(&everyone(), "rain gauge mast", 10).await.expect("matching");
    assert!(hits.is_sorted_by(|a, b| a.lane_score >= b.lane_score), "{hits:?}");
}

async fn the_index_follows_the_catalogue(store: &StorePorts) {
    store
        .catalogue
        .upsert(vec![kept(card("a", &[]), &["Old heron."]), kept(card("b", &[]), &["A crane."])])
        .await
        .expect("keep");
    store.lexical.refresh().await.expect("refresh");
    assert_eq!(texts(store, &everyone(), "heron", 5).await, vec!["Old heron."]);
    store.catalogue.upsert(vec![kept(card("a", &[]), &["New stork."])]).await.expect("keep");
    let id = card("b", &[]).id;
    store.catalogue.remove(TENANT, &[id]).await.expect("remove");
    let reached = store.lexical.refresh().await.expect("refresh");
    assert_eq!(reached, store.catalogue.generation().await.expect("generation"));
    assert_eq!(store.lexical.generation().await.expect("generation"), reached);
    assert!(texts(store, &everyone(), "heron crane", 5).await.is_empty());
    assert_eq!(texts(store, &everyone(), "stork", 5).await, vec!["New stork."]);
}

async fn a_rare_word_finds_all_who_hold_it(store: &StorePorts) {
    let mut lines = vec!["Rain and heron.", "Rain and crane.", "Rain and crane again."];
    lines.extend(["Rain."; 40]);
    let documents = vec![kept(card("a", &[]), &lines), kept(card("secret", &["hr"]), &["A heron of ours."])];
    store.catalogue.upsert(documents).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let all = store.lexical.matching(&everyone(), "rain", 10).await.expect("matching");
    let rare = store.lexical.rare(&tagged(&[]), "crane, rain and heron", 2).await.expect("rare");
    let found = store.catalogue.passages(&everyone(), &rare).await.expect("passages");
    let found: Vec<&str> = found.iter().map(|one| one.passage.text.as_str()).collect();
    assert_eq!(found, ["Rain and heron.", "Rain and crane.", "Rain and crane again."], "the rarest word first");
    assert_eq!(all.len(), 10, "rain is not rare");
}

async fn an_unknown_word_is_read_as_the_nearest_known_one(store: &StorePorts) {
    let documents = vec![
        kept(
            card("a", &[]),
            &["The order of varṇāśrama.", "Retention of water.", "Krishna plays.", "Here kṛṣṇa plays."],
        ),
        kept(card("secret", &["hr"]), &["A payslip of varnaashrama."]),
    ];
    store.catalogue.upsert(documents).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let reader = tagged(&[]);
    let read = store.lexical.spellings(&reader, "What is varnashrama, retension and water?").await.expect("spellings");
    let read: Vec<(&str, &str, Option<Nearness>)> =
        read.iter().map(|one| (one.asked.as_str(), one.heard.as_str(), one.nearness)).collect();
    assert_eq!(
        read,
        [("varnashrama", "varnasrama", Some(Nearness::SameSound)), ("retension", "rtint", Some(Nearness::Slips(1)))]
    );
    let read = store.lexical.spellings(&reader, "krishna plays").await.expect("spellings");
    let read: Vec<(&str, &str, Option<Nearness>)> =
        read.iter().map(|one| (one.asked.as_str(), one.heard.as_str(), one.nearness)).collect();
    assert_eq!(read, [("krishna", "krsna", None)], "a word that stands there is itself, and may be the other too");
    assert!(store.lexical.spellings(&reader, "paysslip").await.expect("spellings").is_empty(), "nobody's word here");
}

async fn a_limit_is_kept_and_ties_go_by_key(store: &StorePorts) {
    let lines = ["Same words here."; 40];
    store.catalogue.upsert(vec![kept(card("a", &[]), &lines)]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let hits = store.lexical.matching(&everyone(), "same words", 7).await.expect("matching");
    assert_eq!(hits.len(), 7);
    assert!(hits.is_sorted_by_key(|hit| hit.key), "{hits:?}");
    assert!(store.lexical.matching(&everyone(), "same words", 0).await.expect("matching").is_empty());
}

async fn nothing_hidden_is_found_or_felt(store: &StorePorts) {
    let open = kept(card("open", &[]), &["The river floods in spring.", "The river is long.", "A boat on the lake."]);
    store.catalogue.upsert(vec![open]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let before: Vec<LaneHit> = store.lexical.matching(&tagged(&[]), "river boat floods", 10).await.expect("matching");
    let mut foreign = card("foreign", &[]);
    foreign.tenant = "other".to_owned();
    let secret = ["River river river floods.", "Boat boat.", "Floods of boats on rivers everywhere and always."];
    store
        .catalogue
        .upsert(vec![kept(card("secret", &["board"]), &secret), kept(foreign, &secret)])
        .await
        .expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let after = store.lexical.matching(&tagged(&[]), "river boat floods", 10).await.expect("matching");
    assert_eq!(before, after);
    assert_eq!(store.lexical.matching(&tagged(&["board"]), "river boat floods", 10).await.expect("matching").len(), 6);
}

async fn other_collections_are_not_found_and_move_no_score(store: &StorePorts) {
    let lines = ["The river floods in spring.", "The river is long.", "A boat on the lake."];
    let mut many = lines.to_vec();
    many.extend(["Rain."; 40]);
    store.catalogue.upsert(vec![kept(card_of("guides", "open", &[]), &many)]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let (reader, asked) = (of_collections(&["guides"]), "river boat floods");
    let before = store.lexical.matching(&reader, asked, 10).await.expect("matching");
    let rare = store.lexical.rare(&reader, asked, 2).await.expect("rare");
    assert!(before.len() == 3 && !rare.is_empty(), "{before:?}, {rare:?}");
    let beside = ["River river river floods.", "Boat boat.", "Floods of boats on rivers.", "A payslip."];
    let documents =
        vec![kept(card_of("minutes", "beside", &[]), &beside), kept(card_of("guides", "secret", &["board"]), &beside)];
    store.catalogue.upsert(documents).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    let reader = tagged(&["hr"]).within(&["guides".to_owned()].into());
    assert_eq!(store.lexical.matching(&reader, asked, 10).await.expect("matching"), before);
    assert_eq!(store.lexical.rare(&reader, asked, 2).await.expect("rare"), rare);
    assert!(store.lexical.spellings(&reader, "paysslip").await.expect("spellings").is_empty(), "not their word");
    let beside = of_collections(&["minutes"]);
    assert_eq!(store.lexical.spellings(&beside, "paysslip").await.expect("spellings").len(), 1);
    assert_eq!(store.lexical.matching(&beside, asked, 10).await.expect("matching").len(), 3);
    assert!(store.lexical.matching(&of_collections(&[]), asked, 10).await.expect("matching").is_empty());
}

async fn a_document_that_changes_its_collection_moves_over(store: &StorePorts) {
    for (collection, other) in [("guides", "minutes"), ("minutes", "guides"), ("guides", "minutes")] {
        store.catalogue.upsert(vec![kept(card_of(collection, "a", &[]), &["A heron."])]).await.expect("keep");
        store.lexical.refresh().await.expect("refresh");
        let found = store.lexical.matching(&of_collections(&[collection]), "heron", 5).await.expect("matching");
        assert_eq!(found.len(), 1, "{collection}");
        assert!(store.lexical.matching(&of_collections(&[other]), "heron", 5).await.expect("matching").is_empty());
    }
}

async fn words_nobody_wrote_find_nothing(store: &StorePorts) {
    assert!(store.lexical.matching(&everyone(), "anything", 5).await.expect("matching").is_empty());
    store.catalogue.upsert(vec![kept(card("a", &[]), &["The mast."])]).await.expect("keep");
    store.lexical.refresh().await.expect("refresh");
    for words in ["zebra", "", "?!", "the of and"] {
        assert!(store.lexical.matching(&everyone(), words, 5).await.expect("matching").len() <= 1, "{words}");
    }
    assert!(store.lexical.matching(&everyone(), "zebra", 5).await.expect("matching").is_empty());
}
