//! The walk of a question: understand, look up what it names, retrieve, judge, compose, verify, decide. Every branch
//! is in `ask`.

mod carried;
mod general;
mod listener;
mod named;
mod remembered;
mod term;
mod trace;
mod widened;
mod written;

use std::sync::Arc;

use vouch_domain::{
    Fault, LookupReport, MemoryReport, ModelError, PortError, Question, Reader, Trace, WriterReport,
    ports::{ClaimJudge, Clock, Directory, Generator, Memory, PassageJudge},
};

use crate::{
    decide::{Decision, Grounds, RefusalReason, decide, refer, refuse_early, refuse_with},
    judge::{Evidence, judge},
    ladder::{Ladder, Rung, second_opinion},
    policy::{MemoryPolicy, Policies},
    recall::{Recalled, Recollection},
    resolve::{Resolved, list, resolve},
    retrieve::{Candidates, Lane, LaneChoice, Probe, RetrievePorts, retrieve, within},
    terminology::TermDesk,
    understand::{Intent, ListRequest, NotAQuestion, Respelling, Understanding, understand, understand_topic},
    verify::Verification,
};

pub use listener::{Listener, Said};
pub(crate) use term::passage_of as term_passage;

use listener::tell;
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
    /// Who writes where no model does, or one that should cannot.
    pub writer: Arc<dyn Generator>,
    /// The models of every job; none is needed.
    pub ladder: Ladder,
    /// Who answers for which topic; none where nobody is asked.
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
    writer: Option<WriterReport>,
    /// Whether the sentences have been told.
    is_told: bool,
}

/// Who asks what of whom, the same on every branch.
#[derive(Clone, Copy)]
struct Scene<'a> {
    question: &'a Question,
    /// The model that writes, where one does.
    writer: Option<&'a Rung>,
    listener: Option<&'a dyn Listener>,
}

/// A question on its way to be judged.
#[derive(Clone, Copy)]
struct Asked<'a> {
    scene: Scene<'a>,
    understanding: &'a Understanding,
    /// What an editor wrote to frame the answer.
    note: Option<&'a Recalled>,
}

impl Asked<'_> {
    fn background(&self, policy: &MemoryPolicy) -> Option<&str> {
        self.note.and_then(|note| note.entry.note_in(&policy.language))
    }
}

impl Outcome {
    fn said(decision: Decision, evidence: Option<Evidence>) -> Self {
        let evidence = evidence.unwrap_or_else(|| Evidence::looked_up(Vec::new()));
        let (memory, candidates) = (Vec::new(), Candidates::none());
        Self { decision, evidence, candidates, memory, lookup: None, writer: None, is_told: false }
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
        Box::pin(self.walk(question, None)).await
    }

    /// The same, told sentence by sentence as they pass.
    ///
    /// # Errors
    /// As `ask`; what was told by then stays true.
    pub async fn ask_aloud(&self, question: &Question, listener: &dyn Listener) -> Result<Response, AskError> {
        Box::pin(self.walk(question, Some(listener))).await
    }

