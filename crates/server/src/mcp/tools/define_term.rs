//! `define_term`: a term → the vocabulary's own words, a choice between meanings, or a refusal.

use rmcp::{
    model::{CallToolResult, Tool},
    schemars::{self, JsonSchema},
};
use serde::Deserialize;
use vouch_domain::Question;

use super::{
    super::{
        call::{Call, told},
        reply::{readable, schema},
    },
    ask::ask_request,
    reads, takes,
};
use crate::{
    problem::{Code, Problem},
    service::Service,
};

const DESCRIPTION: &str = "The official definition of one term, in the words of the organisation's vocabulary. Use it \
    instead of explaining a technical or internal term from memory. A term the vocabulary does not define is refused \
    (`refused`), with terms that look like it; a term of several meanings comes back as a choice (`outcome` is clarify).";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The term alone, such as voltage regulation, and no question around it
    term: String,
}

pub(super) fn card() -> Tool {
    let card = takes::<Arguments>("Define a term", DESCRIPTION);
    card.with_raw_output_schema(schema()).with_annotations(reads())
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { term } = call.read()?;
    let term = term.trim();
    if term.is_empty() {
        return Err(call.wrong("the term is empty"));
    }
    // Recorded as a question, so that a replay gives the same result.
    let question = Question::new(format!("Define the term {term}"), call.call_context.caller.narrow(None));
    let ask_request = ask_request(&call, question, false);
    let id = &ask_request.request_id;
    let defined = service
        .ask_service
        .define(term, &ask_request)
        .await
        .map_err(|error| Problem::from_ask_service_error(&error, id))?;
    let Some(answered) = defined else {
        return Err(Problem::new(Code::NotFound, "No vocabulary is loaded, so terms cannot be looked up.", id));
    };
    Ok(told(readable(&answered.reply), &answered.reply))
}
