//! The curated memory in the catalogue's file, behind the `Memory` port.
//!
//! Entries are few beside passages, so all of a tenant's are held in memory and every one is looked at; what is held
//! follows the file by a word that changes with every change.

mod stored;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use rusqlite::{Transaction, params};
use vouch_domain::{
    Embedding, Fault, PortError, Reader,
    memory::{MemoryEntry, WordingKey},
    ports::{EmbeddedEntry, EmbeddedText, Memory, MemoryMatch, entries_in_order, nearest_entries},
};

use self::stored::StoredEntry;
use super::{
    blocking::blocking,
    database::{Database, mark_changed, tags_to_json},
    facts::meta,
};

const PORT: &str = "memory";
/// Most entries of one store.
const ENTRIES_MAX: usize = 50_000;

/// One tenant's entries, as of one state of the file.
struct Held {
    tenant: String,
    state: String,
    entries: Arc<Entries>,
}

/// Entries, and which of them have a phrase.
struct Entries {
    all: Vec<EmbeddedEntry>,
    by_phrase: BTreeMap<WordingKey, BTreeSet<usize>>,
}

impl Entries {
    fn new(all: Vec<EmbeddedEntry>) -> Self {
        let mut by_phrase: BTreeMap<WordingKey, BTreeSet<usize>> = BTreeMap::new();
        for (at, one) in all.iter().enumerate() {
            for key in one.entry.phrases.iter().filter_map(|phrase| WordingKey::of(&phrase.text)) {
                by_phrase.entry(key).or_default().insert(at);
            }
        }
        Self { all, by_phrase }
    }

    fn with_phrase(&self, words: &WordingKey) -> impl Iterator<Item = &EmbeddedEntry> {
        self.by_phrase.get(words).into_iter().flatten().filter_map(|at| self.all.get(*at))
    }
}

/// What editors prepared, of one data folder.
pub struct EmbeddedMemory {
    database: Arc<Database>,
    held: Arc<Mutex<Option<Held>>>,
}

impl EmbeddedMemory {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database, held: Arc::default() }
    }
}

#[async_trait]
impl Memory for EmbeddedMemory {
    async fn upsert(&self, entries: Vec<EmbeddedEntry>) -> Result<usize, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || {
            let new = database.write(|transaction| upsert(transaction, &entries))?;
            new.ok_or_else(|| {
                PortError::new(PORT, Fault::Invalid, format!("a memory holds at most {ENTRIES_MAX} entries"))
            })
        })
        .await
    }

    async fn remove(&self, tenant: &str, ids: &[String]) -> Result<usize, PortError> {
        let (database, tenant, ids) = (Arc::clone(&self.database), tenant.to_owned(), ids.to_vec());
        blocking(PORT, move || database.write(|transaction| remove(transaction, &tenant, &ids))).await
    }

    async fn entries(&self, reader: &Reader) -> Result<Vec<MemoryEntry>, PortError> {
        let (database, held, reader) = (Arc::clone(&self.database), Arc::clone(&self.held), reader.clone());
        blocking(PORT, move || {
            let entries = entries_of(&database, &held, &reader.tenant)?;
            let visible =
                entries.all.iter().map(|one| &one.entry).filter(|one| reader.may_read(&one.tenant, &one.tags));
            Ok(visible.cloned().collect())
        })
        .await
    }

    async fn with_phrase(&self, reader: &Reader, words: &WordingKey) -> Result<Vec<Arc<MemoryEntry>>, PortError> {
        let (database, held, reader) = (Arc::clone(&self.database), Arc::clone(&self.held), reader.clone());
        let words = words.clone();
        blocking(PORT, move || {
            let entries = entries_of(&database, &held, &reader.tenant)?;
            Ok(entries_in_order(entries.with_phrase(&words), &reader))
        })
        .await
    }

    async fn nearest(
        &self,
        reader: &Reader,
        vectors: &[Embedding],
        languages: &[String],
        limit: usize,
    ) -> Result<Vec<MemoryMatch>, PortError> {
        let (database, held, reader) = (Arc::clone(&self.database), Arc::clone(&self.held), reader.clone());
        let (vectors, languages) = (vectors.to_vec(), languages.to_vec());
        blocking(PORT, move || {
            let entries = entries_of(&database, &held, &reader.tenant)?;
            let visible = entries.all.iter().filter(|one| reader.may_read(&one.entry.tenant, &one.entry.tags));
            Ok(nearest_entries(visible, &vectors, &languages, limit))
        })
        .await
    }
}

