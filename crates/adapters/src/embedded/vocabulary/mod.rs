//! Vocabularies taken in from files, behind the `Vocabulary` port; a look-up is one step in an index.

mod names;
mod stored;

use std::{collections::VecDeque, sync::Arc};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use tokio::sync::Mutex;
use vouch_domain::{Concept, Fault, LabelKind, PortError, Reader, TermKey, ports::Vocabulary};

use self::{
    names::{Names, Waits},
    stored::StoredConcept,
};
use super::{blocking::blocking, database::Database};

const PORT: &str = "vocabulary";
/// How many names of a tenant can be suggested.
const NAMES_MAX: usize = 500_000;
/// Most tenants whose names are cached.
const TENANTS_KEPT: usize = 4;

/// The result of importing a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VocabularyCounts {
    /// Concepts imported.
    pub concepts: usize,
    /// Labels they are found by.
    pub labels: usize,
    /// Concepts that say what they mean.
    pub defined: usize,
    /// Concepts the same source held before.
    pub replaced: usize,
}

/// A source of a tenant's vocabularies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VocabularySource {
    /// Where its concepts came from, such as the path of a file.
    pub source: String,
    /// How many there are.
    pub concepts: usize,
    /// How many of them say what they mean.
    pub defined: usize,
}

/// The names of one tenant's concepts, as of one state of the vocabularies.
struct TenantNames {
    tenant: String,
    state: String,
    names: Arc<Names>,
}

/// The vocabularies of one data folder.
pub struct EmbeddedVocabulary {
    database: Arc<Database>,
    /// Those asked for last come last. Locked while an index is made, so that only one is made at a time; whoever waits
    /// for it holds no thread.
    names: Arc<Mutex<VecDeque<TenantNames>>>,
}

impl EmbeddedVocabulary {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database, names: Arc::default() }
    }

    /// Puts a source's concepts in the place of those it held before: all of them, or none.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub fn replace(&self, tenant: &str, source: &str, concepts: &[Concept]) -> Result<VocabularyCounts, PortError> {
        self.database.write(|transaction| replace(transaction, tenant, source, concepts))
    }

    /// The sources whose concepts are kept for a tenant, by name.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn sources(&self, tenant: &str) -> Result<Vec<VocabularySource>, PortError> {
        self.database.read(|transaction| sources(transaction, tenant))
    }

    /// Whether no concept is kept.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn is_empty(&self) -> Result<bool, PortError> {
        self.database.read(is_empty)
    }
}

fn is_empty(transaction: &Transaction<'_>) -> rusqlite::Result<bool> {
    transaction.query_row("SELECT NOT EXISTS (SELECT 1 FROM concepts)", [], |row| row.get(0))
}

#[async_trait]
impl Vocabulary for EmbeddedVocabulary {
    fn backend(&self) -> &'static str {
        "skos_file"
    }

    async fn state(&self) -> Result<Option<String>, PortError> {
        let database = Arc::clone(&self.database);
        let read = |transaction: &Transaction<'_>| {
            let state = crate::embedded::facts::meta(transaction, "vocabularies")?.unwrap_or_default();
            Ok((is_empty(transaction)?, state))
        };
        let (is_empty, state) = blocking(PORT, move || database.read(read)).await?;
        Ok((!is_empty).then_some(state))
    }

    async fn look_up(&self, reader: &Reader, key: &TermKey) -> Result<Vec<Concept>, PortError> {
        let (database, tenant, term) = (Arc::clone(&self.database), reader.tenant.clone(), key.as_str().to_owned());
        let rows = blocking(PORT, move || database.read(|transaction| look_up(transaction, &tenant, &term))).await?;
        concepts(&rows)
    }

    async fn top(&self, reader: &Reader, after: &str, limit: usize) -> Result<Option<Vec<Concept>>, PortError> {
        let (database, tenant, after) = (Arc::clone(&self.database), reader.tenant.clone(), after.to_owned());
        let rows =
            blocking(PORT, move || database.read(|transaction| top(transaction, (&tenant, &after), limit))).await?;
        concepts(&rows).map(Some)
    }

    async fn similar(&self, reader: &Reader, key: &TermKey, limit: usize) -> Result<Vec<String>, PortError> {
        let (tenant, term) = (reader.tenant.clone(), key.as_str().to_owned());
        let names = self.names_of(tenant).await?;
        let waits = Waits::default();
        let _waiting = waits.until_dropped();
        blocking(PORT, move || Ok(names.most_similar(&term, limit, &waits))).await
    }
}

