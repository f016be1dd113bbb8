//! A golden question → the reply of the engine, and how it is judged.

use std::sync::Arc;

use serde_json::Value;
use vouch_domain::{
    DocumentId, Question,
    ports::{Register, Toolbox},
};
use vouch_engine::ask::Engine;
use vouch_evals::{expectation::Actual, golden::GoldenQuestion, graded::Graded, score};
use vouch_service::{
    outcome::Route,
    recorded_toolbox::RecordedToolbox,
    wire::{Reply, ToolCallWire},
};

use crate::{exit::Usage, wiring::App};

/// A question that was asked: how it is judged, and its trace.
pub(super) struct Asked {
    pub(super) graded: Graded,
    pub(super) trace: Value,
}

/// Asks one question.
pub(super) async fn ask(app: &App, golden: &GoldenQuestion) -> anyhow::Result<Asked> {
    let question = Question {
        conversation: golden.conversation(),
        asker: golden.user.clone(),
        ..Question::new(&golden.query, golden.reader())
    };
    let response = engine_of(app, golden)?.ask(&question).await?;
    let verdict = score::grade(golden, &response);
    let register = &app.store.register;
    let route = match register.has_several_collections(&question.reader).await? {
        true => Route::Tree,
        false => Route::Direct,
    };
    let reply = serde_json::to_value(Reply::new(&response, format!("eval-{}", golden.id), route, true))?;
    let mut graded = Graded::new(golden, verdict, actual(&reply));
    graded.confidence =
        reply.pointer("/confidence/overall").and_then(Value::as_u64).and_then(|overall| u32::try_from(overall).ok());
    let gates = reply.pointer("/trace/gates").and_then(Value::as_array).into_iter().flatten();
    let answerability = gates.filter(|gate| gate.pointer("/name").and_then(Value::as_str) == Some("answerability"));
    graded.answerability = answerability.filter_map(|gate| gate.pointer("/reading")?.as_f64()).next_back();
    graded.elapsed_ms = response.elapsed_ms;
    let ids: Vec<DocumentId> = golden.gold_ids.iter().filter_map(|id| DocumentId::parse(id)).collect();
    let cards = register.by_ids(&question.reader, &ids).await?;
    let mut collections: Vec<String> = cards.into_iter().map(|card| card.collection).collect();
    if collections.is_empty() {
        collections = texts(&reply, "/citations", "/collection");
    }
    collections.sort_unstable();
    collections.dedup();
    graded.collections = collections;
    Ok(Asked { graded, trace: reply.pointer("/trace").cloned().unwrap_or_default() })
}

/// The engine, with what tools said when the set was made in the place of the tools.
fn engine_of(app: &App, golden: &GoldenQuestion) -> anyhow::Result<Engine> {
    let toolbox = match &app.engine.toolbox {
        None => None,
        Some(declared) => {
            let read = |call: &Value| serde_json::from_value(call.clone());
            let calls: Vec<ToolCallWire> =
                golden.recorded.iter().map(read).collect::<Result<_, _>>().map_err(|error| {
                    Usage(format!("{}: a recorded call of a tool cannot be read: {error}", golden.id))
                })?;
            Some(Arc::new(RecordedToolbox::new(Arc::clone(declared), &calls)) as Arc<dyn Toolbox>)
        }
    };
    Ok(Engine { toolbox, ..app.engine.clone() })
}

/// What was done, out of a reply.
fn actual(reply: &Value) -> Actual {
    let text = |place: &str| reply.pointer(place).and_then(Value::as_str).map(str::to_owned);
    let is = |place: &str| reply.pointer(place).and_then(Value::as_bool).unwrap_or_default();
    let mut documents = texts(reply, "/citations", "/document_id");
    documents.extend(texts(reply, "/sources", "/document_id"));
    let mut seen = std::collections::BTreeSet::new();
    documents.retain(|id| seen.insert(id.clone()));
    let pending = text("/pending/tool");
    Actual {
        outcome: text("/outcome").unwrap_or_default(),
        intent: text("/intent").unwrap_or_default(),
        route: text("/route").unwrap_or_default(),
        abstain_reason: text("/abstain_reason"),
        action: text("/action"),
        owner: text("/route_to/owner_user_id"),
        agent: text("/agent"),
        is_pending: pending.is_some(),
        tool: pending.or_else(|| text("/tool_calls/0/name")),
        no_context: is("/no_context"),
        documents,
        answer: text("/answer").unwrap_or_default(),
    }
}

fn texts(reply: &Value, list: &str, place: &str) -> Vec<String> {
    let items = reply.pointer(list).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.pointer(place)?.as_str().map(str::to_owned)).collect()
}
