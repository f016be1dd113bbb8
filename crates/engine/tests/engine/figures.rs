//! Every figure of the documents these profiles follow: at it, just below it and just above it.
//! A text that ends in `@0.55` lies at exactly that relevance, and that likeness, to every question.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::sync::Arc;

use async_trait::async_trait;
use vouch_domain::{
    EmbedderIdentity, Embedding, MemoryEntry, MemoryKind, PortError, Question, Reference, RelevanceMap, Wording,
    ports::{EmbeddedEntry, EmbeddedText, Embedder, KeptDocument, Memory, PassageJudge},
};
use vouch_engine::{
    ask::{Engine, Response},
    decide::Decision,
    policy::{CollectionThreshold, DiversityPolicy, GatePolicy, Policies},
    retrieve::RetrievePorts,
    trace::{DropReason, Lane},
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{TENANT, card, kept},
    fakes::{FakeJudge, FakeMemory},
};

use crate::support::{
    aloud::Aloud,
    engines::{engine_over, filled},
    ports::ports,
};

const HAIR: f32 = 0.01;
/// Texts at a stated distance from every question.
struct Ruler {
    identity: EmbedderIdentity,
    map: RelevanceMap,
}

impl Ruler {
    fn at(figure: f32) -> Self {
        // Flat around the figure and its neighbours, so that each is met exactly and not within rounding.
        let around = [figure - HAIR, figure, figure + HAIR];
        let mut knots = vec![(-0.5, 0.0)];
        knots.extend(around.iter().flat_map(|at| [(at - 0.0004, *at), (at + 0.0004, *at)]));
        knots.push((1.5, 1.0));
        let identity = EmbedderIdentity { name: "ruler".to_owned(), digest: "ruler".to_owned(), dimensions: 2 };
        Self { identity, map: RelevanceMap::from_knots(knots).expect("a rising map") }
    }

    fn vector(text: &str) -> Embedding {
        let cosine: f32 =
            text.rsplit_once('@').map_or(1.0, |(_, figure)| figure.trim_end_matches('.').parse().expect("a figure"));
        Embedding::normalised(vec![cosine, (1.0 - cosine * cosine).max(0.0).sqrt()]).expect("a vector")
    }
}

#[async_trait]
impl Embedder for Ruler {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn relevance_map(&self) -> &RelevanceMap {
        &self.map
    }

    fn likeness_map(&self) -> &RelevanceMap {
        &self.map
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}

/// One question's scene; a test changes what it is about.
struct Scene {
    ruler: Ruler,
    documents: Vec<KeptDocument>,
    entries: Vec<MemoryEntry>,
    judge: Option<Arc<dyn PassageJudge>>,
    policies: Policies,
    question: &'static str,
}

const QUESTION: &str = "mast";

impl Scene {
    fn around(figure: f32) -> Self {
        let mut policies = Policies::default();
        policies.judge.gates = Vec::new();
        policies.judge.relevance_floor = 0.0;
        policies.judge.relevance_floor_unread = 0.0;
        policies.judge.passages_max = 50;
        policies.understand.rewrites = Vec::new();
        Self {
            ruler: Ruler::at(figure),
            documents: Vec::new(),
            entries: Vec::new(),
            judge: Some(Arc::new(FakeJudge::always(0.9, 0.0))),
            policies,
            question: QUESTION,
        }
    }

    fn with(mut self, id: &str, kind: &str, figure: f32) -> Self {
        self.documents.push(document(id, kind, figure));
        self
    }

    fn gated(mut self, gate: GatePolicy) -> Self {
        self.policies.judge.gates = vec![gate];
        self
    }

