//! `wordings`: what waits for a curator, how near a question comes to what is kept, and another wording for an entry. For admins.

use rmcp::{
    model::{CallToolResult, Tool, ToolAnnotations},
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vouch_domain::{MemoryKind, language::language_tag};
use vouch_service::memory_match::MemoryMatcher;

use super::{
    super::call::{Call, structured},
    takes,
};
use crate::{
    endpoints::{
        memory::wording::{WordingBody, add_wording},
        unanswered::waiting,
    },
    problem::Problem,
    service::Service,
};

/// Most wordings that are tried at once, and longest text, in characters.
const TRIED_MAX: usize = 20;
const CHARS_MAX: usize = 2_000;

const DESCRIPTION: &str = "What people ask and do not get. Use it to keep the memory up with how they ask: `list` shows questions without an answer, each with the entry of the \
    memory it is near to; wordings for which people chose an entry's question; and answers marked as unhelpful, with their \
    conversation. `try` says how near questions come to the entries that are kept; nothing is stored. `add` gives an entry another \
    wording: asked in these words, the question reaches the entry. Add one only where it means the same as the entry's own phrases; \
    for a new question use `pin_question`.";

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    List,
    Try,
    Add,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to do: `list`, `try` or `add`
    action: Action,
    /// The questions to try or to add, at most 20; not for `list`
    texts: Option<Vec<String>>,
    /// Id of the entry to add them to; only for `add`
    entry: Option<String>,
    /// Tag of their language, such as nl; only for `add`
    language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Outcome {
    /// For `list`: `topics` with their questions, `wordings` and `unhelpful`; null otherwise
    waiting: Option<Value>,
    /// For `try`: of each text its `matches`, nearest first; empty otherwise
    tried: Vec<Tried>,
    /// For `add`: every phrase of the entry as it is now; empty otherwise
    phrases: Vec<String>,
    /// For `add`: phrases that were asked as they are written and do not reach the entry, each with where they lead instead
    unreached: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Tried {
    /// The text
    text: String,
    /// Entries that come near it: `id`, `kind`, `text`, `likeness` and `nearness`
    matches: Value,
}

pub(super) fn card() -> Tool {
    let writes = ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false);
    takes::<Arguments>("Wordings", DESCRIPTION).with_output_schema::<Outcome>().with_annotations(writes)
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { action, texts, entry, language } = call.read()?;
    let texts = texts.unwrap_or_default();
    let is_fit = |text: &String| !text.trim().is_empty() && text.chars().count() <= CHARS_MAX;
    if texts.len() > TRIED_MAX || !texts.iter().all(is_fit) {
        let sentence =
            format!("a text is empty or longer than {CHARS_MAX} characters, or there are more than {TRIED_MAX}");
        return Err(call.wrong(sentence));
    }
    let mut outcome = Outcome { waiting: None, tried: Vec::new(), phrases: Vec::new(), unreached: Vec::new() };
    match (action, texts.is_empty(), entry) {
        (Action::List, true, None) => outcome.waiting = Some(list(service, &call).await?),
        (Action::Try, false, None) => outcome.tried = tried(service, &call, texts).await?,
        (Action::Add, false, Some(entry)) => {
            let language = match language {
                None => None,
                Some(tag) => Some(language_tag(&tag).ok_or_else(|| call.wrong(format!("'{tag}' is no language")))?),
            };
            let (caller, id) = (&call.call_context.caller, &call.call_context.request_id);
            for text in texts {
                let body = WordingBody { entry: entry.clone(), text, language: language.clone() };
                let added = add_wording(service, caller, body, id).await?;
                outcome.phrases = added.entry.phrases;
                outcome.unreached = added.phrases.lines();
            }
        }
        (Action::List | Action::Try | Action::Add, _, _) => {
            let sentence = "`list` takes nothing else, `try` takes `texts`, and `add` takes `texts` and `entry`";
            return Err(call.wrong(sentence.to_owned()));
        }
    }
    Ok(structured(&outcome))
}

async fn list(service: &Service, call: &Call) -> Result<Value, Problem> {
    let (caller, id) = (&call.call_context.caller, &call.call_context.request_id);
    let waiting = waiting(service, caller, id).await?;
    Ok(serde_json::to_value(&waiting).unwrap_or_default())
}

async fn tried(service: &Service, call: &Call, texts: Vec<String>) -> Result<Vec<Tried>, Problem> {
    let (caller, id) = (&call.call_context.caller, &call.call_context.request_id);
    let engine = &service.ask_service.engine;
    let matcher = MemoryMatcher {
        embedder: engine.retrieve.embedder.as_ref(),
        memory: service.admin_service.memory.as_ref(),
        policy: &engine.policies.memory,
    };
    let compare = async {
        let mut tried = Vec::with_capacity(texts.len());
        for text in texts {
            let compared = matcher.compare(&caller.reader, &text, (Vec::new(), MemoryKind::Pinned)).await;
            let compared = compared.map_err(|error| Problem::from_port_error(&error, id))?;
            tried.push(Tried { text, matches: serde_json::to_value(&compared.matches).unwrap_or_default() });
        }
        Ok(tried)
    };
    service.run_admitted(id, compare).await
}
