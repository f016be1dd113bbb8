//! The built-in judge behind the `PassageJudge` and `ClaimJudge` ports, see `models/judge/CARD.md`.
//!
//! Invariant: a reading does not depend on what is read beside it; readings are kept by the texts they were made from.
//! A pair not begun by the deadline has no reading.

mod calibration;
mod closed_question;
mod encoder;
mod heads;
mod port;
mod span;
mod window;

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use moka::sync::Cache;
use vouch_domain::{
    CharSpan, Fault, PortError,
    ports::{ClaimJudge, ClaimPair, JudgedPassage, PassageJudge, Reading, Reranker, Support},
};

use calibration::Calibration;
use closed_question::is_closed;
use encoder::Encoder;
use heads::Scores;
use port::PORT;
use window::{Extent, Window};

/// The name of the built-in judge.
pub const NAME: &str = "vouch-judge-int8";
/// The beginning of the digest of its weights and of the figures beside them; a test holds them together.
pub const DIGEST: &str = "bdb78d9e990a30d0";
/// Readings kept of each sort; one takes about a hundred bytes.
const READINGS_KEPT: u64 = 20_000;

/// The file of its weights, as it is.
pub static WEIGHTS: &[u8] = include_bytes!("../../../../models/judge/model.onnx");
static CALIBRATION: &str = include_str!("../../../../models/judge/calibration.json");

type Key = [u8; 32];

/// The judge; its weights are read when it is first asked.
#[derive(Clone)]
pub struct Judge {
    bench: Arc<Bench>,
}

struct Bench {
    threads: usize,
    calibration: Calibration,
    encoder: OnceLock<Option<Encoder>>,
    readings: Cache<Key, Reading>,
    scores: Cache<Key, f32>,
    supports: Cache<Key, Support>,
}

impl Judge {
    /// A judge that works on so many threads.
    ///
    /// # Errors
    /// Fails if the figures beside the weights are damaged.
    pub fn load(threads: usize) -> Result<Self, PortError> {
        let calibration = Calibration::read(CALIBRATION).ok_or_else(|| {
            PortError::new(PORT, Fault::Corrupt, "the figures beside the judge's weights are damaged")
        })?;
        let bench = Bench {
            threads: threads.max(1),
            calibration,
            encoder: OnceLock::new(),
            readings: Cache::new(READINGS_KEPT),
            scores: Cache::new(READINGS_KEPT),
            supports: Cache::new(READINGS_KEPT),
        };
        Ok(Self { bench: Arc::new(bench) })
    }

    /// Has its weights read aside, for a caller who will ask it before long.
    pub fn warm_up(&self) {
        let bench = Arc::clone(&self.bench);
        // Whoever asks before it is done waits for it, and whoever asks at all is told where it fails.
        std::thread::spawn(move || bench.encoder().is_ok());
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Bench) -> Result<T, PortError> + Send + 'static,
    ) -> Result<T, PortError> {
        let bench = Arc::clone(&self.bench);
        tokio::task::spawn_blocking(move || work(&bench)).await.map_err(|error| {
            PortError::new(PORT, Fault::Internal, "judging was stopped by an internal error").with_source(error)
        })?
    }
}

#[async_trait]
impl PassageJudge for Judge {
    fn name(&self) -> &str {
        NAME
    }

    async fn read(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<Option<Reading>>, PortError> {
        let (question, deadline) = (question.to_owned(), deadline(timeout));
        self.run(move |bench| bench.read(&question, &passages, deadline)).await
    }
}

#[async_trait]
impl Reranker for Judge {
    fn name(&self) -> &str {
        NAME
    }

    async fn scores(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<f32>, PortError> {
        let (question, deadline) = (question.to_owned(), deadline(timeout));
        self.run(move |bench| bench.scores(&question, &passages, deadline)).await
    }
}

#[async_trait]
impl ClaimJudge for Judge {
    fn name(&self) -> &str {
        NAME
    }

