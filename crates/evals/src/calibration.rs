//! Graded questions of two halves → the figures to answer by, chosen on one and tested on the other.
//!
//! Invariant: nothing is told of the half the figures were chosen on. The candidates are put in order on that half alone, the safest
//! first, and tested one after another on the other until one fails; so the chance that a tested one does not hold what is said of it
//! is at most what the confidence leaves, however many there are (fixed-sequence testing, after Learn-then-Test).

use serde::{Deserialize, Serialize};

use crate::{
    bounds::{Rate, share, upper_bound},
    graded::Graded,
    score::Verdict,
};

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The most that the rate of hallucinations may be, of all questions.
    pub hallucination: f64,
    /// The most that the rate of answerable questions refused may be.
    pub false_refusal: f64,
    /// How sure it must be that the first holds.
    pub confidence: f64,
    /// The least share of all questions that must be answered; fewer is no use to anybody.
    pub coverage: f64,
}

/// Figures to answer by: an answer that reaches both is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// The confidence an answer needs, 0 to 100.
    pub confidence: u32,
    /// How sure the judge must be that a passage answers, 0 to 1.
    pub answerability: f64,
}

/// What a cut comes to on some questions, in counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// All questions.
    pub questions: usize,
    /// Wrong answers of both sorts.
    pub wrong: usize,
    /// Answerable questions.
    pub answerable: usize,
    /// Of these, refused.
    pub refused: usize,
    /// Questions answered.
    pub answered: usize,
}

impl Tally {
    /// Hallucinations, of all questions.
    #[must_use]
    pub fn hallucination(&self) -> Rate {
        Rate::new(self.wrong, self.questions)
    }

    /// Answerable questions refused.
    #[must_use]
    pub fn false_refusal(&self) -> Rate {
        Rate::new(self.refused, self.answerable)
    }

    fn refused_share(&self) -> f64 {
        share(self.refused, self.answerable)
    }

    fn coverage(&self) -> f64 {
        share(self.answered, self.questions)
    }
}

/// What was chosen, and what it came to where it was not chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// What was wanted.
    pub target: Target,
    /// The cut; none where no cut is proved to hold the first target.
    pub cut: Option<Cut>,
    /// What it comes to on the half it was tested on.
    pub tested: Option<Tally>,
    /// The rate of hallucinations that the tests rule out, with the confidence that was asked for: the one that was wanted. What the counts
    /// of the cut prove by themselves would be less, and too little: it was picked among others on the same questions.
    pub bound: Option<f64>,
    /// Whether the second target and the floor are met on that half too.
    pub is_met: bool,
    /// What every cut on the way comes to on the half that was tested on, for the trade between the two.
    pub curve: Vec<(Cut, Tally)>,
}

/// Chooses on one half and tests on the other.
#[must_use]
pub fn calibrate(chosen_on: &[Graded], tested_on: &[Graded], grid: &[Cut], target: Target) -> Calibration {
    // In the order of what they come to on the half to choose on: the fewest hallucinations first, then the fewest refusals.
    let mut order: Vec<(Cut, Tally)> = grid.iter().map(|cut| (*cut, tally(chosen_on, *cut))).collect();
    order.retain(|(_, own)| own.coverage() >= target.coverage);
    order.sort_by_key(|(_, own)| (own.wrong, own.refused));
    // Of cuts with as many hallucinations the one with the fewest refusals is enough.
    order.dedup_by_key(|(_, own)| own.wrong);
    let mut curve = Vec::new();
    let mut best: Option<(Cut, Tally)> = None;
    let mut is_open = true;
    for (cut, _) in order {
        let tested = tally(tested_on, cut);
        if is_open {
            is_open = upper_bound(tested.wrong, tested.questions, target.confidence) <= target.hallucination;
            let is_better = best.is_none_or(|(_, own)| tested.refused_share() < own.refused_share());
            if is_open && is_better {
                best = Some((cut, tested));
            }
        }
        curve.push((cut, tested));
    }
    Calibration {
        target,
        cut: best.map(|(cut, _)| cut),
        tested: best.map(|(_, tested)| tested),
        bound: best.map(|_| target.hallucination),
        is_met: best
            .is_some_and(|(_, own)| own.refused_share() <= target.false_refusal && own.coverage() >= target.coverage),
        curve,
    }
}

