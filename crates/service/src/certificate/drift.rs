//! Readings of two sets of questions → how likely it is that they are of the same sort.
//!
//! The test of Kolmogorov and Smirnov: the widest gap between the shares of both that lie below a reading. Ties make it slower to
//! speak up, never quicker.

/// Fewer live readings than this say nothing.
pub const READINGS_MIN: usize = 100;
/// Below this chance they are of another sort. It is looked at again and again, so it is small.
pub const CHANCE_MIN: f64 = 0.001;
/// Terms of the sum; what is left out is smaller than a number's last digit.
const TERMS: u32 = 100;

/// The chance of a gap as wide as this or wider between two samples of one sort.
#[must_use]
pub fn same_sort(one: &[f64], other: &[f64]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 1.0;
    }
    let (first, second) = (one.len() as f64, other.len() as f64);
    let together = (first * second / (first + second)).sqrt();
    let wide = (together + 0.12 + 0.11 / together) * gap(one, other);
    if wide < 0.2 {
        return 1.0;
    }
    let term = |number: u32| {
        let sign = if number % 2 == 1 { 1.0 } else { -1.0 };
        sign * (-2.0 * (f64::from(number) * wide).powi(2)).exp()
    };
    (2.0 * (1..=TERMS).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

/// The widest gap between the shares of both that are no higher than a reading.
fn gap(one: &[f64], other: &[f64]) -> f64 {
    let sorted = |own: &[f64]| {
        let mut own = own.to_vec();
        own.sort_by(f64::total_cmp);
        own
    };
    let (one, other) = (sorted(one), sorted(other));
    let share = |own: &[f64], at: f64| own.partition_point(|reading| *reading <= at) as f64 / own.len() as f64;
    one.iter().chain(&other).map(|at| (share(&one, *at) - share(&other, *at)).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::{CHANCE_MIN, same_sort};

    fn spread(from: f64, count: u32) -> Vec<f64> {
        (0..count).map(|number| from + f64::from(number) / f64::from(count)).collect()
    }

    #[test]
    fn the_chances_are_those_of_the_books() {
        // The gap is 0.3 between 100 and 100: 0.00022 by the series.
        let chance = same_sort(&spread(0.0, 100), &spread(0.3, 100));
        assert!((chance - 0.000_19).abs() < 0.000_1, "{chance}");
        assert!(same_sort(&spread(0.0, 100), &spread(0.0, 300)) > 0.99);
        assert!(same_sort(&spread(0.0, 150), &spread(0.05, 150)) > CHANCE_MIN);
        assert!(same_sort(&spread(0.0, 150), &spread(0.5, 150)) < CHANCE_MIN);
    }

    #[test]
    fn of_nothing_nothing_is_said_and_ties_are_none() {
        assert_eq!(same_sort(&[], &[0.1]), 1.0);
        assert_eq!(same_sort(&[0.5; 200], &[0.5; 200]), 1.0);
        assert!(same_sort(&[0.5; 200], &[0.6; 200]) < CHANCE_MIN);
    }
}
