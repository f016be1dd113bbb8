//! Sentences of documents never learnt from, untouched and with one thing changed: how many are caught.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use vouch_domain::{language::sentence_ranges, ports::ClaimJudge};
use vouch_engine::{policy::VerifyPolicy, verify::support::weigh};
use vouch_evals::alter::{Alteration, Names, alter};

use super::{Work, answerability::lines, splits::Splits};

const SENTENCES_MAX: usize = 400;
/// About a passage: the text a sentence is checked against.
const EVIDENCE_CHARS: usize = 1_200;
const SEED: u64 = 20_26;

/// One set's figures.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) set: String,
    pub(super) untouched: usize,
    /// The share of untouched sentences that were not accepted.
    pub(super) untouched_rejected: f64,
    /// The same by the judge alone, which is not told that the sentence stands there.
    pub(super) untouched_rejected_by_judge: f64,
    pub(super) altered: usize,
    pub(super) caught: f64,
    pub(super) caught_by_judge: f64,
    pub(super) caught_by_kind: BTreeMap<&'static str, Caught>,
}

/// How many of a kind were made and caught.
#[derive(Debug, Default, Serialize)]
pub(super) struct Caught {
    pub(super) made: usize,
    pub(super) caught: usize,
}

#[derive(Deserialize)]
struct Document {
    id: String,
    text: String,
}

/// A sentence and the passage it is taken from.
struct Place<'a> {
    sentence: &'a str,
    passage: &'a str,
}

pub(super) async fn measure(
    work: &Work<'_>,
    name: &str,
    judge: &Arc<dyn ClaimJudge>,
    policy: &VerifyPolicy,
    splits: &Splits,
) -> anyhow::Result<Option<Row>> {
    let all: Vec<Document> = lines(&work.common.data.join(name).join("corpus.jsonl"))?;
    let held_out: Vec<&Document> = all.iter().filter(|one| splits.is_held_out(name, &one.id)).collect();
    let mut names = Names::default();
    for document in &held_out {
        let ranges = sentence_ranges(&document.text);
        names.add(ranges.into_iter().filter_map(|range| document.text.get(range)), &document.text);
    }
    let places: Vec<Place<'_>> = held_out.iter().flat_map(|document| places(&document.text)).collect();
    let step = (places.len() / SENTENCES_MAX.min(work.questions_max).max(1)).max(1);
    let (mut untouched, mut rejected, mut rejected_by_judge) = (0usize, 0usize, 0usize);
    let (mut by_kind, mut caught_by_judge) = (BTreeMap::<&'static str, Caught>::new(), 0usize);
    for place in places.iter().step_by(step) {
        let made = alter(place.sentence, place.passage, &names, SEED);
        if made.is_empty() {
            continue;
        }
        untouched += 1;
        let weighed = weigh(place.sentence, &[place.passage], Some(judge), policy).await;
        rejected += usize::from(!weighed.is_supported);
        rejected_by_judge += usize::from(!alone(place.sentence, place.passage, judge).await?);
        for altered in made {
            let weighed = weigh(&altered.sentence, &[place.passage], Some(judge), policy).await;
            let kind: Alteration = altered.kind;
            let count = by_kind.entry(kind.as_str()).or_default();
            count.made += 1;
            count.caught += usize::from(!weighed.is_supported);
            caught_by_judge += usize::from(weighed.judged.is_some_and(|support| support.supported < 0.5));
        }
    }
    let made: usize = by_kind.values().map(|count| count.made).sum();
    let caught: usize = by_kind.values().map(|count| count.caught).sum();
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    Ok((made > 0).then(|| Row {
        set: name.to_owned(),
        untouched,
        untouched_rejected: share(rejected, untouched),
        untouched_rejected_by_judge: share(rejected_by_judge, untouched),
        altered: made,
        caught: share(caught, made),
        caught_by_judge: share(caught_by_judge, made),
        caught_by_kind: by_kind,
    }))
}

/// What the judge says without the rules.
async fn alone(claim: &str, evidence: &str, judge: &Arc<dyn ClaimJudge>) -> anyhow::Result<bool> {
    let pair = vouch_domain::ports::ClaimPair { claim: claim.to_owned(), evidence: evidence.to_owned() };
    let supports = judge.weigh(vec![pair], std::time::Duration::from_secs(60)).await?;
    Ok(supports.into_iter().flatten().any(|support| support.supported >= 0.5))
}

/// Every sentence of a document with about a passage of text around it.
fn places(text: &str) -> Vec<Place<'_>> {
    let ranges = sentence_ranges(text);
    let mut found = Vec::new();
    let mut begin = 0;
    while begin < ranges.len() {
        let start = ranges.get(begin).map_or(0, |range| range.start);
        let fits = |range: &&std::ops::Range<usize>| range.end <= start + EVIDENCE_CHARS;
        let count = ranges.iter().skip(begin).take_while(fits).count().max(1);
        let end = ranges.get(begin + count - 1).map_or(text.len(), |range| range.end);
        let Some(passage) = text.get(start..end) else { break };
        let inside = ranges.iter().skip(begin).take(count);
        found.extend(inside.filter_map(|range| Some(Place { sentence: text.get(range.clone())?, passage })));
        begin += count;
    }
    found
}
