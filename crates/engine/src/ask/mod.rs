//! The walk of a question: understand it, plan its path, gather what it is answered from on that path, and conclude.
//! The paths differ in what they gather; all of them end in one tail.

mod agents;
mod asked_term;
mod decided;
mod engine;
mod follow_up;
mod general;
mod greeting;
mod listed;
mod listener;
mod lookup_faults;
mod material;
mod memory_lookup;
mod named;
mod named_source;
mod needs;
mod outcome;
mod pending;
mod pinned;
mod plan;
mod question_kind;
mod searched;
mod section;
mod stream_check;
mod tail;
mod term;
mod route_model;
mod tool_model;
mod tooled;
mod trace;
mod undefined;
mod undefined_term;
mod waits;
mod widen;
mod writer;

use std::sync::Arc;

use vouch_domain::{Fault, PortError, Question, Reader, SessionState};

use crate::{
    resolve::list,
    retrieve::{Candidates, Lane, LaneChoice, Probe, ReadGeneration, retrieve, with_timeout},
    route::NoSuchAgent,
    terminology::TermLookup,
    trace::Stage,
    understand::{ListRequest, QueryClass, Understanding, understand, understand_topic},
};

pub use crate::route::Agents;
pub use engine::{AskError, Engine, Response};
pub use listener::{AnswerSentence, Listener};
pub use question_kind::QuestionKind;
pub(crate) use term::passage_of as term_passage;
pub use term::term_text;

use agents::Handover;
use asked_term::AskedTerm;
use lookup_faults::LookupFaults;
use material::Material;
use outcome::{AskContext, Outcome};
use plan::Plan;
use trace::{StopWatch, trace};

