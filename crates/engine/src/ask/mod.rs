//! The walk of a question: understand it, plan its path, gather what it is answered from on that path, and conclude.
//! The paths differ in what they gather; all of them end in one tail.

mod carried;
mod general;
mod listed;
mod listener;
mod material;
mod named;
mod pinned;
mod plan;
mod remembered;
mod searched;
mod tail;
mod term;
mod trace;
mod widened;
mod written;

use std::sync::Arc;

use vouch_domain::{
    Fault, ModelError, PortError, Question, Reader, Trace, WriterReport,
    ports::{ClaimJudge, Clock, Directory, Generator, Memory, PassageJudge},
};

use crate::{
    decide::Decision,
    judge::Evidence,
    ladder::{Ladder, Rung},
    policy::Policies,
    resolve::list,
    retrieve::{Candidates, Lane, LaneChoice, Probe, RetrievePorts, retrieve, within},
    terminology::TermDesk,
    understand::{ListRequest, NotAQuestion, understand, understand_topic},
};

pub use listener::{Listener, Said};
pub(crate) use term::passage_of as term_passage;

use material::Material;
use plan::Plan;
use trace::{StopWatch, trace};

/// Everything a walk needs.
#[derive(Clone)]
pub struct Engine {
    /// Where passages are found.
    pub retrieve: RetrievePorts,
    /// Where terms are looked up; none if a profile has no vocabulary.
    pub terms: Option<Arc<TermDesk>>,
    /// What editors prepared; none if a profile does without.
    pub memory: Option<Arc<dyn Memory>>,
    /// Who reads passages beside the question; none if a profile does without.
    pub passage_judge: Option<Arc<dyn PassageJudge>>,
    /// Who weighs what was written; none if a profile does without.
    pub claim_judge: Option<Arc<dyn ClaimJudge>>,
    /// Who writes if no model does, or if the model fails.
    pub writer: Arc<dyn Generator>,
    /// The models of every job; none is needed.
    pub ladder: Ladder,
    /// Who is responsible for which topic; none if no person is ever asked.
    pub directory: Option<Arc<dyn Directory>>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The figures.
    pub policies: Policies,
}

/// Why a question could not be walked at all.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The question itself.
    #[error(transparent)]
    NotAQuestion(#[from] NotAQuestion),
    /// Something the engine depends on.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The model that was to write.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A question's end: the decision and how it came about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Response {
    /// What is said.
    pub decision: Decision,
    /// What sort of question it was, as one word.
    pub intent: &'static str,
    /// What was answered from, or would have been.
    pub evidence: Evidence,
    /// What each stage saw, chose and spent.
    pub trace: Trace,
    /// The whole time, in milliseconds.
    pub elapsed_ms: f64,
}

/// The outcome of a walk.
struct Outcome {
    decision: Decision,
    material: Material,
    writer: Option<WriterReport>,
}

/// The request, the same on every path.
#[derive(Clone, Copy)]
struct Scene<'a> {
    question: &'a Question,
    /// The model that writes, if one does.
    writer: Option<&'a Rung>,
    listener: Option<&'a dyn Listener>,
    /// Whether it is a look-up rather than a question: then it is never routed to a person.
    is_look_up: bool,
}

impl Engine {
    /// Walks one question to its decision.
    ///
    /// # Errors
    /// Fails if the question is invalid or a dependency without a substitute is down; a refusal is not an error.
    pub async fn ask(&self, question: &Question) -> Result<Response, AskError> {
        Box::pin(self.walk(question, None)).await
    }

    /// The same, told sentence by sentence as they pass.
    ///
    /// # Errors
    /// As `ask`; if it fails, nothing was sent.
    pub async fn ask_aloud(&self, question: &Question, listener: &dyn Listener) -> Result<Response, AskError> {
        Box::pin(self.walk(question, Some(listener))).await
    }

