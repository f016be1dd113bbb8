//! A golden set → what is wrong with it as a set, a sentence each.

use std::collections::{BTreeMap, BTreeSet};

use crate::{expectation::folded, golden::GoldenQuestion};

/// The categories of a terminology set and how many questions each must have at least; looked at where a set has one of the first
/// four, which no other set has.
const MINIMA: &[(&str, usize)] = &[
    ("terminology_hit", 5),
    ("terminology_miss", 3),
    ("terminology_ambiguous", 2),
    ("terminology_timeout", 2),
    ("non_terminology_define", 3),
    ("non_terminology_list", 3),
    ("adr_retrieval", 5),
    ("principle_retrieval", 3),
    ("policy_retrieval", 3),
    ("entity_not_found", 3),
    ("semantic_search", 5),
    ("cross_collection", 3),
];
const OF_TERMINOLOGY: usize = 4;

/// What is wrong with a set; nothing where it is sound.
#[must_use]
pub fn lint(questions: &[GoldenQuestion]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    let mut asked: BTreeMap<(String, String), &str> = BTreeMap::new();
    for one in questions {
        if !ids.insert(one.id.as_str()) {
            faults.push(format!("{}: the id appears twice", one.id));
        }
        let told: Vec<&str> = one.chat_history.iter().map(|message| message.content.as_str()).collect();
        let words = (folded(&one.query), format!("{told:?} {:?} {:?} {:?}", one.tenant, one.tags, one.user));
        if let Some(first) = asked.insert(words, &one.id) {
            faults.push(format!("{}: asks the same as {first}", one.id));
        }
        faults.extend(faults_of(one).into_iter().map(|fault| format!("{}: {fault}", one.id)));
    }
    faults.extend(missing_categories(questions));
    faults
}

fn faults_of(one: &GoldenQuestion) -> Vec<&'static str> {
    let expected = &one.expected;
    let has_tool = expected.tool.is_some();
    let names_source = expected.document_ids.as_ref().is_some_and(|ids| !ids.is_empty())
        || expected.kinds.as_ref().is_some_and(|kinds| !kinds.is_empty())
        || expected.source.is_some();
    let says_nothing = one.gold_answers.is_empty() && expected.must_contain.is_empty() && !names_source;
    [
        (one.query.trim().is_empty(), "asks nothing"),
        (
            one.gold_answers
                .iter()
                .chain(&expected.must_contain)
                .chain(&expected.must_not_contain)
                .any(|text| folded(text).is_empty()),
            "has an expected text that is empty",
        ),
        (one.category.trim().is_empty(), "has no category"),
        (!matches!(one.split.as_str(), "tune" | "test"), "its `split` is neither \"tune\" nor \"test\""),
        (
            one.answerable && says_nothing && expected.count.is_none() && !has_tool,
            "is answerable but has no gold answer",
        ),
        (!one.answerable && !one.gold_answers.is_empty(), "is not answerable but has a gold answer"),
        (one.answerable && expected.abstain == Some(true), "is answerable but expected to be refused"),
        (!one.answerable && expected.abstain == Some(false), "is not answerable but expected to be answered"),
        (
            expected.abstain == Some(false) && expected.abstain_reason.is_some(),
            "has a reason to be refused and should not be",
        ),
        (
            expected.must_contain.iter().any(|text| expected.must_not_contain.contains(text)),
            "must contain what it must not contain",
        ),
    ]
    .into_iter()
    .filter_map(|(is_so, fault)| is_so.then_some(fault))
    .collect()
}

fn missing_categories(questions: &[GoldenQuestion]) -> Vec<String> {
    let count = |category: &str| questions.iter().filter(|one| one.category == category).count();
    let is_of_terminology = MINIMA.iter().take(OF_TERMINOLOGY).any(|(category, _)| count(category) > 0);
    let too_few = MINIMA.iter().filter(|(category, least)| is_of_terminology && count(category) < *least);
    too_few
        .map(|(category, least)| format!("{category} has {} questions; at least {least} are needed", count(category)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::lint;
    use crate::golden;

    fn faults(text: &str) -> Vec<String> {
        lint(&golden::read(text).expect("golden questions"))
    }

    #[test]
    fn a_sound_set_has_no_faults_and_every_fault_is_named() {
        let sound = r#"{"id":"a","query":"How tall?","category":"fact","split":"test","gold_answers":["10 m"]}
{"id":"b","query":"How deep?","category":"miss","split":"tune","answerable":false,"expected":{"abstain":true}}"#;
        assert!(faults(sound).is_empty(), "{:?}", faults(sound));
        let unsound = r#"{"id":"a","query":"How tall?","category":"fact","split":"test","gold_answers":["10 m"]}
{"id":"a","query":"how  TALL?","category":"fact","split":"held","answerable":false,"gold_answers":["x"],"expected":{"abstain":false}}
{"id":"c","query":"What is CIM?","category":"terminology_hit","split":"tune"}"#;
        let found = faults(unsound).join("\n");
        for part in [
            "twice",
            "same as a",
            "neither",
            "has a gold answer",
            "expected to be answered",
            "no gold answer",
            "terminology_miss has 0",
        ] {
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}
