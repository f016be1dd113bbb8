//! Term → what the vocabulary says of it, or that it says nothing, or that it could not be asked.
//!
//! Invariant: nothing here invents. A hit or a miss is kept for a while, a failure never; askers of one term at one
//! time share one look-up.

mod counters;
mod finding;

use std::{sync::Arc, time::Duration};

use futures::future::try_join_all;
use moka::{future::Cache, policy::EvictionPolicy};
use vouch_domain::{
    Concept, Fault, Label, LabelKind, PortError, Reader, TermKey,
    ports::{Clock, Vocabulary},
};

use crate::{
    breaker::Breaker,
    policy::{TerminologyPolicy, UnknownTerm},
    trace::{Fallback, LookupOutcome},
};

use counters::TermCounters;
pub use counters::TermCounts;
use finding::late;
pub use finding::{LookupResult, TermFinding};

/// A term that always times out, for tests of a running system.
const TIMEOUT_TRIGGERS: [&str; 2] = ["__test_skosmos_timeout__", "test_timeout_trigger"];

/// A term that is looked up to see whether the vocabulary answers.
const CHECKED_TERM: &str = "health";

/// What the log says of a look-up that failed, in the words of the reply.
const TIMEOUT_FLAG: &str = Fallback::SkosmosTimeout.as_str();
const ERROR_FLAG: &str = Fallback::SkosmosError.as_str();
const CIRCUIT_OPEN_FLAG: &str = Fallback::CircuitOpen.as_str();

/// The state of the vocabulary, the tenant and the term: what was looked up in another state is not found again.
type CacheKey = (Option<String>, String, TermKey);

#[derive(Debug, Clone)]
struct CachedConcepts {
    concepts: Arc<[Concept]>,
    looked_up: Duration,
}

/// Where terms are looked up, under the policy's time and size limits.
pub struct TermLookup {
    vocabulary: Arc<dyn Vocabulary>,
    clock: Arc<dyn Clock>,
    policy: TerminologyPolicy,
    kept: Cache<CacheKey, CachedConcepts>,
    counters: TermCounters,
    breaker: Option<Arc<Breaker>>,
    may_be_empty: bool,
    may_be_emptied: bool,
}

impl TermLookup {
    /// Look-ups in a vocabulary.
    #[must_use]
    pub fn new(vocabulary: Arc<dyn Vocabulary>, clock: Arc<dyn Clock>, policy: TerminologyPolicy) -> Self {
        let kept = Cache::builder().max_capacity(policy.cache_max).eviction_policy(EvictionPolicy::lru()).build();
        let counters = TermCounters::default();
        Self { vocabulary, clock, policy, kept, counters, breaker: None, may_be_empty: false, may_be_emptied: false }
    }

    /// The same of a vocabulary that counts as none for as long as it is empty.
    #[must_use]
    pub fn once_filled(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    /// The same of a vocabulary that counts as none once it is emptied.
    #[must_use]
    pub fn while_filled(mut self) -> Self {
        self.may_be_emptied = true;
        self
    }

    /// Whether terms are to be looked up here: not in a vocabulary that is yet to be filled.
    pub async fn is_in_use(&self) -> bool {
        !(self.may_be_empty || self.may_be_emptied) || !matches!(self.state().await, Ok(None))
    }

    /// Whether the vocabulary may count as none.
    #[must_use]
    pub fn may_be_empty(&self) -> bool {
        self.may_be_empty
    }

    /// The state of the vocabulary, waited for no longer than a look-up.
    async fn state(&self) -> Result<Option<String>, PortError> {
        tokio::time::timeout(self.policy.timeout, self.vocabulary.state()).await.unwrap_or_else(|_| Err(late()))
    }

    /// Where a look-up is kept.
    ///
    /// # Errors
    /// Fails if the vocabulary is late: it would keep whoever asks waiting once more for the term.
    async fn cache_key(&self, reader: &Reader, key: &TermKey) -> Result<CacheKey, PortError> {
        let state = match self.state().await {
            Ok(state) => state,
            Err(error) if error.fault == Fault::Timeout => return Err(error),
            // It fails when it is asked for the term.
            Err(_) => None,
        };
        Ok((state, reader.tenant.clone(), key.clone()))
    }

    /// The same behind a circuit breaker.
    #[must_use]
    pub fn with_breaker(mut self, breaker: Arc<Breaker>) -> Self {
        self.breaker = Some(breaker);
        self
    }

    /// The figures so far.
    #[must_use]
    pub fn counts(&self) -> TermCounts {
        self.counters.read()
    }

    /// The language definitions are given in.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.policy.language
    }

