//! The parts of a record that are read again, to ask once more what was asked: one shape for both ways.

use std::{borrow::Cow, collections::BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vouch_domain::{PendingCall, Question, Scope, SessionState, Speaker, Timestamp, Turn, ports::StoreState};

use crate::{
    circumstances::Circumstances,
    wire::tool_call::{object, typed_record},
};

/// What the asker could see.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::wire) struct ScopeRecord<'a> {
    whole_tenant: bool,
    tags: Cow<'a, BTreeSet<String>>,
}

/// The question as it was asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::wire) struct QuestionRecord<'a> {
    pub(in crate::wire) query: Option<Cow<'a, str>>,
    pub(in crate::wire) chat_history: Option<Vec<TurnRecord<'a>>>,
    pub(in crate::wire) model: Option<Cow<'a, str>>,
    pub(in crate::wire) max_context_chunks: Option<usize>,
    /// Absent from entries of earlier versions.
    #[serde(default)]
    pub(in crate::wire) language: Option<Cow<'a, str>>,
    /// Who asks, where tools may look at their records; absent as above.
    #[serde(default)]
    pub(in crate::wire) person: Option<Cow<'a, str>>,
    /// The agent that was asked for; absent as above.
    #[serde(default)]
    pub(in crate::wire) agent: Option<Cow<'a, str>>,
    /// What the conversation had come to; absent as above, and where there are no agents.
    #[serde(default)]
    pub(in crate::wire) session: Option<SessionRecord<'a>>,
    /// The request whose reply offered this question in the place of another; absent as above, and where it was typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::wire) instead_of: Option<Cow<'a, str>>,
}

/// What a conversation had come to. The token of what waits is a secret and not kept: only whether it was given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::wire) struct SessionRecord<'a> {
    agent: Option<Cow<'a, str>>,
    open_question: Option<Cow<'a, str>>,
    pending: Option<PendingRecord<'a>>,
    is_confirmed: Option<bool>,
    /// Absent from entries of earlier versions.
    #[serde(default)]
    turns: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct PendingRecord<'a> {
    tool: Cow<'a, str>,
    args: Value,
    missing: Cow<'a, [String]>,
    /// Absent from entries of earlier versions.
    #[serde(default)]
    is_aside: bool,
}

/// What stands for a token when a question is asked again.
const REPLAYED: &str = "replayed";

impl<'a> SessionRecord<'a> {
    /// What a question's conversation had come to; none if it had come to nothing.
    pub(super) fn new(question: &'a Question) -> Option<Self> {
        let state = &question.session;
        let is_empty = *state == SessionState::default() && question.confirms.is_none();
        (!is_empty).then(|| Self {
            agent: state.agent.as_deref().map(Cow::Borrowed),
            open_question: state.open_question.as_deref().map(Cow::Borrowed),
            pending: state.pending.as_ref().map(|pending| PendingRecord {
                tool: Cow::Borrowed(&pending.tool),
                args: object(&pending.args),
                missing: Cow::Borrowed(&pending.missing),
                is_aside: pending.is_aside,
            }),
            is_confirmed: question
                .confirms
                .as_ref()
                .map(|token| state.pending.as_ref().is_some_and(|pending| pending.token.as_ref() == Some(token))),
            turns: state.turns,
        })
    }

    /// The state, and the token that a yes was given with.
    pub(in crate::wire) fn state(&self) -> (SessionState, Option<String>) {
        let pending = self.pending.as_ref().map(|pending| PendingCall {
            tool: pending.tool.clone().into_owned(),
            args: typed_record(&pending.args).unwrap_or_default(),
            missing: pending.missing.to_vec(),
            token: Some(REPLAYED.to_owned()),
            until_ms: None,
            is_aside: pending.is_aside,
        });
        let text = |words: &Option<Cow<'_, str>>| words.as_deref().map(str::to_owned);
        let state = SessionState {
            agent: text(&self.agent),
            pending,
            open_question: text(&self.open_question),
            turns: self.turns,
        };
        let given = self.is_confirmed.map(|is_right| if is_right { REPLAYED.to_owned() } else { String::new() });
        (state, given)
    }
}

