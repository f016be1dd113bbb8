//! A message with several needs → the first of them, and what is told of the rest.
//!
//! Invariant: of what was asked nothing is passed over in silence: what is not served is named.

use vouch_domain::{Question, SessionState, language::key_words};

use super::{agents::Handover, engine::Engine};
use crate::route::Routing;

/// How many parts of a message are read.
const PARTS_MAX: usize = 6;
/// How much of what is not served is told back.
const CHARS_MAX: usize = 200;
/// What joins a further request to the one before.
const JOINTS: &[&str] = &["and", "also", "plus", "then"];
/// How many of them may follow one another.
const JOINTS_MAX: usize = 3;
/// What a request begins with: a question's word, or what is to be done.
const OPENERS: &[&str] = &[
    "what", "what's", "when", "where", "who", "why", "how", "how's", "which", "is", "are", "was", "were", "do", "does",
    "did", "can", "could", "will", "would", "should", "may", "has", "have", "show", "list", "tell", "give", "send",
    "open", "refund", "explain", "check", "find", "help", "please", "i'd", "let",
];
/// The same in two words.
const WISHES: &[&str] = &["i want", "i need", "i would", "i also"];

/// The first need of a message that has several.
pub(super) struct Needs {
    /// The message without the other needs.
    pub(super) first: String,
    /// Whose the first is.
    pub(super) routing: Routing,
    /// What is told of the others.
    pub(super) aside: String,
}

/// A part of a message.
struct Part {
    text: String,
    kind: PartKind,
}

/// What a part does by its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    /// Asks for something.
    Request,
    /// Tells something, which may be a need as well: a fault, a wish.
    Telling,
    /// Says too little to be either.
    Little,
}

impl Engine {
    /// The needs of a message, where agents or tools of their own would serve them and each is sure; none where it has but one.
    pub(super) async fn several_needs(&self, handover: Handover<'_>) -> Option<Needs> {
        let (question, policy) = (handover.question, &handover.agents.policy);
        let parts = parts(&question.text);
        let has_request = parts.iter().any(|part| part.kind == PartKind::Request);
        if question.agent.is_some() || !has_request || !(2..=PARTS_MAX).contains(&parts.len()) {
            return None;
        }
        let mut routings: Vec<Option<Routing>> = Vec::new();
        for part in &parts {
            routings.push(match part.kind {
                PartKind::Request | PartKind::Telling => self.sure_routing(handover, &part.text).await,
                PartKind::Little => None,
            });
        }
        let routed: Vec<(&Part, Option<Routing>)> = parts.iter().zip(routings).collect();
        let is_request = |(part, _): &&(&Part, Option<Routing>)| part.kind == PartKind::Request;
        let first = routed.iter().filter(is_request).find_map(|(_, routing)| routing.clone());
        let is_other = |part: &Part, routing: &Routing, own: &Routing| match part.kind {
            PartKind::Request => (&routing.agent, &routing.tool) != (&own.agent, &own.tool),
            // What is told beside a request is mostly about it.
            PartKind::Telling | PartKind::Little => routing.agent != own.agent,
        };
        let (mut kept, mut left): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for (part, routing) in &routed {
            let is_left =
                first.as_ref().zip(routing.as_ref()).is_some_and(|(own, routing)| is_other(part, routing, own));
            if is_left { left.push(&part.text) } else { kept.push(&part.text) }
        }
        let routing = first.filter(|own| !left.is_empty() && policy.agent(&own.agent).is_some())?;
        let told: String = left.join(" ").chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect();
        let told = told.replace(['[', ']', '<', '>', '`', '*', '|'], " ");
        let aside = format!(
            "I answer one thing at a time, so I have not looked at this yet: “{told}” Please ask it separately."
        );
        Some(Needs { first: kept.join(" "), routing, aside })
    }

    /// Whose a part is by itself, where that is sure.
    async fn sure_routing(&self, handover: Handover<'_>, text: &str) -> Option<Routing> {
        let (question, policy) = (handover.question, &handover.agents.policy);
        let alone = Question {
            text: text.to_owned(),
            conversation: Vec::new(),
            session: SessionState::default(),
            ..question.clone()
        };
        let routing = handover.agents.router.route(&alone, &self.retrieve).await.ok()?;
        let is_sure = routing.confidence >= policy.confidence_at_least && policy.agent(&routing.agent).is_some();
        is_sure.then_some(routing)
    }
}

/// The parts of a message: its sentences, and the requests that are joined within one.
fn parts(text: &str) -> Vec<Part> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut runs: Vec<Vec<&str>> = vec![Vec::new()];
    for (at, word) in words.iter().copied().enumerate() {
        let after = words.get(at + 1..).unwrap_or_default();
        let is_full = runs.last().is_some_and(|run| run.len() >= 2);
        if JOINTS.contains(&bare(word).as_str()) && is_full && opens(after) {
            runs.push(Vec::new());
            continue;
        }
        runs.last_mut().into_iter().for_each(|run| run.push(word));
        if word.ends_with(['.', '?', '!', ';']) && !after.is_empty() {
            runs.push(Vec::new());
        }
    }
    let part = |run: Vec<&str>| {
        let text = run.join(" ");
        let last = run.last().copied().unwrap_or_default();
        let is_request = opens(&run) || last.ends_with('?') || bare(last) == "please";
        let kind = match (is_request, key_words(&text).len()) {
            (_, 0) => PartKind::Little,
            (true, _) => PartKind::Request,
            (false, 1) => PartKind::Little,
            (false, _) => PartKind::Telling,
        };
        Part { text, kind }
    };
    runs.into_iter().filter(|run| !run.is_empty()).map(part).collect()
}

/// Whether words begin a request.
fn opens(words: &[&str]) -> bool {
    let joints = words.iter().take(JOINTS_MAX).take_while(|word| JOINTS.contains(&bare(word).as_str())).count();
    let mut rest = words.iter().skip(joints).map(|word| bare(word));
    let (first, second) = (rest.next().unwrap_or_default(), rest.next().unwrap_or_default());
    OPENERS.contains(&first.as_str()) || WISHES.contains(&format!("{first} {second}").as_str())
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'")
}
