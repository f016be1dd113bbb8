//! The certificate of an evaluation: how often answers are wrong at most, on what that was counted, and with which confidence.

pub mod drift;
mod standing;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vouch_domain::ports::StoreState;

pub use standing::{Advice, Certified, Live, Reason, Standing, Withdrawal};

/// What a certificate of this shape is called.
pub const FORMAT: &str = "vouch-certificate/1";
/// The name of the file in the data folder.
pub const FILE: &str = "certificate.json";
/// The largest certificate that is read.
pub const BYTES_MAX: u64 = 4 * 1_024 * 1_024;

/// At most this share of questions such as these is answered wrongly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Always `vouch-certificate/1`.
    pub format: String,
    /// When it was issued.
    pub date: String,
    /// The highest share of questions that is answered wrongly: answered although the documents do not answer it, or with an
    /// answer that does not hold what it must.
    pub bound: f64,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// Questions it was counted on; none of them had a part in the choice of the figures.
    pub questions: usize,
    /// How many of them were answered wrongly.
    pub errors: usize,
    /// How many of them are answerable.
    pub answerable: usize,
    /// How many of these were refused.
    pub refused: usize,
    /// The figures that were chosen on other questions and written into the settings; null where the settings were taken as they
    /// stood.
    pub figures: Option<Figures>,
    /// The golden sets, each with the corpus, settings and models it was asked of.
    pub sets: Vec<CertifiedSet>,
}

/// How sure an answer must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The confidence an answer needs, 0 to 100.
    pub confidence: u32,
    /// How sure the judge must be that a passage answers, 0 to 1.
    pub answerability: f64,
}

/// One golden set, and what it was asked of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSet {
    /// The Git blob hash of the golden set.
    pub golden_set: String,
    /// The version that stands beside it.
    pub golden_set_version: Option<String>,
    /// Whose documents it was asked of.
    pub tenants: BTreeSet<String>,
    /// A digest of the corpus.
    pub corpus: String,
    /// The store, and how often it had changed.
    pub state: CertifiedState,
    /// A digest of the settings that decide answers.
    pub settings: String,
    /// The embedder.
    pub embedder: String,
    /// The judge.
    pub judge: Option<String>,
    /// The program's version.
    pub version: String,
    /// Questions it was counted on.
    pub questions: usize,
    /// How many of them were answered wrongly.
    pub errors: usize,
    /// What this set proves by itself, with the same confidence.
    pub bound: f64,
    /// How many are answerable.
    pub answerable: usize,
    /// How many of these were refused.
    pub refused: usize,
    /// How sure the judge was that a passage answers, for each question it was asked about, in ascending order.
    pub readings: Vec<f64>,
}

/// A store at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedState {
    /// Which store it is.
    pub store: Option<String>,
    /// How often its documents had changed.
    pub generation: u64,
    /// What editors had prepared.
    pub memory: Option<String>,
    /// The vocabularies.
    pub vocabulary: Option<String>,
}

impl From<&StoreState> for CertifiedState {
    /// People and topics change no answer and are left out.
    fn from(state: &StoreState) -> Self {
        Self {
            store: state.store.clone(),
            generation: state.generation.0,
            memory: state.memory.clone(),
            vocabulary: state.vocabulary.clone(),
        }
    }
}

impl Certificate {
    /// Reads a certificate.
    ///
    /// # Errors
    /// Says what is wrong with one that is none.
    pub fn read(text: &str) -> Result<Self, String> {
        let certificate: Self = serde_json::from_str(text).map_err(|error| format!("is not a certificate: {error}"))?;
        match certificate.format == FORMAT {
            true => Ok(certificate),
            false => Err(format!("is a certificate of another kind ('{}')", certificate.format)),
        }
    }

    /// What is wrong with its sums, a sentence each; `bound_of` says what so many errors of so many questions prove.
    #[must_use]
    pub fn faults(&self, bound_of: impl Fn(usize, usize, f64) -> f64) -> Vec<String> {
        let mut faults = Vec::new();
        let mut check = |is_so: bool, fault: String| {
            if !is_so {
                faults.push(fault);
            }
        };
        let sum = |of: fn(&CertifiedSet) -> usize| self.sets.iter().map(of).fold(0_usize, usize::saturating_add);
        check(!self.sets.is_empty(), "it names no golden set".to_owned());
        check((0.5..1.0).contains(&self.confidence), format!("a confidence of {} is not valid", self.confidence));
        let sums = [
            ("questions", self.questions, sum(|set| set.questions)),
            ("errors", self.errors, sum(|set| set.errors)),
            ("answerable", self.answerable, sum(|set| set.answerable)),
            ("refused", self.refused, sum(|set| set.refused)),
        ];
        for (name, told, own) in sums {
            check(told == own, format!("it says {told} {name}, but its sets add up to {own}"));
        }
        check(self.errors <= self.questions, "it counts more errors than questions".to_owned());
        check(self.refused <= self.answerable, "it counts more refusals than answerable questions".to_owned());
        for set in &self.sets {
            let is_sound =
                set.errors <= set.questions && set.refused <= set.answerable && set.answerable <= set.questions;
            let readings =
                set.readings.len() <= set.questions && set.readings.iter().all(|own| (0.0..=1.0).contains(own));
            check(is_sound && readings, format!("{}: its counts or readings are impossible", set.golden_set));
        }
        let names: BTreeSet<&str> = self.sets.iter().map(|set| set.golden_set.as_str()).collect();
        check(names.len() == self.sets.len(), "a golden set is counted twice".to_owned());
        let is_countable = self.questions <= QUESTIONS_MAX && (0.0..=1.0).contains(&self.bound);
        check(is_countable, format!("it counts more than {QUESTIONS_MAX} questions, or its bound is not a share"));
        // What does not add up proves nothing, and may take for ever to work out.
        if !faults.is_empty() {
            return faults;
        }
        let mut check = |is_so: bool, fault: String| {
            if !is_so {
                faults.push(fault);
            }
        };
        let proved = bound_of(self.errors, self.questions, self.confidence);
        check(
            proved <= self.bound + ROUNDING,
            format!(
                "{} errors of {} questions prove {:.2} %, not {:.2} %",
                self.errors,
                self.questions,
                proved * 100.0,
                self.bound * 100.0
            ),
        );
        for set in &self.sets {
            let own = bound_of(set.errors, set.questions, self.confidence);
            let name = &set.golden_set;
            check((own - set.bound).abs() <= ROUNDING, format!("{name}: the bound does not follow from its counts"));
        }
        faults
    }
}

/// More questions than anybody asks.
const QUESTIONS_MAX: usize = 1_000_000;
/// By how much two figures may differ that were worked out alike and written down.
const ROUNDING: f64 = 1e-9;