    async fn ask(self) -> Response {
        let store = filled(self.documents).await;
        let memory = Arc::new(FakeMemory::default());
        memory.upsert(self.entries.into_iter().map(measured).collect()).await.expect("the entries are kept");
        let engine = Engine {
            retrieve: RetrievePorts { embedder: Arc::new(self.ruler), ..ports(&store) },
            memory: Some(memory),
            passage_judge: self.judge,
            writer: Arc::new(Aloud),
            policies: self.policies,
            ..engine_over(&store)
        };
        let text = self.question.to_owned();
        let question = Question::new(text, everyone());
        engine.ask(&question).await.expect("a decision")
    }
}

fn document(id: &str, kind: &str, figure: f32) -> KeptDocument {
    let mut card = card(id, &[]);
    card.kind = kind.to_owned();
    // Words of its own, so that no two are duplicates of each other.
    let line = format!("mast {id} {id}one {id}two {id}three @{figure}.");
    let mut kept = kept(card, &[&line]);
    for passage in &mut kept.passages {
        passage.embedding = Ruler::vector(&format!("@{figure}"));
    }
    kept
}

fn measured(entry: MemoryEntry) -> EmbeddedEntry {
    let texts = entry.phrases.iter().map(|phrase| EmbeddedText {
        text: phrase.text.clone(),
        language: phrase.language.clone(),
        vector: Ruler::vector(&phrase.text),
    });
    EmbeddedEntry { texts: texts.collect(), entry }
}

fn entry(kind: MemoryKind, figure: f32, references: &[&str]) -> MemoryEntry {
    let say = |text: String| vec![Wording { text, language: None }];
    MemoryEntry {
        id: "entry".to_owned(),
        tenant: TENANT.to_owned(),
        kind,
        phrases: say(format!("what of the mast @{figure}")),
        note: if kind == MemoryKind::Note { say("the seventeen buckets".to_owned()) } else { Vec::new() },
        references: references.iter().filter_map(|reference| Reference::parse(reference)).collect(),
        tags: std::collections::BTreeSet::new(),
        is_for_readers: false,
        translated_by_model: std::collections::BTreeSet::new(),
    }
}

fn used(response: &Response) -> Vec<&str> {
    response.evidence.pieces().iter().map(|piece| piece.passage.document.id.as_str()).collect()
}

fn refused_by(response: &Response) -> Option<&'static str> {
    let Decision::Refuse(refusal) = &response.decision else { return None };
    Some(refusal.reason.as_str())
}

fn verdict(response: &Response) -> Option<&'static str> {
    response.trace.memory.first().map(|entry| entry.verdict.as_str())
}

#[tokio::test]
async fn the_floor_is_0_18_with_a_judge_and_0_45_without() {
    for (figure, has_judge) in [(0.18, true), (0.45, false)] {
        for (at, is_kept) in [(figure - HAIR, false), (figure, true), (figure + HAIR, true)] {
            let mut scene = Scene::around(figure).with("alpha", "lecture", at);
            scene.policies.judge.relevance_floor = 0.18;
            scene.policies.judge.relevance_floor_unread = 0.45;
            if !has_judge {
                scene.judge = None;
            }
            assert_eq!(!used(&scene.ask().await).is_empty(), is_kept, "{at} with a judge: {has_judge}");
        }
    }
}

#[tokio::test]
async fn coverage_is_0_65_alone_or_0_55_with_two_of_the_main_kind() {
    let gate = || GatePolicy::Coverage {
        strong: 0.65,
        fair: 0.55,
        fair_passages: 2,
        main_kind: Some("lecture".to_owned()),
        sure_reading: None,
    };
    for (at, is_refused) in [(0.65 - HAIR, true), (0.65, false), (0.65 + HAIR, false)] {
        let response = Scene::around(0.65).with("alpha", "verse", at).gated(gate()).ask().await;
        assert_eq!(refused_by(&response).is_some(), is_refused, "{at} alone");
    }
    for (at, is_refused) in [(0.55 - HAIR, true), (0.55, false), (0.55 + HAIR, false)] {
        let pair = Scene::around(0.55).with("alpha", "lecture", at).with("beta", "lecture", 0.3);
        assert_eq!(refused_by(&pair.gated(gate()).ask().await).is_some(), is_refused, "{at} with another lecture");
        let mixed = Scene::around(0.55).with("alpha", "lecture", at).with("beta", "verse", 0.3);
        assert_eq!(refused_by(&mixed.gated(gate()).ask().await), Some("coverage"), "{at} with a verse");
    }
}

#[tokio::test]
async fn below_0_40_is_bailed_out_of() {
    for (at, expected) in [(0.40 - HAIR, Some("bail_out")), (0.40, None), (0.40 + HAIR, None)] {
        let gate = GatePolicy::BailOut { below: 0.40 };
        let response = Scene::around(0.40).with("alpha", "lecture", at).gated(gate).ask().await;
        assert_eq!(refused_by(&response), expected, "{at}");
    }
}

#[tokio::test]
async fn no_context_is_fewer_than_three_hits_or_a_mean_below_0_5() {
    let gate = || GatePolicy::NoContext { hits_min: 3, mean_at_least: 0.5, sure_reading: None };
    for (at, expected) in [(0.5 - HAIR, Some("no_context")), (0.5, None), (0.5 + HAIR, None)] {
        let three =
            ["alpha", "beta", "gamma"].iter().fold(Scene::around(0.5), |scene, id| scene.with(id, "article", at));
        assert_eq!(refused_by(&three.gated(gate()).ask().await), expected, "a mean of {at}");
    }
    let two = Scene::around(0.5).with("alpha", "article", 0.9).with("beta", "article", 0.9).gated(gate()).ask().await;
    let Decision::Refuse(refusal) = &two.decision else { panic!("{:?}", two.decision) };
    assert_eq!(refusal.reason.sentence(), "gate no_context: 2 passages found, at least 3 are needed");
    let four =
        ["alpha", "beta", "gamma", "delta"].iter().fold(Scene::around(0.5), |scene, id| scene.with(id, "article", 0.9));
    assert_eq!(refused_by(&four.gated(gate()).ask().await), None);
}