    async fn walk(&self, question: &Question, listener: Option<&dyn Listener>) -> Result<Response, AskError> {
        let mut watch = StopWatch::start(&self.clock);
        let understanding = understand(question, &self.policies.understand)?;
        let writer = self.ladder.writer(question.model.as_deref()).await?;
        watch.lap("understand");
        let plan = self.plan(question, understanding, &mut watch).await;
        let scene = Scene { question, writer: writer.as_ref(), listener, is_look_up: false };
        self.follow(plan, scene, watch).await
    }

    /// Gathers what a plan's way has to give, and concludes from it.
    async fn follow(&self, plan: Plan, scene: Scene<'_>, mut watch: StopWatch<'_>) -> Result<Response, AskError> {
        let (question, intent) = (scene.question, plan.intent());
        let material = match plan {
            Plan::Term(understanding, term, desk) => self.term(&understanding, &term, &question.reader, &desk).await,
            Plan::Named(understanding, named) => self.named(&understanding, named, question, &mut watch).await?,
            Plan::Listed(understanding, listing) => self.listed(&understanding, listing, &question.reader).await?,
            Plan::Pinned(prepared, pinned) => self.pinned(prepared, pinned).await,
            Plan::Searched(prepared) => self.searched(prepared, question, &mut watch).await?,
        };
        watch.lap("gather");
        let outcome = self.conclude(material, scene, &mut watch).await?;
        watch.lap("decide");
        let trace = trace(&outcome, &watch);
        let Outcome { decision, material, .. } = outcome;
        Ok(Response { decision, intent, evidence: material.evidence, trace, elapsed_ms: watch.total_ms() })
    }

    /// What the vocabulary says of a term; none if there is no vocabulary.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn define_term(&self, term: &str, reader: &Reader) -> Result<Option<Response>, AskError> {
        let Some(desk) = &self.terms else { return Ok(None) };
        let plan = Plan::Term(understand_topic(term), term.trim().to_owned(), Arc::clone(desk));
        self.look_up(plan, term, reader).await.map(Some)
    }

    /// Every document of a kind, or those about a topic; none if no document is of that kind.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn list_kind(
        &self,
        kind: &str,
        about: Option<&str>,
        reader: &Reader,
    ) -> Result<Option<Response>, AskError> {
        let request = ListRequest { noun: kind.to_owned(), about: about.map(str::to_owned) };
        let asked = list(&request, reader, &self.retrieve.register, &self.policies.understand);
        let Some(listing) = within(&self.policies.retrieve, "register", asked).await? else {
            return Ok(None);
        };
        self.look_up(Plan::Listed(understand_topic(kind), listing), kind, reader).await.map(Some)
    }

    /// Follows a plan that was made without a question.
    async fn look_up(&self, plan: Plan, asked: &str, reader: &Reader) -> Result<Response, AskError> {
        let watch = StopWatch::start(&self.clock);
        let question = Question::of(asked, reader.clone());
        let scene = Scene { question: &question, writer: None, listener: None, is_look_up: true };
        Box::pin(self.follow(plan, scene, watch)).await
    }

    /// Finds passages without answering.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn search(&self, question: &Question, choice: LaneChoice) -> Result<Candidates, AskError> {
        let understanding = understand(question, &self.policies.understand)?;
        let understanding = match choice {
            LaneChoice::All => self.widened(&understanding, &question.reader).await,
            LaneChoice::Only(_) => understanding,
        };
        let mut policy = self.policies.retrieve.clone();
        let limit = question.passages_max.unwrap_or(policy.pool_max);
        policy.pool_max = policy.pool_max.max(limit);
        policy.lane_limit = policy.lane_limit.max(limit);
        let probe = Probe::of(understanding, &self.retrieve, &policy).await;
        if choice == LaneChoice::Only(Lane::Memory) {
            return Ok(self.remembered(&probe, &question.reader).await.best(limit));
        }
        let found = retrieve(&probe, &question.reader, choice, &self.retrieve, &policy).await?;
        if let Some(failure) = found.failure() {
            return Err(PortError::of("retrieve", Fault::Unavailable, failure).into());
        }
        let remembered = match choice {
            LaneChoice::All => self.remembered(&probe, &question.reader).await,
            LaneChoice::Only(_) => Candidates::none(),
        };
        Ok(found.and(remembered).best(limit))
    }
}
