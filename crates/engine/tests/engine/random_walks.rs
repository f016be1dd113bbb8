//! Walks on which everything may fail, be late or refuse, by seed: whatever happens, what was told is what is answered.
#![expect(clippy::expect_used, reason = "a broken test should stop where it breaks")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use vouch_domain::{
    MemoryEntry, MemoryKind, ModelError, Question, Reference, Wording,
    ports::{Memory, PassageJudge},
};
use vouch_engine::{
    ask::{AskError, Engine, Response},
    decide::{Decision, Referral, UnsureOutcome},
    policy::{GatePolicy, OnFailure, OnUnsupported, ReferralPolicy, TerminologyPolicy},
    terminology::TermLookup,
};
use vouch_testkit::{
    contracts::memory::embedded,
    corpus::TENANT,
    fakes::{FakeEmbedder, FakeJudge, FakeMemory, FakeVocabulary, Script, ScriptedModel, Step, StoppedClock, concept},
};

use crate::support::{Ear, Fixture, MODEL, QUESTION, job_model, other_rung, reader};

const WALKS: u64 = 10_000;
/// How long anything may hang.
const SOON: Duration = Duration::from_millis(5);
const QUESTIONS: &[&str] = &[
    QUESTION,
    QUESTION,
    QUESTION,
    "Who keeps the leave calendar?",
    "What is annual leave?",
    "List every document",
    "How tall is the mast?",
];
const SENTENCES: &[&str] = &[
    "Annual leave is 25 days a year",
    "There are 25 days of annual leave",
    "Leave is asked for on form HR-7",
    "Leave forms are signed by the line manager",
    "Mira Holt keeps the leave calendar",
    "Annual leave is 26 days a year",
    "It is asked for on form HR-8",
    "Dogs may vote",
    "NO ANSWER",
];

/// Numbers from a seed.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn percent(&mut self) -> u32 {
        u32::try_from(self.below(101)).unwrap_or(100)
    }

    fn share(&mut self) -> f32 {
        self.percent() as f32 / 100.0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap_or_default();
        all.get(at).cloned().expect("not empty")
    }
}

/// A few sentences, true and false, cited well and badly, in pieces; and how it ends.
fn script(draw: &mut Draw) -> Script {
    let mut said = String::new();
    for _ in 0..draw.below(6) {
        let marker = if draw.one_in(3) { String::new() } else { format!(" [^{}]", 1 + draw.below(3)) };
        let end = draw.of(&[" ", "\n"]);
        said.push_str(&format!("{}{marker}.{end}", draw.of(SENTENCES)));
    }
    let size = 1 + usize::try_from(draw.below(40)).unwrap_or_default();
    let script = Script::saying(said.as_bytes().chunks(size));
    let down = ModelError::Connection { sentence: "it broke off".to_owned() };
    match draw.below(8) {
        0 => script.then(Step::Cut),
        1 => script.then(Step::Hang),
        2 => script.then(Step::Fail(down)),
        3 => script.failing_after(usize::try_from(draw.below(9)).unwrap_or_default(), down),
        _ => script,
    }
}

fn judge(draw: &mut Draw) -> FakeJudge {
    match draw.below(8) {
        0 => FakeJudge::down(),
        1 => FakeJudge::late(),
        2 | 3 => FakeJudge::reading(),
        4 => FakeJudge::reading().contradicting(),
        _ => FakeJudge::always(draw.share(), draw.share()),
    }
}

async fn memory(draw: &mut Draw) -> FakeMemory {
    let say = |text: &str| vec![Wording { text: text.to_owned(), language: None }];
    let references = ["leave", "forms", "gone"].iter().filter_map(|name| Reference::parse(name));
    let kind = draw.of(&[MemoryKind::Pinned, MemoryKind::Note, MemoryKind::Note]);
    let entry = MemoryEntry {
        id: "entry".to_owned(),
        tenant: TENANT.to_owned(),
        kind,
        phrases: say(QUESTION),
        note: if kind == MemoryKind::Note { say("Leave is a matter of forms.") } else { Vec::new() },
        references: references.take(1 + usize::try_from(draw.below(3)).unwrap_or_default()).collect(),
        tags: BTreeSet::new(),
        is_for_readers: false,
        translated_by_model: BTreeSet::new(),
    };
    let memory = FakeMemory::default();
    memory.upsert(vec![embedded(entry)]).await.expect("the entry is kept");
    memory
}

fn terms(draw: &mut Draw) -> Arc<TermLookup> {
    let concepts = vec![concept("https://t.test/leave", &["Annual leave"], Some("Days away from work."))];
    let vocabulary = match draw.below(3) {
        0 => FakeVocabulary::down(),
        1 => FakeVocabulary::slow(concepts, Duration::from_secs(60)),
        _ => FakeVocabulary::new(concepts),
    };
    let policy = TerminologyPolicy { timeout: SOON, ..TerminologyPolicy::default() };
    Arc::new(TermLookup::new(Arc::new(vocabulary), Arc::new(StoppedClock::at(0)), policy))
}

