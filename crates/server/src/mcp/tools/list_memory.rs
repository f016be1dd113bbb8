//! `list_memory`: what editors have prepared, by name, a part at a time. For admins.

use rmcp::{
    model::{CallToolResult, Tool},
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};
use vouch_engine::recall;

use super::{
    super::call::{Call, structured},
    reads, takes,
};
use vouch_service::wire::EntryWire;

use crate::{problem::Problem, service::Service};

const ENTRIES: usize = 50;
const ENTRIES_MAX: usize = 200;

const DESCRIPTION: &str = "The pinned questions and notes that editors have prepared. Use it before `pin_question` or \
    `add_note`, to see whether there is an entry to replace.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// How many entries at most; 50 where it is left out
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// From which entry on; 0 where it is left out
    offset: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// By name
    entries: Vec<Entry>,
    /// How many there are in all
    total: usize,
    /// Where to list on; null at the end
    next_offset: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Entry {
    id: String,
    /// `pinned` or `note`
    kind: &'static str,
    phrases: Vec<String>,
    note: Vec<String>,
    references: Vec<String>,
    tags: Vec<String>,
}

pub(super) fn card() -> Tool {
    takes::<Arguments>("List the memory", DESCRIPTION).with_output_schema::<Listed>().with_annotations(reads())
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { limit, offset } = call.read()?;
    let (limit, offset) = (limit.unwrap_or(ENTRIES), offset.unwrap_or(0));
    if !(1..=ENTRIES_MAX).contains(&limit) {
        return Err(call.wrong(format!("limit is {limit}, it must lie between 1 and {ENTRIES_MAX}")));
    }
    let entries = match &service.desk.engine.memory {
        Some(memory) => memory.entries(&call.calling.caller.narrowed(None)).await.map_err(|error| call.down(error))?,
        None => Vec::new(),
    };
    let (total, end) = (entries.len(), offset.saturating_add(limit));
    let (reader, register) = (call.calling.caller.narrowed(None), service.keeper.register.as_ref());
    let mut listed = Vec::new();
    for mut entry in entries.into_iter().skip(offset).take(limit) {
        // What a reader may not see is not named to them either.
        entry.references =
            recall::open_references(&entry, &reader, register).await.map_err(|error| call.down(error))?;
        let EntryWire { id, kind, phrases, note, references, tags } = EntryWire::of(&entry, &reader);
        listed.push(Entry { id, kind, phrases, note, references, tags });
    }
    Ok(structured(&Listed { entries: listed, total, next_offset: (end < total).then_some(end) }))
}
