//! Verdicts in both orders → who won how often, how far the orders agree, and whether that shows a difference.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::verdict::{Better, CRITERIA, Scores, Verdict};
use crate::bounds::{Rate, sign_test};

/// A difference is shown where chance alone would do as much less often than this.
pub const CHANCE_BELOW: f64 = 0.05;

/// Why a pair was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotJudged {
    /// The judge's words are no verdict.
    Unreadable,
    /// The judge failed or was late.
    Failed,
    /// The pair is too long for the judge.
    TooLong,
}

/// A version of the answers, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    /// The first file's.
    A,
    /// The second file's.
    B,
    /// Neither.
    Tie,
}

/// What became of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairOutcome {
    /// `a` in both orders.
    A,
    /// `b` in both orders.
    B,
    /// Neither in both orders.
    Tie,
    /// Not the same in both orders.
    PositionDecided,
    /// No verdict in at least one order.
    NotJudged,
}

/// What was said of one pair: in the order it was shown in at first, and in the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedPair {
    /// The question's id, as JSON.
    pub id: String,
    /// Whether the answer of `a` was shown first at first.
    pub is_a_first: bool,
    /// Both verdicts.
    pub verdicts: Result<[Verdict; 2], NotJudged>,
}

/// A verdict by version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VersionVerdict {
    /// Which was shown first, `a` or `b`.
    pub shown_first: Preference,
    /// The better one.
    pub better: Preference,
    /// The scores of `a`.
    pub a: Scores,
    /// The scores of `b`.
    pub b: Scores,
}

/// One pair of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PairLine {
    /// The question's id.
    pub id: Value,
    /// What became of it.
    pub outcome: PairOutcome,
    /// Why it was not judged; null if it was.
    pub not_judged: Option<NotJudged>,
    /// The verdicts; none if it was not judged.
    pub verdicts: Vec<VersionVerdict>,
}

/// How two versions of the answers compare.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairwiseReport {
    /// Pairs of answers.
    pub pairs: usize,
    /// Pairs on which `a` is preferred in both orders.
    pub wins_a: usize,
    /// Pairs on which `b` is.
    pub wins_b: usize,
    /// Pairs on which neither is in both orders.
    pub ties: usize,
    /// Pairs on which the orders disagree.
    pub position_decided: usize,
    /// Pairs without a verdict in both orders, by why there is none.
    pub not_judged: BTreeMap<NotJudged, usize>,
    /// Pairs on which both orders agree, of those judged.
    pub agreement: Rate,
    /// Cohen's kappa between the orders; null where nothing but one word was ever said.
    pub kappa: Option<f64>,
    /// Mean scores of `a` by criterion, over both orders; empty where nothing was judged.
    pub scores_a: BTreeMap<&'static str, f64>,
    /// Mean scores of `b`.
    pub scores_b: BTreeMap<&'static str, f64>,
    /// The chance that so many more wins of one come about where neither is better; two-sided sign test.
    pub sign_test_p: f64,
    /// Whether that chance is below 0.05.
    pub difference_shown: bool,
    /// The same in words.
    pub conclusion: String,
    /// Every pair.
    pub questions: Vec<PairLine>,
}

impl PairwiseReport {
    /// Pairs that were judged in both orders.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.agreement.of
    }

    /// Counts what was said.
    #[must_use]
    pub fn new(judged: &[JudgedPair]) -> Self {
        let questions: Vec<PairLine> = judged.iter().map(line).collect();
        let count = |outcome: PairOutcome| questions.iter().filter(|line| line.outcome == outcome).count();
        let (wins_a, wins_b, ties) = (count(PairOutcome::A), count(PairOutcome::B), count(PairOutcome::Tie));
        let position_decided = count(PairOutcome::PositionDecided);
        let mut not_judged: BTreeMap<NotJudged, usize> = BTreeMap::new();
        for reason in questions.iter().filter_map(|line| line.not_judged) {
            *not_judged.entry(reason).or_default() += 1;
        }
        let agreed = wins_a + wins_b + ties;
        let sign_test_p = sign_test(wins_a, wins_b);
        let mut report = Self {
            pairs: judged.len(),
            wins_a,
            wins_b,
            ties,
            position_decided,
            not_judged,
            agreement: Rate::new(agreed, agreed + position_decided),
            kappa: kappa(&questions),
            scores_a: means(&questions, |verdict| verdict.a),
            scores_b: means(&questions, |verdict| verdict.b),
            sign_test_p,
            difference_shown: sign_test_p < CHANCE_BELOW,
            conclusion: String::new(),
            questions,
        };
        report.conclusion = conclusion(&report);
        report
    }
}