impl EmbeddedVocabulary {
    /// The names to suggest, read again whenever a vocabulary was taken in. An index once begun is finished, whoever
    /// leaves meanwhile: the next one who asks has it.
    async fn names_of(&self, tenant: String) -> Result<Arc<Names>, PortError> {
        let (database, mut kept) = (Arc::clone(&self.database), Arc::clone(&self.names).lock_owned().await);
        blocking(PORT, move || {
            let state = database.read(|transaction| {
                Ok(crate::embedded::facts::meta(transaction, "vocabularies")?.unwrap_or_default())
            })?;
            let known = kept.iter().position(|known| known.tenant == tenant).and_then(|at| kept.remove(at));
            let current = match known.filter(|known| known.state == state) {
                Some(current) => current,
                None => {
                    let shown = database.read(|transaction| shown(transaction, &tenant))?;
                    TenantNames { tenant, state, names: Arc::new(Names::new(shown)) }
                }
            };
            let names = Arc::clone(&current.names);
            kept.push_back(current);
            while kept.len() > TENANTS_KEPT {
                kept.pop_front();
            }
            Ok(names)
        })
        .await
    }
}

/// The rows of every concept with this label, those of other files that say more of it included, in the order of addresses.
fn look_up(transaction: &Transaction<'_>, tenant: &str, term: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = transaction.prepare_cached(
        "SELECT o.concept FROM checked_concepts o JOIN checked_vocabularies v ON v.key = o.vocabulary
         JOIN checked_tenants t ON t.id = v.tenant_id
         WHERE t.name = ?2 AND o.uri IN (
             SELECT c.uri FROM checked_labels l JOIN checked_concepts c ON c.key = l.concept
             JOIN checked_vocabularies w ON w.key = c.vocabulary WHERE l.term = ?1 AND w.tenant_id = t.id)
         ORDER BY o.uri, o.key",
    )?;
    statement.query_map(params![term, tenant], |row| row.get(0))?.collect()
}

/// The rows of every concept without a wider one, in the order of addresses.
fn top(transaction: &Transaction<'_>, (tenant, after): (&str, &str), limit: usize) -> rusqlite::Result<Vec<String>> {
    let mut statement = transaction.prepare_cached(
        "SELECT o.concept FROM checked_concepts o JOIN checked_vocabularies v ON v.key = o.vocabulary
         JOIN checked_tenants t ON t.id = v.tenant_id
         WHERE t.name = ?1 AND o.uri IN (
             SELECT c.uri FROM concepts c JOIN vocabularies w ON w.key = c.vocabulary
             JOIN tenants own ON own.id = w.tenant_id WHERE own.name = ?1 AND c.uri > ?2
             GROUP BY c.uri HAVING max(json_array_length(c.concept, '$.broader')) = 0 ORDER BY c.uri LIMIT ?3)
         ORDER BY o.uri, o.key",
    )?;
    statement.query_map(params![tenant, after, limit], |row| row.get(0))?.collect()
}

/// A source without concepts is one that was removed.
fn sources(transaction: &Transaction<'_>, tenant: &str) -> rusqlite::Result<Vec<VocabularySource>> {
    let mut statement = transaction.prepare_cached(
        "SELECT v.source, count(*), sum(json_array_length(o.concept, '$.definitions') > 0)
         FROM checked_vocabularies v JOIN checked_tenants t ON t.id = v.tenant_id
         JOIN checked_concepts o ON o.vocabulary = v.key
         WHERE t.name = ?1 GROUP BY v.key ORDER BY v.source",
    )?;
    let count =
        |row: &Row<'_>, at: usize| Ok::<_, rusqlite::Error>(usize::try_from(row.get::<_, i64>(at)?).unwrap_or(0));
    let read =
        |row: &Row<'_>| Ok(VocabularySource { source: row.get(0)?, concepts: count(row, 1)?, defined: count(row, 2)? });
    statement.query_map([tenant], read)?.collect()
}

/// The concepts of some rows, each once.
fn concepts(rows: &[String]) -> Result<Vec<Concept>, PortError> {
    let corrupt = |error| PortError::new(PORT, Fault::Corrupt, "a stored concept cannot be read").with_source(error);
    let read = |json: &String| serde_json::from_str::<StoredConcept>(json).map_err(corrupt);
    let concepts: Result<Vec<StoredConcept>, PortError> = rows.iter().map(read).collect();
    Ok(merged(concepts?.into_iter().map(StoredConcept::into_concept).collect()))
}

