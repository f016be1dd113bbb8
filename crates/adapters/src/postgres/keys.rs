//! Keys of all nodes, behind the `Authenticator` port.
//!
//! Invariant: a secret is shown once, when it is made; what is kept is its hash. Every request asks whether the keys have changed,
//! so one that was revoked opens nothing any more, on any node. Where the database cannot be asked or says nothing for a moment,
//! the keys as they were last seen count for a short while, and then nobody is let in.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use deadpool_postgres::Object;
use tokio_postgres::Row;
use vouch_domain::{
    Caller, Fault, KeyCard, PortError, Role,
    ports::{Authenticator, Directory, KeyRing},
};

use super::{
    PostgresDatabase,
    fault::{fault, is_away},
    server::Server,
    tenant::{ALL, begin, signed, unsigned},
};
use crate::embedded::{
    KeyStore, NewKey,
    keys::{
        KEYS_MAX,
        caller::caller_of,
        row::{KeySet, StoredKey, cards},
        secret::Secret,
        too_many,
    },
};

const PORT: &str = "keys";
/// How long keys count as they were last seen where the database cannot be asked.
const BELIEVED: Duration = Duration::from_secs(120);
/// How long the database is waited for while they count.
const ASKED_FOR: Duration = Duration::from_secs(1);
/// How long it is left alone then where it could not be asked, so that few of many requests wait.
const LEFT_ALONE: Duration = Duration::from_secs(1);

/// The keys of all nodes.
pub struct PostgresKeys {
    server: Arc<Server>,
    directory: Option<Arc<dyn Directory>>,
    known: Mutex<Option<Known>>,
    /// When the database could not be asked, where that was the last that was heard of it.
    missed: Mutex<Option<Instant>>,
    /// Keys that this node has seen to be over, whether or not that could be recorded.
    ended: Mutex<BTreeSet<String>>,
}

/// The keys as they were last seen.
#[derive(Clone)]
struct Known {
    changed: i64,
    is_required: bool,
    keys: Arc<KeySet>,
    at: Instant,
}

impl Known {
    /// Whether the keys still count where the database cannot be asked.
    fn is_believed(&self) -> bool {
        self.at.elapsed() < BELIEVED
    }
}

impl PostgresDatabase {
    /// The keys. Those that belong to a user give access to nothing without a directory.
    #[must_use]
    pub fn keys(&self, directory: Option<Arc<dyn Directory>>) -> PostgresKeys {
        let (known, missed, ended) = (Mutex::default(), Mutex::default(), Mutex::default());
        PostgresKeys { server: Arc::clone(&self.server), directory, known, missed, ended }
    }
}

impl PostgresKeys {
    /// The keys as they are now.
    async fn now(&self) -> Result<Known, PortError> {
        let before = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(believed) = before.clone().filter(Known::is_believed) else {
            return self.ask(self.server.limit(), before).await;
        };
        if self.is_left_alone() {
            return Ok(believed);
        }
        match self.ask(ASKED_FOR, before).await {
            Err(error) if is_away(&error) => {
                *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                if believed.is_believed() { Ok(believed) } else { Err(error) }
            }
            outcome => outcome,
        }
    }

    /// Whether the database could not be asked a moment ago.
    fn is_left_alone(&self) -> bool {
        let missed = *self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        missed.is_some_and(|at| at.elapsed() < LEFT_ALONE)
    }

    /// Reads the keys, and notes them for whoever cannot.
    async fn ask(&self, limit: Duration, before: Option<Known>) -> Result<Known, PortError> {
        let known = self.read(limit, before).await?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(known)
    }

    async fn read(&self, limit: Duration, before: Option<Known>) -> Result<Known, PortError> {
        let server = Arc::clone(&self.server);
        self.server
            .run_within(limit, async move {
                let mut client = server.connection().await?;
                // Every request asks this, so it is one statement: the row is nobody's, and no wall is before it.
                let sql = "SELECT is_required, changed FROM vouch.key_ring";
                let statement = client.prepare_cached(sql).await.map_err(fault)?;
                let ring = client.query_one(&statement, &[]).await.map_err(fault)?;
                let (is_required, changed): (bool, i64) = (ring.get(0), ring.get(1));
                let keys = match before.filter(|known| known.changed == changed) {
                    Some(known) => known.keys,
                    // Keys that change in between are read as they are by then, and once more at the next request.
                    None => Arc::new(read_all(&mut client).await?),
                };
                Ok(Known { changed, is_required, keys, at: Instant::now() })
            })
            .await
    }

