//! The walk of a question: understand, look up what it names, retrieve, judge, compose, verify, decide. Every branch
//! is in `ask`.

mod named;
mod term;

use std::sync::Arc;

use vouch_domain::{
    LaneReport, LookupReport, PortError, Question, Reader, StageTiming, Trace,
    ports::{ClaimJudge, Clock, Generator, PassageJudge, Register},
};

use crate::{
    compose::compose,
    decide::{Decision, decide, refuse_early},
    judge::{Evidence, judge},
    policy::Policies,
    resolve::{Resolved, list, resolve},
    retrieve::{Candidates, LaneChoice, RetrievePorts, retrieve, within},
    terminology::TermDesk,
    understand::{Intent, ListRequest, NotAQuestion, Understanding, understand, understand_topic},
    verify::verify,
};

/// Everything a walk needs.
#[derive(Clone)]
pub struct Engine {
    /// Where passages are found.
    pub retrieve: RetrievePorts,
    /// Where documents are found by name.
    pub register: Arc<dyn Register>,
    /// Where terms are looked up; none where a profile has no vocabulary.
    pub terms: Option<Arc<TermDesk>>,
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
    /// What sort of question it was, as one word.
    pub intent: &'static str,
    /// What was answered from, or would have been.
    pub evidence: Evidence,
    /// What each stage saw, chose and spent.
    pub trace: Trace,
    /// The whole time, in milliseconds.
    pub elapsed_ms: f64,
}

/// What one branch came to.
struct Outcome {
    decision: Decision,
    evidence: Evidence,
    lanes: Vec<LaneReport>,
    lookup: Option<LookupReport>,
}

impl Outcome {
    fn said(decision: Decision, evidence: Option<Evidence>) -> Self {
        let evidence = evidence.unwrap_or_else(|| Evidence::looked_up(Vec::new()));
        Self { decision, evidence, lanes: Vec::new(), lookup: None }
    }

    fn with_lookup(mut self, report: LookupReport) -> Self {
        self.lookup = Some(report);
        self
    }
}

impl Engine {
    /// Walks one question to its decision.
    ///
    /// # Errors
    /// Fails where the question cannot be taken or a dependency without a substitute is down; a refusal is no error.
    pub async fn ask(&self, question: &Question) -> Result<Response, AskError> {
        let mut watch = StopWatch::start(&self.clock);
        let (policies, reader) = (&self.policies, &question.reader);
        let understanding = understand(question, &policies.understand)?;
        watch.lap("understand");
        let naming = resolve(&understanding, reader, &self.register, &policies.understand);
        let resolved = within(&policies.retrieve, "register", naming).await?;
        watch.lap("resolve");
        let is_named = resolved != Resolved::Nothing;
        let (intent, outcome) = match (understanding.intent(), &self.terms) {
            (Intent::Terminology(term), Some(desk)) if !is_named => {
                let outcome = self.define(term, &understanding, reader, desk).await;
                watch.lap("terminology");
                ("terminology", outcome)
            }
            _ => {
                let intent = if matches!(resolved, Resolved::Listing(_)) { "list" } else { "entity" };
                match self.named(resolved, &understanding, reader, &mut watch).await? {
                    Some(outcome) => {
                        watch.lap("look up");
                        (intent, outcome)
                    }
                    None => {
                        let mut outcome = self.searched(question, &understanding, &mut watch).await?;
                        if let (Decision::Refuse(refusal), Some(desk)) = (&mut outcome.decision, &self.terms) {
                            self.offer_terms(refusal, &understanding, reader, desk).await;
                        }
                        (understanding.class().word(), outcome)
                    }
                }
            }
        };
        Ok(respond(intent, outcome, watch))
    }

    /// What the vocabulary says of a term; none where there is no vocabulary.
    pub async fn define_term(&self, term: &str, reader: &Reader) -> Option<Response> {
        let desk = self.terms.as_ref()?;
        let watch = StopWatch::start(&self.clock);
        let outcome = self.define(term.trim(), &understand_topic(term), reader, desk).await;
        Some(respond("terminology", outcome, watch))
    }

    /// Every document of a kind, or those about a topic; none where no document is of that kind.
    ///
    /// # Errors
    /// As `ask`.
    pub async fn list_kind(
        &self,
        kind: &str,
        about: Option<&str>,
        reader: &Reader,
    ) -> Result<Option<Response>, AskError> {
        let watch = StopWatch::start(&self.clock);
        let request = ListRequest { noun: kind.to_owned(), about: about.map(str::to_owned) };
        let asked = list(&request, reader, &self.register, &self.policies.understand);
        let Some(listing) = within(&self.policies.retrieve, "register", asked).await? else {
            return Ok(None);
        };
        let outcome = self.list(listing, reader).await?;
        Ok(Some(respond("list", outcome, watch)))
    }

    /// The long way: search, judge, write, verify.
    async fn searched(
        &self,
        question: &Question,
        understanding: &Understanding,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let policy = &self.policies.retrieve;
        let candidates = retrieve(understanding, &question.reader, LaneChoice::All, &self.retrieve, policy).await?;
        watch.lap("retrieve");
        self.judged(understanding, candidates, question.passages_max, watch).await
    }

    /// Candidates to a decision.
    async fn judged(
        &self,
        understanding: &Understanding,
        candidates: Candidates,
        passages_max: Option<usize>,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let policies = &self.policies;
        let reader = self.passage_judge.as_ref();
        let evidence = judge(understanding, &candidates, passages_max, reader, &policies.judge).await;
        watch.lap("judge");
        let decision = match refuse_early(&candidates, &evidence, &policies.decide) {
            Some(refusal) => Decision::Refuse(refusal),
            None => {
                let draft = compose(understanding, &evidence, &self.writer, &policies.compose).await?;
                watch.lap("compose");
                let verification = verify(&draft, &evidence, self.claim_judge.as_ref(), &policies.verify).await;
                watch.lap("verify");
                decide(verification, &candidates, &evidence, &policies.decide, self.clock.now_ms())
            }
        };
        Ok(Outcome { decision, lanes: candidates.lanes().to_vec(), evidence, lookup: None })
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

fn respond(intent: &'static str, outcome: Outcome, mut watch: StopWatch<'_>) -> Response {
    watch.lap("decide");
    let trace = trace(&outcome, &watch);
    let Outcome { decision, evidence, .. } = outcome;
    Response { decision, intent, evidence, trace, elapsed_ms: watch.total_ms() }
}

fn trace(outcome: &Outcome, watch: &StopWatch<'_>) -> Trace {
    Trace {
        gates: outcome.evidence.readings().to_vec(),
        lanes: outcome.lanes.clone(),
        dropped: outcome.evidence.dropped().to_vec(),
        lookup: outcome.lookup.clone(),
        judge: outcome.evidence.judge().cloned(),
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
