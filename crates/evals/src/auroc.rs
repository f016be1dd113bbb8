//! Scores of two classes, or of two judges → how well they are told apart, or how well they agree.
//!
//! Invariant: a class without scores, or a score that is no number, has no figure.
//! Everywhere a positive is meant to score higher, and a score at the threshold counts as above it.

use std::cmp::Ordering;

/// The chance that a positive scores above a negative; a tie counts half.
#[must_use]
pub fn auroc(positive: &[f32], negative: &[f32]) -> Option<f64> {
    let mut below = 0usize;
    let mut wins_twice = 0usize;
    for (_, positives, negatives) in steps(positive, negative)? {
        wins_twice += positives * (2 * below + negatives);
        below += negatives;
    }
    Some(wins_twice as f64 / 2.0 / (positive.len() as f64 * negative.len() as f64))
}

/// The best mean of the two classes' accuracies that one threshold gives, and that threshold.
///
/// Of equally good thresholds it is the highest.
#[must_use]
pub fn best_balanced_accuracy(positive: &[f32], negative: &[f32]) -> Option<(f64, f32)> {
    let (mut positives_below, mut negatives_below) = (0usize, 0usize);
    let mut best: Option<(f64, f32)> = None;
    for (score, positives, negatives) in steps(positive, negative)? {
        let kept = (positive.len() - positives_below) as f64 / positive.len() as f64;
        let caught = negatives_below as f64 / negative.len() as f64;
        let accuracy = f64::midpoint(kept, caught);
        if best.is_none_or(|(known, _)| accuracy >= known) {
            best = Some((accuracy, score));
        }
        positives_below += positives;
        negatives_below += negatives;
    }
    best
}

/// The share of unanswerable (negative) scores below the highest threshold that refuses at most the given share of
/// the answerable (positive) ones, and that threshold.
#[must_use]
pub fn caught_at_false_refusal(positive: &[f32], negative: &[f32], false_refusal: f64) -> Option<(f64, f32)> {
    if !(0.0..=1.0).contains(&false_refusal) || negative.is_empty() || negative.iter().any(|score| score.is_nan()) {
        return None;
    }
    let answerable = sorted(positive)?;
    // A share such as 0.29 of 100 must not lose a question to rounding.
    let refused_max = (false_refusal * answerable.len() as f64 + 1e-9) as usize;
    let highest = answerable.last().copied()?;
    let threshold = answerable.get(refused_max).copied().unwrap_or_else(|| highest.next_up());
    let caught = negative.iter().filter(|score| **score < threshold).count();
    Some((caught as f64 / negative.len() as f64, threshold))
}

/// The correlation of the ranks of paired scores; equal scores share the mean of their ranks.
#[must_use]
pub fn spearman(a: &[f32], b: &[f32]) -> Option<f64> {
    if a.len() != b.len() || a.len() < 2 {
        return None;
    }
    let (a, b) = (ranks(a)?, ranks(b)?);
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(&b) {
        both += (a - mean) * (b - mean);
        of_a += (a - mean).powi(2);
        of_b += (b - mean).powi(2);
    }
    let spread = (of_a * of_b).sqrt();
    (spread > 0.0).then(|| both / spread)
}

/// Every distinct score, lowest first, with how many positives and negatives have it.
fn steps(positive: &[f32], negative: &[f32]) -> Option<Vec<(f32, usize, usize)>> {
    let positive = sorted(positive)?.into_iter().map(|score| (score, 1, 0));
    let negative = sorted(negative)?.into_iter().map(|score| (score, 0, 1));
    let mut all: Vec<(f32, usize, usize)> = positive.chain(negative).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.dedup_by(|later, kept| {
        let is_tie = later.0.partial_cmp(&kept.0) == Some(Ordering::Equal);
        if is_tie {
            kept.1 += later.1;
            kept.2 += later.2;
        }
        is_tie
    });
    Some(all)
}

/// The scores, lowest first; nothing without scores or with one that is no number.
fn sorted(scores: &[f32]) -> Option<Vec<f32>> {
    if scores.is_empty() || scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let mut sorted = scores.to_vec();
    sorted.sort_by(f32::total_cmp);
    Some(sorted)
}

/// The rank of each score from 1, equal scores with the mean of theirs.
fn ranks(scores: &[f32]) -> Option<Vec<f64>> {
    if scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let mut order: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut ranked: Vec<(usize, f64)> = Vec::with_capacity(order.len());
    let mut below = 0usize;
    for ties in order.chunk_by(|a, b| a.1.partial_cmp(&b.1) == Some(Ordering::Equal)) {
        let rank = below as f64 + (ties.len() as f64 + 1.0) / 2.0;
        ranked.extend(ties.iter().map(|(at, _)| (*at, rank)));
        below += ties.len();
    }
    ranked.sort_by_key(|(at, _)| *at);
    Some(ranked.into_iter().map(|(_, rank)| rank).collect())
}

#[cfg(test)]
mod tests {
    use super::{auroc, best_balanced_accuracy, caught_at_false_refusal, spearman};

