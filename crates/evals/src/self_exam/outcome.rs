//! Questions by rule and what became of them → how a corpus fares, and what it could not answer.

use serde::Serialize;

use super::{ExamQuestion, Sort};
use crate::{bounds::Rate, expectation::folded, graded::Graded, score::Verdict};

/// What is said of such figures wherever they are shown.
const LABEL: &str = "Questions made by rule out of the documents' own sentences: a check that they can be read and \
                     searched, with questions easier than what people ask. For a figure to rely on, write a golden \
                     set.";

/// How a corpus fares with questions by rule.
#[derive(Debug, Clone, Serialize)]
pub struct SelfExam {
    /// What these figures are, and what they are not.
    pub label: &'static str,
    /// How many documents gave a question.
    pub documents: usize,
    /// How many questions were made.
    pub questions: usize,
    /// The mean of two shares, of those that there are: of what is stated, answered, and of the rest, refused; none without a question.
    pub health: Option<f64>,
    /// Answered with what the sentence states.
    pub stated: Rate,
    /// Refused although near: one thing in the question is none that the documents say.
    pub altered: Rate,
    /// Refused with the answering document taken away; what another document says as well is not counted.
    pub removed: Rate,
    /// What the documents state and was not answered with it.
    pub not_answered: Vec<Missed>,
    /// What was answered although it should have been refused.
    pub answered_wrongly: Vec<Missed>,
}

/// A question that did not go as it should.
#[derive(Debug, Clone, Serialize)]
pub struct Missed {
    /// The question.
    pub question: String,
    /// The document it was made of.
    pub document: String,
    /// The sentence it was made of.
    pub sentence: String,
    /// `refused`, `beside`, or how a question that should have been refused was made.
    pub reason: &'static str,
}

impl SelfExam {
    /// Sums up.
    #[must_use]
    pub fn new(asked: &[(ExamQuestion, Graded)]) -> Self {
        let mut documents: Vec<&str> = asked.iter().map(|(question, _)| question.document.as_str()).collect();
        documents.sort_unstable();
        documents.dedup();
        let of = |sort: Sort| asked.iter().filter(move |(question, _)| question.sort == sort);
        let rate = |sort: Sort, wanted: Verdict| {
            let counted: Vec<Verdict> =
                of(sort).filter(|pair| !is_said_elsewhere(pair)).map(|(_, graded)| graded.verdict).collect();
            Rate::new(counted.iter().filter(|verdict| **verdict == wanted).count(), counted.len())
        };
        let stated = rate(Sort::Stated, Verdict::Right);
        let altered = rate(Sort::Altered, Verdict::RightRefusal);
        let removed = rate(Sort::Removed, Verdict::RightRefusal);
        let refused = Rate::new(altered.part + removed.part, altered.of + removed.of);
        let shares: Vec<f64> = [&stated, &refused].iter().filter(|one| one.of > 0).map(|one| one.share).collect();
        let reason = |pair: &(ExamQuestion, Graded)| match (pair.0.sort, pair.1.verdict) {
            (Sort::Stated, Verdict::FalseRefusal) => Some("refused"),
            (Sort::Stated, Verdict::Beside) => Some("beside"),
            (sort @ (Sort::Altered | Sort::Removed), Verdict::Overconfident) if !is_said_elsewhere(pair) => {
                Some(sort.as_str())
            }
            (Sort::Stated | Sort::Altered | Sort::Removed, _) => None,
        };
        let missed = |is_wanted: fn(Sort) -> bool| -> Vec<Missed> {
            let wanted = asked.iter().filter(|pair| is_wanted(pair.0.sort));
            wanted.filter_map(|pair| Some(Missed::new(&pair.0, reason(pair)?))).collect()
        };
        Self {
            label: LABEL,
            documents: documents.len(),
            questions: asked.len(),
            #[expect(clippy::cast_precision_loss, reason = "two at most")]
            health: (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64),
            not_answered: missed(|sort| sort == Sort::Stated),
            answered_wrongly: missed(|sort| sort != Sort::Stated),
            stated,
            altered,
            removed,
        }
    }
}

impl Missed {
    fn new(question: &ExamQuestion, reason: &'static str) -> Self {
        Self {
            question: question.golden.query.clone(),
            document: question.document.clone(),
            sentence: question.sentence.clone(),
            reason,
        }
    }
}

/// Whether a question without its document was answered with what that document said: another one says it too.
fn is_said_elsewhere((question, graded): &(ExamQuestion, Graded)) -> bool {
    let gold = || question.golden.gold_answers.iter().any(|gold| folded(&graded.actual.answer).contains(&folded(gold)));
    question.sort == Sort::Removed && graded.verdict == Verdict::Overconfident && gold()
}
