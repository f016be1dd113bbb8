//! The memory store by name.

use async_trait::async_trait;
use vouch_domain::{
    Address, AddressKey, DocumentCard, DocumentId, PortError, Reader, StoredPassage,
    ports::{
        KindCount, PageRequest, Register,
        register::{in_list_order, nearest_first},
    },
};

use super::MemoryStore;

#[async_trait]
impl Register for MemoryStore {
    async fn by_address(&self, reader: &Reader, keys: &[AddressKey]) -> Result<Vec<DocumentCard>, PortError> {
        let cards = self.cards(reader);
        let has =
            |card: &&DocumentCard, key: &AddressKey| card.address.as_ref().map(Address::key).as_ref() == Some(key);
        Ok(keys.iter().flat_map(|key| cards.iter().filter(move |card| has(card, key)).cloned()).collect())
    }

    async fn by_ids(&self, reader: &Reader, ids: &[DocumentId]) -> Result<Vec<DocumentCard>, PortError> {
        let cards = self.cards(reader);
        Ok(ids.iter().filter_map(|id| cards.iter().find(|card| card.id == *id)).cloned().collect())
    }

    async fn near_address(
        &self,
        reader: &Reader,
        key: &AddressKey,
        limit: usize,
    ) -> Result<Vec<DocumentCard>, PortError> {
        let mut family = key.as_str();
        while let Some((shorter, _)) = family.rsplit_once(' ') {
            family = shorter;
            let begins = |card: &DocumentCard| {
                let own = card.address.as_ref().map(Address::key);
                own.is_some_and(|own| own.as_str().starts_with(&format!("{family} ")))
            };
            let found: Vec<DocumentCard> = self.cards(reader).into_iter().filter(begins).collect();
            if !found.is_empty() {
                return Ok(nearest_first(found, key, limit));
            }
        }
        Ok(Vec::new())
    }

    async fn of_kind(&self, reader: &Reader, kind: &str, limit: usize) -> Result<Vec<DocumentCard>, PortError> {
        let cards = self.cards(reader).into_iter().filter(|card| card.kind.eq_ignore_ascii_case(kind)).collect();
        let mut found = in_list_order(cards);
        found.truncate(limit);
        Ok(found)
    }

    async fn by_title(&self, reader: &Reader, title: &str, limit: usize) -> Result<Vec<DocumentCard>, PortError> {
        let has = |card: &DocumentCard| card.title.eq_ignore_ascii_case(title);
        Ok(self.cards(reader).into_iter().filter(has).take(limit).collect())
    }

    async fn page(&self, reader: &Reader, wanted: &PageRequest) -> Result<Vec<DocumentCard>, PortError> {
        let is_after = |card: &DocumentCard| wanted.after.as_ref().is_none_or(|after| card.id > *after);
        let cards = self.cards(reader).into_iter().filter(is_after);
        Ok(cards.filter(|card| is_wanted(card, wanted)).take(wanted.limit).collect())
    }

    async fn count(&self, reader: &Reader, wanted: &PageRequest) -> Result<u64, PortError> {
        Ok(self.cards(reader).iter().filter(|card| is_wanted(card, wanted)).count() as u64)
    }

    async fn by_id(&self, reader: &Reader, id: &DocumentId) -> Result<Option<DocumentCard>, PortError> {
        Ok(self.cards(reader).into_iter().find(|card| card.id == *id))
    }

    async fn kinds(&self, reader: &Reader) -> Result<Vec<KindCount>, PortError> {
        let mut found = std::collections::BTreeMap::<String, u64>::new();
        for card in self.cards(reader) {
            *found.entry(card.kind).or_default() += 1;
        }
        Ok(found.into_iter().map(|(kind, documents)| KindCount { kind, documents }).collect())
    }

    async fn has_several_collections(&self, reader: &Reader) -> Result<bool, PortError> {
        let collections: std::collections::BTreeSet<String> =
            self.cards(reader).into_iter().map(|card| card.collection).collect();
        Ok(collections.len() > 1)
    }

    async fn passages_of(&self, reader: &Reader, id: &DocumentId) -> Result<Vec<StoredPassage>, PortError> {
        Ok(self.stored_passages(reader).into_iter().filter(|one| one.document.id == *id).collect())
    }
}

fn is_wanted(card: &DocumentCard, wanted: &PageRequest) -> bool {
    let address = card.address.as_ref().map(vouch_domain::Address::as_str);
    wanted.kind.as_ref().is_none_or(|kind| card.kind.eq_ignore_ascii_case(kind))
        && wanted.collection.as_ref().is_none_or(|collection| card.collection == *collection)
        && wanted.topic.as_ref().is_none_or(|topic| card.topics.iter().any(|own| own.eq_ignore_ascii_case(topic)))
        && wanted.words.fit([Some(card.title.as_str()), address, Some(card.id.as_str())].into_iter().flatten())
}