/// How often a question is read for where documents change while that is done.
const READINGS_MAX: usize = 4;

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
    pub async fn ask_streaming(&self, question: &Question, listener: &dyn Listener) -> Result<Response, AskError> {
        Box::pin(self.walk(question, Some(listener))).await
    }

    async fn walk(&self, question: &Question, listener: Option<&dyn Listener>) -> Result<Response, AskError> {
        let mut watch = StopWatch::start(&self.clock);
        let understanding = understand(question, &self.policies.understand)?;
        watch.lap(Stage::Understand);
        match (&self.agents, &question.agent) {
            (Some(agents), _) => {
                let handover = Handover { agents, question, understanding: &understanding };
                self.walk_with_agents(handover, listener, watch).await
            }
            (None, Some(asked)) => Err(NoSuchAgent { asked: asked.clone(), there: Vec::new() }.into()),
            (None, None) => self.walk_alone(question, understanding, listener, watch).await,
        }
    }

    /// The walk of a question to the documents.
    async fn walk_alone(
        &self,
        question: &Question,
        understanding: Understanding,
        listener: Option<&dyn Listener>,
        mut watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let writer = self.model_registry.writer(question.model.as_deref()).await?;
        if understanding.class() == QueryClass::Greeting
            && !self.is_set_by_editor(&understanding, &question.reader).await
        {
            return Ok(self.greet(&understanding, watch));
        }
        let context = AskContext { question, writer: writer.as_ref(), listener, is_look_up: false };
        let mut readings = 1;
        loop {
            let begun = self.retrieve.settled_generation(&self.policies.retrieve).await;
            let mut faults = LookupFaults::default();
            let plan = self.plan(question, understanding.clone(), (&mut watch, &mut faults)).await;
            let intent = plan.kind();
            let is_last = readings >= READINGS_MAX;
            let material = self.gather((plan, faults), (begun, !is_last), question, &mut watch).await?;
            // What was read of two generations may lack what is in both: a passage that is gone from the catalogue and whose
            // successor is in no index yet.
            let has_moved = begun != ReadGeneration::Mixed && material.read == ReadGeneration::Mixed;
            if !has_moved || is_last {
                return self.finish((intent, material), context, watch).await;
            }
            readings += 1;
        }
    }

    /// Gathers what a plan's way has to give; what was read since it was begun is of one generation, or the material says that it is
    /// not, and may be left out where it is read again then.
    async fn gather(
        &self,
        (plan, faults): (Plan, LookupFaults),
        (begun, is_reread): (ReadGeneration, bool),
        question: &Question,
        watch: &mut StopWatch<'_>,
    ) -> Result<Material, AskError> {
        let mut material = match plan {
            Plan::Term(understanding, looked_up) => self.gather_term(&understanding, looked_up, &question.reader).await,
            Plan::Named(understanding, named) => self.gather_named(&understanding, named, question, watch).await?,
            Plan::Listed(understanding, listing) => {
                self.gather_listed(&understanding, listing, &question.reader).await?
            }
            Plan::Pinned(prepared, pinned) => self.gather_pinned(prepared, pinned).await,
            Plan::Searched(mut prepared) => {
                let undefined = prepared.undefined.take();
                let reread = is_reread.then_some(begun);
                self.gather_searched(prepared, question, (watch, reread)).await?.for_undefined(undefined)
            }
        };
        watch.lap(Stage::Gather);
        let ended = match material.read {
            ReadGeneration::Nothing => self.retrieve.generation(&self.policies.retrieve).await,
            known @ (ReadGeneration::Single(_) | ReadGeneration::Mixed) => known,
        };
        material.read = begun.until(ended);
        Ok(material.with_faults(faults))
    }

    /// Concludes from what was gathered.
    async fn finish(
        &self,
        (intent, material): (QuestionKind, Material),
        context: AskContext<'_>,
        mut watch: StopWatch<'_>,
    ) -> Result<Response, AskError> {
        let read = material.read;
        let outcome = self.conclude(material, context, &mut watch).await?;
        watch.lap(Stage::Decide);
        let trace = trace(&outcome, &watch, &self.policies.decide);
        let Outcome { decision, material, .. } = outcome;
        Ok(Response {
            intent: intent.of_decision(&decision),
            decision,
            evidence: material.evidence,
            read,
            trace,
            session: SessionState::default(),
            asides: Vec::new(),
            waits_for: None,
            elapsed_ms: watch.total_ms(),
        })
    }

    /// Where terms are looked up; none if there is no vocabulary, or none yet.
    pub async fn terms_in_use(&self) -> Option<&Arc<TermLookup>> {
        match &self.terms {
            Some(terms) if terms.is_in_use().await => Some(terms),
            Some(_) | None => None,
        }
    }

    /// What the vocabulary says of a term; none if there is no vocabulary.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn define_term(&self, term: &str, reader: &Reader) -> Result<Option<Response>, AskError> {
        let Some(term_lookup) = self.terms_in_use().await else { return Ok(None) };
        let begun = self.retrieve.settled_generation(&self.policies.retrieve).await;
        let mut faults = LookupFaults::default();
        let looked_up = AskedTerm::look_up(term.trim(), term_lookup, reader, &mut faults).await;
        let plan = (Plan::Term(understand_topic(term), looked_up), faults);
        self.look_up(plan, begun, term, reader).await.map(Some)
    }

    /// Every document of a kind, or those about a topic; none if no document is of that kind.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn list_kind(
        &self,
        kind: &str,
        (about, topic): (Option<&str>, Option<&str>),
        reader: &Reader,
    ) -> Result<Option<Response>, AskError> {
        let begun = self.retrieve.settled_generation(&self.policies.retrieve).await;
        let request = ListRequest { noun: kind.to_owned(), about: about.map(str::to_owned), ..ListRequest::default() };
        let asked = list(&request, reader, &self.retrieve.register, &self.policies.understand);
        let Some(mut listing) = with_timeout(&self.policies.retrieve, "register", asked).await? else {
            return Ok(None);
        };
        if let Some(topic) = topic {
            listing.cards.retain(|card| card.topics.iter().any(|own| own.eq_ignore_ascii_case(topic)));
        }
        let plan = Plan::Listed(understand_topic(kind), listing);
        self.look_up((plan, LookupFaults::default()), begun, kind, reader).await.map(Some)
    }

    /// Follows a plan that was made without a question.
    async fn look_up(
        &self,
        (plan, faults): (Plan, LookupFaults),
        begun: ReadGeneration,
        asked: &str,
        reader: &Reader,
    ) -> Result<Response, AskError> {
        let mut watch = StopWatch::start(&self.clock);
        let question = Question::new(asked, reader.clone());
        let context = AskContext { question: &question, writer: None, listener: None, is_look_up: true };
        let intent = plan.kind();
        let material = self.gather((plan, faults), (begun, false), &question, &mut watch).await?;
        Box::pin(self.finish((intent, material), context, watch)).await
    }

    /// Finds passages without answering.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn search(&self, question: &Question, choice: LaneChoice) -> Result<Candidates, AskError> {
        let understanding = understand(question, &self.policies.understand)?;
        let understanding = match choice {
            LaneChoice::All => self.widen(&understanding, &question.reader, &mut LookupFaults::default()).await,
            LaneChoice::Only(_) => understanding,
        };
        let mut policy = self.policies.retrieve.clone();
        let limit = question.passages_max.unwrap_or(policy.pool_max);
        policy.pool_max = policy.pool_max.max(limit);
        policy.lane_limit = policy.lane_limit.max(limit);
        // What was taken in is found, also where whoever took it in has gone before the indexes were brought up.
        self.retrieve.settled_generation(&policy).await;
        let probe = Probe::new(understanding, &self.retrieve, &policy).await;
        if choice == LaneChoice::Only(Lane::Memory) {
            return Ok(self.search_memory(&probe, &question.reader).await.truncate(limit));
        }
        let found = retrieve(&probe, &question.reader, choice, &self.retrieve, &policy).await?;
        if let Some(failure) = found.failure() {
            return Err(PortError::new("retrieve", Fault::Unavailable, failure).into());
        }
        let remembered = match choice {
            LaneChoice::All => self.search_memory(&probe, &question.reader).await,
            LaneChoice::Only(_) => Candidates::empty(),
        };
        Ok(found.merge(remembered).truncate(limit))
    }
}
