//! A golden question → the reply of the engine, and how it is judged.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use vouch_domain::{
    DocumentId, Question,
    ports::{Register, Toolbox},
};
use vouch_engine::ask::Engine;
use vouch_evals::{expectation::Actual, golden::GoldenQuestion, graded::Graded, score};
use vouch_service::{
    metrics::answerability,
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
    ask_of(app, engine_of(app, golden)?, golden).await
}

/// Asks one question of an engine over the same store.
pub(super) async fn ask_of(app: &App, engine: Engine, golden: &GoldenQuestion) -> anyhow::Result<Asked> {
    let question = Question {
        conversation: golden.conversation(),
        asker: golden.user.clone(),
        ..Question::new(&golden.query, golden.reader())
    };
    let response = engine.ask(&question).await?;
    let verdict = score::grade(golden, &response);
    let register = &app.store.register;
    let route = match register.has_several_collections(&question.reader).await? {
        true => Route::Tree,
        false => Route::Direct,
    };
    let reply = Reply::new(&response, format!("eval-{}", golden.id), route, false);
    let mut graded = Graded::new(golden, verdict, actual(&reply));
    graded.answerability = answerability(&response.trace.gates);
    graded.confidence = reply.confidence.overall;
    graded.elapsed_ms = response.elapsed_ms;
    let ids: Vec<DocumentId> = golden.gold_ids.iter().filter_map(|id| DocumentId::parse(id)).collect();
    let cards = register.by_ids(&question.reader, &ids).await?;
    let cited = reply.citations.iter().map(|cited| &cited.collection);
    let collections: BTreeSet<String> = match cards.is_empty() {
        true => cited.cloned().collect(),
        false => cards.into_iter().map(|card| card.collection).collect(),
    };
    graded.collections = collections.into_iter().collect();
    Ok(Asked { graded, trace: serde_json::to_value(&response.trace)? })
}

/// The engine, with what tools said when the set was made in the place of the tools.
pub(super) fn engine_of(app: &App, golden: &GoldenQuestion) -> anyhow::Result<Engine> {
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
fn actual(reply: &Reply) -> Actual {
    let mut documents: Vec<String> = Vec::new();
    for cited in &reply.citations {
        if !documents.contains(&cited.document_id) {
            documents.push(cited.document_id.clone());
        }
    }
    let pending = reply.pending.as_ref().map(|pending| pending.tool.clone());
    Actual {
        outcome: reply.outcome.as_str().to_owned(),
        intent: reply.intent.as_str().to_owned(),
        route: reply.route.as_str().to_owned(),
        abstain_reason: reply.abstain_reason.map(str::to_owned),
        action: reply.action.map(|action| action.as_str().to_owned()),
        owner: reply.route_to.as_ref().and_then(|route| route.owner_user_id.clone()),
        agent: reply.agent.clone(),
        is_pending: pending.is_some(),
        tool: pending.or_else(|| reply.tool_calls.first().map(|call| call.name.clone())),
        no_context: reply.no_context,
        documents,
        kinds: reply.citations.iter().map(|cited| cited.kind.clone()).collect(),
        collections: reply.citations.iter().map(|cited| cited.collection.clone()).collect(),
        answer: reply.answer.clone(),
    }
}
