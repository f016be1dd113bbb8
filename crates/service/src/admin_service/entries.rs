//! Entries of the memory: kept, given another wording, taken out.
//!
//! Invariant: nobody replaces or removes an entry that they may not see, nor one that others see too.

use vouch_domain::{Caller, MemoryEntry, PortError, Reader, Wording, WordingKey};
use vouch_engine::recall::{CurateError, CurateReport, Curator};

use super::{AdminError, AdminService, NOT_THEIRS, TAKEN};
use crate::tenant_locks::TenantLock;

impl AdminService {
    /// Keeps an entry of the memory.
    pub async fn remember(
        &self,
        turn: TenantLock,
        caller: &Caller,
        entry: MemoryEntry,
    ) -> Result<CurateReport, AdminError> {
        let reader = caller.reader.clone();
        self.finish(turn, move |admin_service| async move {
            let there = admin_service.entry(&reader, &entry.id).await?;
            let may_keep = |one: &MemoryEntry| reader.may_keep(&one.tenant, &one.tags);
            match &there {
                Some(there) if !reader.may_read(&there.tenant, &there.tags) => {
                    return Err(AdminError::NotTheirs(TAKEN));
                }
                there if !may_keep(&entry) || there.as_ref().is_some_and(|one| !may_keep(one)) => {
                    return Err(AdminError::NotTheirs(NOT_THEIRS));
                }
                Some(_) | None => {}
            }
            admin_service.keep_entry(entry, &reader).await
        })
        .await
    }

    pub(super) async fn keep_entry(&self, entry: MemoryEntry, reader: &Reader) -> Result<CurateReport, AdminError> {
        let curator = Curator {
            memory: self.memory.as_ref(),
            register: self.register.as_ref(),
            embedder: self.ingest.embedder.as_ref(),
        };
        curator.upsert(vec![entry], reader).await.map_err(|error| match error {
            CurateError::Bad(_) => AdminError::Bad(error.to_string()),
            CurateError::Port(error) => AdminError::Port(error),
        })
    }

    /// Removes an entry of the memory.
    pub async fn forget(&self, turn: TenantLock, caller: &Caller, id: &str) -> Result<usize, AdminError> {
        let (reader, id) = (caller.reader.clone(), id.to_owned());
        self.finish(turn, move |admin_service| async move {
            let there = admin_service.entry(&reader, &id).await?;
            let there = there.filter(|one| reader.may_read(&one.tenant, &one.tags)).ok_or(AdminError::Missing)?;
            if !reader.may_keep(&there.tenant, &there.tags) {
                return Err(AdminError::NotTheirs(NOT_THEIRS));
            }
            Ok(admin_service.memory.remove(&reader.tenant, &[id]).await?)
        })
        .await
    }

    /// Gives an entry another wording, and answers with the entry as it is then; one that it has already changes nothing.
    pub async fn add_wording(
        &self,
        turn: TenantLock,
        caller: &Caller,
        (id, wording): (&str, Wording),
    ) -> Result<MemoryEntry, AdminError> {
        let (reader, id) = (caller.reader.clone(), id.to_owned());
        self.finish(turn, move |admin_service| async move {
            let there = admin_service.entry(&reader, &id).await?;
            let mut entry = there.filter(|one| reader.may_read(&one.tenant, &one.tags)).ok_or(AdminError::Missing)?;
            if !reader.may_keep(&entry.tenant, &entry.tags) {
                return Err(AdminError::NotTheirs(NOT_THEIRS));
            }
            let text = wording.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let Some(words) = WordingKey::of(&text) else {
                return Err(AdminError::Bad("the wording is empty".to_owned()));
            };
            if entry.phrase_asked(&words).is_none() {
                entry.phrases.push(Wording { text, ..wording });
                admin_service.keep_entry(entry.clone(), &reader).await?;
            }
            Ok(entry)
        })
        .await
    }

    async fn entry(&self, reader: &Reader, id: &str) -> Result<Option<MemoryEntry>, PortError> {
        let entries = self.memory.entries(&Reader::of_tenant(&reader.tenant)).await?;
        Ok(entries.into_iter().find(|entry| entry.id == id))
    }
}