    async fn weigh(&self, pairs: Vec<ClaimPair>, timeout: Duration) -> Result<Vec<Option<Support>>, PortError> {
        let deadline = deadline(timeout);
        self.run(move |bench| bench.weigh(&pairs, deadline)).await
    }
}

impl Bench {
    fn encoder(&self) -> Result<&Encoder, PortError> {
        let loaded = self.encoder.get_or_init(|| Encoder::load(WEIGHTS, self.threads));
        loaded.as_ref().ok_or_else(|| PortError::new(PORT, Fault::Corrupt, "the judge's weights are damaged"))
    }

    fn read(
        &self,
        question: &str,
        passages: &[JudgedPassage],
        deadline: Instant,
    ) -> Result<Vec<Option<Reading>>, PortError> {
        let with_heading = self.calibration.reads_headings;
        let pair = |passage: &JudgedPassage| Pair::of_passage(question, passage, with_heading);
        let texts: Vec<Pair> = passages.iter().map(pair).collect();
        self.each(&texts, &self.readings, deadline, |pair, scored| {
            let readings = scored.iter().map(|(window, scores)| self.reading(pair, window, scores));
            readings.max_by(|a, b| a.answerable.total_cmp(&b.answerable))
        })
    }

    /// How well the beginning of each passage fits the question: enough to put many in order, where reading each to its end
    /// would take too long.
    fn scores(&self, question: &str, passages: &[JudgedPassage], deadline: Instant) -> Result<Vec<f32>, PortError> {
        let with_heading = self.calibration.reads_headings;
        let pair = |passage: &JudgedPassage| Pair::of_passage(question, passage, with_heading).begun();
        let texts: Vec<Pair> = passages.iter().map(pair).collect();
        let scores = self.each(&texts, &self.scores, deadline, |_, scored| {
            scored.first().map(|(_, scores)| self.calibration.relevant(scores))
        })?;
        let late = || PortError::new(PORT, Fault::Timeout, "the passages were not put in order within the deadline");
        scores.into_iter().collect::<Option<Vec<f32>>>().ok_or_else(late)
    }

    fn weigh(&self, pairs: &[ClaimPair], deadline: Instant) -> Result<Vec<Option<Support>>, PortError> {
        let texts: Vec<Pair> = pairs.iter().map(Pair::of_claim).collect();
        self.each(&texts, &self.supports, deadline, |_, scored| {
            let supports = scored.iter().map(|(_, scores)| self.calibration.support(scores));
            supports.max_by(|a, b| a.supported.total_cmp(&b.supported))
        })
    }

    /// What each pair comes to: from memory, or from its windows, longest first so that the threads end together.
    fn each<T: Clone + Blank + Send + Sync + 'static>(
        &self,
        pairs: &[Pair],
        kept: &Cache<Key, T>,
        deadline: Instant,
        settle: impl Fn(&Pair, &[(&Window, Scores)]) -> Option<T>,
    ) -> Result<Vec<Option<T>>, PortError> {
        let mut settled: Vec<Option<T>> = pairs.iter().map(|pair| pair.known(kept)).collect();
        let open: Vec<usize> =
            settled.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(at, _)| at).collect();
        if open.is_empty() {
            return Ok(settled);
        }
        let encoder = self.encoder()?;
        let mut work: Vec<(usize, Window)> = Vec::new();
        for at in open {
            let Some(pair) = pairs.get(at) else { continue };
            work.extend(
                encoder.windows((&pair.first, &pair.second), pair.extent)?.into_iter().map(|window| (at, window)),
            );
        }
        work.sort_by(|a, b| b.1.ids.len().cmp(&a.1.ids.len()).then(a.0.cmp(&b.0)));
        let windows: Vec<&Window> = work.iter().map(|(_, window)| window).collect();
        let scored = encoder.score(&windows, deadline)?;
        for (at, pair) in pairs.iter().enumerate() {
            let own: Option<Vec<(&Window, Scores)>> = work
                .iter()
                .zip(&scored)
                .filter(|((of, _), _)| *of == at)
                .map(|((_, window), scores)| Some((window, scores.clone()?)))
                .collect();
            if let (None, Some(own)) = (settled.get(at).and_then(Option::as_ref), own)
                && let Some(value) = settle(pair, &own)
                && let Some(place) = settled.get_mut(at)
            {
                kept.insert(pair.key(), value.clone());
                *place = Some(value);
            }
        }
        Ok(settled)
    }