/// What a cut comes to: an answer that does not reach it is a refusal.
#[must_use]
pub fn tally(graded: &[Graded], cut: Cut) -> Tally {
    let mut tally = Tally { questions: graded.len(), ..Tally::default() };
    for one in graded {
        let reaches = reaches(one, cut);
        tally.answerable += usize::from(one.answerable);
        let is_answer = matches!(one.verdict, Verdict::Right | Verdict::Beside | Verdict::Overconfident);
        tally.answered += usize::from(is_answer && reaches);
        match one.verdict {
            Verdict::Beside | Verdict::Overconfident if reaches => tally.wrong += 1,
            Verdict::FalseRefusal => tally.refused += 1,
            Verdict::Right | Verdict::Beside if !reaches => tally.refused += 1,
            Verdict::Right | Verdict::Beside | Verdict::Overconfident | Verdict::RightRefusal => {}
        }
    }
    tally
}

/// Whether an answer reaches a cut. What has no confidence, such as a definition or the output of a tool, has nothing to reach.
fn reaches(one: &Graded, cut: Cut) -> bool {
    let is_sure = one.confidence.is_none_or(|own| own >= cut.confidence);
    is_sure && one.answerability.is_none_or(|own| own >= cut.answerability)
}

/// Every cut from where a profile stands upwards.
#[must_use]
pub fn grid(from: Cut) -> Vec<Cut> {
    let confidences = (from.confidence..=100).step_by(2);
    let readings = (0..=24_u8).map(|step| f64::from(step) * 0.04).filter(|own| *own >= from.answerability);
    let readings: Vec<f64> = std::iter::once(from.answerability).chain(readings).collect();
    confidences
        .flat_map(|confidence| {
            readings.iter().map(move |answerability| Cut { confidence, answerability: *answerability })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Cut, Target, calibrate, grid};
    use crate::{golden, graded::Graded, score::Verdict};

    /// A number that follows from the one before.
    struct Seeded(u64);

    impl Seeded {
        fn share(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Questions whose answers are wrong the more often the less sure they are.
    fn half(seeded: &mut Seeded, size: usize) -> Vec<Graded> {
        let line = golden::read(r#"{"id":"a","query":"q"}"#).expect("a line").remove(0);
        let one = |seeded: &mut Seeded| {
            let confidence = seeded.share();
            let verdict = match (seeded.share() < 0.5, seeded.share() < wrong_at(confidence)) {
                (true, true) => Verdict::Beside,
                (true, false) => Verdict::Right,
                (false, true) => Verdict::Overconfident,
                (false, false) => Verdict::RightRefusal,
            };
            let mut graded = Graded::new(&line, verdict, crate::expectation::Actual::default());
            graded.answerable = matches!(verdict, Verdict::Beside | Verdict::Right);
            graded.confidence = Some((confidence * 100.0) as u32);
            graded
        };
        (0..size).map(|_| one(seeded)).collect()
    }

    fn wrong_at(confidence: f64) -> f64 {
        0.3 * (1.0 - confidence)
    }

    /// The true rate of wrong answers among all questions at a cut.
    fn true_rate(cut: Cut) -> f64 {
        let steps = 10_000_u32;
        let own = (0..steps).map(|step| (f64::from(step) + 0.5) / f64::from(steps));
        own.filter(|confidence| (confidence * 100.0).floor() >= f64::from(cut.confidence)).map(wrong_at).sum::<f64>()
            / f64::from(steps)
    }

    #[test]
    fn the_bound_holds_as_often_as_it_says_over_two_thousand_calibrations() {
        let cuts: Vec<Cut> = grid(Cut { confidence: 0, answerability: 0.96 });
        for hallucination in [0.05, 0.10, 0.15] {
            let target = Target { hallucination, false_refusal: 1.0, confidence: 0.95, coverage: 0.0 };
            let mut seeded = Seeded(20_261_118);
            let (mut chosen, mut broken) = (0, 0);
            for _ in 0..2_000 {
                let (tune, test) = (half(&mut seeded, 200), half(&mut seeded, 200));
                let found = calibrate(&tune, &test, &cuts, target);
                let Some((cut, bound)) = found.cut.zip(found.bound) else { continue };
                chosen += 1;
                broken += usize::from(true_rate(cut) > bound);
            }
            assert!(chosen > 1_500, "{chosen} calibrations found a cut");
            assert!(broken <= 100, "{broken} of 2,000 do not hold at {hallucination}");
        }
    }

    #[test]
    fn where_nothing_can_be_proved_nothing_is_said() {
        let mut seeded = Seeded(7);
        let (tune, test) = (half(&mut seeded, 20), half(&mut seeded, 20));
        let target = Target { hallucination: 0.02, false_refusal: 0.1, confidence: 0.95, coverage: 0.2 };
        let found = calibrate(&tune, &test, &grid(Cut::default()), target);
        assert_eq!((found.cut, found.bound, found.is_met), (None, None, false));
        assert!(!found.curve.is_empty(), "the trade is told all the same");
    }
}
