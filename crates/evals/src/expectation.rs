//! What a golden line expects and what was done → what does not agree.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::golden::Expected;

/// The kind of a citation of the vocabulary.
pub(crate) const TERM: &str = "term";

/// What sets call the vocabulary, whoever serves it.
const VOCABULARY: &str = "skosmos";
const TERMINOLOGY: &str = "terminology";
/// The routes of a reply.
pub(crate) const ROUTES: [&str; 2] = ["tree", "direct"];

/// What was done with a question, in the words of a reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Actual {
    /// `answered`, `refused`, `clarify`, `routed` or `tool`.
    pub outcome: String,
    /// What sort of question it was taken for.
    pub intent: String,
    /// `tree` or `direct`.
    pub route: String,
    /// Why it was refused, as one word.
    pub abstain_reason: Option<String>,
    /// `CITE`, `ROUTE` or nothing.
    pub action: Option<String>,
    /// Who is named, where it was routed; none for the desk.
    pub owner: Option<String>,
    /// The agent that had it.
    pub agent: Option<String>,
    /// The tool that was meant.
    pub tool: Option<String>,
    /// Whether a tool waits for something.
    pub is_pending: bool,
    /// Whether it was said that nothing was found.
    pub no_context: bool,
    /// The documents that are cited, each once, in the order of the markers.
    pub documents: Vec<String>,
    /// The kinds of these documents.
    #[serde(default)]
    pub kinds: BTreeSet<String>,
    /// The collections they are of.
    #[serde(default)]
    pub collections: BTreeSet<String>,
    /// What was said.
    pub answer: String,
}

impl Actual {
    /// Whether nothing was answered.
    #[must_use]
    pub fn is_abstained(&self) -> bool {
        !matches!(self.outcome.as_str(), "answered" | "tool") && !self.is_pending
    }

    /// Whether it went to the vocabulary, or to documents of a kind or a collection.
    fn goes_to(&self, place: &str) -> bool {
        let is_vocabulary = place.eq_ignore_ascii_case(VOCABULARY) && self.intent == TERMINOLOGY;
        is_vocabulary || holds(&self.kinds, place) || holds(&self.collections, place)
    }

    /// Where it went, in words.
    fn places(&self) -> String {
        let vocabulary = (self.intent == TERMINOLOGY).then_some(VOCABULARY);
        let cited = self.kinds.iter().chain(&self.collections).map(String::as_str);
        let places: Vec<&str> = vocabulary.into_iter().chain(cited).collect();
        if places.is_empty() { "none".to_owned() } else { places.join(", ") }
    }

    /// Whether a document is cited, by its id or by the file it came from, below whichever folder.
    #[must_use]
    pub fn cites(&self, name: &str) -> bool {
        let ends = |id: &String, name: &str| {
            id.strip_suffix(name).is_some_and(|folder| folder.is_empty() || folder.ends_with(['/', '#']))
        };
        // A set may call a concept `vocab-NAME`, whose address ends in the name.
        let concept = name.strip_prefix("vocab-").filter(|_| self.kinds.contains(TERM));
        self.documents.iter().any(|id| ends(id, name) || concept.is_some_and(|concept| ends(id, concept)))
    }
}

/// One thing that does not agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmet {
    /// The key of `expected`.
    pub key: String,
    /// What should have been.
    pub expected: String,
    /// What was.
    pub actual: String,
}

