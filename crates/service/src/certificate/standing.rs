//! A certificate and what is so now → whether it still holds, and why not.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Certificate, CertifiedSet, CertifiedState,
    drift::{CHANCE_MIN, READINGS_MIN, same_sort},
};
use crate::circumstances::Circumstances;

/// Replies that it takes before askers' reactions say anything.
const REPLIES_MIN: u64 = 100;
/// Refusals that were probably wrong: above this share too much is refused.
const FALSE_REFUSALS_MAX: f64 = 0.10;
/// Answers that were probably wrong: above this share too much is answered.
const WRONG_ANSWERS_MAX: f64 = 0.01;

/// What is certified, and whether it still holds.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Certified {
    /// Whether it holds.
    pub standing: Standing,
    /// Why it does not; empty where it does.
    pub withdrawn: Vec<Withdrawal>,
    /// The highest share that is answered wrongly here: that of the certificate, and where it is of several sets, of the one that was asked
    /// of this store; null where there is none.
    pub bound: Option<f64>,
    /// The certificate; null where none was issued for this folder.
    pub certificate: Option<Certificate>,
    /// What the replies of this process and the reactions to them say; null for callers who may not read figures of the whole service.
    pub live: Option<Live>,
}

/// Whether a certificate holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// There is none.
    None,
    /// It holds.
    Valid,
    /// It does not hold any more.
    Withdrawn,
}

/// One reason why a certificate does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Withdrawal {
    /// As one word.
    pub reason: Reason,
    /// As a sentence.
    pub sentence: String,
}

/// What changed since a certificate was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Documents, what editors prepared, or vocabularies.
    Corpus,
    /// The settings.
    Settings,
    /// The embedder or the judge.
    Models,
    /// The program.
    Version,
    /// Questions are of another sort than those it was counted on.
    Drift,
    /// The certificate itself is damaged.
    Damaged,
}

/// What live questions say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Live {
    /// Answers given since the start.
    pub answered: u64,
    /// Refusals given since the start.
    pub refused: u64,
    /// Answers that were probably wrong, by what their askers did or said next.
    pub answers_suspected: u64,
    /// Refusals that were probably wrong.
    pub refusals_suspected: u64,
    /// What that asks for; null where there are fewer than 100 replies or nothing is to be changed.
    pub advice: Option<Advice>,
    /// Readings of the judge that are compared with those of the certificate; the last 500.
    pub readings: usize,
    /// How likely it is that live questions are of the sort it was counted on; null with fewer than 100 readings.
    pub same_sort: Option<f64>,
}

/// What askers' reactions ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// More than 1 % of the answers were probably wrong.
    RaiseThresholds,
    /// More than 10 % of what could have been answered was probably refused.
    LowerThresholds,
    /// Both: no threshold mends that.
    ImproveCorpusOrModels,
}

impl Live {
    /// The same with what the figures ask for.
    #[must_use]
    pub fn advised(mut self) -> Self {
        let share = |part: u64, of: u64| if of == 0 { 0.0 } else { part as f64 / of as f64 };
        let is_known = self.answered.saturating_add(self.refused) >= REPLIES_MIN;
        let wrong = share(self.answers_suspected, self.answered) > WRONG_ANSWERS_MAX;
        let answerable = self.answered.saturating_add(self.refusals_suspected);
        let refused = share(self.refusals_suspected, answerable) > FALSE_REFUSALS_MAX;
        self.advice = match (wrong && is_known, refused && is_known) {
            (true, true) => Some(Advice::ImproveCorpusOrModels),
            (true, false) => Some(Advice::RaiseThresholds),
            (false, true) => Some(Advice::LowerThresholds),
            (false, false) => None,
        };
        self
    }
}

