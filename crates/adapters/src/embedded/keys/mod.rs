//! Keys in a file of its own, behind the `Gatekeeper` port.
//!
//! Invariant: a secret is shown once, when it is made; what is kept is its hash, compared in constant time.

mod secret;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use async_trait::async_trait;
use rusqlite::{OptionalExtension, Row, Transaction, params, types::Type};
use vouch_domain::{
    Caller, Fault, PortError, Reader, Role, Scope,
    person::{name_fault, tags_fault},
    ports::{Directory, Gatekeeper},
};

use super::{
    blocking,
    database::{Database, tags_to_json},
    schema,
};

use secret::Secret;

const PORT: &str = "keys";
const KEYS_MAX: u64 = 100_000;
const COLUMNS: &str = "id, name, tenant, role, person, tags, per_minute, made_ms, expires_ms, revoked_ms";

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// Whose documents it opens.
    pub tenant: String,
    /// What it is good for.
    pub role: Role,
    /// Whose tags count, where it is somebody's.
    pub person: Option<String>,
    /// Its tags where it is nobody's; the whole tenant where none.
    pub tags: Option<BTreeSet<String>>,
    /// How often it may be used in a minute.
    pub per_minute: Option<u32>,
    /// When it is made, in milliseconds since 1970.
    pub made_ms: u64,
    /// When it ends.
    pub expires_ms: Option<u64>,
}

impl NewKey {
    /// Why it cannot be made; nothing where it can.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let reads_nothing = self.role == Role::Monitor && (self.person.is_some() || self.tags.is_some());
        let ends_before = self.expires_ms.is_some_and(|end| end <= self.made_ms);
        name_fault("name", &self.name)
            .or_else(|| name_fault("tenant", &self.tenant))
            .or_else(|| name_fault("user", self.person.as_ref()?))
            .or_else(|| tags_fault(self.tags.as_ref()?))
            .or_else(|| {
                reads_nothing.then(|| "a monitor reads no documents, so it has neither user nor tags".to_owned())
            })
            .or_else(|| ends_before.then(|| "it ends before it begins".to_owned()))
            .or_else(|| (self.per_minute == Some(0)).then(|| "it may never be used".to_owned()))
            .map(|fault| format!("this key cannot be made: {fault}"))
    }
}

/// What can be shown of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "as of `NewKey`")]
pub struct KeyCard {
    pub id: String,
    pub name: String,
    pub tenant: String,
    pub role: Role,
    pub person: Option<String>,
    pub tags: Option<BTreeSet<String>>,
    pub per_minute: Option<u32>,
    pub made_ms: u64,
    pub expires_ms: Option<u64>,
    pub revoked_ms: Option<u64>,
}

impl KeyCard {
    /// Whether it opens anything at this moment.
    #[must_use]
    pub fn is_valid(&self, now_ms: u64) -> bool {
        self.revoked_ms.is_none() && self.expires_ms.is_none_or(|end| now_ms < end)
    }
}

/// The keys of one data folder.
pub struct EmbeddedKeys {
    database: Arc<Database>,
    directory: Option<Arc<dyn Directory>>,
}

impl EmbeddedKeys {
    /// Opens or creates the keys of a folder; the folder need not be held. Keys that are somebody's open nothing without a
    /// directory.
    ///
    /// # Errors
    /// Fails where the file cannot be read or written.
    pub fn open(folder: &Path, directory: Option<Arc<dyn Directory>>) -> Result<Self, PortError> {
        std::fs::create_dir_all(folder).map_err(|error| super::cannot_use(folder, error))?;
        let database = Database::open(&folder.join("keys.sqlite"), schema::KEYS)?;
        Ok(Self { database: Arc::new(database), directory })
    }

    /// Makes a key; answers its id and its secret, which cannot be had again.
    ///
    /// # Errors
    /// Fails where it makes no sense, there are too many, or the store fails.
    pub async fn make(&self, key: NewKey) -> Result<(String, String), PortError> {
        if let Some(fault) = key.fault() {
            return Err(PortError::of(PORT, Fault::Invalid, fault));
        }
        let secret = Secret::fresh()?;
        let (id, hash) = (secret.id.clone(), secret.hash());
        let database = Arc::clone(&self.database);
        blocking(PORT, move || {
            database.write_if_fit(|transaction| {
                insert(transaction, &id, &hash, &key)?;
                Ok(())
            })
        })
        .await?;
        Ok((secret.id.clone(), secret.shown()))
    }

    /// Ends a key for good; answers whether it was there and had not ended.
    ///
    /// # Errors
    /// Fails where the store does.
    pub async fn revoke(&self, id: &str, now_ms: u64) -> Result<bool, PortError> {
        let (database, id) = (Arc::clone(&self.database), id.to_owned());
        blocking(PORT, move || {
            database.write(|transaction| {
                let sql = "UPDATE keys SET revoked_ms = ?2 WHERE id = ?1 AND revoked_ms IS NULL";
                Ok(transaction.prepare_cached(sql)?.execute(params![id, now_ms])? > 0)
            })
        })
        .await
    }

