//! Keys as rows of their table, and one digest over all of them.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params, types::Type};
use vouch_domain::{KeyCard, Role};

use super::super::database::tags_to_json;
use super::new_key::NewKey;

const COLUMNS: &str = "id, name, tenant, role, person, tags, per_minute, made_ms, expires_ms, revoked_ms, hash";

/// A key and the hash of its secret.
#[derive(Debug, Clone)]
pub(crate) struct StoredKey {
    pub(crate) card: KeyCard,
    pub(crate) hash: Vec<u8>,
}

/// Every key, by its id.
pub(crate) type KeySet = BTreeMap<String, StoredKey>;

/// What is told of keys, oldest first.
pub(crate) fn cards(keys: &KeySet) -> Vec<KeyCard> {
    let mut cards: Vec<KeyCard> = keys.values().map(|key| key.card.clone()).collect();
    cards.sort_by(|one, other| (one.made_ms, &one.id).cmp(&(other.made_ms, &other.id)));
    cards
}

pub(super) fn read_all(connection: &Connection) -> rusqlite::Result<KeySet> {
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM keys"))?;
    let mut keys = KeySet::new();
    for key in statement.query_map([], stored)? {
        let key = key?;
        if keys.insert(key.card.id.clone(), key).is_some() {
            return Err(broken(0, "the same id twice"));
        }
    }
    Ok(keys)
}

pub(super) fn insert(connection: &Connection, id: &str, hash: &[u8], key: &NewKey) -> rusqlite::Result<()> {
    let sql = "INSERT INTO keys (id, hash, name, tenant, role, person, tags, per_minute, made_ms, expires_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let tags = key.tags.as_ref().map(tags_to_json);
    let row = params![
        id,
        hash,
        key.name,
        key.tenant,
        key.role.as_str(),
        key.person,
        tags,
        key.per_minute,
        key.made_ms,
        key.expires_ms
    ];
    connection.execute(sql, row).map(|_| ())
}

/// One digest over every field of every key, so that no bit of any of them changes unnoticed.
pub(super) fn digest(keys: &KeySet) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("vouch key set 1");
    let mut field = |bytes: Option<&[u8]>| {
        // Lengths keep neighbouring fields apart; no field is as long as the mark of one that is not there.
        let length = bytes.map_or(u64::MAX, |bytes| bytes.len() as u64);
        hasher.update(&length.to_le_bytes()).update(bytes.unwrap_or_default());
    };
    for StoredKey { card, hash } in keys.values() {
        let tags = card.tags.as_ref().map(tags_to_json);
        let number = |number: Option<u64>| number.map(u64::to_le_bytes);
        for text in [&card.id, &card.name, &card.tenant] {
            field(Some(text.as_bytes()));
        }
        field(Some(card.role.as_str().as_bytes()));
        for text in [&card.person, &tags] {
            field(text.as_ref().map(String::as_bytes));
        }
        let numbers = [card.per_minute.map(u64::from), Some(card.made_ms), card.expires_ms, card.revoked_ms];
        for bytes in numbers.map(number) {
            field(bytes.as_ref().map(<[u8; 8]>::as_slice));
        }
        field(Some(hash));
    }
    hasher.finalize().to_hex().to_string()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredKey> {
    let role: String = row.get(3)?;
    let tags: Option<String> = row.get(5)?;
    let card = KeyCard {
        id: row.get(0)?,
        name: row.get(1)?,
        tenant: row.get(2)?,
        role: Role::parse(&role).ok_or_else(|| broken(3, "no such role"))?,
        person: row.get(4)?,
        tags: match tags {
            None => None,
            Some(tags) => Some(serde_json::from_str(&tags).map_err(|_| broken(5, "no list of tags"))?),
        },
        per_minute: row.get(6)?,
        made_ms: row.get(7)?,
        expires_ms: row.get(8)?,
        revoked_ms: row.get(9)?,
    };
    Ok(StoredKey { card, hash: row.get(10)? })
}

fn broken(column: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into())
}