/// A tenant's entries, read again only where the file has changed.
fn entries_of(database: &Database, held: &Mutex<Option<Held>>, tenant: &str) -> Result<Arc<Entries>, PortError> {
    database.read(|transaction| {
        let state = meta(transaction, "memory")?.unwrap_or_default();
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = held.as_ref().filter(|known| known.tenant == tenant && known.state == state) {
            return Ok(Arc::clone(&known.entries));
        }
        let entries = Arc::new(Entries::new(load(transaction, tenant)?));
        *held = Some(Held { tenant: tenant.to_owned(), state, entries: Arc::clone(&entries) });
        Ok(entries)
    })
}

fn load(transaction: &Transaction<'_>, tenant: &str) -> rusqlite::Result<Vec<EmbeddedEntry>> {
    let mut statement = transaction.prepare_cached(
        "SELECT m.key, m.id, m.tags, m.entry FROM checked_memory m JOIN checked_tenants t ON t.id = m.tenant_id
         WHERE t.name = ?1 ORDER BY m.id",
    )?;
    let rows = statement.query_map([tenant], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
    })?;
    let mut entries = Vec::new();
    for row in rows {
        let (key, id, tags, json) = row?;
        // What cannot be read is seen by nobody: tags that are not understood would otherwise look like none.
        let Ok(tags) = serde_json::from_str::<BTreeSet<String>>(&tags) else { continue };
        let Ok(stored) = serde_json::from_str::<StoredEntry>(&json) else { continue };
        let entry = stored.into_entry(id, tenant.to_owned(), tags);
        entries.push(EmbeddedEntry { texts: texts(transaction, key)?, entry });
    }
    Ok(entries)
}

fn texts(transaction: &Transaction<'_>, entry: i64) -> rusqlite::Result<Vec<EmbeddedText>> {
    let mut statement = transaction
        .prepare_cached("SELECT text, language, vector FROM checked_memory_texts WHERE entry = ?1 ORDER BY ordinal")?;
    let rows = statement.query_map([entry], |row| {
        let bytes = row.get_ref(2)?.as_blob()?;
        let (chunks, _) = bytes.as_chunks::<4>();
        let values = chunks.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok((row.get(0)?, row.get(1)?, Embedding::normalised(values)))
    })?;
    let mut texts = Vec::new();
    for row in rows {
        let (text, language, vector) = row?;
        texts.extend(vector.map(|vector| EmbeddedText { text, language, vector }));
    }
    Ok(texts)
}

/// How many of the entries are new; none if there would be too many.
fn upsert(transaction: &Transaction<'_>, entries: &[EmbeddedEntry]) -> rusqlite::Result<Option<usize>> {
    let mut new = 0;
    let there: usize = transaction.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?;
    if there + entries.len() > ENTRIES_MAX {
        return Ok(None);
    }
    for one in entries {
        let entry = &one.entry;
        transaction.prepare_cached("INSERT OR IGNORE INTO tenants (name) VALUES (?1)")?.execute([&entry.tenant])?;
        let tenant: i64 = transaction
            .prepare_cached("SELECT id FROM tenants WHERE name = ?1")?
            .query_row([&entry.tenant], |row| row.get(0))?;
        let replaced = transaction
            .prepare_cached("DELETE FROM memory WHERE tenant_id = ?1 AND id = ?2")?
            .execute(params![tenant, entry.id])?;
        new += usize::from(replaced == 0);
        let json = serde_json::to_string(&StoredEntry::new(entry)).unwrap_or_default();
        transaction
            .prepare_cached("INSERT INTO memory (tenant_id, id, tags, entry) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![tenant, entry.id, tags_to_json(&entry.tags), json])?;
        let key = transaction.last_insert_rowid();
        for (ordinal, text) in one.texts.iter().enumerate() {
            let bytes: Vec<u8> = text.vector.values().iter().flat_map(|value| value.to_le_bytes()).collect();
            transaction
                .prepare_cached(
                    "INSERT INTO memory_texts (entry, ordinal, text, language, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![key, ordinal, text.text, text.language, bytes])?;
        }
    }
    mark_changed(transaction, "memory")?;
    Ok(Some(new))
}

fn remove(transaction: &Transaction<'_>, tenant: &str, ids: &[String]) -> rusqlite::Result<usize> {
    let mut removed = 0;
    for id in ids {
        removed += transaction
            .prepare_cached(
                "DELETE FROM memory WHERE id = ?2 AND tenant_id = (SELECT id FROM tenants WHERE name = ?1)",
            )?
            .execute(params![tenant, id])?;
    }
    mark_changed(transaction, "memory")?;
    Ok(removed)
}
