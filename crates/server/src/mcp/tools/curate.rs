//! `pin_question`, `add_note` and `remove_entry`: what an editor prepares, kept or taken out at once or not at all. For admins.

use std::collections::BTreeSet;

use rmcp::{
    model::{CallToolResult, Tool, ToolAnnotations},
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};
use vouch_domain::{MemoryEntry, MemoryKind};
use vouch_service::wire::{EntryBody, TranslationWire};

use super::{
    super::call::{Call, structured},
    takes,
};
use crate::{problem::Problem, service::Service};

/// Longest name that is made of a phrase, in bytes; with its kind before it, it stays within what an entry's id may have.
const NAME_BYTES_MAX: usize = 180;

const PIN: &str = "Pin a question to the sources that answer it: whoever asks it, or nearly the same, is answered from \
    exactly these. Use it where a person with authority has said which documents settle a question. Give several wordings. \
    A reference is a document id or an address; `search` and `fetch` find them.";

const NOTE: &str = "Keep a note on a subject: questions that come near its phrases are searched with its references at \
    hand. The note itself frames an answer and is never quoted or cited. Use it for background that connects sources; to say \
    which source answers a question use `pin_question`.";

const REMOVE: &str = "Take an entry out of the memory: its question is answered from everything again, its note frames nothing any \
    more. Use it where an entry is wrong or out of date; `list_memory` tells the ids.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RemoveArguments {
    /// Id of the entry
    id: String,
}

#[derive(Serialize, JsonSchema)]
struct Removed {
    /// Id of the entry
    id: String,
    /// How many entries were taken out: one
    removed: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PinArguments {
    /// The question in several wordings, at most 100
    phrases: Vec<String>,
    /// The sources: document ids, addresses or titles; after one ` "WORDS"` for the section with this heading or the passage with these
    /// words, or ` t=SECONDS` for a place in a recording
    references: Vec<String>,
    /// Id of the entry; an entry with the same id is replaced. Made from the first phrase if absent
    id: Option<String>,
    /// Tags of the people who may see it; everyone in the tenant if absent
    tags: Option<BTreeSet<String>>,
    /// The same entry in other languages, side by side
    translations: Option<Vec<Translation>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoteArguments {
    /// Phrases that bring the note up, at most 100
    phrases: Vec<String>,
    /// The note, in a few sentences
    note: String,
    /// Whether readers are told how the note begins; if absent it guides whoever writes and nobody sees it
    for_readers: Option<bool>,
    /// Sources that may be cited with it: document ids or addresses
    references: Option<Vec<String>>,
    /// Id of the entry; an entry with the same id is replaced. Made from the first phrase if absent
    id: Option<String>,
    /// Tags of the people who may see it; everyone in the tenant if absent
    tags: Option<BTreeSet<String>>,
    /// The same entry in other languages, side by side
    translations: Option<Vec<Translation>>,
}

/// An entry's texts in one language.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Translation {
    /// Tag of the language, such as nl
    language: String,
    /// Wordings of the question, or phrases that bring the note up
    #[serde(default)]
    phrases: Vec<String>,
    /// The note; null for a pinned question
    #[serde(default)]
    note: Option<String>,
    /// Whether a model translated it and no person has changed it since
    #[serde(default)]
    by_model: bool,
}

impl From<TranslationWire> for Translation {
    fn from(TranslationWire { language, phrases, note, by_model }: TranslationWire) -> Self {
        Self { language, phrases, note, by_model }
    }
}

impl From<Translation> for TranslationWire {
    fn from(Translation { language, phrases, note, by_model }: Translation) -> Self {
        Self { language, phrases, note, by_model }
    }
}

#[derive(Serialize, JsonSchema)]
struct Kept {
    /// Id of the entry
    id: String,
    /// `pinned` or `note`
    kind: &'static str,
    /// Whether it replaced an entry with the same id
    replaced: bool,
    /// Phrases that were asked as they are written and do not reach the entry, each with where they lead instead: tell the curator
    unreached: Vec<String>,
}

pub(super) fn pin_card() -> Tool {
    takes::<PinArguments>("Pin a question", PIN).with_output_schema::<Kept>().with_annotations(writes())
}

pub(super) fn note_card() -> Tool {
    takes::<NoteArguments>("Add a note", NOTE).with_output_schema::<Kept>().with_annotations(writes())
}

pub(super) fn remove_card() -> Tool {
    takes::<RemoveArguments>("Remove an entry", REMOVE).with_output_schema::<Removed>().with_annotations(writes())
}

/// An entry may take another's place; the same entry twice is the same as once.
fn writes() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(true).idempotent(true).open_world(false)
}