fn line(pair: &JudgedPair) -> PairLine {
    let (outcome, verdicts) = match &pair.verdicts {
        Err(_) => (PairOutcome::NotJudged, Vec::new()),
        Ok([one, other]) => {
            let verdicts = [by_version(one, pair.is_a_first), by_version(other, !pair.is_a_first)];
            let outcome = match verdicts.map(|verdict| verdict.better) {
                [Preference::A, Preference::A] => PairOutcome::A,
                [Preference::B, Preference::B] => PairOutcome::B,
                [Preference::Tie, Preference::Tie] => PairOutcome::Tie,
                [Preference::A | Preference::B | Preference::Tie, _] => PairOutcome::PositionDecided,
            };
            (outcome, verdicts.to_vec())
        }
    };
    let id = serde_json::from_str(&pair.id).unwrap_or_else(|_| Value::from(pair.id.as_str()));
    PairLine { id, outcome, not_judged: pair.verdicts.as_ref().err().copied(), verdicts }
}

fn by_version(verdict: &Verdict, is_a_first: bool) -> VersionVerdict {
    let (first, second) = if is_a_first { (Preference::A, Preference::B) } else { (Preference::B, Preference::A) };
    let better = match verdict.better {
        Better::First => first,
        Better::Second => second,
        Better::Tie => Preference::Tie,
    };
    let (a, b) = if is_a_first { (verdict.first, verdict.second) } else { (verdict.second, verdict.first) };
    VersionVerdict { shown_first: first, better, a, b }
}