#[tokio::test]
async fn top1_must_exceed_0_7() {
    for (at, expected) in [(0.7 - HAIR, Some("top1")), (0.7, Some("top1")), (0.7 + HAIR, None)] {
        let gate = GatePolicy::Top1 { above: 0.7, sure_reading: None };
        assert_eq!(
            refused_by(&Scene::around(0.7).with("alpha", "chapter", at).gated(gate).ask().await),
            expected,
            "{at}"
        );
    }
}

#[tokio::test]
async fn sixteen_are_kept_of_sixty_and_each_kind_has_its_reserve() {
    let mut scene = Scene::around(0.5);
    for number in 0..70u8 {
        scene = scene.with(&format!("lecture{number}"), "lecture", 0.9 - f32::from(number) * 0.001);
    }
    scene = scene.with("versea", "verse", 0.84).with("verseb", "verse", 0.845).with("versec", "verse", 0.842);
    scene.policies.judge.passages_max = 16;
    scene.policies.judge.kind_reserves = vec![("verse".to_owned(), 2), ("library".to_owned(), 2)];
    let response = scene.ask().await;
    assert_eq!(response.trace.candidates.len(), 60, "the pool");
    let kept = used(&response);
    assert_eq!(kept.len(), 18, "{kept:?}");
    assert_eq!(kept.get(16..), Some(&["verseb", "versec"][..]), "the best two of the kind, behind the sixteen");
    assert!(response.evidence.pieces().iter().skip(16).all(|piece| piece.is_reserve));
}

#[tokio::test]
async fn a_kind_the_question_names_gains_0_15_in_the_order() {
    for (boost, first) in [(0.15, "versea"), (0.0, "lecturea")] {
        let mut scene = Scene::around(0.5).with("lecturea", "lecture", 0.9).with("versea", "verse", 0.88);
        scene = scene.with("faraway", "lecture", 0.1); // spreads the scores: the two differ by less than the nudge
        scene.policies.understand.kind_names = vec![("verse".to_owned(), "verse".to_owned())];
        scene.policies.judge.kind_boost = boost;
        scene.policies.judge.reading_weight = 0.0;
        scene.question = "show me the verse on the mast";
        assert_eq!(used(&scene.ask().await).first().copied(), Some(first), "{boost}");
    }
}

fn thirty() -> Scene {
    let add = |scene: Scene, at: u8| scene.with(&format!("doc{at}"), "article", 0.9 - f32::from(at) * 0.001);
    (0..30).fold(Scene::around(0.5), add)
}

#[tokio::test]
async fn before_the_judge_eight_are_chosen_of_twenty_four_and_what_is_forced_stays() {
    for (before_judge, expected) in [(true, 9), (false, 30)] {
        let mut scene = thirty();
        scene.entries = vec![entry(MemoryKind::Note, 0.85, &["doc29"])];
        let diversity = DiversityPolicy { fetch: 24, keep: 8, relevance_share: 0.5, before_judge };
        (scene.policies.judge.diversity, scene.policies.judge.read_max) = (Some(diversity), 50);
        let response = scene.ask().await;
        assert_eq!(response.trace.judge.as_ref().map(|judge| judge.given), Some(expected));
        assert_eq!(used(&response).len(), expected);
        assert!(used(&response).contains(&"doc29"), "an editor's note refers to it");
    }
}

#[tokio::test]
async fn without_a_judge_eight_are_chosen_of_twenty_four_for_what_they_add() {
    let mut scene = thirty();
    scene.judge = None;
    scene.policies.judge.diversity =
        Some(DiversityPolicy { fetch: 24, keep: 8, relevance_share: 0.5, before_judge: false });
    let response = scene.ask().await;
    assert_eq!(used(&response).len(), 8);
    let beyond = response.trace.dropped.iter().filter(|dropped| dropped.reason == DropReason::BeyondDiversity);
    assert_eq!(beyond.count(), 6);
}

