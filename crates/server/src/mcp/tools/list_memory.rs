//! `list_memory`: what editors have prepared, by name, a part at a time. For admins.

use rmcp::{
    model::{CallToolResult, Tool},
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};
use vouch_engine::recall;

use super::curate::Translation;
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
    /// Most entries to return; 50 if absent
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// Number of entries to skip; 0 if absent
    offset: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Ordered by id
    entries: Vec<Entry>,
    /// Number of entries in all
    total: usize,
    /// Offset to list the next entries from; null at the end
    next_offset: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Entry {
    /// Id of the entry
    id: String,
    /// `pinned` or `note`
    kind: &'static str,
    /// Wordings of the pinned question, or phrases that bring the note up
    phrases: Vec<String>,
    /// The note, sentence by sentence; empty for a pinned question
    note: Vec<String>,
    /// Whether readers are told how the note begins
    for_readers: bool,
    /// Sources it points to: document ids or addresses
    references: Vec<String>,
    /// Tags of the people who may see it; empty for everyone in the tenant
    tags: Vec<String>,
    /// Its texts in each language that is named, side by side
    translations: Vec<Translation>,
}

pub(super) fn card() -> Tool {
    takes::<Arguments>("List the memory", DESCRIPTION).with_output_schema::<Listed>().with_annotations(reads())
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { limit, offset } = call.read()?;
    let (limit, offset) = (limit.unwrap_or(ENTRIES), offset.unwrap_or(0));
    if !(1..=ENTRIES_MAX).contains(&limit) {
        return Err(call.wrong(format!("limit is {limit}; it must be between 1 and {ENTRIES_MAX}")));
    }
    let entries = match &service.ask_service.engine.memory {
        Some(memory) => {
            memory.entries(&call.call_context.caller.narrow(None)).await.map_err(|error| call.down(error))?
        }
        None => Vec::new(),
    };
    let (total, end) = (entries.len(), offset.saturating_add(limit));
    let (reader, register) = (call.call_context.caller.narrow(None), service.admin_service.register.as_ref());
    let mut listed = Vec::new();
    for mut entry in entries.into_iter().skip(offset).take(limit) {
        // What a reader may not see is not named to them either.
        entry.references =
            recall::open_references(&entry, &reader, register).await.map_err(|error| call.down(error))?;
        let EntryWire { id, kind, phrases, note, for_readers, references, tags, translations } =
            EntryWire::new(&entry, &reader);
        let translations = translations.into_iter().map(Translation::from).collect();
        listed.push(Entry { id, kind, phrases, note, for_readers, references, tags, translations });
    }
    Ok(structured(&Listed { entries: listed, total, next_offset: (end < total).then_some(end) }))
}
