//! Examples with their classes → a linear rule: a score per class, and from the scores how likely each class is.
//!
//! Ridge regression in closed form, so the same examples always give the same rule. How sharply scores are read as chances is
//! chosen by what the rule says of each example when it was fitted without it.

/// How strongly weights are held back.
const RIDGE: f64 = 0.6;
/// The sharpness that is chosen from.
const SHARPNESS: [f64; 12] = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 16.0];

/// One example: what is known of it, and the number of its class.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Example {
    pub(super) features: Vec<f32>,
    pub(super) class: usize,
}

/// A score per class, linear in the features.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinearRule {
    /// The weights of each class; the last is its constant.
    weights: Vec<Vec<f32>>,
    sharpness: f64,
}

impl LinearRule {
    /// Fits a rule; none if the examples do not allow one.
    pub(super) fn fit(examples: &[Example], classes: usize) -> Option<Self> {
        let width = examples.first()?.features.len();
        if classes < 2 || examples.iter().any(|one| one.features.len() != width || one.class >= classes) {
            return None;
        }
        let mut kernel = gram(examples);
        for (place, row) in kernel.iter_mut().enumerate() {
            *row.get_mut(place)? += RIDGE;
        }
        let inverse = inverted(kernel)?;
        let counts: Vec<f64> = (0..classes).map(|class| count(examples, class)).collect();
        let target = |example: &Example, class: usize| match example.class == class {
            // Every class counts the same, however many examples it has.
            true => 1.0,
            false => -1.0,
        };
        let balance = |example: &Example| {
            let own = counts.get(example.class).copied().unwrap_or(1.0).max(1.0);
            (count_all(examples) / (own * count_of(classes))).sqrt().clamp(0.5, 2.0)
        };
        let mut weights = vec![vec![0.0_f32; width + 1]; classes];
        let mut left_out = vec![vec![0.0_f64; classes]; examples.len()];
        for class in 0..classes {
            let wanted: Vec<f64> = examples.iter().map(|one| target(one, class) * balance(one)).collect();
            let duals: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&wanted).map(|(a, b)| a * b).sum()).collect();
            let own = weights.get_mut(class)?;
            for (example, dual) in examples.iter().zip(&duals) {
                add_scaled(own, &example.features, *dual);
            }
            for (place, row) in left_out.iter_mut().enumerate() {
                let (dual, at) = (duals.get(place)?, inverse.get(place)?.get(place)?);
                *row.get_mut(class)? = wanted.get(place)? - dual / at;
            }
        }
        let sharpness = sharpest(&left_out, examples);
        Some(Self { weights, sharpness })
    }

    /// How likely each class is; the chances add up to one.
    pub(super) fn chances(&self, features: &[f32]) -> Vec<f32> {
        let score = |weights: &Vec<f32>| {
            let constant = weights.last().copied().unwrap_or_default();
            features.iter().zip(weights).map(|(a, b)| f64::from(a * b)).sum::<f64>() + f64::from(constant)
        };
        let scores: Vec<f64> = self.weights.iter().map(score).collect();
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let narrow = |chance: f64| chance as f32;
        soft(&scores, self.sharpness).into_iter().map(narrow).collect()
    }
}

/// What two examples have in common, with the constant.
fn gram(examples: &[Example]) -> Vec<Vec<f64>> {
    let alike =
        |a: &Example, b: &Example| a.features.iter().zip(&b.features).map(|(x, y)| f64::from(x * y)).sum::<f64>() + 1.0;
    let mut kernel = vec![vec![0.0; examples.len()]; examples.len()];
    for (row, one) in examples.iter().enumerate() {
        for (column, other) in examples.iter().enumerate().take(row + 1) {
            let value = alike(one, other);
            for (at, of) in [(row, column), (column, row)] {
                if let Some(place) = kernel.get_mut(at).and_then(|values| values.get_mut(of)) {
                    *place = value;
                }
            }
        }
    }
    kernel
}