fn fixture(draw: &mut Draw) -> Fixture {
    let scripts = [script(draw), script(draw)];
    let mut fixture = Fixture::with(&ScriptedModel::named(MODEL, scripts));
    if draw.one_in(5) {
        fixture.model_registry.answer = None;
    }
    if draw.one_in(6) {
        fixture.model_registry.judge = Some(other_rung(&draw.percent().to_string()).0);
    }
    if draw.one_in(6) {
        fixture.model_registry.out_of_corpus = Some(job_model(&ScriptedModel::named(MODEL, [script(draw)])));
        fixture.policies.compose.out_of_corpus_disclaimer = Some("Not from the documents:".to_owned());
    }
    let model_registry = &mut fixture.model_registry;
    for job_model in
        [&mut model_registry.answer, &mut model_registry.judge, &mut model_registry.out_of_corpus].into_iter().flatten()
    {
        (job_model.first_token_timeout, job_model.gap_timeout, job_model.timeout) = (SOON, SOON, SOON);
    }
    fixture.claim_judge = judge(draw);
    if draw.one_in(3) {
        fixture.embedder = FakeEmbedder::down();
    }
    let policies = &mut fixture.policies;
    policies.compose.on_unsupported =
        draw.of(&[OnUnsupported::Quote, OnUnsupported::Drop, OnUnsupported::Repair, OnUnsupported::Refuse]);
    policies.compose.on_failure = draw.of(&[OnFailure::Quote, OnFailure::Quote, OnFailure::Fail]);
    policies.decide.confidence_at_least = draw.one_in(4).then(|| draw.percent());
    policies.decide.fallback_confidence_at_least = draw.percent();
    policies.decide.route =
        draw.one_in(4).then(|| ReferralPolicy { below: draw.percent(), admin_email: "admin@acme.example".to_owned() });
    if draw.one_in(4) {
        policies.judge.gates = vec![GatePolicy::Answerability { at_least: draw.share() }];
    }
    fixture
}

async fn engine(draw: &mut Draw) -> Engine {
    let mut engine = fixture(draw).engine().await;
    let passages = judge(draw);
    engine.passage_judge = (!draw.one_in(5)).then(|| Arc::new(passages) as Arc<dyn PassageJudge>);
    if draw.one_in(3) {
        engine.memory = Some(Arc::new(memory(draw).await));
    }
    if draw.one_in(3) {
        engine.terms = Some(terms(draw));
    }
    engine
}

/// What is answered, and by what name the end is counted.
fn end(response: Result<&Response, &AskError>) -> (String, &'static str) {
    match response.map(|response| &response.decision) {
        Ok(Decision::Answer(answer)) => (answer.text().with_markers(), "answered"),
        Ok(Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), .. })) => {
            (answer.text().with_markers(), "answered and routed")
        }
        Ok(Decision::Refer(Referral { unsure: UnsureOutcome::Refusal(_), .. })) => {
            (String::new(), "refused and routed")
        }
        Ok(Decision::Refuse(_)) => (String::new(), "refused"),
        Ok(Decision::Clarify(_)) => (String::new(), "asked back"),
        Ok(Decision::General(_)) => (String::new(), "general knowledge"),
        Ok(Decision::Tool(_)) => (String::new(), "a tool"),
        Err(_) => (String::new(), "failed"),
    }
}

/// That every sentence of an answer is a passage's own or was found supported, and none is told twice; answers whether some stand in
/// for a model's.
fn stands(response: &Response, seed: u64) -> bool {
    let text = match &response.decision {
        Decision::Answer(answer) => answer.text(),
        Decision::Refer(Referral { unsure: UnsureOutcome::Answer(answer), .. }) => answer.text(),
        Decision::Refer(_) | Decision::Refuse(_) | Decision::Clarify(_) | Decision::General(_) | Decision::Tool(_) => {
            return false;
        }
    };
    let mut told: BTreeSet<(&str, &[u32])> = BTreeSet::new();
    for claim in text.claims().iter().filter(|claim| !claim.is_row()) {
        assert!(told.insert((claim.text(), claim.markers())), "seed {seed}: told twice: {}", claim.text());
        let mut cited = text.citations().iter().filter(|cited| claim.markers().contains(&cited.marker()));
        let is_verbatim = cited.any(|cited| cited.text().contains(claim.text()));
        let is_verified = claim.checks().iter().any(|check| ["judge", "judge_model", "heading"].contains(check));
        assert!(is_verbatim || is_verified, "seed {seed}: neither verbatim nor verified: {claim:?}");
        assert!(is_verbatim || !claim.is_quoted(), "seed {seed}: quoted and not in its source: {claim:?}");
    }
    text.claims().iter().any(|claim| claim.is_quoted())
}

#[tokio::test]
async fn what_was_told_is_what_is_answered_whatever_fails_on_the_way() {
    let mut ends: BTreeMap<(&'static str, bool), u64> = BTreeMap::new();
    let mut quoted = 0;
    for seed in 0..WALKS {
        let draw = &mut Draw(seed);
        let engine = engine(draw).await;
        let question = Question::new(draw.of(QUESTIONS), reader());
        let ear = Ear::default();
        let response = engine.ask_streaming(&question, &ear).await;
        let (answered, name) = end(response.as_ref());
        assert_eq!(ear.heard(), answered, "seed {seed} ended with {response:?}");
        quoted += u64::from(response.as_ref().is_ok_and(|response| stands(response, seed)));
        *ends.entry((name, engine.model_registry.answer.is_some())).or_default() += 1;
    }
    assert!(quoted >= WALKS / 100, "too few answers in which a model's words were replaced: {quoted}");
    // A walk that always ends the same way would prove nothing.
    for name in ["answered", "refused", "answered and routed", "refused and routed", "failed", "general knowledge"] {
        assert!(ends.get(&(name, true)).copied().unwrap_or_default() >= WALKS / 1_000, "too few {name}: {ends:?}");
    }
}
