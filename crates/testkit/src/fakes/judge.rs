//! A judge that counts words: a passage answers what it shares words with, and evidence supports what it repeats.

use std::{cmp::Reverse, collections::BTreeSet, time::Duration};

use async_trait::async_trait;
use vouch_domain::{
    CharSpan, Fault, PortError,
    language::{key_terms, sentence_ranges, terms},
    ports::{ClaimJudge, ClaimPair, JudgedPassage, PassageJudge, Reading, Reranker, Support},
};

const NAME: &str = "fake";

/// Judges by shared words, at once; it remembers nothing, so without time it has no reading.
#[derive(Debug, Clone, Copy)]
pub struct FakeJudge {
    manner: Manner,
    rest: Rest,
}

#[derive(Debug, Clone, Copy)]
enum Manner {
    Reading,
    Always { answerable: f32, supported: f32 },
    Late,
    Down,
}

/// What a claim is as far as it is not supported.
#[derive(Debug, Clone, Copy)]
enum Rest {
    Silent,
    Contradicted,
}

impl FakeJudge {
    /// One that counts shared words.
    #[must_use]
    pub fn reading() -> Self {
        Self { manner: Manner::Reading, rest: Rest::Silent }
    }

    /// One that cannot be reached.
    #[must_use]
    pub fn down() -> Self {
        Self { manner: Manner::Down, ..Self::reading() }
    }

    /// One whose time never suffices.
    #[must_use]
    pub fn late() -> Self {
        Self { manner: Manner::Late, ..Self::reading() }
    }

    /// One that says the same of everything, as long as there is text.
    #[must_use]
    pub fn always(answerable: f32, supported: f32) -> Self {
        let manner = Manner::Always { answerable: answerable.clamp(0.0, 1.0), supported: supported.clamp(0.0, 1.0) };
        Self { manner, ..Self::reading() }
    }

    /// The same judge, but evidence that does not support a claim contradicts it.
    #[must_use]
    pub fn contradicting(self) -> Self {
        Self { rest: Rest::Contradicted, ..self }
    }

    fn has_time(&self, timeout: Duration) -> Result<bool, PortError> {
        match self.manner {
            Manner::Down => Err(PortError::new("judge", Fault::Unavailable, "the judge is down")),
            Manner::Late => Ok(false),
            Manner::Reading | Manner::Always { .. } => Ok(!timeout.is_zero()),
        }
    }

    fn read_one(&self, question: &str, passage: &JudgedPassage) -> Reading {
        if question.trim().is_empty() || passage.text.trim().is_empty() {
            return Reading { answerable: 0.0, relevant: 0.0, span: None };
        }
        let asked = key_terms(question);
        let answerable = match self.manner {
            Manner::Always { answerable, .. } => answerable,
            Manner::Reading | Manner::Late | Manner::Down => {
                share(&asked, &format!("{}\n{}", passage.heading, passage.text))
            }
        };
        Reading { answerable, relevant: answerable, span: fullest_sentence(&asked, &passage.text) }
    }

    fn weigh_one(&self, pair: &ClaimPair) -> Support {
        if pair.claim.trim().is_empty() || pair.evidence.trim().is_empty() {
            return Support { supported: 0.0, contradicted: 0.0, silent: 1.0 };
        }
        let supported = match self.manner {
            Manner::Always { supported, .. } => supported,
            Manner::Reading | Manner::Late | Manner::Down => share(&key_terms(&pair.claim), &pair.evidence).powi(2),
        };
        match self.rest {
            Rest::Silent => Support { supported, contradicted: 0.0, silent: 1.0 - supported },
            Rest::Contradicted => Support { supported, contradicted: 1.0 - supported, silent: 0.0 },
        }
    }
}

#[async_trait]
impl PassageJudge for FakeJudge {
    fn name(&self) -> &str {
        NAME
    }

    async fn read(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<Option<Reading>>, PortError> {
        let has_time = self.has_time(timeout)?;
        Ok(passages.iter().map(|passage| has_time.then(|| self.read_one(question, passage))).collect())
    }
}

#[async_trait]
impl Reranker for FakeJudge {
    fn name(&self) -> &str {
        NAME
    }

    async fn scores(
        &self,
        question: &str,
        passages: Vec<JudgedPassage>,
        timeout: Duration,
    ) -> Result<Vec<f32>, PortError> {
        let late = || PortError::new("judge", Fault::Timeout, "the judge is late");
        if !self.has_time(timeout)? {
            return Err(late());
        }
        Ok(passages.iter().map(|passage| self.read_one(question, passage).relevant).collect())
    }
}

#[async_trait]
impl ClaimJudge for FakeJudge {
    fn name(&self) -> &str {
        NAME
    }