/// The inverse of a positive definite matrix, by elimination without exchanges; none if it is none.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let unit = |at: usize| (0..size).map(|column| if column == at { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut inverse: Vec<Vec<f64>> = (0..size).map(unit).collect();
    for pivot in 0..size {
        let at = *matrix.get(pivot)?.get(pivot)?;
        if !at.is_finite() || at <= 1e-12 {
            return None;
        }
        for row in [matrix.get_mut(pivot)?, inverse.get_mut(pivot)?] {
            row.iter_mut().for_each(|value| *value /= at);
        }
        let (lead, lead_inverse) = (matrix.get(pivot)?.clone(), inverse.get(pivot)?.clone());
        for (place, (row, inverse_row)) in matrix.iter_mut().zip(inverse.iter_mut()).enumerate() {
            let share = *row.get(pivot)?;
            if place == pivot || share == 0.0 {
                continue;
            }
            row.iter_mut().zip(&lead).for_each(|(value, own)| *value -= share * own);
            inverse_row.iter_mut().zip(&lead_inverse).for_each(|(value, own)| *value -= share * own);
        }
    }
    Some(inverse)
}

/// The sharpness under which the examples' own classes are likeliest, each judged by a rule that was fitted without it.
fn sharpest(left_out: &[Vec<f64>], examples: &[Example]) -> f64 {
    let fit = |sharpness: f64| -> f64 {
        let chance = |(scores, example): (&Vec<f64>, &Example)| {
            soft(scores, sharpness).get(example.class).copied().unwrap_or_default().max(1e-9).ln()
        };
        left_out.iter().zip(examples).map(chance).sum()
    };
    let rated = SHARPNESS.into_iter().map(|sharpness| (fit(sharpness), sharpness));
    rated.fold((f64::NEG_INFINITY, 1.0), |best, one| if one.0 > best.0 { one } else { best }).1
}

/// Scores as chances that add up to one.
fn soft(scores: &[f64], sharpness: f64) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|score| ((score - most) * sharpness).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|one| if sum > 0.0 { one / sum } else { 0.0 }).collect()
}

fn add_scaled(weights: &mut [f32], features: &[f32], by: f64) {
    #[expect(clippy::cast_possible_truncation, reason = "a weight")]
    let by = by as f32;
    for (weight, feature) in weights.iter_mut().zip(features.iter().chain(std::iter::once(&1.0))) {
        *weight += by * feature;
    }
}

fn count(examples: &[Example], class: usize) -> f64 {
    count_of(examples.iter().filter(|one| one.class == class).count())
}

fn count_all(examples: &[Example]) -> f64 {
    count_of(examples.len())
}

fn count_of(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::{Example, LinearRule};

    fn example(features: &[f32], class: usize) -> Example {
        Example { features: features.to_vec(), class }
    }

    #[test]
    fn a_rule_tells_the_classes_of_its_examples_apart() {
        let examples: Vec<Example> = (0..6u8)
            .map(|step| f32::from(step) * 0.01)
            .flat_map(|by| [example(&[1.0 - by, 0.0], 0), example(&[0.0, 1.0 - by], 1), example(&[-1.0, -1.0 + by], 2)])
            .collect();
        let rule = LinearRule::fit(&examples, 3).expect("a rule");
        for one in &examples {
            let chances = rule.chances(&one.features);
            assert!(
                chances.iter().enumerate().all(|(class, chance)| class == one.class || *chance < 0.3),
                "{chances:?}"
            );
            assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn no_rule_is_made_of_nothing() {
        assert_eq!(LinearRule::fit(&[], 2), None);
        assert_eq!(LinearRule::fit(&[example(&[1.0], 0)], 1), None);
        assert_eq!(LinearRule::fit(&[example(&[1.0], 0), example(&[1.0, 2.0], 1)], 2), None);
        assert_eq!(LinearRule::fit(&[example(&[1.0], 5)], 2), None);
    }
}