impl Certified {
    /// Looks at a certificate; one that cannot be read is withdrawn, whatever else is so.
    #[must_use]
    pub fn new(
        kept: Option<Result<Certificate, String>>,
        (circumstances, state): (&Circumstances, &CertifiedState),
        (live, readings): (Live, &[f64]),
    ) -> Self {
        let live = Live { readings: readings.len(), ..live }.advised();
        let certificate = match kept {
            None => return Self::none(live),
            Some(Err(fault)) => {
                let sentence = format!("The file of the certificate {fault}.");
                let withdrawn = vec![Withdrawal { reason: Reason::Damaged, sentence }];
                return Self { standing: Standing::Withdrawn, withdrawn, ..Self::none(live) };
            }
            Some(Ok(certificate)) => certificate,
        };
        // Of several sets the one that was asked of this store counts, and where none was, the one that is nearest to it.
        let looked_at = certificate.sets.iter().map(|set| (changes(set, circumstances, state), Some(set)));
        let (mut withdrawn, set) = looked_at.min_by_key(|(changes, _)| changes.len()).unwrap_or_else(|| {
            let sentence = "The certificate names no golden set.".to_owned();
            (vec![Withdrawal { reason: Reason::Damaged, sentence }], None)
        });
        let counted_on = set.map(|set| set.readings.as_slice()).unwrap_or_default();
        let is_known = readings.len() >= READINGS_MIN && !counted_on.is_empty();
        let same_sort = is_known.then(|| same_sort(counted_on, readings));
        let bound = match (certificate.sets.len(), set) {
            (2.., Some(set)) => set.bound,
            _ => certificate.bound,
        };
        if same_sort.is_some_and(|chance| chance < CHANCE_MIN) {
            withdrawn.push(Withdrawal {
                reason: Reason::Drift,
                sentence: "Recent questions are of a different kind than those it was measured on.".to_owned(),
            });
        }
        let standing = if withdrawn.is_empty() { Standing::Valid } else { Standing::Withdrawn };
        Self {
            standing,
            withdrawn,
            bound: Some(bound),
            certificate: Some(certificate),
            live: Some(Live { same_sort, ..live }),
        }
    }

    fn none(live: Live) -> Self {
        Self { standing: Standing::None, withdrawn: Vec::new(), bound: None, certificate: None, live: Some(live) }
    }
}

/// What changed since a set was asked.
fn changes(set: &CertifiedSet, circumstances: &Circumstances, state: &CertifiedState) -> Vec<Withdrawal> {
    let mut changes = Vec::new();
    let mut add = |reason: Reason, is_same: bool, sentence: &str| {
        if !is_same {
            changes.push(Withdrawal { reason, sentence: sentence.to_owned() });
        }
    };
    add(
        Reason::Corpus,
        set.state == *state,
        "The documents, entries or vocabularies have changed since it was issued.",
    );
    add(
        Reason::Settings,
        set.settings == circumstances.settings,
        "The settings that decide answers have changed since it was issued.",
    );
    let are_same_models = set.embedder == circumstances.embedder && set.judge == circumstances.judge;
    add(Reason::Models, are_same_models, "The embedder or the judge has changed since it was issued.");
    add(
        Reason::Version,
        set.version == circumstances.version,
        "The program's version has changed since it was issued.",
    );
    changes
}

#[cfg(test)]
mod tests {
    use super::{Advice, Certified, Live, Reason, Standing};
    use crate::{
        certificate::{Certificate, CertifiedSet, CertifiedState, FORMAT},
        circumstances::Circumstances,
    };

    fn certificate() -> Certificate {
        let readings = (0..200).map(|number| f64::from(number) / 200.0).collect();
        let set = CertifiedSet {
            golden_set: "g".to_owned(),
            golden_set_version: None,
            tenants: ["default".to_owned()].into(),
            corpus: "c".to_owned(),
            state: CertifiedState { generation: 3, ..CertifiedState::default() },
            settings: "s".to_owned(),
            embedder: "e".to_owned(),
            judge: Some("j".to_owned()),
            version: "1".to_owned(),
            questions: 200,
            errors: 1,
            bound: 0.03,
            answerable: 100,
            refused: 4,
            readings,
        };
        Certificate {
            format: FORMAT.to_owned(),
            date: "2026-01-01".to_owned(),
            bound: 0.03,
            confidence: 0.95,
            questions: 200,
            errors: 1,
            answerable: 100,
            refused: 4,
            figures: None,
            sets: vec![set],
        }
    }

