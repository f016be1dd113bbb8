//! Which documents there are, by kind and by the name people call them; complete, and in a fixed order.

use async_trait::async_trait;

use crate::{
    address::AddressKey,
    document::{DocumentCard, DocumentId},
    error::PortError,
    name_words::NameWords,
    passage::StoredPassage,
    reader::Reader,
};

/// A kind of document and how many of it a reader may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// The kind as its documents write it.
    pub kind: String,
    /// How many.
    pub documents: u64,
}

/// Which page of the catalogue is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Only documents of this kind, in any case.
    pub kind: Option<String>,
    /// Only documents of this collection.
    pub collection: Option<String>,
    /// Only documents about this topic, in any case.
    pub topic: Option<String>,
    /// Only documents that are called so.
    pub words: NameWords,
    /// Documents whose ids come after this one.
    pub after: Option<DocumentId>,
    /// At most so many.
    pub limit: usize,
}

/// The catalogue by name. Nothing a reader may not see changes what it answers.
#[async_trait]
pub trait Register: Send + Sync {
    /// These documents, in their order; those that are not there, or not open to the reader, are left out.
    async fn by_ids(&self, reader: &Reader, ids: &[DocumentId]) -> Result<Vec<DocumentCard>, PortError>;

    /// The documents with one of these addresses, in the order of the addresses, then of their ids.
    async fn by_address(&self, reader: &Reader, keys: &[AddressKey]) -> Result<Vec<DocumentCard>, PortError>;

    /// The documents whose address begins like this one, nearest number first, up to a limit.
    async fn near_address(
        &self,
        reader: &Reader,
        key: &AddressKey,
        limit: usize,
    ) -> Result<Vec<DocumentCard>, PortError>;

    /// The documents of a kind, whatever its case, by address, then by title, then by id; up to a limit.
    async fn of_kind(&self, reader: &Reader, kind: &str, limit: usize) -> Result<Vec<DocumentCard>, PortError>;

    /// The documents with a title, whatever its case, by id; up to a limit. It looks through the whole catalogue, so no question asks it.
    async fn by_title(&self, reader: &Reader, title: &str, limit: usize) -> Result<Vec<DocumentCard>, PortError>;

    /// One page of everything, by id.
    async fn page(&self, reader: &Reader, wanted: &PageRequest) -> Result<Vec<DocumentCard>, PortError>;

    /// How many documents all of its pages hold, wherever the wanted one begins and however many it may have.
    async fn count(&self, reader: &Reader, wanted: &PageRequest) -> Result<u64, PortError>;

    /// The document with an id, if the reader may see it.
    async fn by_id(&self, reader: &Reader, id: &DocumentId) -> Result<Option<DocumentCard>, PortError>;

    /// Every kind there is, in the order of the alphabet.
    async fn kinds(&self, reader: &Reader) -> Result<Vec<KindCount>, PortError>;

    /// Whether the documents that the reader may see are of more than one collection. It is asked before every question,
    /// so it must not take longer the more documents there are, once it has been asked.
    async fn has_several_collections(&self, reader: &Reader) -> Result<bool, PortError>;

    /// A document's passages in order; none if the reader may not see it.
    async fn passages_of(&self, reader: &Reader, id: &DocumentId) -> Result<Vec<StoredPassage>, PortError>;
}

/// The order of a list: by address, those without one last, then by title, then by id.
#[must_use]
pub fn in_list_order(mut cards: Vec<DocumentCard>) -> Vec<DocumentCard> {
    cards.sort_by_cached_key(|card| {
        let key = card.address.as_ref().map(crate::address::Address::key);
        (key.is_none(), key, card.title.clone(), card.id.clone())
    });
    cards
}

/// The documents nearest to an address by its last number; of the same family before others.
#[must_use]
pub fn nearest_first(mut cards: Vec<DocumentCard>, key: &AddressKey, limit: usize) -> Vec<DocumentCard> {
    let wanted = key.family();
    cards.sort_by_cached_key(|card| {
        let own = card.address.as_ref().map(crate::address::Address::key);
        let distance = own
            .as_ref()
            .and_then(AddressKey::family)
            .zip(wanted)
            .map(|((family, number), (other, wish))| (family != other, number.abs_diff(wish)));
        (distance.unwrap_or((true, u64::MAX)), own, card.id.clone())
    });
    cards.truncate(limit);
    cards
}