    async fn weigh(&self, pairs: Vec<ClaimPair>, timeout: Duration) -> Result<Vec<Option<Support>>, PortError> {
        let has_time = self.has_time(timeout)?;
        Ok(pairs.iter().map(|pair| has_time.then(|| self.weigh_one(pair))).collect())
    }
}

/// How many of the terms a text holds.
fn held(asked: &[String], text: &str) -> usize {
    let own: BTreeSet<String> = terms(text).into_iter().collect();
    asked.iter().filter(|term| own.contains(*term)).count()
}

fn share(asked: &[String], text: &str) -> f32 {
    if asked.is_empty() { 0.0 } else { held(asked, text) as f32 / asked.len() as f32 }
}

/// The first sentence with the most of the terms; none if there is no sentence.
fn fullest_sentence(asked: &[String], text: &str) -> Option<CharSpan> {
    let ranges = sentence_ranges(text).into_iter();
    let range = ranges.min_by_key(|range| Reverse(text.get(range.clone()).map_or(0, |part| held(asked, part))))?;
    let start = text.get(..range.start)?.chars().count();
    Some(CharSpan { start, end: start + text.get(range)?.chars().count() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(60);

    fn passage(text: &str) -> JudgedPassage {
        JudgedPassage { heading: "Masts".to_owned(), text: text.to_owned() }
    }

    fn pair(claim: &str, evidence: &str) -> ClaimPair {
        ClaimPair { claim: claim.to_owned(), evidence: evidence.to_owned() }
    }

    #[tokio::test]
    async fn the_span_is_the_sentence_with_the_most_of_the_question() {
        let text = "Él vio la torre. The mast is tall. A tall mast sways.";
        let readings = FakeJudge::reading().read("How tall is the mast?", vec![passage(text)], AMPLE).await;
        let expected = Reading { answerable: 1.0, relevant: 1.0, span: Some(CharSpan { start: 17, end: 34 }) };
        assert_eq!(readings.expect("read"), vec![Some(expected)]);
    }

    #[tokio::test]
    async fn half_the_words_support_a_quarter() {
        let pairs = vec![pair("The mast is tall.", "The mast is white.")];
        let supports = FakeJudge::reading().weigh(pairs, AMPLE).await.expect("weigh");
        assert_eq!(supports, vec![Some(Support { supported: 0.25, contradicted: 0.0, silent: 0.75 })]);
    }

    #[tokio::test]
    async fn what_a_contradicting_judge_does_not_find_is_contradicted() {
        let pairs = vec![pair("The mast is tall.", "Rain falls.")];
        let supports = FakeJudge::always(1.0, 0.25).contradicting().weigh(pairs, AMPLE).await.expect("weigh");
        assert_eq!(supports, vec![Some(Support { supported: 0.25, contradicted: 0.75, silent: 0.0 })]);
    }

    #[tokio::test]
    async fn one_that_always_says_the_same_still_says_nothing_of_no_text() {
        let passages = vec![passage("Rain falls."), passage(" ")];
        let readings = FakeJudge::always(0.5, 0.5).read("How tall is the mast?", passages, AMPLE).await.expect("read");
        let answerable: Vec<f32> = readings.iter().flatten().map(|reading| reading.answerable).collect();
        assert_eq!(answerable, vec![0.5, 0.0]);
    }

    #[tokio::test]
    async fn a_late_judge_reads_nothing_and_fails_at_nothing() {
        let judge = FakeJudge::late();
        let readings = judge.read("How tall?", vec![passage("Tall."), passage("Small.")], AMPLE).await;
        assert_eq!(readings.expect("read"), vec![None, None]);
        assert_eq!(judge.weigh(vec![pair("Tall.", "Tall.")], AMPLE).await.expect("weigh"), vec![None]);
    }

    #[tokio::test]
    async fn a_judge_that_is_down_is_unavailable() {
        let judge = FakeJudge::down();
        let read = judge.read("How tall?", Vec::new(), AMPLE).await.map_err(|error| error.fault);
        let weighed = judge.weigh(Vec::new(), AMPLE).await.map_err(|error| error.fault);
        assert_eq!((read, weighed), (Err(Fault::Unavailable), Err(Fault::Unavailable)));
    }
}
