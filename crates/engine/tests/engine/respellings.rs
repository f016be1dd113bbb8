//! Which words of a question are read as words of the documents, and which are left as they are.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use vouch_domain::Question;
use vouch_engine::{
    ask::Engine,
    retrieve::{LaneChoice, RetrievePorts},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::FakePlainWords,
};

use crate::support::{
    engines::{engine_over, filled},
    ports::ports,
};

/// Every way in which a question is searched for where "really" is the only common word.
async fn asked(question: &str) -> Vec<String> {
    let store = filled(vec![kept(card("state", &[]), &["The state READY is set by the retention job."])]).await;
    let retrieve = RetrievePorts { plain_words: Arc::new(FakePlainWords(&["really"])), ..ports(&store) };
    let engine = Engine { retrieve, ..engine_over(&store) };
    let found = engine.search(&Question::new(question, everyone()), LaneChoice::All).await.expect("a search");
    found.rewrites().iter().map(|rewrite| rewrite.text.clone()).collect()
}

#[tokio::test]
async fn a_misspelt_common_word_is_no_word_of_the_documents() {
    assert_eq!(asked("Do I realy need a badge?").await, ["Do I realy need a badge?"]);
    let respelt = asked("When does the retension job run?").await;
    assert!(respelt.contains(&"When does the retention job run?".to_owned()), "{respelt:?}");
}

#[tokio::test]
async fn a_word_in_small_letters_does_not_become_a_name() {
    let respelt = asked("Is the state raedy?").await;
    assert!(respelt.contains(&"Is the state ready?".to_owned()), "{respelt:?}");
}
