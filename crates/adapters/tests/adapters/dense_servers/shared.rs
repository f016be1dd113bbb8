//! What holds whatever the server: what is hidden changes nothing, nodes share an index, an index that does not fit is made again.

use vouch_adapters::{
    embedded::{EmbeddedStore, backup, restore},
    remote_dense::RemoteDense,
};
use vouch_domain::{
    Embedding, Fault, Reader,
    ports::{Catalogue, DenseIndex, KeptDocument, LaneHit},
};
use vouch_testkit::{
    contracts::{everyone, tagged},
    corpus::{TENANT, card, card_of, kept},
    fakes::FakeEmbedder,
};

use super::{fresh, store};

const WORDS: [&str; 24] = [
    "mast", "tall", "rain", "gauge", "heron", "crane", "stork", "river", "bridge", "tower", "light", "harbour",
    "winter", "summer", "field", "stone", "glass", "paper", "engine", "valve", "pump", "filter", "screw", "cable",
];

/// A small generator whose numbers are the same on every machine (xorshift64*).
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap_or(0) % bound
    }

    fn line(&mut self) -> String {
        let words: Vec<&str> =
            (0..3 + self.below(5)).filter_map(|_| WORDS.get(self.below(WORDS.len())).copied()).collect();
        format!("The {}.", words.join(" "))
    }

    fn lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.line()).collect()
    }
}

