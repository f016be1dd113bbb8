//! `check`: a claim and texts → whether the texts support it, and what speaks against it.

use rmcp::{
    model::{CallToolResult, JsonObject, Tool},
    schemars::{self, JsonSchema},
};
use serde::Deserialize;
use serde_json::{Value, json};
use vouch_engine::verify::support::weigh;

use std::sync::Arc;

use super::{
    super::{
        call::{Call, told},
        reply::object,
    },
    reads, takes,
};
use vouch_service::wire::VerdictWire;

use crate::{endpoints::check::TEXTS_MAX, problem::Problem, service::Service};

const DESCRIPTION: &str = "Hold one sentence against texts and learn whether they support it: numbers, units, dates, names, \
    quotations and negations are compared, and a judge reads both. Use it on a sentence of your own before you state it, \
    with the passages it rests on (from `search`, `fetch` or the user) as evidence. It knows nothing beyond the evidence you \
    give it.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// One sentence that can be true or false
    claim: String,
    /// The texts to check it against, at most 200
    evidence: Vec<String>,
}

pub(super) fn card() -> Tool {
    let card = takes::<Arguments>("Check a claim", DESCRIPTION);
    card.with_raw_output_schema(schema()).with_annotations(reads())
}

fn schema() -> Arc<JsonObject> {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    object(json!({
        "type": "object",
        "properties": {
            "supported": { "type": "boolean" },
            "contradicted": { "type": "boolean", "description": "Whether the evidence says otherwise, not only nothing" },
            "score": { "type": "number", "description": "From 0 to 1" },
            "reasons": texts,
            "checks": texts,
            "findings": { "type": "array", "items": { "type": "object" } },
            "overlap": { "type": "number" },
            "judge": { "type": ["object", "null"] }
        },
        "required": ["supported", "contradicted", "score", "reasons"]
    }))
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { claim, evidence } = call.read()?;
    if claim.trim().is_empty() {
        return Err(call.wrong("the claim is empty"));
    }
    if evidence.len() > TEXTS_MAX {
        return Err(call.wrong(format!("a claim can be checked against at most {TEXTS_MAX} texts")));
    }
    let engine = &service.ask_service.engine;
    let texts: Vec<&str> = evidence.iter().map(String::as_str).collect();
    let weighed = weigh(&claim, &texts, engine.claim_judge.as_ref(), &engine.policies.verify).await;
    let verdict = VerdictWire::new(Value::Null, weighed);
    Ok(told(readable(&verdict), &verdict))
}

fn readable(verdict: &VerdictWire) -> String {
    let word = match (verdict.supported, verdict.contradicted) {
        (true, _) => "Supported",
        (false, true) => "Contradicted",
        (false, false) => "Not supported",
    };
    let heading = format!("{word} by the evidence (score {:.2}).", verdict.score);
    std::iter::once(heading)
        .chain(verdict.reasons.iter().map(|reason| format!("- {reason}")))
        .collect::<Vec<_>>()
        .join("\n")
}
