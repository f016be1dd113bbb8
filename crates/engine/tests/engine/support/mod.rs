//! An engine on a tiny handbook with models that play scripts.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken test should stop where it breaks")]

pub mod aloud;
pub mod engines;
pub mod ports;
pub mod tight_catalogue;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use vouch_domain::{
    Question, Reader,
    ports::{Directory, KeptDocument, TokenCounter},
};
use vouch_engine::{
    ask::{AnswerSentence, AskError, Engine, Listener, Response},
    decide::{Decision, VerifiedAnswer},
    model_registry::{EstimatedTokens, JobModel, ModelLimits, ModelRegistry},
    policy::{OnUnsupported, Policies},
    retrieve::RetrievePorts,
};
use vouch_testkit::{
    contracts::everyone,
    corpus::{card, kept},
    fakes::{FakeEmbedder, FakeJudge, Script, ScriptedGenerator, ScriptedModel},
};

pub use engines::{engine_over, filled};
use ports::ports;

pub const LEAVE: &str = "Annual leave is 25 days a year. Leave is asked for on form HR-7.";
pub const SIGNED: &str = "Leave forms are signed by the line manager. Mira Holt keeps the leave calendar.";
pub const QUESTION: &str = "How many days of annual leave are there and who signs the leave forms?";
pub const MODEL: &str = "scribe:1b";

pub fn handbook() -> Vec<KeptDocument> {
    vec![kept(card("leave", &["hr"]), &[LEAVE]), kept(card("forms", &["hr"]), &[SIGNED])]
}

/// A model's words, said in one piece.
pub fn saying(text: &str) -> ScriptedModel {
    ScriptedModel::named(MODEL, [Script::saying([text])])
}

pub fn job_model(model: &ScriptedModel) -> JobModel {
    JobModel {
        server: Arc::new(model.clone()),
        model: MODEL.to_owned(),
        allowed: allowed(4_096, 256, Arc::new(EstimatedTokens)),
        temperature: 0.0,
        first_token_timeout: Duration::from_secs(5),
        gap_timeout: Duration::from_secs(30),
        timeout: Duration::from_secs(10),
    }
}

/// Another model, whose word this is.
pub fn other_rung(said: &str) -> (JobModel, ScriptedModel) {
    const OTHER: &str = "judge:3b";
    let model = ScriptedModel::named(OTHER, [Script::saying([said])]);
    (JobModel { model: OTHER.to_owned(), ..job_model(&model) }, model)
}

pub fn allowed(context_window: usize, response_tokens_max: usize, counter: Arc<dyn TokenCounter>) -> ModelLimits {
    ModelLimits { context_window, response_tokens_max, counter }
}

pub struct Fixture {
    pub documents: Vec<KeptDocument>,
    pub model_registry: ModelRegistry,
    pub policies: Policies,
    pub directory: Option<Arc<dyn Directory>>,
    pub claim_judge: FakeJudge,
    pub embedder: FakeEmbedder,
    /// What the documents answer without a model, with the numbers it may stand under.
    pub quotes: &'static [(&'static str, &'static [u32])],
}

/// The documents' own answer to the question, whichever numbers they have.
pub const QUOTES: &[(&str, &[u32])] = &[(LEAVE, &[1]), (LEAVE, &[2]), (SIGNED, &[1]), (SIGNED, &[2])];

impl Fixture {
    /// A desk on the handbook whose answers this model writes.
    pub fn with(model: &ScriptedModel) -> Self {
        let mut policies = Policies::default();
        policies.judge.relevance_floor = 0.0;
        policies.judge.gates = Vec::new();
        // What becomes of a single sentence shows best where nothing is put in its place.
        policies.compose.on_unsupported = OnUnsupported::Drop;
        let job_model = job_model(model);
        let known = [(MODEL.to_owned(), job_model.allowed.clone())];
        let model_registry =
            ModelRegistry { answer: Some(job_model), allowed: known.into_iter().collect(), ..ModelRegistry::default() };
        Self {
            documents: handbook(),
            model_registry,
            policies,
            directory: None,
            claim_judge: FakeJudge::reading(),
            embedder: FakeEmbedder::named("fake"),
            quotes: QUOTES,
        }
    }

    pub async fn engine(self) -> Engine {
        let store = filled(self.documents).await;
        Engine {
            retrieve: RetrievePorts { embedder: Arc::new(self.embedder), ..ports(&store) },
            claim_judge: Some(Arc::new(self.claim_judge)),
            writer: Arc::new(ScriptedGenerator::saying(self.quotes)),
            model_registry: self.model_registry,
            agents: None,
            toolbox: None,
            directory: self.directory,
            policies: self.policies,
            ..engine_over(&store)
        }
    }

    pub async fn ask(self) -> Result<Response, AskError> {
        self.engine().await.ask(&question()).await
    }
}

pub fn question() -> Question {
    Question::new(QUESTION, reader())
}

pub fn reader() -> Reader {
    everyone()
}

pub fn answer(response: &Response) -> &VerifiedAnswer {
    let Decision::Answer(answer) = &response.decision else { panic!("{:?}", response.decision) };
    answer
}

pub fn shown(response: &Response) -> Vec<(&str, Vec<String>)> {
    let text = answer(response).text();
    let source = |marker: &u32| {
        let cited = text.citations().iter().find(|cited| cited.marker() == *marker).expect("a citation");
        cited.source_id()
    };
    text.claims().iter().map(|claim| (claim.text(), claim.markers().iter().map(source).collect())).collect()
}

pub fn refusal(response: &Response) -> &'static str {
    let Decision::Refuse(refusal) = &response.decision else { panic!("{:?}", response.decision) };
    refusal.reason.as_str()
}

/// Writes down what it hears.
#[derive(Default)]
pub struct Ear(pub Mutex<Vec<String>>);

impl Ear {
    pub fn heard(&self) -> String {
        self.0.lock().expect("a lock").concat()
    }
}

impl Listener for Ear {
    fn on_sentence(&self, said: &AnswerSentence<'_>) {
        self.0.lock().expect("a lock").push(format!("{}{}", said.lead, said.claim.with_markers()));
    }
}

/// Where each document stands in the notes.
fn numbers(model: &ScriptedModel) -> (u32, u32) {
    let prompt =
        model.completion_requests().last().expect("a dictation").messages.first().expect("a message").text.clone();
    let number = |text: &str| {
        let note = prompt.split("<note>").find(|note| note.contains(text)).expect("a note");
        note.trim_start().trim_start_matches("[^").split(']').next().and_then(|number| number.parse().ok())
    };
    (number(LEAVE).expect("a number"), number("line manager").expect("a number"))
}

pub async fn numbered() -> (u32, u32) {
    let model = saying("NO ANSWER");
    let _ = Fixture::with(&model).ask().await;
    numbers(&model)
}