    /// Ends a key, of this tenant alone where one is named.
    async fn end(&self, id: &str, tenant: Option<&str>, now_ms: u64) -> Result<bool, PortError> {
        let (server, ended_id, tenant) = (Arc::clone(&self.server), id.to_owned(), tenant.map(str::to_owned));
        let has_ended = self
            .server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, tenant.as_deref().unwrap_or(ALL)).await?;
                let sql = "UPDATE vouch.keys SET revoked_ms = $2
                           WHERE id = $1 AND revoked_ms IS NULL AND ($3::text IS NULL OR tenant = $3)";
                let ended = transaction.execute(sql, &[&ended_id, &signed(now_ms), &tenant]).await.map_err(fault)?;
                transaction.execute("UPDATE vouch.key_ring SET changed = changed + 1", &[]).await.map_err(fault)?;
                transaction.commit().await.map_err(fault)?;
                Ok(ended > 0)
            })
            .await?;
        if has_ended {
            // Whoever ended it lets it in no more, also where the keys cannot be read again at once.
            self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
        }
        Ok(has_ended)
    }

    /// Ends every key that is over at this moment for good, so that none of them opens anything where a clock is set back later.
    async fn end_what_is_over(&self, keys: &KeySet, now_ms: u64) {
        let is_over = |card: &KeyCard| card.revoked_ms.is_none() && card.has_expired(now_ms);
        let over: Vec<String> = keys.values().filter(|key| is_over(&key.card)).map(|key| key.card.id.clone()).collect();
        let is_new = {
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let before = ended.len();
            ended.extend(over);
            ended.len() > before
        };
        if !is_new {
            return;
        }
        let server = Arc::clone(&self.server);
        let recorded = self.server.run_within(ASKED_FOR, async move {
            let mut client = server.connection().await?;
            let transaction = begin(&mut client, ALL).await?;
            // A clock that is ahead closes this node alone: what ends for all of them has ended by the database's clock too.
            let sql = "UPDATE vouch.keys SET revoked_ms = expires_ms WHERE revoked_ms IS NULL
                       AND expires_ms <= least($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)";
            if transaction.execute(sql, &[&signed(now_ms)]).await.map_err(fault)? > 0 {
                transaction.execute("UPDATE vouch.key_ring SET changed = changed + 1", &[]).await.map_err(fault)?;
            }
            transaction.commit().await.map_err(fault)
        });
        if let Err(error) = recorded.await {
            tracing::warn!(%error, component = "keys", "the expiry of a key could not be recorded");
        }
    }
}

#[async_trait]
impl KeyStore for PostgresKeys {
    async fn make(&self, key: NewKey) -> Result<(String, String), PortError> {
        if let Some(fault) = key.fault() {
            return Err(PortError::new(PORT, Fault::Invalid, fault));
        }
        let secret = Secret::fresh()?;
        let (id, hash, server) = (secret.id.clone(), secret.hash(), Arc::clone(&self.server));
        let tags = key.tags.as_ref().map(|tags| serde_json::to_string(tags).unwrap_or_else(|_| "[]".to_owned()));
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                let sql = "UPDATE vouch.key_ring SET is_required = true, changed = changed + 1";
                transaction.execute(sql, &[]).await.map_err(fault)?;
                let count: i64 =
                    transaction.query_one("SELECT count(*) FROM vouch.keys", &[]).await.map_err(fault)?.get(0);
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                if count >= KEYS_MAX {
                    return Err(too_many(count));
                }
                let sql = "INSERT INTO vouch.keys
                               (id, hash, name, tenant, role, person, tags, per_minute, made_ms, expires_ms)
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
                let (per_minute, expires_ms) = (key.per_minute.map(i64::from), key.expires_ms.map(signed));
                let made_ms = signed(key.made_ms);
                let values: &[&(dyn tokio_postgres::types::ToSql + Sync)] = &[
                    &id,
                    &hash,
                    &key.name,
                    &key.tenant,
                    &key.role.as_str(),
                    &key.person,
                    &tags,
                    &per_minute,
                    &made_ms,
                    &expires_ms,
                ];
                transaction.execute(sql, values).await.map_err(fault)?;
                transaction.commit().await.map_err(fault)
            })
            .await?;
        Ok((secret.id.clone(), secret.shown()))
    }

    async fn revoke(&self, id: &str, now_ms: u64) -> Result<bool, PortError> {
        self.end(id, None, now_ms).await
    }

    async fn cards(&self) -> Result<Vec<KeyCard>, PortError> {
        Ok(cards(&self.read(self.server.limit(), None).await?.keys))
    }
}