    /// Every key, oldest first.
    ///
    /// # Errors
    /// Fails where the store does.
    pub async fn cards(&self) -> Result<Vec<KeyCard>, PortError> {
        let database = Arc::clone(&self.database);
        blocking(PORT, move || {
            database.read(|transaction| {
                let sql = format!("SELECT {COLUMNS} FROM keys ORDER BY made_ms, id");
                let mut statement = transaction.prepare_cached(&sql)?;
                statement.query_map([], card)?.collect()
            })
        })
        .await
    }

    /// What a key opens now; a key of somebody opens what they may see now.
    async fn reader(&self, card: &KeyCard) -> Result<Option<Reader>, PortError> {
        let scope = match (&card.person, &card.tags) {
            (Some(person), _) => {
                let Some(directory) = &self.directory else { return Ok(None) };
                match directory.person(&card.tenant, person).await? {
                    Some(person) => Scope::Tags(person.tags),
                    None => return Ok(None),
                }
            }
            (None, Some(tags)) => Scope::Tags(tags.clone()),
            (None, None) => Scope::WholeTenant,
        };
        Ok(Some(Reader { tenant: card.tenant.clone(), scope }))
    }
}

#[async_trait]
impl Gatekeeper for EmbeddedKeys {
    async fn is_needed(&self) -> Result<bool, PortError> {
        // A key that has ended still means that nobody comes in without one.
        let database = Arc::clone(&self.database);
        blocking(PORT, move || {
            database.read(|transaction| {
                let found = transaction.prepare_cached("SELECT 1 FROM keys LIMIT 1")?.query_row([], |_| Ok(()));
                Ok(found.optional()?.is_some())
            })
        })
        .await
    }

    async fn caller(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError> {
        let Some(secret) = Secret::parse(secret) else { return Ok(None) };
        let (database, id) = (Arc::clone(&self.database), secret.id.clone());
        let found = blocking(PORT, move || {
            database.read(|transaction| {
                let sql = format!("SELECT {COLUMNS}, hash FROM keys WHERE id = ?1");
                let mut statement = transaction.prepare_cached(&sql)?;
                statement.query_row([id], |row| Ok((card(row)?, row.get::<_, Vec<u8>>(10)?))).optional()
            })
        })
        .await?;
        let Some((card, hash)) = found.filter(|(_, hash)| secret.is_of(hash)) else { return Ok(None) };
        drop(hash);
        if !card.is_valid(now_ms) {
            return Ok(None);
        }
        let Some(reader) = self.reader(&card).await? else { return Ok(None) };
        let id = card.person.as_ref().map_or_else(|| format!("key:{}", card.id), |person| format!("user:{person}"));
        Ok(Some(Caller { id, reader, role: card.role, requests_per_minute: card.per_minute }))
    }
}

fn insert(transaction: &Transaction<'_>, id: &str, hash: &[u8], key: &NewKey) -> Result<(), PortError> {
    let fault = super::database::fault;
    let count: u64 = transaction.query_row("SELECT count(*) FROM keys", [], |row| row.get(0)).map_err(fault)?;
    if count >= KEYS_MAX {
        return Err(PortError::of(PORT, Fault::Invalid, format!("there are {count} keys, the limit is {KEYS_MAX}")));
    }
    let sql = "INSERT INTO keys (id, hash, name, tenant, role, person, tags, per_minute, made_ms, expires_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let tags = key.tags.as_ref().map(tags_to_json);
    let row = params![
        id,
        hash,
        key.name,
        key.tenant,
        key.role.word(),
        key.person,
        tags,
        key.per_minute,
        key.made_ms,
        key.expires_ms
    ];
    transaction.execute(sql, row).map(|_| ()).map_err(fault)
}

fn card(row: &Row<'_>) -> rusqlite::Result<KeyCard> {
    let broken = |column, what: &str| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into());
    let role: String = row.get(3)?;
    let tags: Option<String> = row.get(5)?;
    Ok(KeyCard {
        id: row.get(0)?,
        name: row.get(1)?,
        tenant: row.get(2)?,
        role: Role::of(&role).ok_or_else(|| broken(3, "no such role"))?,
        person: row.get(4)?,
        tags: match tags {
            None => None,
            Some(tags) => Some(serde_json::from_str(&tags).map_err(|_| broken(5, "no list of tags"))?),
        },
        per_minute: row.get(6)?,
        made_ms: row.get(7)?,
        expires_ms: row.get(8)?,
        revoked_ms: row.get(9)?,
    })
}
