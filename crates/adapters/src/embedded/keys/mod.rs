//! Keys in a file of its own, behind the `Authenticator` port.
//!
//! Invariant: a secret is shown once, when it is made; what is kept is its hash, compared in constant time. A key store that is
//! lost or damaged lets nobody in, and a key that has ended never opens anything again, whatever the clock says later.

pub(crate) mod caller;
mod fault;
mod file_names;
mod new_key;
pub(crate) mod row;
mod seal;
pub(crate) mod secret;
mod store;
mod vault;

use std::{
    collections::BTreeSet,
    fs::File,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use rusqlite::params;
use vouch_domain::{
    Caller, Fault, KeyCard, PortError,
    ports::{Authenticator, Directory, KeyRing},
};

use super::blocking::blocking;
use caller::caller_of;

pub use new_key::NewKey;
pub use store::KeyStore;

use fault::PORT;
use file_names::{FILE, SEAL_FILE};
use row::KeySet;
use secret::Secret;
use vault::Vault;

pub(crate) const KEYS_MAX: usize = 100_000;
/// How long it is at least until the end of a key that could not be recorded is tried again.
const BETWEEN_TRIES_MS: u64 = 60_000;

/// The keys of one data folder.
pub struct EmbeddedKeys {
    vault: Arc<Vault>,
    directory: Option<Arc<dyn Directory>>,
    ended: Mutex<Ended>,
}

/// The keys this process has seen to be over, whether or not that could be recorded.
#[derive(Default)]
struct Ended {
    ids: BTreeSet<String>,
    /// When recording them was last tried.
    tried_ms: Option<u64>,
}

impl EmbeddedKeys {
    /// Opens the keys of a folder, or begins with none if there never were any; the folder need not be held. Keys that
    /// belong to a user give access to nothing without a directory.
    ///
    /// # Errors
    /// Fails if the keys are lost or damaged, or cannot be read or written.
    pub fn open(folder: &Path, directory: Option<Arc<dyn Directory>>) -> Result<Self, PortError> {
        Ok(Self { vault: Arc::new(Vault::open(folder)?), directory, ended: Mutex::default() })
    }

    /// Starts over without keys if those of a folder are lost or damaged. The files there were are kept under the
    /// returned names, and a key is still required: every request is rejected until one is made.
    ///
    /// # Errors
    /// Fails if the folder cannot be written.
    pub async fn reset(folder: &Path) -> Result<Vec<String>, PortError> {
        let folder = folder.to_owned();
        blocking(PORT, move || Vault::reset(&folder)).await
    }

    /// Makes a key; returns its id and its secret, which cannot be shown again.
    ///
    /// # Errors
    /// Fails if it makes no sense, there are too many, or the store fails.
    pub async fn make(&self, key: NewKey) -> Result<(String, String), PortError> {
        if let Some(fault) = key.fault() {
            return Err(PortError::new(PORT, Fault::Invalid, fault));
        }
        let secret = Secret::fresh()?;
        let (id, hash) = (secret.id.clone(), secret.hash());
        let vault = Arc::clone(&self.vault);
        blocking(PORT, move || {
            vault.change(|connection, keys| {
                let count = keys.len();
                if count >= KEYS_MAX {
                    return Err(too_many(count));
                }
                row::insert(connection, &id, &hash, &key).map_err(vault::fault)
            })
        })
        .await?;
        Ok((secret.id.clone(), secret.shown()))
    }

    /// Revokes a key; returns whether it existed and was still valid.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn revoke(&self, id: &str, now_ms: u64) -> Result<bool, PortError> {
        self.end(id, None, now_ms).await
    }

    /// Every key, oldest first.
    ///
    /// # Errors
    /// Fails if the store does.
    pub async fn cards(&self) -> Result<Vec<KeyCard>, PortError> {
        let keys = self.keys().await?;
        Ok(row::cards(&keys))
    }

    /// Ends a key, of this tenant alone where one is named.
    async fn end(&self, id: &str, tenant: Option<&str>, now_ms: u64) -> Result<bool, PortError> {
        let (vault, id, tenant) = (Arc::clone(&self.vault), id.to_owned(), tenant.map(str::to_owned));
        blocking(PORT, move || {
            vault.change(|connection, _| {
                let sql = "UPDATE keys SET revoked_ms = ?2
                           WHERE id = ?1 AND revoked_ms IS NULL AND (?3 IS NULL OR tenant = ?3)";
                Ok(connection.execute(sql, params![id, now_ms, tenant]).map_err(vault::fault)? > 0)
            })
        })
        .await
    }

    async fn keys(&self) -> Result<Arc<KeySet>, PortError> {
        let vault = Arc::clone(&self.vault);
        blocking(PORT, move || vault.keys()).await
    }

    /// Ends every key that is over at this moment for good, so that none of them opens anything where the clock is set back
    /// later, also after a restart.
    async fn end_what_is_over(&self, keys: &KeySet, now_ms: u64) {
        let is_over = |card: &KeyCard| card.revoked_ms.is_none() && card.has_expired(now_ms);
        let over: Vec<String> = keys.values().filter(|key| is_over(&key.card)).map(|key| key.card.id.clone()).collect();
        // An expiry that is recorded shows as revoked, so whatever is left could not be recorded before.
        if over.is_empty() || !self.ended().add(over, now_ms) {
            return;
        }
        let vault = Arc::clone(&self.vault);
        let written = blocking(PORT, move || {
            vault.change(|connection, _| {
                let sql = "UPDATE keys SET revoked_ms = expires_ms WHERE revoked_ms IS NULL AND expires_ms <= ?1";
                connection.execute(sql, params![now_ms]).map_err(vault::fault)
            })
        });
        if let Err(error) = written.await {
            tracing::warn!(%error, component = "keys", "the expiry of a key could not be recorded");
        }
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ended {
    /// Adds expired keys; returns whether to record them: at once if one is new, else now and then,
    /// so that a disk that cannot be written is not tried at every request.
    fn add(&mut self, over: Vec<String>, now_ms: u64) -> bool {
        let known = self.ids.len();
        self.ids.extend(over);
        let was_tried = self.tried_ms.is_some_and(|tried| now_ms.abs_diff(tried) < BETWEEN_TRIES_MS);
        let is_due = self.ids.len() > known || !was_tried;
        self.tried_ms = if is_due { Some(now_ms) } else { self.tried_ms };
        is_due
    }
}

#[async_trait]
impl KeyStore for EmbeddedKeys {
    async fn make(&self, key: NewKey) -> Result<(String, String), PortError> {
        Self::make(self, key).await
    }

    async fn revoke(&self, id: &str, now_ms: u64) -> Result<bool, PortError> {
        Self::revoke(self, id, now_ms).await
    }

    async fn cards(&self) -> Result<Vec<KeyCard>, PortError> {
        Self::cards(self).await
    }
}

#[async_trait]
impl Authenticator for EmbeddedKeys {
    async fn is_required(&self) -> Result<bool, PortError> {
        let vault = Arc::clone(&self.vault);
        blocking(PORT, move || vault.is_key_required()).await
    }

    async fn authenticate(&self, secret: &str, now_ms: u64) -> Result<Option<Caller>, PortError> {
        let Some(secret) = Secret::parse(secret) else { return Ok(None) };
        let keys = self.keys().await?;
        self.end_what_is_over(&keys, now_ms).await;
        let Some(key) = keys.get(&secret.id).filter(|key| secret.is_of(&key.hash)) else { return Ok(None) };
        let card = &key.card;
        if !card.is_valid(now_ms) || self.ended().ids.contains(&card.id) {
            return Ok(None);
        }
        caller_of(card, self.directory.as_deref()).await
    }
}

#[async_trait]
impl KeyRing for EmbeddedKeys {
    async fn keys_of(&self, tenant: &str) -> Result<Vec<KeyCard>, PortError> {
        let mut cards = self.cards().await?;
        cards.retain(|card| card.tenant == tenant);
        Ok(cards)
    }

    async fn revoke_of(&self, tenant: &str, id: &str, now_ms: u64) -> Result<bool, PortError> {
        self.end(id, Some(tenant), now_ms).await
    }
}

/// The files a key store consists of, as a backup holds them.
pub(super) const FILES: [&str; 3] = [FILE, SEAL_FILE, seal::NOTE_FILE];

/// Whether a file has to make room for a key store from elsewhere. The note that a key is required stays: without it a
/// folder whose keys are being exchanged would accept every request.
pub(super) fn is_replaced(name: &str) -> bool {
    name == SEAL_FILE || vault::files().any(|own| own == name)
}

/// Whether these file names include the keys and the seal over them.
pub(super) fn are_whole(is_there: impl Fn(&str) -> bool) -> bool {
    is_there(FILE) && is_there(SEAL_FILE)
}

/// Keeps everybody else from reading or changing the keys of a folder until the value is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, PortError> {
    seal::lock(folder)
}

/// What is wrong with the keys of a folder.
pub(super) fn find_damage(folder: &Path) -> Option<String> {
    Vault::find_damage(folder)
}

/// Copies the keys of a folder into another; answers the names of the files.
pub(super) fn copy(folder: &Path, target: &Path) -> Result<Vec<String>, PortError> {
    Vault::copy(folder, target)
}

/// The error where there is no room for another key.
pub(crate) fn too_many(count: usize) -> PortError {
    PortError::new(PORT, Fault::Invalid, format!("there are {count} keys, the limit is {KEYS_MAX}"))
}
