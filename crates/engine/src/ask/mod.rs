//! The walk of a question: understand, retrieve, judge, compose, verify, decide. Every branch is in `ask`.

use std::sync::Arc;

use vouch_domain::{
    PortError, Question, StageTiming, Trace,
    ports::{ClaimJudge, Clock, Generator, PassageJudge},
};

use crate::{
    compose::compose,
    decide::{Decision, decide, refuse_early},
    judge::{Evidence, judge},
    policy::Policies,
    retrieve::{Candidates, LaneChoice, RetrievePorts, retrieve},
    understand::{NotAQuestion, QueryClass, understand},
    verify::verify,
};

/// Everything a walk needs.
#[derive(Clone)]
pub struct Engine {
    /// Where passages are found.
    pub retrieve: RetrievePorts,
    /// Who reads passages beside the question; none where a profile does without.
    pub passage_judge: Option<Arc<dyn PassageJudge>>,
    /// Who weighs what was written; none where a profile does without.
    pub claim_judge: Option<Arc<dyn ClaimJudge>>,
    /// Who writes.
    pub writer: Arc<dyn Generator>,
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
}

/// A question's end: the decision and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// What is said.
    pub decision: Decision,
    /// What sort of question it was.
    pub class: QueryClass,
    /// What was answered from, or would have been.
    pub evidence: Evidence,
    /// What each stage saw, chose and spent.
    pub trace: Trace,
    /// The whole time, in milliseconds.
    pub elapsed_ms: f64,
}

impl Engine {
    /// Walks one question to its decision.
    ///
    /// # Errors
    /// Fails where the question cannot be taken or a dependency without a substitute is down; a refusal is no error.
    pub async fn ask(&self, question: &Question) -> Result<Response, AskError> {
        let policies = &self.policies;
        let mut watch = StopWatch::start(&self.clock);
        let understanding = understand(question, &policies.understand)?;
        watch.lap("understand");
        let candidates =
            retrieve(&understanding, &question.reader, LaneChoice::All, &self.retrieve, &policies.retrieve).await?;
        watch.lap("retrieve");
        let reader = self.passage_judge.as_ref();
        let evidence = judge(&understanding, &candidates, question.passages_max, reader, &policies.judge).await;
        watch.lap("judge");
        let decision = match refuse_early(&candidates, &evidence, &policies.decide) {
            Some(refusal) => Decision::Refuse(refusal),
            None => {
                let draft = compose(&understanding, &evidence, &self.writer, &policies.compose).await?;
                watch.lap("compose");
                let verification = verify(&draft, &evidence, self.claim_judge.as_ref(), &policies.verify).await;
                watch.lap("verify");
                decide(verification, &candidates, &evidence, &policies.decide, self.clock.now_ms())
            }
        };
        watch.lap("decide");
        let trace = trace(&candidates, &evidence, &watch);
        Ok(Response { decision, class: understanding.class(), evidence, trace, elapsed_ms: watch.total_ms() })
    }

    /// Finds passages without answering.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn search(&self, question: &Question, choice: LaneChoice) -> Result<Candidates, AskError> {
        let understanding = understand(question, &self.policies.understand)?;
        let mut policy = self.policies.retrieve.clone();
        if let Some(limit) = question.passages_max {
            policy.pool_max = limit;
            policy.lane_limit = policy.lane_limit.max(limit);
        }
        Ok(retrieve(&understanding, &question.reader, choice, &self.retrieve, &policy).await?)
    }
}

fn trace(candidates: &Candidates, evidence: &Evidence, watch: &StopWatch<'_>) -> Trace {
    Trace {
        gates: evidence.readings().to_vec(),
        lanes: candidates.lanes().to_vec(),
        dropped: evidence.dropped().to_vec(),
        judge: evidence.judge().cloned(),
        timings: watch.laps.clone(),
    }
}

struct StopWatch<'a> {
    clock: &'a Arc<dyn Clock>,
    started_ms: f64,
    lap_ms: f64,
    laps: Vec<StageTiming>,
}

impl<'a> StopWatch<'a> {
    fn start(clock: &'a Arc<dyn Clock>) -> Self {
        let now = clock.since_start().as_secs_f64() * 1e3;
        Self { clock, started_ms: now, lap_ms: now, laps: Vec::new() }
    }

    fn lap(&mut self, stage: &'static str) {
        let now = self.clock.since_start().as_secs_f64() * 1e3;
        self.laps.push(StageTiming { stage, elapsed_ms: now - self.lap_ms });
        self.lap_ms = now;
    }

    fn total_ms(&self) -> f64 {
        self.lap_ms - self.started_ms
    }
}