/// How far the orders agree beyond what each says how often.
fn kappa(questions: &[PairLine]) -> Option<f64> {
    let said = |order: usize| -> Vec<Preference> {
        questions.iter().filter_map(|line| line.verdicts.get(order)).map(|verdict| verdict.better).collect()
    };
    let (one, other) = (said(0), said(1));
    let all = one.len() as f64;
    let share = |said: &[Preference], word| said.iter().filter(|own| **own == word).count() as f64 / all;
    let agreed = one.iter().zip(&other).filter(|(one, other)| one == other).count() as f64 / all;
    let by_chance: f64 = [Preference::A, Preference::B, Preference::Tie]
        .into_iter()
        .map(|word| share(&one, word) * share(&other, word))
        .sum();
    (by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

fn means(questions: &[PairLine], of: impl Fn(&VersionVerdict) -> Scores) -> BTreeMap<&'static str, f64> {
    let scores: Vec<[u8; 4]> = questions.iter().flat_map(|line| &line.verdicts).map(|one| of(one).each()).collect();
    let mean = |at: usize| {
        let sum: usize = scores.iter().filter_map(|each| each.get(at)).map(|score| usize::from(*score)).sum();
        sum as f64 / scores.len() as f64
    };
    let of_criterion = |(at, name)| (!scores.is_empty()).then(|| (name, mean(at)));
    CRITERIA.into_iter().enumerate().filter_map(of_criterion).collect()
}

/// Whether a difference is shown, in a sentence or two.
fn conclusion(report: &PairwiseReport) -> String {
    let (wins_a, wins_b) = (report.wins_a, report.wins_b);
    let decided = wins_a + wins_b;
    let judged = report.judged();
    if judged == 0 {
        return "No difference is shown: no pair was judged.".to_owned();
    }
    let mut told = if report.difference_shown {
        let (better, wins) = if wins_a > wins_b { ("a", wins_a) } else { ("b", wins_b) };
        format!("A difference is shown: {better} is preferred on {wins} of {decided} decided pairs")
    } else {
        format!("No difference is shown: a is preferred on {wins_a} and b on {wins_b} of {decided} decided pairs")
    };
    told.push_str(&match report.sign_test_p {
        p if p < 0.0001 => " (sign test, p < 0.0001).".to_owned(),
        p => format!(" (sign test, p = {p:.4})."),
    });
    if sign_test(0, decided) >= CHANCE_BELOW {
        told.push_str(" There are too few decided pairs to show one.");
    }
    if report.position_decided * 2 > judged {
        told.push_str(" Most verdicts changed with the order of the answers, so this judge says little about them.");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::{JudgedPair, NotJudged, PairOutcome, PairwiseReport};
    use crate::pairwise::verdict::{Better, Scores, Verdict};

    const GOOD: Scores = Scores { faithfulness: 5, completeness: 4, structure: 4, balance: 4 };
    const POOR: Scores = Scores { faithfulness: 2, completeness: 2, structure: 2, balance: 1 };

    /// A judge that says `better` in either order of a pair.
    fn said(is_a_first: bool, better: [Better; 2]) -> JudgedPair {
        let verdict = |better| match better {
            Better::First | Better::Tie => Verdict { first: GOOD, second: POOR, better },
            Better::Second => Verdict { first: POOR, second: GOOD, better },
        };
        JudgedPair { id: "1".to_owned(), is_a_first, verdicts: Ok(better.map(verdict)) }
    }

    /// A judge that finds `a` better wherever it stands.
    fn for_a(is_a_first: bool) -> JudgedPair {
        said(is_a_first, if is_a_first { [Better::First, Better::Second] } else { [Better::Second, Better::First] })
    }

    #[test]
    fn a_judge_that_knows_what_it_prefers_shows_a_difference() {
        let report = PairwiseReport::new(&[true, false, true, true, false, false].map(for_a));
        assert_eq!((report.wins_a, report.wins_b, report.position_decided), (6, 0, 0));
        assert!((report.sign_test_p - 0.03125).abs() < 1e-9 && report.difference_shown);
        assert_eq!((report.agreement.share, report.kappa), (1.0, None), "it never said anything else");
        assert_eq!((report.scores_a.get("faithfulness"), report.scores_b.get("balance")), (Some(&5.0), Some(&1.0)));
        assert_eq!(
            report.conclusion,
            "A difference is shown: a is preferred on 6 of 6 decided pairs (sign test, p = 0.0313)."
        );
    }

    #[test]
    fn a_judge_that_goes_by_position_gives_nobody_a_win() {
        let first = |is_a_first| said(is_a_first, [Better::First; 2]);
        let report = PairwiseReport::new(&[true, false, true, false].map(first));
        assert_eq!((report.wins_a, report.wins_b, report.ties, report.position_decided), (0, 0, 0, 4));
        assert_eq!((report.kappa, report.sign_test_p, report.difference_shown), (Some(-1.0), 1.0, false));
        assert_eq!(report.scores_a, report.scores_b, "each was first as often as the other");
        assert!(report.conclusion.ends_with("so this judge says little about them."), "{}", report.conclusion);
    }

    #[test]
    fn a_tie_in_one_order_alone_is_no_tie() {
        let report = PairwiseReport::new(&[said(true, [Better::Tie; 2]), said(true, [Better::Tie, Better::First])]);
        assert_eq!((report.ties, report.position_decided), (1, 1));
        assert_eq!(report.questions.last().map(|line| line.outcome), Some(PairOutcome::PositionDecided));
    }

    #[test]
    fn what_was_not_judged_counts_for_nobody() {
        let none = |reason| JudgedPair { id: "1".to_owned(), is_a_first: true, verdicts: Err(reason) };
        let report = PairwiseReport::new(&[none(NotJudged::Unreadable), none(NotJudged::Failed)]);
        assert_eq!((report.pairs, report.judged(), report.not_judged.len()), (2, 0, 2));
        assert!(report.scores_a.is_empty() && report.kappa.is_none());
        assert_eq!(report.conclusion, "No difference is shown: no pair was judged.");
    }

    #[test]
    fn a_few_pairs_cannot_show_a_difference() {
        let report = PairwiseReport::new(&[true, false, true, true, false].map(for_a));
        assert!(report.conclusion.ends_with("(sign test, p = 0.0625). There are too few decided pairs to show one."));
    }

    #[test]
    fn agreement_beyond_chance_is_as_in_the_books() {
        // Both orders: a 20 times, b 15; one a and the other b 5 and 10 times. The share is 0.7, by chance 0.5.
        let mut judged = vec![for_a(true); 20];
        judged.extend(vec![said(true, [Better::Second, Better::First]); 15]);
        judged.extend(vec![said(true, [Better::First, Better::First]); 5]);
        judged.extend(vec![said(true, [Better::Second, Better::Second]); 10]);
        let report = PairwiseReport::new(&judged);
        assert!((report.agreement.share - 0.7).abs() < 1e-9);
        assert!(report.kappa.is_some_and(|kappa| (kappa - 0.4).abs() < 1e-9), "{:?}", report.kappa);
    }
}
