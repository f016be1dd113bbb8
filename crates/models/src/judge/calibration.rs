//! The figures beside the weights that turn logits into chances.

use serde::Deserialize;
use vouch_domain::ports::Support;

use super::heads::Scores;

/// How logits become chances; fitted on parts of the data that are neither learnt from nor reported on.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calibration {
    /// Whether the weights have learnt to read a heading before the text.
    pub(super) reads_headings: bool,
    answerable: Answerable,
    /// The same of questions that yes or no would answer, where no span is to be found.
    closed: Line,
    relevant: Line,
    support_temperature: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answerable {
    head: f32,
    margin: f32,
    bias: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    slope: f32,
    bias: f32,
}

impl Calibration {
    pub(super) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The chance that the answer is there, from the head and from how far the best span beats none; from the head alone where
    /// yes or no would answer.
    pub(super) fn answerable(&self, scores: &Scores, margin: f32, is_closed: bool) -> f32 {
        if is_closed {
            return chance(self.closed.slope * scores.answerable + self.closed.bias);
        }
        let line = &self.answerable;
        chance(line.head * scores.answerable + line.margin * margin + line.bias)
    }

    pub(super) fn relevant(&self, scores: &Scores) -> f32 {
        chance(self.relevant.slope * scores.relevant + self.relevant.bias)
    }

    pub(super) fn support(&self, scores: &Scores) -> Support {
        let highest = scores.support.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let [supported, contradicted, silent] =
            scores.support.map(|logit| ((logit - highest) / self.support_temperature).exp());
        let all = supported + contradicted + silent;
        Support { supported: supported / all, contradicted: contradicted / all, silent: silent / all }
    }
}

fn chance(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::{Calibration, Scores};

    #[test]
    fn where_yes_or_no_would_answer_the_span_counts_for_nothing() {
        let json = r#"{"reads_headings": true, "answerable": {"head": 0.3, "margin": 0.2, "bias": 0.0},
            "closed": {"slope": 0.7, "bias": 1.0}, "relevant": {"slope": 1.0, "bias": 0.0}, "support_temperature": 1.0}"#;
        let calibration = Calibration::read(json);
        let scores = Scores { answerable: 1.0, relevant: 0.0, support: [0.0; 3], span: Vec::new() };
        let read = |margin, is_closed| calibration.map(|known| known.answerable(&scores, margin, is_closed));
        assert_eq!(read(-9.0, true), read(9.0, true));
        assert!(read(-9.0, true) > Some(0.8), "the head alone speaks");
        assert!(read(-9.0, false) < Some(0.5) && read(9.0, false) > Some(0.5));
    }
}
