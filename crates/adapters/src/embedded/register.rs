//! The same SQLite behind the `Register` port: documents by kind and by address.

use std::{ops::ControlFlow, sync::Arc};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use vouch_domain::{
    AddressKey, DocumentCard, DocumentId, NameWords, PassageKey, PortError, Reader, StoredPassage,
    ports::{
        KindCount, PageRequest, Register,
        register::{in_list_order, nearest_first},
    },
};

use super::{audiences::VisibleAudiences, blocking::blocking, catalogue, collections::Collections, database::Database};

const PORT: &str = "register";
/// How many neighbours of an address are looked through.
const NEIGHBOURS_MAX: usize = 5_000;

/// Documents by name.
pub struct EmbeddedRegister {
    database: Arc<Database>,
    collections: Arc<Collections>,
}

impl EmbeddedRegister {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database, collections: Arc::default() }
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || database.read(work)).await
    }
}

#[async_trait]
impl Register for EmbeddedRegister {
    async fn by_address(&self, reader: &Reader, keys: &[AddressKey]) -> Result<Vec<DocumentCard>, PortError> {
        let (reader, keys) = (reader.clone(), keys.to_vec());
        self.read(move |transaction| {
            let mut found = Vec::new();
            for key in &keys {
                let query = "SELECT v.document, v.number, v.audience, v.collection FROM checked_versions v JOIN checked_documents d
                             ON d.key = v.document AND d.version = v.number
                             WHERE v.address_key = ?1 ORDER BY d.id";
                found.extend(cards(transaction, &reader, query, params![key.as_str()])?);
            }
            Ok(found)
        })
        .await
    }

    async fn by_ids(&self, reader: &Reader, ids: &[DocumentId]) -> Result<Vec<DocumentCard>, PortError> {
        let (reader, ids) = (reader.clone(), ids.to_vec());
        self.read(move |transaction| {
            let visible = VisibleAudiences::load(transaction, &reader)?;
            let mut statement = transaction.prepare_cached(
                "SELECT v.document, v.number, v.audience, v.collection FROM checked_documents d JOIN checked_tenants t ON t.id = d.tenant_id
                 JOIN checked_versions v ON v.document = d.key AND v.number = d.version WHERE t.name = ?1 AND d.id = ?2",
            )?;
            let mut found = Vec::with_capacity(ids.len());
            for id in &ids {
                let place = statement.query_row(params![reader.tenant, id.as_str()], |row| place(row, &visible));
                if let Some(place) = place.optional()?.flatten() {
                    found.extend(catalogue::card(transaction, place)?);
                }
            }
            Ok(found)
        })
        .await
    }

    async fn near_address(
        &self,
        reader: &Reader,
        key: &AddressKey,
        limit: usize,
    ) -> Result<Vec<DocumentCard>, PortError> {
        let (reader, key) = (reader.clone(), key.clone());
        self.read(move |transaction| {
            let mut family = key.as_str();
            while let Some((shorter, _)) = family.rsplit_once(' ') {
                family = shorter;
                let found = family_of(transaction, &reader, family)?;
                if !found.is_empty() {
                    return Ok(nearest_first(found, &key, limit));
                }
            }
            Ok(Vec::new())
        })
        .await
    }

    async fn of_kind(&self, reader: &Reader, kind: &str, limit: usize) -> Result<Vec<DocumentCard>, PortError> {
        let (reader, kind) = (reader.clone(), kind.to_owned());
        self.read(move |transaction| {
            let query =
                "SELECT v.document, v.number, v.audience, v.collection FROM checked_versions v JOIN checked_documents d
                         ON d.key = v.document AND d.version = v.number WHERE v.kind = ?1 COLLATE NOCASE";
            let mut found = in_list_order(cards(transaction, &reader, query, params![kind])?);
            found.truncate(limit);
            Ok(found)
        })
        .await
    }