/// The same concept from several files is one concept, which knows what each of them says.
fn merged(concepts: Vec<Concept>) -> Vec<Concept> {
    fn add<T: PartialEq>(to: &mut Vec<T>, more: Vec<T>) {
        for one in more {
            if !to.contains(&one) {
                to.push(one);
            }
        }
    }
    let mut whole: Vec<Concept> = Vec::new();
    for concept in concepts {
        match whole.last_mut().filter(|last| last.uri == concept.uri) {
            None => whole.push(concept),
            Some(known) => {
                add(&mut known.schemes, concept.schemes);
                add(&mut known.labels, concept.labels);
                add(&mut known.definitions, concept.definitions);
                add(&mut known.scope_notes, concept.scope_notes);
                add(&mut known.notations, concept.notations);
                add(&mut known.broader, concept.broader);
                add(&mut known.narrower, concept.narrower);
                add(&mut known.related, concept.related);
            }
        }
    }
    whole
}

/// Every name of a tenant's concepts, each once.
fn shown(transaction: &Transaction<'_>, tenant: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = transaction.prepare_cached(
        "SELECT DISTINCT l.shown FROM checked_labels l JOIN concepts c ON c.key = l.concept
         JOIN checked_vocabularies v ON v.key = c.vocabulary JOIN checked_tenants t ON t.id = v.tenant_id
         WHERE t.name = ?1 AND l.shown IS NOT NULL ORDER BY l.shown LIMIT ?2",
    )?;
    statement.query_map(params![tenant, NAMES_MAX], |row| row.get(0))?.collect()
}

fn replace(
    transaction: &Transaction<'_>,
    tenant: &str,
    source: &str,
    concepts: &[Concept],
) -> rusqlite::Result<VocabularyCounts> {
    transaction.prepare_cached("INSERT OR IGNORE INTO tenants (name) VALUES (?1)")?.execute([tenant])?;
    let tenant: i64 =
        transaction.prepare_cached("SELECT id FROM tenants WHERE name = ?1")?.query_row([tenant], |row| row.get(0))?;
    let known: Option<i64> = transaction
        .prepare_cached("SELECT key FROM vocabularies WHERE tenant_id = ?1 AND source = ?2")?
        .query_row(params![tenant, source], |row| row.get(0))
        .optional()?;
    let mut replaced = 0;
    if let Some(key) = known {
        transaction
            .prepare_cached("DELETE FROM labels WHERE concept IN (SELECT key FROM concepts WHERE vocabulary = ?1)")?
            .execute([key])?;
        replaced = transaction.prepare_cached("DELETE FROM concepts WHERE vocabulary = ?1")?.execute([key])?;
    }
    let vocabulary = match known {
        Some(key) => key,
        None => {
            transaction
                .prepare_cached("INSERT INTO vocabularies (tenant_id, source) VALUES (?1, ?2)")?
                .execute(params![tenant, source])?;
            transaction.last_insert_rowid()
        }
    };
    let mut labels = 0;
    for concept in concepts {
        labels += insert(transaction, vocabulary, concept)?;
    }
    let state = crate::embedded::facts::meta(transaction, "vocabularies")?.and_then(|text| text.parse::<u64>().ok());
    crate::embedded::facts::set_meta(transaction, "vocabularies", &(state.unwrap_or(0) + 1).to_string())?;
    let defined = concepts.iter().filter(|concept| !concept.definitions.is_empty()).count();
    Ok(VocabularyCounts { concepts: concepts.len(), labels, defined, replaced })
}

/// One concept and what it is found by; answers how many labels that are.
fn insert(transaction: &Transaction<'_>, vocabulary: i64, concept: &Concept) -> rusqlite::Result<usize> {
    let json = serde_json::to_string(&StoredConcept::new(concept)).unwrap_or_default();
    transaction
        .prepare_cached("INSERT INTO concepts (vocabulary, uri, concept) VALUES (?1, ?2, ?3)")?
        .execute(params![vocabulary, concept.uri, json])?;
    let key = transaction.last_insert_rowid();
    let mut statement =
        transaction.prepare_cached("INSERT OR IGNORE INTO labels (term, concept, shown) VALUES (?1, ?2, ?3)")?;
    let mut labels = 0;
    for label in &concept.labels {
        let shown = (label.kind != LabelKind::Hidden).then_some(&label.wording.text);
        if let Some(term) = TermKey::parse(&label.wording.text) {
            labels += statement.execute(params![term.as_str(), key, shown])?;
        }
    }
    if let Some(address) = TermKey::parse(&concept.uri) {
        statement.execute(params![address.as_str(), key, None::<String>])?;
    }
    Ok(labels)
}