    fn is_near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found - expected).abs() < 1e-9)
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        let cases: &[(&[f32], &[f32], f64)] = &[
            (&[0.9, 0.8], &[0.1, 0.2], 1.0),
            (&[0.1, 0.2], &[0.9, 0.8], 0.0),
            // Of the six pairs 0.8 wins three and 0.4 wins two.
            (&[0.8, 0.4], &[0.1, 0.3, 0.6], 5.0 / 6.0),
            // 0.5 ties with 0.5 and wins over 0.2; 0.7 wins both.
            (&[0.5, 0.7], &[0.5, 0.2], 3.5 / 4.0),
            (&[1.0, 1.0], &[1.0, 1.0, 1.0], 0.5),
            (&[0.0], &[-0.0], 0.5),
            (&[f32::INFINITY], &[f32::NEG_INFINITY], 1.0),
        ];
        for (positive, negative, area) in cases {
            assert!(is_near(auroc(positive, negative), *area), "{positive:?} {negative:?}");
        }
    }

    #[test]
    fn the_best_threshold_keeps_its_own_score() {
        let (accuracy, threshold) = best_balanced_accuracy(&[0.8, 0.4], &[0.1, 0.3, 0.6]).unwrap();
        assert!((accuracy - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-9);
        assert!((threshold - 0.4).abs() < 1e-6);
    }

    #[test]
    fn scores_that_are_all_equal_tell_nothing_apart() {
        let found = best_balanced_accuracy(&[0.5, 0.5], &[0.5]);
        assert!(is_near(found.map(|(accuracy, _)| accuracy), 0.5));
    }

    #[test]
    fn refusals_caught_follow_from_those_allowed() {
        let answerable = [0.2, 0.5, 0.6, 0.7];
        let unanswerable = [0.1, 0.3, 0.4, 0.65];
        let cases = [(0.0, 0.25, 0.2), (0.24, 0.25, 0.2), (0.25, 0.75, 0.5), (0.5, 0.75, 0.6), (0.75, 1.0, 0.7)];
        for (allowed, share, at) in cases {
            let (caught, threshold) = caught_at_false_refusal(&answerable, &unanswerable, allowed).unwrap();
            assert!((caught - share).abs() < 1e-9 && (threshold - at).abs() < 1e-6, "{allowed}: {caught} {threshold}");
        }
    }

    #[test]
    fn answerable_scores_that_tie_are_kept_together() {
        let (caught, threshold) = caught_at_false_refusal(&[0.5, 0.5, 0.9], &[0.4, 0.5], 0.34).unwrap();
        assert!((caught - 0.5).abs() < 1e-9 && (threshold - 0.5).abs() < 1e-6);
    }

    #[test]
    fn refusing_everything_catches_all_that_scores_no_higher() {
        assert!(is_near(caught_at_false_refusal(&[0.5], &[0.5, 0.4], 1.0).map(|found| found.0), 1.0));
    }

    #[test]
    fn a_share_that_rounds_down_loses_no_question() {
        let answerable: Vec<f32> = (0u8..100).map(f32::from).collect();
        assert!(is_near(caught_at_false_refusal(&answerable, &[28.5], 0.29).map(|found| found.0), 1.0));
    }

    #[test]
    fn ranks_that_agree_correlate() {
        let cases: &[(&[f32], &[f32], f64)] = &[
            (&[1.0, 2.0, 3.0], &[10.0, 200.0, 3000.0], 1.0),
            (&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0], -1.0),
            // Ranks 1 2 3 4 against 2 1 4 3: one less six times four over four times fifteen.
            (&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0], 0.6),
            // Ranks 1.5 1.5 3 against 1 2 3.
            (&[5.0, 5.0, 9.0], &[1.0, 2.0, 3.0], 0.75f64.sqrt()),
        ];
        for (a, b, expected) in cases {
            assert!(is_near(spearman(a, b), *expected), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_class_without_scores_or_a_score_that_is_no_number_has_no_figure() {
        let hostile: &[(&[f32], &[f32])] =
            &[(&[], &[]), (&[], &[0.1]), (&[0.1], &[]), (&[f32::NAN], &[0.1]), (&[0.1], &[0.3, f32::NAN])];
        for (positive, negative) in hostile {
            assert_eq!(auroc(positive, negative), None);
            assert_eq!(best_balanced_accuracy(positive, negative), None);
            assert_eq!(caught_at_false_refusal(positive, negative, 0.1), None);
            assert_eq!(spearman(positive, negative), None);
        }
    }

    #[test]
    fn a_share_outside_zero_to_one_has_no_figure() {
        for share in [-0.1, 1.1, f64::NAN] {
            assert_eq!(caught_at_false_refusal(&[0.5], &[0.1], share), None);
        }
    }

    #[test]
    fn unpaired_or_constant_scores_have_no_correlation() {
        assert_eq!(spearman(&[0.1, 0.2], &[0.1]), None);
        assert_eq!(spearman(&[0.1, 0.1], &[0.1, 0.2]), None);
    }
}
