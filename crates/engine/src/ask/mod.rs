//! The walk of a question: understand, look up what it names, retrieve, judge, compose, verify, decide. Every branch
//! is in `ask`.

mod named;
mod remembered;
mod term;
mod trace;

use std::sync::Arc;

use vouch_domain::{
    Fault, LookupReport, MemoryReport, PortError, Question, Reader, RewriteKind, Trace,
    ports::{ClaimJudge, Clock, Generator, Memory, PassageJudge},
};

use crate::{
    compose::compose,
    decide::{Decision, RefusalReason, decide, refuse_early, refuse_with},
    judge::{Evidence, judge},
    policy::Policies,
    recall::{Recalled, Recollection},
    resolve::{Resolved, list, resolve},
    retrieve::{Candidates, Lane, LaneChoice, Probe, RetrievePorts, respellings, retrieve, within},
    terminology::TermDesk,
    understand::{Intent, ListRequest, NotAQuestion, Respelling, Understanding, understand, understand_topic},
    verify::verify,
};

use trace::{StopWatch, trace};

/// Everything a walk needs.
#[derive(Clone)]
pub struct Engine {
    /// Where passages are found.
    pub retrieve: RetrievePorts,
    /// Where terms are looked up; none where a profile has no vocabulary.
    pub terms: Option<Arc<TermDesk>>,
    /// What editors prepared; none where a profile does without.
    pub memory: Option<Arc<dyn Memory>>,
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
    candidates: Candidates,
    memory: Vec<MemoryReport>,
    lookup: Option<LookupReport>,
}

/// A question on its way to be judged.
#[derive(Clone, Copy)]
struct Asked<'a> {
    understanding: &'a Understanding,
    passages_max: Option<usize>,
    /// What an editor wrote to frame the answer.
    note: Option<&'a Recalled>,
}

impl Outcome {
    fn said(decision: Decision, evidence: Option<Evidence>) -> Self {
        let evidence = evidence.unwrap_or_else(|| Evidence::looked_up(Vec::new()));
        Self { decision, evidence, candidates: Candidates::none(), memory: Vec::new(), lookup: None }
    }

    fn with_memory(mut self, recalled: &Recollection) -> Self {
        self.memory.clone_from(&recalled.considered);
        let others = self.candidates.lanes().iter().filter(|lane| lane.lane != Lane::Memory.word()).cloned();
        let lanes = others.chain(recalled.report()).collect();
        self.candidates = self.candidates.reported(lanes);
        self
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
        let naming = resolve(&understanding, reader, &self.retrieve.register, &policies.understand);
        let resolved = match within(&policies.retrieve, "register", naming).await {
            Ok(resolved) => resolved,
            Err(error) => return Ok(self.unnamed(&error, watch)),
        };
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

    /// What a question names could not be looked up: another document's words would be no answer to it.
    fn unnamed(&self, error: &PortError, watch: StopWatch<'_>) -> Response {
        tracing::warn!(fault = error.fault.word(), "register failed");
        let reason = RefusalReason::Unsearchable { failure: error.to_string() };
        let refusal = refuse_with(reason, Vec::new(), &self.policies.decide);
        respond("entity", Outcome::said(Decision::Refuse(refusal), None), watch)
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
        let asked = list(&request, reader, &self.retrieve.register, &self.policies.understand);
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
        let understanding = self.widened(understanding, &question.reader).await;
        watch.lap("widen");
        let probe = Probe::of(&understanding, &self.retrieve, policy).await;
        watch.lap("embed");
        let recalled = self.recall(&probe, &question.reader).await;
        watch.lap("recall");
        if let Some(pinned) = &recalled.pinned
            && let Some(outcome) = self.pinned(&probe, pinned).await
        {
            return Ok(outcome.with_memory(&recalled));
        }
        let referred = self.referred(&probe, recalled.note.as_ref()).await;
        let asked =
            Asked { understanding: &understanding, passages_max: question.passages_max, note: recalled.note.as_ref() };
        if recalled.note.as_ref().is_some_and(|note| note.is_sufficient(&self.policies.memory)) {
            let outcome = self.judged(asked, referred.clone(), watch).await?;
            if matches!(outcome.decision, Decision::Answer(_)) {
                return Ok(outcome.with_memory(&recalled));
            }
        }
        let found = retrieve(&probe, &question.reader, LaneChoice::All, &self.retrieve, policy).await?;
        watch.lap("retrieve");
        Ok(self.judged(asked, found.and(referred), watch).await?.with_memory(&recalled))
    }

    /// The question in the documents' spelling and with other labels of its terms; as it was where nobody can say.
    async fn widened(&self, understanding: &Understanding, reader: &Reader) -> Understanding {
        let policies = &self.policies;
        let spelt = async {
            match policies.understand.uses(RewriteKind::Spelling) {
                true => {
                    respellings(understanding, reader, &self.retrieve, &policies.retrieve).await.unwrap_or_default()
                }
                false => Vec::new(),
            }
        };
        let labels = async {
            match &self.terms {
                Some(desk) if policies.understand.uses(RewriteKind::Synonym) => {
                    desk.other_labels(reader, &understanding.term_candidates()).await
                }
                Some(_) | None => Vec::new(),
            }
        };
        let (spelt, labels) = tokio::join!(spelt, labels);
        if spelt.is_empty() && labels.is_empty() {
            return understanding.clone();
        }
        understanding.widened(spelt, &labels, &policies.understand)
    }

    /// Candidates to a decision.
    async fn judged(
        &self,
        asked: Asked<'_>,
        candidates: Candidates,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let policies = &self.policies;
        let Asked { understanding, passages_max, note } = asked;
        let background = note.and_then(|note| note.entry.note_in(&policies.memory.language));
        let reader = self.passage_judge.as_ref();
        let evidence = judge(understanding, &candidates, passages_max, reader, &policies.judge).await;
        watch.lap("judge");
        let decision = match refuse_early(&candidates, &evidence, &policies.decide) {
            Some(refusal) => Decision::Refuse(refusal),
            None => {
                let draft = compose(understanding, (&evidence, background), &self.writer, &policies.compose).await?;
                watch.lap("compose");
                let verification = verify(&draft, &evidence, self.claim_judge.as_ref(), &policies.verify).await;
                watch.lap("verify");
                let decision = decide(verification, &candidates, &evidence, &policies.decide, self.clock.now_ms());
                with_caveats(decision, understanding, &evidence)
            }
        };
        Ok(Outcome { decision, candidates, evidence, memory: Vec::new(), lookup: None })
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
        let probe = Probe::of(&understanding, &self.retrieve, &policy).await;
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

/// What the reader should know of how the question was read.
fn with_caveats(decision: Decision, understanding: &Understanding, evidence: &Evidence) -> Decision {
    let Decision::Answer(mut answer) = decision else { return decision };
    let read_as = |one: &Respelling| format!("\"{}\" was read as \"{}\".", one.asked, one.written);
    answer.notices.extend(understanding.respelt().iter().filter(|one| one.is_meant).map(read_as));
    answer.notices.extend(evidence.unanswered().iter().map(|part| format!("No answer was found to: {part}")));
    Decision::Answer(answer)
}

fn respond(intent: &'static str, outcome: Outcome, mut watch: StopWatch<'_>) -> Response {
    watch.lap("decide");
    let trace = trace(&outcome, &watch);
    let Outcome { decision, evidence, .. } = outcome;
    Response { decision, intent, evidence, trace, elapsed_ms: watch.total_ms() }
}
