//! What was asked of one or more golden sets → the certificate of how it went.

use std::path::Path;

use vouch_domain::timestamp;
use vouch_evals::{
    bounds::upper_bound,
    calibration::{Cut, Tally, tally},
    graded::Graded,
};
use vouch_service::certificate::{Certificate, CertifiedSet, FORMAT, Figures};

use super::{
    circumstances, read,
    resume::Heading,
    run::{Kept, evaluate},
};
use crate::wiring::App;

/// One golden set that was asked, or one half of it.
pub(super) struct AskedSet {
    pub(super) heading: Heading,
    pub(super) graded: Vec<Graded>,
}

impl AskedSet {
    /// Asks a golden set of a store, or one half of it.
    pub(super) async fn ask(app: &App, golden: &Path, split: Option<&str>) -> anyhow::Result<Self> {
        let (all, bytes) = read(golden, None)?;
        let meta = circumstances::meta(app, golden, (&all, &bytes)).await?;
        let questions: Vec<_> = all.into_iter().filter(|one| split.is_none_or(|split| one.split == split)).collect();
        let heading = Heading::new(&meta, &circumstances::state(app).await?, &questions);
        let graded = evaluate(app, (&questions, &heading), Kept::default()).await?;
        Ok(Self { heading, graded })
    }

    /// The questions of one half.
    pub(super) fn half(&self, split: &str) -> Vec<Graded> {
        self.graded.iter().filter(|one| one.split == split).cloned().collect()
    }
}

/// What is proved, and by which figures.
pub(super) struct Proof {
    /// How sure it is.
    pub(super) confidence: f64,
    /// The rate that a test of chosen figures ruled out; without one the counts speak for themselves.
    pub(super) chosen: Option<(Figures, f64)>,
}

/// The certificate of the questions that had no part in the choice of the figures.
pub(super) fn certificate(sets: &[AskedSet], proof: &Proof, now_ms: u64) -> Certificate {
    let certified: Vec<CertifiedSet> = sets.iter().map(|set| certified(set, proof.confidence)).collect();
    let sum = |of: fn(&CertifiedSet) -> usize| certified.iter().map(of).sum();
    let (questions, errors) = (sum(|set| set.questions), sum(|set| set.errors));
    Certificate {
        format: FORMAT.to_owned(),
        date: timestamp(now_ms),
        bound: match proof.chosen {
            Some((_, ruled_out)) => ruled_out,
            None => upper_bound(errors, questions, proof.confidence),
        },
        confidence: proof.confidence,
        questions,
        errors,
        answerable: sum(|set| set.answerable),
        refused: sum(|set| set.refused),
        figures: proof.chosen.map(|(figures, _)| figures),
        sets: certified,
    }
}

/// What one set comes to.
pub(super) fn certified(set: &AskedSet, confidence: f64) -> CertifiedSet {
    let tested = set.half("test");
    // Everything that was answered counts.
    let Tally { questions, wrong, answerable, refused, .. } = tally(&tested, Cut::default());
    let mut readings: Vec<f64> = tested.iter().filter_map(|one| one.answerability).collect();
    readings.sort_by(f64::total_cmp);
    let heading = set.heading.clone();
    CertifiedSet {
        golden_set: heading.golden_set_hash,
        golden_set_version: heading.golden_set_version,
        corpus: heading.corpus,
        tenants: heading.tenants,
        state: heading.state,
        settings: heading.config_hash,
        embedder: heading.embedder,
        judge: heading.judge,
        version: heading.version,
        questions,
        errors: wrong,
        bound: upper_bound(wrong, questions, confidence),
        answerable,
        refused,
        readings,
    }
}

/// A certificate in a sentence or two, for a person.
pub(super) fn shown(certificate: &Certificate) -> String {
    format!(
        "Certificate of {}: at most {:.1} % of questions such as these are answered wrongly, with {:.0} % confidence ({} of {} \
         were; {} of {} answerable ones were refused).\n",
        certificate.date,
        certificate.bound * 100.0,
        certificate.confidence * 100.0,
        certificate.errors,
        certificate.questions,
        certificate.refused,
        certificate.answerable
    )
}
