//! An embedder whose vectors are none: the question is answered as if it were down.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use async_trait::async_trait;
use vouch_domain::{EmbedderIdentity, Embedding, Fault, PortError, Question, RelevanceMap, ports::Embedder};
use vouch_engine::{ask::Engine, decide::Decision, recall, retrieve::RetrievePorts, trace::Fallback};
use vouch_testkit::{
    contracts::{everyone, memory::pinned},
    corpus::{card, kept},
    fakes::{FakeEmbedder, FakeJudge, ScriptedGenerator},
};

use crate::support::{
    engines::{engine_over, filled},
    ports::ports,
};

const FACT: &str = "The mast is ten metres high.";

/// What an embedder gives in the place of a vector per text.
#[derive(Debug, Clone, Copy)]
enum Given {
    Nothing,
    TooMany,
    Narrow,
    Damage,
}

struct Malformed(FakeEmbedder, Given);

#[async_trait]
impl Embedder for Malformed {
    fn identity(&self) -> &EmbedderIdentity {
        self.0.identity()
    }

    fn relevance_map(&self) -> &RelevanceMap {
        self.0.relevance_map()
    }

    fn likeness_map(&self) -> &RelevanceMap {
        self.0.likeness_map()
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        let vectors = self.0.embed(texts).await?;
        match self.1 {
            Given::Nothing => Ok(Vec::new()),
            Given::TooMany => Ok([vectors.as_slice(), vectors.as_slice()].concat()),
            Given::Narrow => {
                Ok(vectors.iter().map(|_| Embedding::normalised(vec![1.0, 0.0]).expect("a vector")).collect())
            }
            Given::Damage => Err(PortError::new("embedder", Fault::Corrupt, "no vector at all")),
        }
    }
}

#[tokio::test]
async fn malformed_vectors_fall_back_like_an_embedder_that_is_down() {
    for given in [Given::Nothing, Given::TooMany, Given::Narrow, Given::Damage] {
        let store = filled(vec![kept(card("mast", &[]), &[FACT])]).await;
        let embedder = Arc::new(Malformed(FakeEmbedder::named("fake"), given));
        let engine = Engine {
            retrieve: RetrievePorts { embedder, ..ports(&store) },
            passage_judge: Some(Arc::new(FakeJudge::always(0.9, 0.9))),
            writer: Arc::new(ScriptedGenerator::saying(&[(FACT, &[1])])),
            ..engine_over(&store)
        };
        let question = Question::new("How high is the mast?", everyone());
        let response = engine.ask(&question).await.expect("the question is walked");
        assert_eq!(response.trace.fallbacks, [Fallback::Bm25Only], "{given:?}");
        assert!(matches!(response.decision, Decision::Answer(_)), "{given:?}: {:?}", response.decision);
    }
}

#[tokio::test]
async fn what_an_editor_keeps_has_no_malformed_vectors() {
    for given in [Given::Nothing, Given::TooMany, Given::Narrow] {
        let embedder = Malformed(FakeEmbedder::named("fake"), given);
        assert!(recall::embed(vec![pinned("mast", "mast height", "doc").entry], &embedder).await.is_err(), "{given:?}");
    }
}