pub(super) async fn pin(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let PinArguments { phrases, references, id, tags, translations } = call.read()?;
    let written = EntryDraft {
        kind: MemoryKind::Pinned,
        phrases,
        note: None,
        for_readers: false,
        references,
        id,
        tags,
        translations,
    };
    keep(service, &call, written).await
}

pub(super) async fn note(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let NoteArguments { phrases, note, for_readers, references, id, tags, translations } = call.read()?;
    let references = references.unwrap_or_default();
    let (note, for_readers) = (Some(note), for_readers.unwrap_or_default());
    let written = EntryDraft { kind: MemoryKind::Note, phrases, note, for_readers, references, id, tags, translations };
    keep(service, &call, written).await
}

pub(super) async fn remove(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let RemoveArguments { id } = call.read()?;
    let (caller, request_id) = (&call.call_context.caller, &call.call_context.request_id);
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(caller), request_id).await?;
    let work = async {
        let removed = service.admin_service.forget(turn, caller, &id).await;
        removed.map_err(|error| Problem::from_admin_error(&error, request_id))
    };
    let removed = service.run_admitted(request_id, work).await?;
    Ok(structured(&Removed { id, removed }))
}

/// What an editor wrote.
struct EntryDraft {
    kind: MemoryKind,
    phrases: Vec<String>,
    note: Option<String>,
    for_readers: bool,
    references: Vec<String>,
    id: Option<String>,
    tags: Option<BTreeSet<String>>,
    translations: Option<Vec<Translation>>,
}

async fn keep(service: &Service, call: &Call, written: EntryDraft) -> Result<CallToolResult, Problem> {
    let entry = entry(call, written)?;
    let (id, kind) = (entry.id.clone(), entry.kind.as_str());
    let (caller, request_id) = (&call.call_context.caller, &call.call_context.request_id);
    let turn = service.wait_for_lock(service.admin_service.lock_tenant_for_small_change(caller), request_id).await?;
    let work = async {
        let kept = service.admin_service.remember(turn, caller, entry.clone()).await;
        kept.map_err(|error| Problem::from_admin_error(&error, request_id))
    };
    let kept = service.run_admitted(request_id, work).await?;
    let unreached = service.check_phrases(&entry, request_id).await.lines();
    Ok(structured(&Kept { id, kind, replaced: kept.changed > 0, unreached }))
}

fn entry(call: &Call, written: EntryDraft) -> Result<MemoryEntry, Problem> {
    let say = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let phrases: Vec<String> = written.phrases.iter().map(say).collect();
    let first = phrases.first().map(String::as_str).unwrap_or_default();
    let body = EntryBody {
        id: written.id.unwrap_or_else(|| name(written.kind, first)),
        phrases,
        note: written.note.as_ref().map(say),
        for_readers: written.for_readers,
        references: written.references,
        tags: written.tags.unwrap_or_default(),
        translations: written.translations.into_iter().flatten().map(TranslationWire::from).collect(),
    };
    body.entry(&call.call_context.caller.reader.tenant).map_err(|sentence| call.wrong(sentence))
}

/// The name of an entry that was given none: its kind and its first phrase, cut where that is very long.
fn name(kind: MemoryKind, phrase: &str) -> String {
    let end = phrase.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= NAME_BYTES_MAX).last();
    format!("{}: {}", kind.as_str(), phrase.get(..end.unwrap_or(0)).unwrap_or_default())
}
