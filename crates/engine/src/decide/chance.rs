//! What is known of an answer → the chance that it answers what was asked.
//!
//! Invariant: no sign that speaks for an answer lowers the chance, and none that speaks against it raises it.

/// What is known of an answer, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signs {
    /// How likely the judge finds the answer in the surest passage cited; none where no judge has spoken.
    pub judged: Option<f32>,
    /// The same of the surest passage besides it, cited or not.
    pub rival: f32,
    /// Mean relevance of the passages cited.
    pub relevance: f32,
    /// How much of the question stands in what is shown. It is not weighed: it tells nothing that the others do not.
    pub coverage: f32,
}

/// How many signs are weighed: the judge's word, its lead over the rival, relevance.
pub const WEIGHED: usize = 3;

// Fitted with `vouch-bench fit-confidence`, see docs/measurements.md for what it was fitted on and how well it holds elsewhere.
const WEIGHTS: [f32; WEIGHED] = [0.401, 0.196, 3.268];
const BIAS: f32 = -2.722;

/// Beyond these the judge's word counts no further.
const EDGE: f32 = 0.001;

impl Signs {
    /// The signs as they are weighed; each speaks for the answer where it is high. None where no judge has spoken.
    #[must_use]
    pub fn weighed(&self) -> Option<[f32; WEIGHED]> {
        let judged = log_odds(self.judged?);
        Some([judged, judged - log_odds(self.rival), self.relevance])
    }

    /// The chance that what is shown answers what was asked; none where no judge has spoken.
    #[must_use]
    pub fn chance(&self) -> Option<f32> {
        let sum: f32 = self.weighed()?.iter().zip(WEIGHTS).map(|(sign, weight)| sign * weight).sum();
        Some(1.0 / (1.0 + (-(sum + BIAS)).exp()))
    }
}

fn log_odds(share: f32) -> f32 {
    let share = share.clamp(EDGE, 1.0 - EDGE);
    (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests {
    use super::Signs;

    #[test]
    fn the_chance_follows_every_sign() {
        let plain = Signs { judged: Some(0.8), rival: 0.3, relevance: 0.7, coverage: 0.5 };
        let better =
            [Signs { judged: Some(0.9), ..plain }, Signs { rival: 0.1, ..plain }, Signs { relevance: 0.8, ..plain }];
        for signs in better {
            assert!(signs.chance() > plain.chance(), "{signs:?}");
        }
        let worst = Signs { judged: Some(0.0), rival: 1.0, relevance: 0.0, coverage: 0.0 };
        assert!(worst.chance().is_some_and(|chance| (0.0..0.05).contains(&chance)), "{:?}", worst.chance());
        assert_eq!(Signs { judged: None, ..plain }.chance(), None);
    }
}