#[async_trait]
impl Authenticator for PostgresKeys {
    async fn is_required(&self) -> Result<bool, PortError> {
        Ok(self.now().await?.is_required)
    }

    async fn authenticate(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError> {
        let Some(secret) = Secret::parse(secret) else { return Ok(None) };
        let keys = self.now().await?.keys;
        self.end_what_is_over(&keys, now_ms).await;
        let Some(key) = keys.get(&secret.id).filter(|key| secret.is_of(&key.hash)) else { return Ok(None) };
        let has_ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).contains(&key.card.id);
        if !key.card.is_valid(now_ms) || has_ended {
            return Ok(None);
        }
        caller_of(&key.card, self.directory.as_deref()).await
    }
}

#[async_trait]
impl KeyRing for PostgresKeys {
    async fn keys_of(&self, tenant: &str) -> Result<Vec<KeyCard>, PortError> {
        let mut cards = self.cards().await?;
        cards.retain(|card| card.tenant == tenant);
        Ok(cards)
    }

    async fn revoke_of(&self, tenant: &str, id: &str, now_ms: u64) -> Result<bool, PortError> {
        self.end(id, Some(tenant), now_ms).await
    }
}

async fn read_all(client: &mut Object) -> Result<KeySet, PortError> {
    let transaction = begin(client, ALL).await?;
    let sql = "SELECT id, name, tenant, role, person, tags, per_minute, made_ms, expires_ms, revoked_ms, hash FROM vouch.keys";
    let rows = transaction.query(sql, &[]).await.map_err(fault)?;
    transaction.commit().await.map_err(fault)?;
    rows.iter().map(|row| stored(row).map(|key| (key.card.id.clone(), key))).collect()
}

fn stored(row: &Row) -> Result<StoredKey, PortError> {
    let damaged =
        |what: &str| PortError::new(PORT, Fault::Corrupt, format!("a key is damaged in the database ({what})"));
    let read = || -> Result<_, tokio_postgres::Error> {
        let (role, tags): (String, Option<String>) = (row.try_get(3)?, row.try_get(5)?);
        let per_minute = row.try_get::<_, Option<i64>>(6)?;
        let (expires, revoked): (Option<i64>, Option<i64>) = (row.try_get(8)?, row.try_get(9)?);
        let card = KeyCard {
            id: row.try_get(0)?,
            name: row.try_get(1)?,
            tenant: row.try_get(2)?,
            role: Role::Monitor,
            person: row.try_get(4)?,
            tags: None,
            per_minute: per_minute.map(|number| u32::try_from(number).unwrap_or(0)),
            made_ms: unsigned(row.try_get(7)?),
            expires_ms: expires.map(unsigned),
            revoked_ms: revoked.map(unsigned),
        };
        Ok((card, role, tags, row.try_get::<_, Vec<u8>>(10)?))
    };
    let (card, role, tags, hash) = read().map_err(fault)?;
    let role = Role::parse(&role).ok_or_else(|| damaged("no such role"))?;
    let tags = tags.map(|tags| serde_json::from_str(&tags)).transpose().map_err(|_| damaged("no list of tags"))?;
    Ok(StoredKey { card: KeyCard { role, tags, ..card }, hash })
}
