//! Signs for each class, with the right class → a linear rule: how much each sign weighs, and from the signs how likely each class is.
//!
//! Fitted by descent in a fixed number of steps from the same start, so the same examples always give the same rule. The weights
//! are those of the signs and not of the classes: a few examples of each are enough.

use super::features::Signs;

/// How many steps are gone, and how long they are.
const STEPS: i32 = 400;
const STEP: f64 = 0.05;
/// How strongly weights are held back.
const HELD_BACK: f64 = 1e-3;
/// How long the descent remembers its direction, and how steep it was.
const DIRECTION: f64 = 0.9;
const STEEPNESS: f64 = 0.999;

/// What speaks for each class at one example, its right class, and how much it counts.
pub(super) struct Case {
    pub(super) signs: Vec<Signs>,
    pub(super) class: usize,
    pub(super) weight: f64,
}

/// A score per class, linear in its signs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinearRule {
    weights: Signs,
    constants: Vec<f64>,
}

impl LinearRule {
    /// Fits a rule; none if the cases do not allow one.
    pub(super) fn fit(cases: &[Case], classes: usize) -> Option<Self> {
        let is_whole = |case: &Case| case.signs.len() == classes && case.class < classes && case.weight > 0.0;
        if classes < 2 || cases.is_empty() || !cases.iter().all(is_whole) {
            return None;
        }
        let mut rule = Self { weights: Signs::default(), constants: vec![0.0; classes] };
        let mut memory = vec![(0.0_f64, 0.0_f64); rule.weights.len() + classes];
        for step in 1..=STEPS {
            let slopes = rule.slopes(cases);
            let places = rule.weights.iter_mut().chain(&mut rule.constants);
            for ((place, slope), (direction, steepness)) in places.zip(slopes).zip(&mut memory) {
                *direction = DIRECTION * *direction + (1.0 - DIRECTION) * slope;
                *steepness = STEEPNESS * *steepness + (1.0 - STEEPNESS) * slope * slope;
                let (mean, square) =
                    (*direction / (1.0 - DIRECTION.powi(step)), *steepness / (1.0 - STEEPNESS.powi(step)));
                *place -= STEP * mean / (square.sqrt() + 1e-8);
            }
        }
        rule.weights.iter().chain(&rule.constants).all(|value| value.is_finite()).then_some(rule)
    }

    /// How steeply the loss rises with each weight and each constant.
    fn slopes(&self, cases: &[Case]) -> Vec<f64> {
        let mut of_weights = Signs::default();
        let mut of_constants = vec![0.0; self.constants.len()];
        let all: f64 = cases.iter().map(|case| case.weight).sum();
        for case in cases {
            let chances = soft(&self.scores(&case.signs));
            for (class, ((chance, signs), slope)) in chances.iter().zip(&case.signs).zip(&mut of_constants).enumerate()
            {
                let wanted = if class == case.class { 1.0 } else { 0.0 };
                let error = (chance - wanted) * case.weight / all;
                *slope += error;
                of_weights.iter_mut().zip(signs).for_each(|(slope, sign)| *slope += error * sign);
            }
        }
        let slopes = of_weights.into_iter().chain(of_constants);
        slopes.zip(self.weights.iter().chain(&self.constants)).map(|(slope, own)| slope + HELD_BACK * own).collect()
    }

    fn scores(&self, signs: &[Signs]) -> Vec<f64> {
        let score = |signs: &Signs| signs.iter().zip(&self.weights).map(|(sign, weight)| sign * weight).sum::<f64>();
        signs.iter().zip(&self.constants).map(|(signs, constant)| score(signs) + constant).collect()
    }

    /// How likely each class is; the chances add up to one.
    pub(super) fn chances(&self, signs: &[Signs]) -> Vec<f32> {
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let narrow = |chance: f64| chance as f32;
        soft(&self.scores(signs)).into_iter().map(narrow).collect()
    }
}

/// Scores as chances that add up to one.
fn soft(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|one| if sum > 0.0 { one / sum } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Case, LinearRule};

    fn case(signs: [f64; 3], class: usize) -> Case {
        Case { signs: signs.map(|sign| [sign, sign / 2.0, 0.0]).to_vec(), class, weight: 1.0 }
    }

    #[test]
    fn a_rule_follows_the_sign_that_tells() {
        let cases: Vec<Case> = (0..6u8)
            .map(|step| 0.3 + f64::from(step) * 0.1)
            .flat_map(|by| [case([by, 0.0, 0.1], 0), case([0.1, by, 0.0], 1), case([0.0, 0.1, by], 2)])
            .collect();
        let rule = LinearRule::fit(&cases, 3).expect("a rule");
        for one in &cases {
            let chances = rule.chances(&one.signs);
            let likeliest = chances.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(class, _)| class);
            assert_eq!(likeliest, Some(one.class), "{chances:?}");
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
        assert_eq!(LinearRule::fit(&cases, 3), Some(rule));
    }

    #[test]
    fn no_rule_is_made_of_nothing() {
        assert_eq!(LinearRule::fit(&[], 2), None);
        assert_eq!(LinearRule::fit(&[case([1.0, 0.0, 0.0], 0)], 1), None);
        assert_eq!(LinearRule::fit(&[case([1.0, 0.0, 0.0], 0)], 2), None);
        assert_eq!(LinearRule::fit(&[case([1.0, 0.0, 0.0], 5)], 3), None);
    }
}
