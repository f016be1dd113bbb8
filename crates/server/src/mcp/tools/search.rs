//! `search`: a query → ranked passages, each under the id `fetch` takes; no answer.

use rmcp::{
    model::{CallToolResult, Tool},
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};
use vouch_domain::Question;
use vouch_engine::retrieve::{Candidate, LaneChoice};

use super::{
    super::call::{Call, structured},
    reads, takes,
};
use vouch_service::wire;

use crate::{problem::Problem, service::Service};

const RESULTS: usize = 10;
const RESULTS_MAX: usize = 100;

const DESCRIPTION: &str = "Find passages of the organisation's documents by meaning, by exact words and by document \
    number. Use it to see what the documents say on a subject, or to gather evidence for `check`. It ranks and does not \
    judge: the best passage may still not answer the question. For an answer use `ask`; for the whole of a document give a \
    result's id to `fetch`.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to look for: a question, a few words, or a document's number such as ADR-0012
    query: String,
    /// Most passages to return; 10 if absent
    #[schemars(range(min = 1, max = 100))]
    k: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// Best first
    results: Vec<Hit>,
}

#[derive(Serialize, JsonSchema)]
struct Hit {
    /// Id of the passage, as `fetch` takes it
    id: String,
    /// The document's title, then the headings above the passage
    title: String,
    /// Where people can open it; empty if unknown
    url: String,
    /// The passage
    text: String,
    /// Id of the document; `fetch` takes it too
    document_id: String,
    /// How relevant it is, 0 to 1; null if it was not measured
    relevance: Option<f32>,
}

pub(super) fn card() -> Tool {
    takes::<Arguments>("Search the documents", DESCRIPTION).with_output_schema::<Found>().with_annotations(reads())
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { query, k } = call.read()?;
    let wanted = k.unwrap_or(RESULTS);
    if !(1..=RESULTS_MAX).contains(&wanted) {
        return Err(call.wrong(format!("k is {wanted}; it must be between 1 and {RESULTS_MAX}")));
    }
    let question =
        Question { passages_max: Some(wanted), ..Question::new(query, call.call_context.caller.narrow(None)) };
    let searched = service.ask_service.search(&question, LaneChoice::All).await;
    let candidates = searched.map_err(|error| Problem::from_ask_error(&error, &call.call_context.request_id))?;
    Ok(structured(&Found { results: candidates.items().iter().map(hit).collect() }))
}

fn hit(candidate: &Candidate) -> Hit {
    let (card, passage) = (&candidate.passage.document, &candidate.passage.passage);
    let title = std::iter::once(&card.title).chain(passage.section.iter()).map(String::as_str).collect::<Vec<_>>();
    Hit {
        id: candidate.passage.source_id(),
        title: title.join(" › "),
        url: wire::url(card, passage.seconds_at(0)).unwrap_or_default(),
        text: passage.text.clone(),
        document_id: card.id.as_str().to_owned(),
        relevance: candidate.similarity.map(|similarity| similarity.relevance),
    }
}