/// What was said before.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::wire) struct TurnRecord<'a> {
    role: RoleRecord,
    content: Cow<'a, str>,
    sources: Cow<'a, [String]>,
    /// Absent from entries of earlier versions.
    #[serde(default)]
    timestamp: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RoleRecord {
    User,
    System,
    #[serde(other)]
    Assistant,
}

/// How far the corpus had come.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(in crate::wire) struct CorpusRecord {
    pub(in crate::wire) generation_before: u64,
    pub(in crate::wire) generation_after: Option<u64>,
}

/// What the answer depends on besides; an entry of an earlier version may lack some.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::wire) struct CircumstancesRecord<'a> {
    version: Option<Cow<'a, str>>,
    settings: Option<Cow<'a, str>>,
    embedder: Option<Cow<'a, str>>,
    judge: Option<Cow<'a, str>>,
    pub(in crate::wire) store: Option<Cow<'a, str>>,
    memory: Option<Cow<'a, str>>,
    vocabulary: Option<Cow<'a, str>>,
    people: Option<Cow<'a, str>>,
}

impl<'a> From<&'a Scope> for ScopeRecord<'a> {
    fn from(scope: &'a Scope) -> Self {
        match scope {
            Scope::WholeTenant => Self { whole_tenant: true, tags: Cow::Owned(BTreeSet::new()) },
            Scope::Tags(tags) => Self { whole_tenant: false, tags: Cow::Borrowed(tags) },
        }
    }
}

impl From<&ScopeRecord<'_>> for Scope {
    fn from(record: &ScopeRecord<'_>) -> Self {
        match record.whole_tenant {
            true => Self::WholeTenant,
            false => Self::Tags(record.tags.clone().into_owned()),
        }
    }
}

impl TurnRecord<'_> {
    /// Whether a program said it, and not one of the two who speak.
    pub(in crate::wire) fn is_of_system(&self) -> bool {
        matches!(self.role, RoleRecord::System)
    }
}

impl<'a> From<&'a Turn> for TurnRecord<'a> {
    fn from(turn: &'a Turn) -> Self {
        let role = match turn.speaker {
            Speaker::Asker => RoleRecord::User,
            Speaker::Vouch => RoleRecord::Assistant,
            Speaker::System => RoleRecord::System,
        };
        Self {
            role,
            content: Cow::Borrowed(&turn.text),
            sources: Cow::Borrowed(&turn.sources),
            timestamp: turn.said_at.as_ref().map(|said_at| Cow::Borrowed(said_at.as_str())),
        }
    }
}

impl From<&TurnRecord<'_>> for Turn {
    fn from(record: &TurnRecord<'_>) -> Self {
        let speaker = match record.role {
            RoleRecord::User => Speaker::Asker,
            RoleRecord::Assistant => Speaker::Vouch,
            RoleRecord::System => Speaker::System,
        };
        Self {
            speaker,
            text: record.content.clone().into_owned(),
            sources: record.sources.clone().into_owned(),
            said_at: record.timestamp.as_deref().and_then(Timestamp::parse),
        }
    }
}

impl<'a> CircumstancesRecord<'a> {
    pub(in crate::wire) fn new(circumstances: &'a Circumstances, state: &'a StoreState) -> Self {
        Self {
            version: Some(Cow::Borrowed(&circumstances.version)),
            settings: Some(Cow::Borrowed(&circumstances.settings)),
            embedder: Some(Cow::Borrowed(&circumstances.embedder)),
            judge: circumstances.judge.as_deref().map(Cow::Borrowed),
            store: state.store.as_deref().map(Cow::Borrowed),
            memory: state.memory.as_deref().map(Cow::Borrowed),
            vocabulary: state.vocabulary.as_deref().map(Cow::Borrowed),
            people: state.people.as_deref().map(Cow::Borrowed),
        }
    }

    /// Every circumstance under its name, in the order they are told in.
    pub(in crate::wire) fn facts(&self) -> [(&'static str, Option<&str>); 8] {
        [
            ("version", self.version.as_deref()),
            ("settings", self.settings.as_deref()),
            ("embedder", self.embedder.as_deref()),
            ("judge", self.judge.as_deref()),
            ("store", self.store.as_deref()),
            ("memory", self.memory.as_deref()),
            ("vocabulary", self.vocabulary.as_deref()),
            ("people", self.people.as_deref()),
        ]
    }
}