    fn reading(&self, pair: &Pair, window: &Window, scores: &Scores) -> Reading {
        let found = span::best(&scores.span, window, pair.second_from);
        let margin = found.map_or(0.0, |found| found.margin);
        let span = found.map(|found| CharSpan {
            start: found.start.saturating_sub(pair.second_from),
            end: found.end.saturating_sub(pair.second_from),
        });
        Reading {
            answerable: self.calibration.answerable(scores, margin, is_closed(&pair.first)),
            relevant: self.calibration.relevant(scores),
            span,
        }
    }
}

/// The longest wait that is taken at its word.
const TIMEOUT_MAX: Duration = Duration::from_secs(3_600);

fn deadline(timeout: Duration) -> Instant {
    Instant::now() + timeout.min(TIMEOUT_MAX)
}

/// Two texts to be read together.
struct Pair {
    first: String,
    second: String,
    /// How many characters of the second text are a heading.
    second_from: usize,
    is_blank: bool,
    /// How much of the second text is read.
    extent: Extent,
}

impl Pair {
    fn of_passage(question: &str, passage: &JudgedPassage, with_heading: bool) -> Self {
        let heading = passage.heading.trim();
        let prefix = if heading.is_empty() || !with_heading { String::new() } else { format!("{heading}: ") };
        Self {
            first: question.trim().to_owned(),
            second_from: prefix.chars().count(),
            is_blank: question.trim().is_empty() || passage.text.trim().is_empty(),
            second: prefix + &passage.text,
            extent: Extent::Whole,
        }
    }

    /// The same, of which the beginning alone is read.
    fn begun(self) -> Self {
        Self { extent: Extent::Beginning, ..self }
    }

    fn of_claim(pair: &ClaimPair) -> Self {
        let is_blank = pair.claim.trim().is_empty() || pair.evidence.trim().is_empty();
        Self {
            first: pair.claim.trim().to_owned(),
            second: pair.evidence.clone(),
            second_from: 0,
            is_blank,
            extent: Extent::Whole,
        }
    }

    fn key(&self) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.first.len().to_le_bytes()).update(self.first.as_bytes());
        hasher.update(&self.second_from.to_le_bytes()).update(self.second.as_bytes());
        *hasher.finalize().as_bytes()
    }

    fn known<T: Clone + Blank + Send + Sync + 'static>(&self, kept: &Cache<Key, T>) -> Option<T> {
        if self.is_blank { Some(T::blank()) } else { kept.get(&self.key()) }
    }
}

/// What is said where there is no text to read.
trait Blank {
    fn blank() -> Self;
}

impl Blank for Reading {
    fn blank() -> Self {
        Self { answerable: 0.0, relevant: 0.0, span: None }
    }
}

impl Blank for f32 {
    fn blank() -> Self {
        0.0
    }
}

impl Blank for Support {
    fn blank() -> Self {
        Self { supported: 0.0, contradicted: 0.0, silent: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{CALIBRATION, DIGEST, WEIGHTS};

    #[test]
    fn the_digest_is_that_of_the_weights_and_figures() {
        let mut hasher = blake3::Hasher::new();
        hasher.update(WEIGHTS).update(CALIBRATION.as_bytes());
        let digest = hasher.finalize().to_hex();
        assert_eq!(digest.get(..DIGEST.len()), Some(DIGEST), "other weights have another digest");
    }
}
