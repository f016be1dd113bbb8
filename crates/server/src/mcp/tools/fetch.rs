//! `fetch`: a source id, a document's id or its address → its text, as far as the caller may see it.
//!
//! Invariant: a hidden document and a missing one give the same message.

use rmcp::{
    model::{CallToolResult, Tool},
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, Serialize};
use vouch_domain::{Address, AddressKey, DocumentCard, DocumentId, PortError, Reader, StoredPassage};

use super::{
    super::call::{Call, structured},
    reads, takes,
};
use vouch_service::wire;

use crate::{
    problem::{Code, Problem},
    service::Service,
};

/// Most characters of one answer; the rest is fetched from `next_offset` on.
const CHARS_MAX: usize = 40_000;
/// How many documents of the same or a similar name are listed.
const NAMES_MAX: usize = 3;

const DESCRIPTION: &str = "Read a source: the passage of a source id that `search` or a citation of `ask` gave, or a whole \
    document by its id or by the number people call it by, such as ADR-0012. Use it to read the words around a citation \
    before relying on them. A long document comes in parts: fetch again from metadata.next_offset on.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// A source id such as leave.md:3, a document id, or an address such as ADR-0012
    id: String,
    /// First character to return; 0 if absent
    offset: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Fetched {
    /// The source id of a passage, else the document's id
    id: String,
    /// The document's title
    title: String,
    /// The text, or the part of it that was asked for
    text: String,
    /// Where people can open it; empty if unknown
    url: String,
    /// What is known about it besides the text
    metadata: Metadata,
}

#[derive(Serialize, JsonSchema)]
struct Metadata {
    /// Id of the document
    document_id: String,
    /// Kind of the document, such as policy
    kind: String,
    /// Collection it belongs to
    collection: String,
    /// The name people call it by, such as ADR-0012
    address: Option<String>,
    /// Status, such as accepted
    status: Option<String>,
    /// Address of the document that replaces it
    superseded_by: Option<String>,
    /// Date of the document, as written in it
    date: Option<String>,
    /// Version, as written in it
    version: Option<String>,
    /// Who is responsible for it
    owner: Option<String>,
    /// The headings above a passage; null for a whole document
    section: Option<String>,
    /// A passage's place in its document, from 0; null for a whole document
    chunk_index: Option<u32>,
    /// Length of the whole text, in characters
    chars: usize,
    /// Offset to fetch the next part from; null at the end
    next_offset: Option<usize>,
}

/// What an id leads to.
enum Target {
    Passage(StoredPassage),
    Document { first: StoredPassage, text: String },
}

/// Why it leads nowhere.
enum LookupMiss {
    Several(Vec<DocumentCard>),
    Nothing { near: Vec<DocumentCard> },
}

pub(super) fn card() -> Tool {
    takes::<Arguments>("Read a source", DESCRIPTION).with_output_schema::<Fetched>().with_annotations(reads())
}

pub(super) async fn call(service: &Service, mut call: Call) -> Result<CallToolResult, Problem> {
    let Arguments { id, offset } = call.read()?;
    let reader = call.call_context.caller.narrow(None);
    match find(service, &reader, id.trim()).await.map_err(|error| call.down(error))? {
        Ok(target) => fetched(target, offset.unwrap_or(0)).map_or_else(
            |chars| Err(call.wrong(format!("offset is beyond the text, which has {chars} characters"))),
            |fetched| Ok(structured(&fetched)),
        ),
        Err(LookupMiss::Several(cards)) => {
            let ids: Vec<&str> = cards.iter().take(NAMES_MAX).map(|card| card.id.as_str()).collect();
            Err(call.wrong(format!("several documents are called '{id}'; fetch one by its id: {}", ids.join(", "))))
        }
        Err(LookupMiss::Nothing { near }) => {
            let near: Vec<&str> = near.iter().filter_map(|card| Some(card.address.as_ref()?.as_str())).collect();
            let offer = if near.is_empty() { String::new() } else { format!(" Near it: {}.", near.join(", ")) };
            let detail = format!("Nothing you may read is called '{id}'.{offer}");
            Err(Problem::new(Code::NotFound, detail, &call.call_context.request_id))
        }
    }
}

/// A document of this id, else a passage of this source id, else the document of this address.
async fn find(service: &Service, reader: &Reader, id: &str) -> Result<Result<Target, LookupMiss>, PortError> {
    let register = &service.ask_service.engine.retrieve.register;
    if let Some(whole) = document(service, reader, DocumentId::parse(id)).await? {
        return Ok(Ok(whole));
    }
    let place = id.rsplit_once(':').and_then(|(id, at)| Some((DocumentId::parse(id)?, at.parse::<u32>().ok()?)));
    if let Some((id, ordinal)) = place {
        let passages = register.passages_of(reader, &id).await?;
        if let Some(passage) = passages.into_iter().find(|one| one.passage.ordinal == ordinal) {
            return Ok(Ok(Target::Passage(passage)));
        }
    }
    let key = AddressKey::new(id);
    let cards = register.by_address(reader, std::slice::from_ref(&key)).await?;
    match cards.as_slice() {
        [] => Ok(Err(LookupMiss::Nothing { near: register.near_address(reader, &key, NAMES_MAX).await? })),
        [only] => {
            let whole = document(service, reader, Some(only.id.clone())).await?;
            Ok(whole.ok_or(LookupMiss::Nothing { near: Vec::new() }))
        }
        _ => Ok(Err(LookupMiss::Several(cards))),
    }
}

async fn document(service: &Service, reader: &Reader, id: Option<DocumentId>) -> Result<Option<Target>, PortError> {
    let (ports, Some(id)) = (&service.ask_service.engine.retrieve, id) else { return Ok(None) };
    let Some(first) = ports.register.passages_of(reader, &id).await?.into_iter().next() else { return Ok(None) };
    let text = ports.catalogue.text(reader, &id).await?;
    Ok(text.map(|text| Target::Document { first, text }))
}

/// What is shown from a character on; where that is beyond the text, how long the text is.
fn fetched(target: Target, offset: usize) -> Result<Fetched, usize> {
    let (stored, whole, is_passage) = match target {
        Target::Passage(passage) => {
            let text = passage.passage.text.clone();
            (passage, text, true)
        }
        Target::Document { first, text } => (first, text, false),
    };
    let chars = whole.chars().count();
    if offset > chars {
        return Err(chars);
    }
    let (card, passage) = (&stored.document, &stored.passage);
    let end = offset.saturating_add(CHARS_MAX);
    let written = |address: &Option<Address>| address.as_ref().map(|address| address.as_str().to_owned());
    let metadata = Metadata {
        document_id: card.id.as_str().to_owned(),
        kind: card.kind.clone(),
        collection: card.collection.clone(),
        address: written(&card.address),
        status: card.status.clone(),
        superseded_by: written(&card.superseded_by),
        date: card.date.clone(),
        version: card.version.clone(),
        owner: card.owner.clone(),
        section: (is_passage && !passage.section.is_empty()).then(|| passage.section.join(" › ")),
        chunk_index: is_passage.then_some(passage.ordinal),
        chars,
        next_offset: (end < chars).then_some(end),
    };
    Ok(Fetched {
        id: if is_passage { stored.source_id() } else { card.id.as_str().to_owned() },
        title: card.title.clone(),
        text: whole.chars().skip(offset).take(CHARS_MAX).collect(),
        url: wire::url(card, passage.seconds_at(0)).unwrap_or_default(),
        metadata,
    })
}
