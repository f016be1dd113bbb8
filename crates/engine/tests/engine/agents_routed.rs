//! Whose question it is, beside the rule: a model where the settings name one, and vectors that another process made.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use vouch_domain::{
    EmbedderIdentity, Embedding, PortError, Question,
    embedding::RelevanceMap,
    ports::{Embedder, KeptVectors},
};
use vouch_engine::{
    ask::{Agents, Engine},
    model_registry::ModelRegistry,
    route::Routing,
};
use vouch_testkit::{
    contracts::everyone,
    fakes::{FakeVectors, Script, ScriptedModel},
};

use super::{
    agents::{desk, engine, tools},
    support::{MODEL, job_model},
};

async fn routing(engine: &Engine, question: Question) -> Routing {
    engine.ask(&question).await.expect("a response").trace.routing.expect("a routing")
}

async fn with_model(said: &str, is_asked: bool, at_least: f32) -> (Engine, ScriptedModel) {
    let model = ScriptedModel::named(MODEL, vec![Script::saying([said])]);
    let mut policy = desk();
    (policy.model_routes, policy.confidence_at_least) = (is_asked, at_least);
    let model_registry = ModelRegistry { answer: Some(job_model(&model)), ..ModelRegistry::default() };
    (Engine { agents: Some(Agents::new(policy)), model_registry, ..engine(&Arc::new(tools())).await }, model)
}

#[tokio::test]
async fn a_model_is_asked_where_the_examples_leave_it_open_and_only_a_name_counts() {
    let unsure = || Question::new("Is the router on a bill?", everyone());
    for (said, is_asked, agent) in [
        ("technical", true, "technical"),
        (" \"billing\".\n", true, "billing"),
        ("fallback", true, "fallback"),
        ("It is for technical, I think.", true, "fallback"),
        ("admin", true, "fallback"),
        ("technical", false, "fallback"),
    ] {
        let (engine, model) = with_model(said, is_asked, 0.999).await;
        let routing = routing(&engine, unsure()).await;
        assert_eq!(routing.agent, agent, "{said}");
        assert!(routing.confidence < 0.999, "the figure stays the rule's own");
        assert_eq!(routing.reason.contains("a model chose"), agent != "fallback");
        assert_eq!(model.completion_requests().is_empty(), !is_asked);
    }
}

#[tokio::test]
async fn what_the_examples_tell_no_model_is_asked_about() {
    let (engine, model) = with_model("billing", true, 0.5).await;
    assert_eq!(routing(&engine, Question::new("Why is the router lamp red?", everyone())).await.agent, "technical");
    let told = model.completion_requests();
    assert!(told.iter().flat_map(|one| &one.messages).all(|message| !message.text.contains("The agents:")));
}

/// Counts what it is given to embed.
struct Counting {
    inner: Arc<dyn Embedder>,
    texts: AtomicUsize,
}

#[async_trait]
impl Embedder for Counting {
    fn identity(&self) -> &EmbedderIdentity {
        self.inner.identity()
    }

    fn relevance_map(&self) -> &RelevanceMap {
        self.inner.relevance_map()
    }

    fn likeness_map(&self) -> &RelevanceMap {
        self.inner.likeness_map()
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        self.inner.embed(texts).await
    }
}

/// How many texts one question costs, and its routing.
async fn cost(kept: Arc<dyn KeptVectors>, text: &str) -> (usize, Routing) {
    let mut engine = engine(&Arc::new(tools())).await;
    let counting = Arc::new(Counting { inner: Arc::clone(&engine.retrieve.embedder), texts: AtomicUsize::new(0) });
    engine.retrieve.embedder = counting.clone();
    engine.agents = Some(Agents::new(desk()).keeping(kept));
    let routing = routing(&engine, Question::new(text, everyone())).await;
    (counting.texts.load(Ordering::SeqCst), routing)
}

#[tokio::test]
async fn the_vectors_of_the_examples_are_made_once_and_decide_the_same() {
    let kept: Arc<dyn KeptVectors> = Arc::new(FakeVectors::default());
    let (first, made) = cost(Arc::clone(&kept), "When is a bill sent?").await;
    let (second, read) = cost(kept, "When is a bill sent?").await;
    assert!(second + 12 <= first, "{second} after {first}: a dozen examples are not embedded again");
    assert_eq!((made.agent, made.considered), (read.agent, read.considered));
}
