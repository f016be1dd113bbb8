//! A ranking and what should be in it → nDCG and recall.

/// Normalised discounted cumulative gain of the first `k`, every gold document worth the same.
#[must_use]
pub fn ndcg(ranking: &[String], gold: &[String], k: usize) -> f64 {
    let gain = |position: usize| 1.0 / ((position + 2) as f64).log2();
    let found: f64 = ranking
        .iter()
        .take(k)
        .enumerate()
        .filter(|(_, id)| gold.contains(id))
        .map(|(position, _)| gain(position))
        .sum();
    let best: f64 = (0..gold.len().min(k)).map(gain).sum();
    if best > 0.0 { found / best } else { 0.0 }
}

/// The share of gold documents among the first `k`.
#[must_use]
pub fn recall(ranking: &[String], gold: &[String], k: usize) -> f64 {
    if gold.is_empty() {
        return 0.0;
    }
    ranking.iter().take(k).filter(|id| gold.contains(id)).count() as f64 / gold.len() as f64
}

#[cfg(test)]
mod tests {
    use super::{ndcg, recall};

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_perfect_ranking_scores_one() {
        assert!((ndcg(&ids(&["a", "b", "x"]), &ids(&["b", "a"]), 10) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_hit_at_the_second_place_scores_by_the_logarithm() {
        assert!((ndcg(&ids(&["x", "a"]), &ids(&["a"]), 10) - 1.0 / 3f64.log2()).abs() < 1e-12);
    }

    #[test]
    fn what_lies_beyond_k_does_not_count() {
        assert!((recall(&ids(&["x", "a"]), &ids(&["a", "b"]), 1)).abs() < 1e-12);
        assert!((recall(&ids(&["x", "a"]), &ids(&["a", "b"]), 2) - 0.5).abs() < 1e-12);
    }
}
