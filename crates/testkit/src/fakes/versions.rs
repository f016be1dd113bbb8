//! Documents of the memory store as they were.

use async_trait::async_trait;
use vouch_domain::{
    CurrentVersions, DocumentId, DocumentVersion, PortError, Reader, VersionCard,
    ports::{Generation, Versions},
};

use super::{MemoryStore, held::PastVersion};

impl MemoryStore {
    /// What is open to a reader, newest first; nothing if the current form is not.
    fn forms_open_to(&self, reader: &Reader, id: &DocumentId) -> Vec<PastVersion> {
        let mut open = self.past(&reader.tenant, id);
        open.retain(|one| reader.may_see(&one.kept.document.card));
        open.reverse();
        let is_there = open.iter().any(|one| one.died.is_none());
        if is_there { open } else { Vec::new() }
    }
}

fn card(past: &PastVersion) -> VersionCard {
    VersionCard {
        number: past.number,
        card: past.kept.document.card.clone(),
        taken_in_ms: past.kept.taken_in_ms,
        is_current: past.died.is_none(),
    }
}

#[async_trait]
impl Versions for MemoryStore {
    async fn versions(&self, reader: &Reader, id: &DocumentId, limit: usize) -> Result<Vec<VersionCard>, PortError> {
        Ok(self.forms_open_to(reader, id).iter().take(limit).map(card).collect())
    }

    async fn version(
        &self,
        reader: &Reader,
        id: &DocumentId,
        number: u32,
    ) -> Result<Option<DocumentVersion>, PortError> {
        let found = self.forms_open_to(reader, id).into_iter().find(|one| one.number == number);
        Ok(found.map(|one| DocumentVersion { card: card(&one), text: one.kept.document.text }))
    }

    async fn current_at(
        &self,
        tenant: &str,
        id: &DocumentId,
        generation: Generation,
    ) -> Result<CurrentVersions, PortError> {
        let past = self.past(tenant, id);
        let lived = |one: &&PastVersion| one.born <= generation.0 && one.died.is_none_or(|died| died > generation.0);
        Ok(CurrentVersions {
            is_known: !past.is_empty(),
            then: past.iter().find(lived).map(|one| one.number),
            now: past.iter().find(|one| one.died.is_none()).map(|one| one.number),
        })
    }
}