    fn reasons(circumstances: &Circumstances, generation: u64, readings: &[f64]) -> (Standing, Vec<Reason>) {
        let state = CertifiedState { generation, ..CertifiedState::default() };
        let certified = Certified::new(Some(Ok(certificate())), (circumstances, &state), (Live::default(), readings));
        (certified.standing, certified.withdrawn.iter().map(|one| one.reason).collect())
    }

    #[test]
    fn it_holds_until_something_changes_and_says_what() {
        let same = Circumstances {
            version: "1".to_owned(),
            settings: "s".to_owned(),
            embedder: "e".to_owned(),
            judge: Some("j".to_owned()),
        };
        let alike: Vec<f64> = (0..150).map(|number| f64::from(number) / 150.0).collect();
        assert_eq!(reasons(&same, 3, &alike), (Standing::Valid, vec![]));
        assert_eq!(reasons(&same, 4, &alike), (Standing::Withdrawn, vec![Reason::Corpus]));
        assert_eq!(reasons(&same, 3, &[0.9; 150]), (Standing::Withdrawn, vec![Reason::Drift]));
        assert_eq!(reasons(&same, 3, &[0.9; 99]), (Standing::Valid, vec![]), "too few to say");
        let other = Circumstances { settings: "t".to_owned(), judge: None, ..same };
        assert_eq!(reasons(&other, 3, &alike), (Standing::Withdrawn, vec![Reason::Settings, Reason::Models]));
    }

    #[test]
    fn one_that_cannot_be_read_is_withdrawn_and_none_is_none() {
        let (now, state) = (Circumstances::default(), CertifiedState::default());
        let looked_at = |kept| Certified::new(kept, (&now, &state), (Live::default(), &[]));
        assert_eq!(looked_at(Some(Err("is torn".to_owned()))).standing, Standing::Withdrawn);
        assert_eq!(looked_at(None).standing, Standing::None);
        // A set that nothing is known of proves nothing.
        let empty = Certificate { sets: Vec::new(), ..certificate() };
        assert_eq!(looked_at(Some(Ok(empty))).standing, Standing::Withdrawn);
    }

    #[test]
    fn reactions_ask_for_other_thresholds_once_there_are_enough() {
        let live = |answered, answers_suspected, refused, refusals_suspected| {
            Live { answered, refused, answers_suspected, refusals_suspected, ..Live::default() }.advised().advice
        };
        assert_eq!(live(50, 10, 10, 10), None);
        assert_eq!(live(100, 1, 20, 11), None, "exactly at the limits");
        assert_eq!(live(100, 2, 20, 0), Some(Advice::RaiseThresholds));
        assert_eq!(live(100, 0, 20, 12), Some(Advice::LowerThresholds));
        assert_eq!(live(100, 2, 20, 12), Some(Advice::ImproveCorpusOrModels));
    }

    #[test]
    fn sums_that_do_not_add_up_are_told() {
        let bound_of = |errors: usize, _: usize, _: f64| errors as f64 * 0.03;
        assert!(certificate().faults(bound_of).is_empty());
        let forged = Certificate { errors: 0, bound: 0.01, ..certificate() };
        assert_eq!(forged.faults(bound_of).len(), 1, "{:?}", forged.faults(bound_of));
        let bold = Certificate { bound: 0.02, ..certificate() };
        assert_eq!(bold.faults(bound_of).len(), 1);
        assert!(Certificate::read("{}").is_err() && Certificate::read("nonsense").is_err());
    }
}