fn document(collection: &str, id: &str, tags: &[&str], lines: &[String]) -> KeptDocument {
    kept(card_of(collection, id, tags), &lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What a reader is told, as words and scores: the keys of the same passages differ from store to store.
async fn told(store: &EmbeddedStore, reader: &Reader, hits: &[LaneHit]) -> Vec<(String, f32)> {
    let keys: Vec<_> = hits.iter().map(|hit| hit.key).collect();
    let passages = store.catalogue.passages(reader, &keys).await.expect("passages");
    assert_eq!(passages.len(), hits.len(), "every hit may be read");
    passages.into_iter().map(|one| one.passage.text).zip(hits.iter().map(|hit| hit.lane_score)).collect()
}

/// The same questions to a store with what is hidden and to one without: nobody who may not see it can tell which is which.
pub(super) async fn what_is_hidden_changes_nothing(make: impl Fn(&EmbeddedStore) -> RemoteDense, visible: usize) {
    for round in 1..=3u64 {
        let mut seed = Seed(0x9e37_79b9 + round);
        let own: Vec<Vec<String>> = (0..visible / 50).map(|_| seed.lines(50)).collect();
        let questions = seed.lines(8);
        let (bare, full) = (fresh(), fresh());
        let (bare_dense, full_dense) = (make(&bare), make(&full));
        for (number, lines) in own.iter().enumerate() {
            let id = format!("open-{number}");
            bare.catalogue.upsert(vec![document("guides", &id, &[], lines)]).await.expect("keep");
            // What is hidden comes in between, close to what is asked: other tags, another collection, another tenant.
            let near: Vec<String> = questions.iter().cycle().take(90).cloned().collect();
            let secret = document("guides", &format!("secret-{number}"), &["board"], &near);
            let beside = document("minutes", &format!("beside-{number}"), &[], &seed.lines(70));
            let mut foreign = document("guides", &format!("foreign-{number}"), &[], &near);
            foreign.document.card.tenant = "other".to_owned();
            full.catalogue.upsert(vec![secret]).await.expect("keep");
            full.catalogue.upsert(vec![document("guides", &id, &[], lines)]).await.expect("keep");
            full.catalogue.upsert(vec![beside, foreign]).await.expect("keep");
            if number % 2 == 0 {
                full_dense.refresh().await.expect("refresh");
            }
        }
        bare_dense.refresh().await.expect("refresh");
        full_dense.refresh().await.expect("refresh");
        let reader = tagged(&["hr"]).within(&["guides".to_owned()].into());
        for question in &questions {
            let query = FakeEmbedder::vector(question);
            for limit in [1, 10, 40] {
                let without = bare_dense.nearest(&reader, &query, limit).await.expect("nearest");
                let with = full_dense.nearest(&reader, &query, limit).await.expect("nearest");
                assert_eq!(without.len(), limit);
                let (without, with) = (told(&bare, &reader, &without).await, told(&full, &reader, &with).await);
                assert_eq!(without, with, "round {round}, {limit} of {question}");
            }
        }
    }
}

/// The proposals of a server, weighed here, are those of the exact scan.
pub(super) async fn what_is_found_is_what_the_exact_scan_finds(
    make: impl Fn(&EmbeddedStore) -> RemoteDense,
    passages: usize,
) {
    let mut seed = Seed(7);
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = store(folder.path());
    for number in 0..passages / 50 {
        let tags: &[&str] = if number % 3 == 0 { &["board"] } else { &[] };
        let made = document("guides", &format!("d{number}"), tags, &seed.lines(50));
        elsewhere.catalogue.upsert(vec![made]).await.expect("keep");
    }
    let dense = make(&elsewhere);
    dense.refresh().await.expect("refresh");
    let questions = seed.lines(10);
    let mut found = Vec::new();
    for question in &questions {
        for reader in [everyone(), tagged(&["hr"])] {
            found.push(dense.nearest(&reader, &FakeEmbedder::vector(question), 10).await.expect("nearest"));
        }
    }
    drop((dense, elsewhere));
    let here = super::super::embedded_store::open(folder.path());
    let mut found = found.into_iter();
    for question in &questions {
        for reader in [everyone(), tagged(&["hr"])] {
            let exact = here.dense.nearest(&reader, &FakeEmbedder::vector(question), 10).await.expect("nearest");
            let scores = |hits: &[LaneHit]| hits.iter().map(|hit| hit.lane_score).collect::<Vec<_>>();
            assert_eq!(scores(&found.next().expect("an answer")), scores(&exact), "{question}");
        }
    }
}

/// Two nodes of one database: the one that is behind is answered as of its own generation, and takes nothing back from the other.
pub(super) async fn nodes_share_an_index_each_at_its_own_generation(
    (ahead, behind): (EmbeddedStore, EmbeddedStore),
    make: impl Fn(&EmbeddedStore) -> RemoteDense,
) {
    let query = FakeEmbedder::vector("heron");
    let first = kept(card("a", &[]), &["The old heron.", "A heron by the river."]);
    ahead.catalogue.upsert(vec![first, kept(card("b", &[]), &["A heron of stone."])]).await.expect("keep");
    make(&ahead).refresh().await.expect("refresh");
    behind.follower().expect("it follows").follow().expect("up to date");
    let (ahead_dense, behind_dense) = (make(&ahead), make(&behind));
    behind_dense.refresh().await.expect("refresh");
    ahead.catalogue.upsert(vec![kept(card("a", &[]), &["The new heron."])]).await.expect("keep");
    ahead.catalogue.remove(TENANT, &[card("b", &[]).id]).await.expect("remove");
    ahead_dense.refresh().await.expect("refresh");
    let old = ["A heron by the river.", "A heron of stone.", "The old heron."];
    assert_eq!(texts(&ahead, &ahead_dense, &query).await, ["The new heron."]);
    assert_eq!(texts(&behind, &behind_dense, &query).await, old);
    // Neither a node that is behind nor one that looks at everything again changes what the other finds.
    let reached = behind_dense.refresh().await.expect("refresh");
    assert_eq!(reached, behind.catalogue.generation().await.expect("a generation"));
    assert_eq!(behind_dense.generation().await.expect("a generation"), reached);
    make(&ahead).refresh().await.expect("refresh");
    assert_eq!(texts(&ahead, &ahead_dense, &query).await, ["The new heron."]);
    assert_eq!(texts(&behind, &behind_dense, &query).await, old);
}

/// A store that nobody else changes and whose index is ahead of it was put back to an earlier state: what the index holds beyond that
/// never was.
pub(super) async fn a_store_that_was_put_back_has_its_index_made_again(make: impl Fn(&EmbeddedStore) -> RemoteDense) {
    let (folder, earlier) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let query = FakeEmbedder::vector("heron");
    {
        let store = store(folder.path());
        store.catalogue.upsert(vec![kept(card("a", &[]), &["The old heron."])]).await.expect("keep");
    }
    for entry in std::fs::read_dir(folder.path()).expect("files").flatten() {
        if entry.path().is_file() && entry.file_name() != "lock" {
            std::fs::copy(entry.path(), earlier.path().join(entry.file_name())).expect("copied");
        }
    }
    {
        let store = store(folder.path());
        store.catalogue.upsert(vec![kept(card("b", &[]), &["A heron that never was."])]).await.expect("keep");
        store.catalogue.upsert(vec![kept(card("a", &[]), &["A heron that is gone."])]).await.expect("keep");
        make(&store).refresh().await.expect("refresh");
    }
    let store = store(earlier.path());
    let dense = make(&store);
    assert_eq!(dense.catch_up().await.expect_err("nothing is made meanwhile").fault, Fault::Held);
    dense.refresh().await.expect("refresh");
    assert_eq!(texts(&store, &dense, &query).await, ["The old heron."]);
    // What comes now has the numbers of what never was.
    store.catalogue.upsert(vec![kept(card("c", &[]), &["Another heron."])]).await.expect("keep");
    dense.refresh().await.expect("refresh");
    assert_eq!(texts(&store, &dense, &query).await, ["Another heron.", "The old heron."]);
}

/// A store and one that was restored from its backup share a server: neither takes the other's index for its own, or away.
pub(super) async fn a_backup_that_is_used_beside_its_store_has_an_index_of_its_own(
    make: impl Fn(&EmbeddedStore) -> RemoteDense,
) {
    let [folder, place, restored] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let query = FakeEmbedder::vector("heron");
    let own = store(folder.path());
    own.catalogue.upsert(vec![kept(card("a", &[]), &["The old heron."])]).await.expect("keep");
    let own_dense = make(&own);
    own_dense.refresh().await.expect("refresh");
    backup(folder.path(), &place.path().join("backup")).expect("backed up");
    own.catalogue.upsert(vec![kept(card("b", &[]), &["A heron of its own."])]).await.expect("keep");
    own_dense.refresh().await.expect("refresh");
    restore(&place.path().join("backup"), restored.path(), false).expect("restored");
    let other = store(restored.path());
    let other_dense = make(&other);
    for name in ["c", "d"] {
        other.catalogue.upsert(vec![kept(card(name, &[]), &["Another heron."])]).await.expect("keep");
        other_dense.refresh().await.expect("refresh");
    }
    assert_eq!(texts(&own, &own_dense, &query).await, ["A heron of its own.", "The old heron."]);
    assert_eq!(texts(&other, &other_dense, &query).await, ["Another heron.", "Another heron.", "The old heron."]);
}

/// What one node writes that another has written already is missed by no search.
pub(super) async fn nodes_that_write_at_once_take_nothing_from_each_other(
    (one, other): (EmbeddedStore, EmbeddedStore),
    make: impl Fn(&EmbeddedStore) -> RemoteDense,
) {
    let query = FakeEmbedder::vector("heron");
    let (one_dense, other_dense) = (make(&one), make(&other));
    for round in 0..6 {
        let name = format!("d{round}");
        one.catalogue.upsert(vec![kept(card(&name, &[]), &["A heron."])]).await.expect("keep");
        other.follower().expect("it follows").follow().expect("up to date");
        let refreshes = async { tokio::join!(one_dense.refresh(), other_dense.refresh()) };
        let (mut refreshes, mut is_whole) = (std::pin::pin!(refreshes), false);
        loop {
            tokio::select! {
                biased;
                (own, others) = &mut refreshes => {
                    assert_eq!(own.expect("refresh"), others.expect("refresh"));
                    break;
                }
                () = async { if round == 0 { std::future::pending().await } } => {}
            }
            // Once it was found it stays, whatever the other node writes.
            let found = texts(&one, &one_dense, &query).await.len();
            assert!(found == round + 1 || (!is_whole && found == round), "{found} in round {round}");
            is_whole = found == round + 1;
        }
        assert_eq!(texts(&one, &one_dense, &query).await.len(), round + 1);
        assert_eq!(texts(&other, &other_dense, &query).await.len(), round + 1);
    }
}

async fn texts(store: &EmbeddedStore, dense: &RemoteDense, query: &Embedding) -> Vec<String> {
    let hits = dense.nearest(&everyone(), query, 10).await.expect("nearest");
    let mut texts: Vec<String> = told(store, &everyone(), &hits).await.into_iter().map(|(text, _)| text).collect();
    texts.sort();
    texts
}

/// A server that cannot be reached is told of as such; what the catalogue can say by itself it still says.
pub(super) async fn a_server_that_is_away_is_told_of(store: &EmbeddedStore, dense: &RemoteDense) {
    store.catalogue.upsert(vec![kept(card("a", &[]), &["A mast."])]).await.expect("keep");
    let query = FakeEmbedder::vector("mast");
    let error = dense.nearest(&everyone(), &query, 3).await.expect_err("nobody is there");
    assert!(matches!(error.fault, Fault::Unavailable | Fault::Timeout), "{error:?}");
    assert!(
        dense.nearest(&Reader::of_tenant("nobody"), &query, 3).await.is_err(),
        "the probe of a server sees it, too"
    );
    assert!(dense.refresh().await.is_err());
    let key = vouch_domain::PassageKey(1);
    assert!(dense.cosines(&query, &[key]).await.expect("cosines").iter().all(Option::is_some));
}
