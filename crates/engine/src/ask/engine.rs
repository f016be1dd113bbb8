//! What a walk needs, and what it comes to.

use std::sync::Arc;

use vouch_domain::{
    ModelError, PortError, SessionState,
    ports::{ClaimJudge, Clock, Directory, Generator, Memory, PassageJudge, Reranker, Toolbox},
};

use super::question_kind::QuestionKind;
use crate::{
    decide::Decision,
    judge::Evidence,
    model_registry::ModelRegistry,
    policy::Policies,
    retrieve::{ReadGeneration, RetrievePorts},
    route::{Agents, NoSuchAgent},
    terminology::TermLookup,
    trace::Trace,
    understand::NotAQuestion,
};

/// Everything a walk needs.
#[derive(Clone)]
pub struct Engine {
    /// Where passages are found.
    pub retrieve: RetrievePorts,
    /// Where terms are looked up; none if a profile has no vocabulary.
    pub terms: Option<Arc<TermLookup>>,
    /// What editors prepared; none if a profile does without.
    pub memory: Option<Arc<dyn Memory>>,
    /// Who reads passages beside the question; none if a profile does without.
    pub passage_judge: Option<Arc<dyn PassageJudge>>,
    /// Who puts the whole pool in order; none where the fused score does, with the judge's word.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// Who weighs what was written; none if a profile does without.
    pub claim_judge: Option<Arc<dyn ClaimJudge>>,
    /// Who writes if no model does, or if the model fails.
    pub writer: Arc<dyn Generator>,
    /// The models of every job; none is needed.
    pub model_registry: ModelRegistry,
    /// Who answers which questions; none where one engine answers all.
    pub agents: Option<Agents>,
    /// What agents may look up and do; none where there are no tools.
    pub toolbox: Option<Arc<dyn Toolbox>>,
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
    /// The agent that was asked for.
    #[error(transparent)]
    Agent(#[from] NoSuchAgent),
}

/// A question's end: the decision and how it came about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Response {
    /// What is said.
    pub decision: Decision,
    /// What sort of question it was, as one word.
    pub intent: QuestionKind,
    /// What was answered from, or would have been.
    pub evidence: Evidence,
    /// Which generation of the store all of it is of.
    pub read: ReadGeneration,
    /// How an answer came about: what each stage saw, chose and spent.
    pub trace: Trace,
    /// What the conversation has come to.
    pub session: SessionState,
    /// What else the reader is told of it: what has lapsed, what was not served, what was replaced.
    pub asides: Vec<String>,
    /// What waits beside this answer, in the words it was asked in.
    pub waits_for: Option<String>,
    /// The whole time, in milliseconds.
    pub elapsed_ms: f64,
}