/// A key of `expected`, and what does not agree with it.
pub type Check = (&'static str, Option<Unmet>);

/// Every key of `expected` that is looked at, and whether it agrees.
#[must_use]
pub fn checked(expected: &Expected, actual: &Actual) -> Vec<Check> {
    let mut checks = Checks(Vec::new());
    let none = || "none".to_owned();
    let told = |value: &Option<String>| value.clone().unwrap_or_else(none);
    checks.same("intent", expected.intent.as_ref(), &actual.intent);
    match expected.route.as_ref() {
        Some(place) if !ROUTES.contains(&place.as_str()) => {
            checks.push("route", actual.goes_to(place), place, &actual.places());
        }
        route => checks.same("route", route, &actual.route),
    }
    checks.same("abstain", expected.abstain.map(|is| is.to_string()).as_ref(), &actual.is_abstained().to_string());
    checks.same("abstain_reason", expected.abstain_reason.as_ref(), &told(&actual.abstain_reason));
    checks.same("action", expected.action.as_ref(), &told(&actual.action));
    checks.same("agent", expected.agent.as_ref(), &told(&actual.agent));
    checks.same("tool", expected.tool.as_ref(), &told(&actual.tool));
    checks.same("no_context", expected.no_context.map(|is| is.to_string()).as_ref(), &actual.no_context.to_string());
    let outcome = if actual.is_pending { "pending" } else { actual.outcome.as_str() };
    checks.same("outcome", expected.outcome.as_ref(), outcome);
    checks.same("count", expected.count.map(|count| count.to_string()).as_ref(), &actual.documents.len().to_string());
    if let Some(owners) = expected.owners.as_ref().filter(|_| actual.outcome == "routed") {
        let names: Vec<String> = owners.iter().map(told).collect();
        checks.push("owners", owners.contains(&actual.owner), &names.join(", "), &told(&actual.owner));
    }
    if let Some(ids) = expected.document_ids.as_ref().filter(|ids| !ids.is_empty() && !actual.is_abstained()) {
        let is_cited = ids.iter().any(|id| actual.cites(id));
        checks.push("document_ids", is_cited, &ids.join(", "), &actual.documents.join(", "));
    }
    if let Some(kinds) = expected.kinds.as_ref().filter(|kinds| !kinds.is_empty() && !actual.is_abstained()) {
        let is_cited = kinds.iter().any(|kind| holds(&actual.kinds, kind));
        checks.push("kinds", is_cited, &kinds.join(", "), &joined(&actual.kinds));
    }
    if let Some(source) = expected.source.as_ref().filter(|_| !actual.is_abstained()) {
        let is_vocabulary = source.eq_ignore_ascii_case(VOCABULARY) && holds(&actual.kinds, TERM);
        let is_cited = is_vocabulary || holds(&actual.collections, source);
        checks.push("source", is_cited, source, &joined(&actual.collections));
    }
    let said = folded(&actual.answer);
    for wanted in &expected.must_contain {
        checks.push("must_contain", said.contains(&folded(wanted)), wanted, "not in the answer");
    }
    for unwanted in &expected.must_not_contain {
        checks.push("must_not_contain", !said.contains(&folded(unwanted)), unwanted, "in the answer");
    }
    checks.0
}

/// Whether a kind or a collection is among those cited, however it is spelt.
fn holds(cited: &BTreeSet<String>, name: &str) -> bool {
    let name = if name.eq_ignore_ascii_case("vocabulary") { TERM } else { name };
    cited.iter().any(|own| own.eq_ignore_ascii_case(name))
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

struct Checks(Vec<Check>);

impl Checks {
    fn same(&mut self, key: &'static str, expected: Option<&String>, actual: &str) {
        if let Some(expected) = expected {
            self.push(key, expected == actual, expected, actual);
        }
    }

    fn push(&mut self, key: &'static str, is_met: bool, expected: &str, actual: &str) {
        let unmet = || Unmet { key: key.to_owned(), expected: expected.to_owned(), actual: actual.to_owned() };
        self.0.push((key, (!is_met).then(unmet)));
    }
}

/// Lower case, with single blanks and without the signs of Markdown, which say nothing.
pub(crate) fn folded(text: &str) -> String {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '|' | '>' | '#' | '\\');
    text.split(is_between).filter(|word| !word.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Actual, checked};
    use crate::golden::Expected;

    #[test]
    fn what_a_line_says_is_looked_at_and_nothing_else() {
        let actual = Actual {
            outcome: "answered".to_owned(),
            intent: "factual".to_owned(),
            answer: "The mast is\n10 m tall.".to_owned(),
            documents: vec!["a".to_owned()],
            ..Actual::default()
        };
        assert!(checked(&Expected::default(), &actual).is_empty());
        let expected = Expected {
            intent: Some("terminology".to_owned()),
            abstain: Some(false),
            document_ids: Some(vec!["b".to_owned(), "a".to_owned()]),
            must_contain: vec!["is 10 M".to_owned()],
            must_not_contain: vec!["tall".to_owned()],
            ..Expected::default()
        };
        let unmet: Vec<&str> =
            checked(&expected, &actual).into_iter().filter_map(|(key, unmet)| unmet.map(|_| key)).collect();
        assert_eq!(unmet, ["intent", "must_not_contain"]);
    }
}