    /// Whether a term that it does not define is looked for in the documents.
    #[must_use]
    pub fn searches_undefined(&self) -> bool {
        self.policy.unknown == UnknownTerm::Documents
    }

    /// What keeps the vocabulary.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.vocabulary.backend()
    }

    /// Looks a term up, or says why that could not be done.
    pub async fn look_up(&self, reader: &Reader, key: &TermKey) -> TermFinding {
        let finding = self.finding(reader, key).await;
        let is_told = self.policy.logs_terms || tracing::enabled!(tracing::Level::DEBUG);
        let (term, backend) = (is_told.then_some(key.as_str()), self.backend());
        match &finding {
            TermFinding::Found(found) | TermFinding::Unknown(found) => {
                let (hit, cached, latency_ms) = (!found.concepts.is_empty(), found.is_cached, found.waited_ms);
                tracing::info!(event = "lookup_complete", term, backend, hit, cached, latency_ms);
            }
            TermFinding::Late { waited_ms } => {
                tracing::warn!(event = "timeout", term, backend, latency_ms = waited_ms, fallback = TIMEOUT_FLAG);
            }
            TermFinding::Failed { sentence, is_circuit_open } => {
                let fallback = if *is_circuit_open { CIRCUIT_OPEN_FLAG } else { ERROR_FLAG };
                tracing::warn!(event = "lookup_failed", term, backend, sentence, fallback);
            }
        }
        finding
    }

    async fn finding(&self, reader: &Reader, key: &TermKey) -> TermFinding {
        let asked = self.clock.since_start();
        if TIMEOUT_TRIGGERS.contains(&key.as_str()) {
            return self.late_finding();
        }
        let Ok(place) = self.cache_key(reader, key).await else { return self.late_finding() };
        if let Some(kept) = self.kept.get(&place).await {
            if asked.saturating_sub(kept.looked_up) <= self.policy.cache_ttl {
                self.counters.cache_hit();
                return self.found(kept.concepts, true, asked);
            }
            self.kept.invalidate(&place).await;
        }
        match self.kept.try_get_with(place, self.ask(reader, key)).await {
            Ok(kept) => self.found(kept.concepts, false, asked),
            Err(error) if error.fault == Fault::Timeout => TermFinding::Late { waited_ms: self.timeout_ms() },
            Err(error) => {
                TermFinding::Failed { sentence: error.to_string(), is_circuit_open: error.fault == Fault::CircuitOpen }
            }
        }
    }

    /// Whether the vocabulary answers: a look-up that is neither counted nor kept, and not made while its breaker is open.
    ///
    /// # Errors
    /// Fails if the vocabulary does, is late or is not asked at the moment.
    pub async fn check(&self, reader: &Reader) -> Result<(), PortError> {
        if let Some(breaker) = &self.breaker {
            breaker.check_closed()?;
        }
        let Some(key) = TermKey::parse(CHECKED_TERM) else { return Ok(()) };
        match tokio::time::timeout(self.policy.timeout, self.vocabulary.look_up(reader, &key)).await {
            Ok(answer) => answer.map(drop),
            Err(_) => Err(late()),
        }
    }

    /// What a term was found to be, once more and uncounted: as it is kept, else as the vocabulary says now.
    ///
    /// # Errors
    /// Fails if the vocabulary does or is late.
    pub async fn look_up_fresh(&self, reader: &Reader, key: &TermKey) -> Result<Arc<[Concept]>, PortError> {
        if let Some(kept) = self.kept.get(&self.cache_key(reader, key).await?).await {
            return Ok(kept.concepts);
        }
        match tokio::time::timeout(self.policy.timeout, self.vocabulary.look_up(reader, key)).await {
            Ok(answer) => answer.map(Into::into),
            Err(_) => Err(late()),
        }
    }

    /// The widest concepts, to look through a vocabulary from; none where it cannot be looked through. Neither counted nor kept.
    ///
    /// # Errors
    /// Fails if the vocabulary does or is late.
    pub async fn top(&self, reader: &Reader, after: &str, limit: usize) -> Result<Option<Vec<Concept>>, PortError> {
        self.guarded(self.vocabulary.top(reader, after, limit)).await
    }

    /// Names of terms that look like this one.
    ///
    /// # Errors
    /// Fails if the vocabulary cannot say in time.
    pub async fn similar(&self, reader: &Reader, key: &TermKey, limit: usize) -> Result<Vec<String>, LookupOutcome> {
        self.guarded(self.vocabulary.similar(reader, key, limit)).await.map_err(|error| self.failed(&error))
    }

    /// Those of some terms that the vocabulary defines, by name and each once, up to a limit.
    ///
    /// # Errors
    /// Fails if the vocabulary cannot say in time.
    pub async fn defined_among(
        &self,
        reader: &Reader,
        keys: &[TermKey],
        limit: usize,
    ) -> Result<Vec<String>, LookupOutcome> {
        let mut names: Vec<String> = Vec::new();
        for concept in self.in_passing(reader, keys).await?.iter().flatten() {
            let name = concept.name(self.language());
            if concept.definition(self.language()).is_some() && names.iter().all(|known| known != name) {
                names.push(name.to_owned());
            }
        }
        names.truncate(limit);
        Ok(names)
    }

    /// Other labels of some terms, each with the term it may stand for; none if the vocabulary is too far away to be
    /// asked for every question.
    ///
    /// # Errors
    /// Fails if the vocabulary cannot say in time.
    pub async fn other_labels(
        &self,
        reader: &Reader,
        keys: &[TermKey],
    ) -> Result<Vec<(TermKey, String)>, LookupOutcome> {
        if !self.policy.synonyms {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (key, concepts) in keys.iter().zip(self.in_passing(reader, keys).await?) {
            // A term of two meanings has no synonym that is safe to search for.
            let [only] = concepts.as_slice() else { continue };
            let is_shown = |label: &&Label| label.kind != LabelKind::Hidden;
            let in_language =
                |label: &&Label| label.wording.language.as_deref().is_none_or(|own| own == self.language());
            let labels = only.labels.iter().filter(is_shown).filter(in_language);
            let others = labels.filter(|label| TermKey::parse(&label.wording.text).as_ref() != Some(key));
            found.extend(others.map(|label| (key.clone(), label.wording.text.clone())));
        }
        Ok(found)
    }

    /// Other names of a term and the names of what the vocabulary puts under it, each once, up to a limit.
    ///
    /// # Errors
    /// Fails if the vocabulary cannot say in time.
    pub async fn names_within(
        &self,
        reader: &Reader,
        key: &TermKey,
        limit: usize,
    ) -> Result<Vec<String>, LookupOutcome> {
        let mut names: Vec<String> = Vec::new();
        for concept in self.in_passing(reader, std::slice::from_ref(key)).await?.iter().flatten() {
            let is_shown = |label: &&Label| {
                let language = label.wording.language.as_deref();
                label.kind != LabelKind::Hidden && language.is_none_or(|own| own == self.language())
            };
            let own = concept.labels.iter().filter(is_shown).map(|label| &label.wording.text);
            let within = concept.narrower.iter().filter_map(|link| link.label.as_ref());
            for name in own.chain(within) {
                if TermKey::parse(name).as_ref() != Some(key) && !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names.truncate(limit);
        Ok(names)
    }

    /// The concepts of each term. Neither counted nor cached.
    async fn in_passing(&self, reader: &Reader, keys: &[TermKey]) -> Result<Vec<Vec<Concept>>, LookupOutcome> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let asked = try_join_all(keys.iter().map(|key| self.vocabulary.look_up(reader, key)));
        self.guarded(asked).await.map_err(|error| self.failed(&error))
    }

    /// Notes a look-up that was made in passing and failed.
    fn failed(&self, error: &PortError) -> LookupOutcome {
        let backend = self.backend();
        match error.fault {
            Fault::Timeout => {
                let latency_ms = self.timeout_ms();
                tracing::warn!(event = "timeout", backend, latency_ms, fallback = TIMEOUT_FLAG);
                LookupOutcome::Timeout
            }
            Fault::CircuitOpen => {
                tracing::warn!(event = "lookup_failed", backend, fallback = CIRCUIT_OPEN_FLAG);
                LookupOutcome::CircuitOpen
            }
            Fault::Unavailable
            | Fault::Full
            | Fault::Held
            | Fault::Corrupt
            | Fault::OtherEmbedder
            | Fault::Invalid
            | Fault::Internal => {
                tracing::warn!(event = "lookup_failed", backend, fallback = ERROR_FLAG);
                LookupOutcome::Error
            }
        }
    }

    /// One look-up at the vocabulary itself, counted.
    async fn ask(&self, reader: &Reader, key: &TermKey) -> Result<CachedConcepts, PortError> {
        let answer = self.guarded(self.vocabulary.look_up(reader, key)).await;
        match answer {
            Ok(concepts) => {
                if concepts.is_empty() {
                    self.counters.miss()
                } else {
                    self.counters.hit()
                }
                Ok(CachedConcepts { concepts: concepts.into(), looked_up: self.clock.since_start() })
            }
            Err(error) => {
                tracing::debug!(backend = self.backend(), fault = error.fault.as_str(), "vocabulary failed");
                match error.fault {
                    Fault::Timeout => self.counters.timeout(),
                    // A service that was not asked has not failed.
                    Fault::CircuitOpen => {}
                    Fault::Unavailable
                    | Fault::Full
                    | Fault::Held
                    | Fault::Corrupt
                    | Fault::OtherEmbedder
                    | Fault::Invalid
                    | Fault::Internal => self.counters.error(),
                }
                Err(error)
            }
        }
    }

    /// Waits for the vocabulary no longer than it has, and not at all where its breaker is open.
    async fn guarded<T>(&self, work: impl Future<Output = Result<T, PortError>>) -> Result<T, PortError> {
        let asked = async { tokio::time::timeout(self.policy.timeout, work).await.unwrap_or_else(|_| Err(late())) };
        match &self.breaker {
            Some(breaker) => breaker.guard(asked).await,
            None => asked.await,
        }
    }

    fn found(&self, concepts: Arc<[Concept]>, is_cached: bool, asked: Duration) -> TermFinding {
        let waited_ms = self.clock.since_start().saturating_sub(asked).as_secs_f64() * 1e3;
        let is_known = !concepts.is_empty();
        let looked_up = LookupResult { concepts, is_cached, waited_ms };
        if is_known { TermFinding::Found(looked_up) } else { TermFinding::Unknown(looked_up) }
    }

    /// A look-up that ended before the vocabulary was asked for the term, counted.
    fn late_finding(&self) -> TermFinding {
        self.counters.timeout();
        TermFinding::Late { waited_ms: self.timeout_ms() }
    }

    fn timeout_ms(&self) -> u64 {
        u64::try_from(self.policy.timeout.as_millis()).unwrap_or(u64::MAX)
    }
}