    async fn by_title(&self, reader: &Reader, title: &str, limit: usize) -> Result<Vec<DocumentCard>, PortError> {
        let (reader, title) = (reader.clone(), title.to_owned());
        self.read(move |transaction| {
            let query =
                "SELECT v.document, v.number, v.audience, v.collection FROM checked_versions v JOIN checked_documents d
                         ON d.key = v.document AND d.version = v.number WHERE v.title = ?1 COLLATE NOCASE ORDER BY d.id";
            let mut found = cards(transaction, &reader, query, params![title])?;
            found.truncate(limit);
            Ok(found)
        })
        .await
    }

    async fn page(&self, reader: &Reader, wanted: &PageRequest) -> Result<Vec<DocumentCard>, PortError> {
        let (reader, wanted) = (reader.clone(), wanted.clone());
        self.read(move |transaction| page(transaction, &reader, &wanted)).await
    }

    async fn count(&self, reader: &Reader, wanted: &PageRequest) -> Result<u64, PortError> {
        let (reader, wanted) = (reader.clone(), PageRequest { after: None, ..wanted.clone() });
        self.read(move |transaction| {
            let mut count = 0;
            each_wanted(transaction, &reader, &wanted, |_| {
                count += 1;
                Ok(ControlFlow::Continue(()))
            })?;
            Ok(count)
        })
        .await
    }

    async fn by_id(&self, reader: &Reader, id: &DocumentId) -> Result<Option<DocumentCard>, PortError> {
        let (reader, id) = (reader.clone(), id.clone());
        self.read(move |transaction| {
            let query =
                "SELECT v.document, v.number, v.audience, v.collection FROM checked_versions v JOIN checked_documents d
                         ON d.key = v.document AND d.version = v.number JOIN checked_tenants t ON t.id = d.tenant_id
                         WHERE t.name = ?1 AND d.id = ?2";
            Ok(cards(transaction, &reader, query, params![reader.tenant, id.as_str()])?.pop())
        })
        .await
    }

    async fn kinds(&self, reader: &Reader) -> Result<Vec<KindCount>, PortError> {
        let reader = reader.clone();
        self.read(move |transaction| kinds(transaction, &reader)).await
    }

    async fn has_several_collections(&self, reader: &Reader) -> Result<bool, PortError> {
        let (collections, reader) = (Arc::clone(&self.collections), reader.clone());
        self.read(move |transaction| collections.are_several(transaction, &reader)).await
    }

    async fn passages_of(&self, reader: &Reader, id: &DocumentId) -> Result<Vec<StoredPassage>, PortError> {
        let (reader, id) = (reader.clone(), id.clone());
        self.read(move |transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT p.key FROM checked_passages p JOIN checked_documents d ON d.key = p.document AND d.version = p.version
                 JOIN checked_tenants t ON t.id = d.tenant_id
                 WHERE t.name = ?1 AND d.id = ?2 AND p.died IS NULL ORDER BY p.ordinal",
            )?;
            let keys = statement
                .query_map(params![reader.tenant, id.as_str()], |row| row.get::<_, u64>(0).map(PassageKey))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            catalogue::passages(transaction, &reader, &keys)
        })
        .await
    }
}

/// Everything whose address key begins with this family and a space.
fn family_of(transaction: &Transaction<'_>, reader: &Reader, family: &str) -> rusqlite::Result<Vec<DocumentCard>> {
    // The character after the space ends the range of everything that begins so.
    let query = "SELECT v.document, v.number, v.audience, v.collection FROM checked_versions v JOIN checked_documents d
                 ON d.key = v.document AND d.version = v.number
                 WHERE v.address_key >= ?1 AND v.address_key < ?2 ORDER BY v.address_key LIMIT ?3";
    cards(transaction, reader, query, params![format!("{family} "), format!("{family}!"), NEIGHBOURS_MAX])
}

fn cards(
    transaction: &Transaction<'_>,
    reader: &Reader,
    query: &str,
    values: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<Vec<DocumentCard>> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let mut statement = transaction.prepare_cached(query)?;
    let places =
        statement.query_map(values, |row| place(row, &visible))?.collect::<rusqlite::Result<Vec<Option<_>>>>()?;
    let mut found = Vec::new();
    for place in places.into_iter().flatten() {
        found.extend(catalogue::card(transaction, place)?);
    }
    Ok(found)
}