    async fn walk(&self, question: &Question, listener: Option<&dyn Listener>) -> Result<Response, AskError> {
        let mut watch = StopWatch::start(&self.clock);
        let (policies, reader) = (&self.policies, &question.reader);
        let understanding = understand(question, &policies.understand)?;
        let writer = self.ladder.writer(question.model.as_deref()).await?;
        let scene = Scene { question, writer: writer.as_ref(), listener };
        watch.lap("understand");
        let naming = resolve(&understanding, reader, &self.retrieve.register, &policies.understand);
        let resolved = match within(&policies.retrieve, "register", naming).await {
            Ok(resolved) => resolved,
            Err(error) => {
                let outcome = self.referred_to_a_person(self.unnamed(&error), reader).await;
                return Ok(respond("entity", outcome, watch));
            }
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
                match self.named(resolved, &understanding, scene, &mut watch).await? {
                    Some(outcome) => {
                        watch.lap("look up");
                        (intent, outcome)
                    }
                    None => {
                        let understanding = self.classified(understanding).await;
                        let outcome = self.searched(scene, &understanding, &mut watch).await?;
                        (understanding.class().word(), outcome)
                    }
                }
            }
        };
        let outcome = self.referred_to_a_person(outcome, reader).await;
        tell(&outcome, listener);
        Ok(respond(intent, outcome, watch))
    }

    /// Sends what is unsure to a person, where the profile says so.
    async fn referred_to_a_person(&self, mut outcome: Outcome, reader: &Reader) -> Outcome {
        if let Some(route) = &self.policies.decide.route {
            let within = (route, self.policies.retrieve.lane_timeout);
            let directory = self.directory.as_ref();
            outcome.decision = refer(outcome.decision, &outcome.evidence, reader, directory, within).await;
        }
        outcome
    }

    /// What a question names could not be looked up: another document's words would be no answer to it.
    fn unnamed(&self, error: &PortError) -> Outcome {
        tracing::warn!(fault = error.fault.word(), "register failed");
        let reason = RefusalReason::Unsearchable { failure: error.to_string() };
        Outcome::said(Decision::Refuse(refuse_with(reason, Vec::new(), &self.policies.decide)), None)
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
        scene: Scene<'_>,
        understanding: &Understanding,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let (policy, question) = (&self.policies.retrieve, scene.question);
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
        let asked = Asked { scene, understanding: &understanding, note: recalled.note.as_ref() };
        if recalled.note.as_ref().is_some_and(|note| note.is_sufficient(&self.policies.memory)) {
            let outcome = self.judged(asked, referred.clone(), watch).await?;
            if matches!(outcome.decision, Decision::Answer(_)) {
                return Ok(outcome.with_memory(&recalled));
            }
        }
        let found = retrieve(&probe, &question.reader, LaneChoice::All, &self.retrieve, policy).await?;
        let carried = self.carried(&probe, question).await;
        watch.lap("retrieve");
        let mut outcome = self.judged(asked, found.and(referred).and(carried), watch).await?.with_memory(&recalled);
        outcome.decision = self.generally(outcome.decision, &understanding).await;
        if let (Decision::Refuse(refusal), Some(desk)) = (&mut outcome.decision, &self.terms) {
            self.offer_terms(refusal, &understanding, &question.reader, desk).await;
        }
        Ok(outcome)
    }

    /// Candidates to a decision.
    async fn judged(
        &self,
        asked: Asked<'_>,
        candidates: Candidates,
        watch: &mut StopWatch<'_>,
    ) -> Result<Outcome, AskError> {
        let (policies, understanding) = (&self.policies, asked.understanding);
        let (reader, most) = (self.passage_judge.as_ref(), asked.scene.question.passages_max);
        let evidence = judge(understanding, &candidates, most, reader, &policies.judge).await;
        watch.lap("judge");
        if let Some(refusal) = refuse_early(&candidates, &evidence, &policies.decide) {
            let mut outcome = Outcome::said(Decision::Refuse(refusal), Some(evidence));
            outcome.candidates = candidates;
            return Ok(outcome);
        }
        let written = self.written(asked, &evidence).await?;
        watch.lap("write and verify");
        let decision = match written.verification {
            None => Decision::Refuse(refuse_with(RefusalReason::NoThesis, Vec::new(), &policies.decide)),
            Some(verification) => {
                let second_opinion = self.second_opinion(understanding, &verification).await;
                let grounds = Grounds { candidates: &candidates, evidence: &evidence, second_opinion };
                decide(verification, grounds, &policies.decide, self.clock.now_ms())
            }
        };
        let decision = with_caveats(decision, understanding, &evidence, written.report.as_ref());
        let (is_told, writer) = (written.is_told, written.report);
        Ok(Outcome { decision, candidates, evidence, memory: Vec::new(), lookup: None, writer, is_told })
    }

    /// How well a second model finds the answer supported; none where none is asked, or it cannot say.
    async fn second_opinion(&self, understanding: &Understanding, verification: &Verification) -> Option<u32> {
        let (Some(rung), Verification::Passed { text, .. }) = (&self.ladder.judge, verification) else { return None };
        // Whoever wrote does not judge.
        if rung.model == text.model() {
            return None;
        }
        let passages = text.citations().iter().map(|cited| cited.piece.passage.passage.text.as_str());
        second_opinion(rung, understanding.asked(), &text.with_markers(), passages).await
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
fn with_caveats(
    decision: Decision,
    understanding: &Understanding,
    evidence: &Evidence,
    writer: Option<&WriterReport>,
) -> Decision {
    let Decision::Answer(mut answer) = decision else { return decision };
    if let Some((report, failure)) = writer.and_then(|report| Some((report, report.failure.as_ref()?))) {
        answer.notices.push(match report.is_quoted_instead {
            true => format!("The model could not write the answer ({failure}); the documents are quoted instead."),
            false => format!("The model broke off ({failure}); the answer may be incomplete."),
        });
    }
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