#[tokio::test]
async fn a_collection_has_its_own_distance() {
    for (at, is_kept) in [(0.55 - HAIR, false), (0.55, true), (0.55 + HAIR, true)] {
        let mut scene = Scene::around(0.55).with("alpha", "ADR", at);
        let own = CollectionThreshold { distance_threshold: 0.45, min_query_coverage: 0.0 };
        let collection = scene.documents.first().expect("a document").document.card.collection.clone();
        scene.policies.judge.thresholds.collections.insert(collection, own);
        assert_eq!(!used(&scene.ask().await).is_empty(), is_kept, "a distance of {}", 1.0 - at);
    }
}

#[tokio::test]
async fn a_collection_has_its_own_share_of_the_questions_terms() {
    for (share, is_kept) in [(0.49, true), (0.5, true), (0.51, false)] {
        let mut scene = Scene::around(0.9).with("alpha", "ADR", 0.9);
        scene.policies.judge.thresholds.default =
            Some(CollectionThreshold { distance_threshold: 1.0, min_query_coverage: share });
        scene.question = "mast whales";
        assert_eq!(!used(&scene.ask().await).is_empty(), is_kept, "{share}");
    }
}

#[tokio::test]
async fn a_pinned_question_needs_0_85_or_0_70_and_the_judge() {
    let cases = [
        (0.85, 0.85 - HAIR, 0.0, "border, and the judge says no"),
        (0.85, 0.85, 0.0, "accepted"),
        (0.85, 0.85 + HAIR, 0.0, "accepted"),
        (0.70, 0.70 - HAIR, 1.0, "too far"),
        (0.70, 0.70, 1.0, "accepted"),
        (0.70, 0.70 + HAIR, 0.49, "border, and the judge says no"),
        (0.70, 0.70 + HAIR, 0.50, "accepted"),
        (0.70, 0.70 + HAIR, 0.51, "accepted"),
    ];
    for (figure, at, fit, expected) in cases {
        let mut scene = Scene::around(figure).with("alpha", "verse", 0.3);
        scene.entries = vec![entry(MemoryKind::Pinned, at, &["alpha"])];
        scene.judge = Some(Arc::new(FakeJudge::always(fit, 0.0)));
        let response = scene.ask().await;
        assert_eq!(verdict(&response), Some(expected), "{at}, judge {fit}");
        let is_pinned = expected == "accepted";
        assert_eq!(response.trace.candidates.is_empty(), is_pinned, "a pinned question spares the search");
    }
    let down: Arc<dyn PassageJudge> = Arc::new(FakeJudge::down());
    for judge in [None, Some(down)] {
        let mut alone = Scene::around(0.70).with("alpha", "verse", 0.3);
        alone.entries = vec![entry(MemoryKind::Pinned, 0.71, &["alpha"])];
        alone.judge = judge;
        assert_eq!(verdict(&alone.ask().await), Some("border, and no judge"));
    }
}

#[tokio::test]
async fn a_note_needs_0_60_and_its_references_count_as_0_75() {
    for (at, expected) in [(0.60 - HAIR, "too far"), (0.60, "accepted"), (0.60 + HAIR, "accepted")] {
        let mut scene = Scene::around(0.60).with("alpha", "verse", 0.3);
        scene.entries = vec![entry(MemoryKind::Note, at, &["alpha"])];
        scene.policies.memory.border_answer_at_least = 0.0;
        let response = scene.ask().await;
        assert_eq!(verdict(&response), Some(expected), "{at}");
        let relevance = response.evidence.pieces().first().map(|piece| piece.similarity.relevance);
        let is_raised = relevance.is_some_and(|relevance| (relevance - 0.75).abs() < 1e-6);
        assert_eq!(is_raised, expected == "accepted", "{at}: {relevance:?}");
    }
}

#[tokio::test]
async fn a_note_at_0_70_with_three_references_spares_the_search() {
    let all = ["alpha", "beta", "gamma"];
    for (at, references, is_spared) in [
        (0.70 - HAIR, &all[..], false),
        (0.70, &all[..], true),
        (0.70 + HAIR, &all[..], true),
        (0.70 + HAIR, &all[..2], false),
        (0.70 + HAIR, &["alpha", "beta", "nobody"][..], false),
    ] {
        let scene = all.iter().fold(Scene::around(0.70), |scene, id| scene.with(id, "verse", 0.3));
        let mut scene = scene.with("other", "lecture", 0.9);
        scene.entries = vec![entry(MemoryKind::Note, at, references)];
        scene.policies.memory.border_answer_at_least = 0.0;
        let response = scene.ask().await;
        let searched = response.trace.lanes.iter().any(|lane| lane.lane == Lane::Dense);
        assert_eq!(!searched, is_spared, "{at} with {references:?}: {:?}", response.trace.lanes);
    }
}