/// Where a document of the row `document, version, audience, collection` is kept, if the reader may see it.
fn place(row: &Row<'_>, visible: &VisibleAudiences) -> rusqlite::Result<Option<(i64, u32)>> {
    let is_visible = visible.includes(row.get(2)?, row.get_ref(3)?.as_str()?);
    Ok(if is_visible { Some((row.get(0)?, row.get(1)?)) } else { None })
}

fn kinds(transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<Vec<KindCount>> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let mut statement = transaction.prepare_cached(
        "SELECT v.kind, v.audience, v.collection, count(*) FROM checked_versions v JOIN checked_documents d
             ON d.key = v.document AND d.version = v.number GROUP BY v.kind, v.audience, v.collection",
    )?;
    let mut rows = statement.query([])?;
    let mut found = std::collections::BTreeMap::<String, u64>::new();
    while let Some(row) = rows.next()? {
        if visible.includes(row.get(1)?, row.get_ref(2)?.as_str()?) {
            *found.entry(row.get(0)?).or_default() += row.get::<_, u64>(3)?;
        }
    }
    Ok(found.into_iter().map(|(kind, documents)| KindCount { kind, documents }).collect())
}

/// Reads on from an id until the page is full, so that what a reader may not see costs time and never a place.
fn page(transaction: &Transaction<'_>, reader: &Reader, wanted: &PageRequest) -> rusqlite::Result<Vec<DocumentCard>> {
    let mut found = Vec::new();
    if wanted.limit == 0 {
        return Ok(found);
    }
    each_wanted(transaction, reader, wanted, |place| {
        found.extend(catalogue::card(transaction, place)?);
        Ok(if found.len() < wanted.limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(found)
}

/// Gives every place of what is wanted after an id, in the order of ids, until it was enough. What a document is called is read
/// from the row, so that no card is put together of one that is called otherwise.
fn each_wanted(
    transaction: &Transaction<'_>,
    reader: &Reader,
    wanted: &PageRequest,
    mut each: impl FnMut((i64, u32)) -> rusqlite::Result<ControlFlow<()>>,
) -> rusqlite::Result<()> {
    let visible = VisibleAudiences::load(transaction, reader)?;
    let mut statement = transaction.prepare_cached(
        "SELECT v.document, v.number, v.audience, v.collection, v.title, v.address, d.id FROM checked_documents d JOIN checked_versions v
         ON v.document = d.key AND v.number = d.version
         WHERE d.tenant_id = (SELECT id FROM checked_tenants WHERE name = ?1) AND d.id > ?2
         AND (?3 IS NULL OR v.kind = ?3 COLLATE NOCASE) AND (?4 IS NULL OR v.collection = ?4)
         AND (?5 IS NULL OR EXISTS (SELECT 1 FROM checked_version_topics o WHERE o.document = v.document
              AND o.version = v.number AND lower(o.topic) = lower(?5))) ORDER BY d.id",
    )?;
    // Every id is longer than nothing.
    let after = wanted.after.as_ref().map_or("", DocumentId::as_str);
    let mut rows = statement.query(params![reader.tenant, after, wanted.kind, wanted.collection, wanted.topic])?;
    while let Some(row) = rows.next()? {
        let Some(place) = place(row, &visible)? else { continue };
        if is_called(row, &wanted.words)? && each(place)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// Whether the document of a row with `title, address, id` behind its place is called so.
fn is_called(row: &Row<'_>, words: &NameWords) -> rusqlite::Result<bool> {
    if words.is_empty() {
        return Ok(true);
    }
    let (title, address, id) =
        (row.get_ref(4)?.as_str()?, row.get_ref(5)?.as_str_or_null()?, row.get_ref(6)?.as_str()?);
    Ok(words.fit([Some(title), address, Some(id)].into_iter().flatten()))
}
