//! Conversations between two turns, in a file of their own, behind the `Sessions` port.
//!
//! Invariant: a conversation is reached with its owner and its id together; a call that waits is taken away by one statement,
//! so that of all who try at once, in any process, one succeeds. The file stays small, and nothing else depends on it: where
//! it is damaged it may be deleted.

pub(crate) mod place;
pub(crate) mod stored;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use vouch_domain::{
    Fault, PortError,
    ports::Sessions,
    session::{SessionOwner, SessionState},
};

use super::{
    blocking::blocking,
    files::{close_database, own_folder},
    schema,
};
use place::{IN_ALL_MAX, KEPT_MS, PER_OWNER_MAX, PORT, Place, state_text};

const FILE: &str = "sessions.db";
/// How long another process is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The conversations of one data folder; several processes may have it open at once.
pub struct EmbeddedSessions {
    kept: Arc<Kept>,
}

/// The file, and the one connection this process has to it.
struct Kept {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl EmbeddedSessions {
    /// Opens the conversations of a folder, or begins with none; the folder need not be held.
    ///
    /// # Errors
    /// Fails if the file is damaged, or cannot be read or written.
    pub fn open(folder: &Path) -> Result<Self, PortError> {
        own_folder(folder)?;
        let path = folder.join(FILE);
        let connection = connect(&path)?;
        Ok(Self { kept: Arc::new(Kept { path, connection: Mutex::new(connection) }) })
    }

    /// Runs work on the connection, away from the threads that answer.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let kept = Arc::clone(&self.kept);
        blocking(PORT, move || {
            let mut connection = kept.connection.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut connection).map_err(|error| fault(&kept.path, error))
        })
        .await
    }
}

#[async_trait]
impl Sessions for EmbeddedSessions {
    async fn load(&self, owner: &SessionOwner, id: &str, now_ms: u64) -> Result<Option<SessionState>, PortError> {
        let place = Place::of(owner, id)?;
        let found: Option<(String, Option<String>)> = self
            .run(move |connection| {
                let sql = "SELECT state, token FROM sessions \
                           WHERE tenant = ?1 AND asker = ?2 AND id = ?3 AND touched_ms + ?4 > ?5";
                let mut statement = connection.prepare_cached(sql)?;
                let key = params![place.tenant, place.asker, place.id, KEPT_MS, now_ms];
                statement.query_row(key, |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .await?;
        let Some((text, token)) = found else { return Ok(None) };
        stored::read(&text, token).map(Some).map_err(|what| damaged(&self.kept.path, &what))
    }

    async fn save(&self, owner: &SessionOwner, id: &str, state: &SessionState, now_ms: u64) -> Result<(), PortError> {
        let place = Place::of(owner, id)?;
        let text = state_text(state)?;
        let token = state.pending.as_ref().and_then(|call| call.token.clone());
        self.run(move |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "INSERT INTO sessions (tenant, asker, id, state, token, touched_ms) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (tenant, asker, id) \
                       DO UPDATE SET state = excluded.state, token = excluded.token, touched_ms = excluded.touched_ms";
            let row = params![place.tenant, place.asker, place.id, text, token, now_ms];
            transaction.prepare_cached(sql)?.execute(row)?;
            forget(&transaction, &place, now_ms)?;
            transaction.commit()
        })
        .await
    }

    async fn carry(
        &self,
        owner: &SessionOwner,
        id: &str,
        state: &SessionState,
        now_ms: u64,
    ) -> Result<bool, PortError> {
        let (place, text) = (Place::of(owner, id)?, state_text(state)?);
        let Some(token) = state.pending.as_ref().and_then(|call| call.token.clone()) else { return Ok(false) };
        self.run(move |connection| {
            let sql = "UPDATE sessions SET state = ?5, touched_ms = ?6 \
                       WHERE tenant = ?1 AND asker = ?2 AND id = ?3 AND token = ?4 AND touched_ms + ?7 > ?6";
            let row = params![place.tenant, place.asker, place.id, token, text, now_ms, KEPT_MS];
            Ok(connection.prepare_cached(sql)?.execute(row)? > 0)
        })
        .await
    }

    async fn claim(&self, owner: &SessionOwner, id: &str, token: &str, now_ms: u64) -> Result<bool, PortError> {
        let (place, token) = (Place::of(owner, id)?, token.to_owned());
        self.run(move |connection| {
            let sql = "UPDATE sessions SET token = NULL, state = json_remove(state, '$.pending'), touched_ms = ?5 \
                       WHERE tenant = ?1 AND asker = ?2 AND id = ?3 AND token = ?4 AND touched_ms + ?6 > ?5";
            let row = params![place.tenant, place.asker, place.id, token, now_ms, KEPT_MS];
            Ok(connection.prepare_cached(sql)?.execute(row)? > 0)
        })
        .await
    }
}

/// Forgets what is over, and the oldest where there are too many. What was just kept is the newest, also where the clock was
/// set back.
fn forget(connection: &Connection, place: &Place, now_ms: u64) -> rusqlite::Result<()> {
    let kept = params![place.tenant, place.asker, place.id, now_ms, KEPT_MS];
    let over = "DELETE FROM sessions WHERE touched_ms + ?5 <= ?4 AND NOT (tenant = ?1 AND asker = ?2 AND id = ?3)";
    connection.prepare_cached(over)?.execute(kept)?;
    let of_owner = "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE tenant = ?1 AND asker = ?2 \
                    ORDER BY id = ?3 DESC, touched_ms DESC, rowid DESC LIMIT -1 OFFSET ?4)";
    let owned = params![place.tenant, place.asker, place.id, PER_OWNER_MAX];
    connection.prepare_cached(of_owner)?.execute(owned)?;
    let count: u32 = connection.prepare_cached("SELECT count(*) FROM sessions")?.query_row([], |row| row.get(0))?;
    let surplus = count.saturating_sub(IN_ALL_MAX);
    if surplus > 0 {
        let oldest = "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions \
                      WHERE NOT (tenant = ?1 AND asker = ?2 AND id = ?3) ORDER BY touched_ms, rowid LIMIT ?4)";
        let row = params![place.tenant, place.asker, place.id, surplus];
        connection.prepare_cached(oldest)?.execute(row)?;
    }
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, PortError> {
    let wrong = |error| fault(path, error);
    let mut connection = Connection::open(path).map_err(wrong)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(wrong)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(wrong)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)?;
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(wrong)?;
    if verdict != "ok" {
        return Err(damaged(path, &verdict));
    }
    let found = schema::migrate(&mut connection, schema::SESSIONS).map_err(wrong)?;
    if found > schema::SESSIONS.len() {
        let sentence = format!("{} was written by a newer version of vouch", path.display());
        return Err(PortError::new(PORT, Fault::Corrupt, sentence));
    }
    close_database(path);
    Ok(connection)
}

fn fault(path: &Path, error: rusqlite::Error) -> PortError {
    let (kind, sentence) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            return damaged(path, &error.to_string()).with_source(error);
        }
        Some(ErrorCode::DiskFull) => {
            (Fault::Full, "no room left on the disk; the conversation was not kept".to_owned())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (Fault::Held, "another process is using the conversations".to_owned())
        }
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            (Fault::Unavailable, format!("{} cannot be opened or written", path.display()))
        }
        _ => (Fault::Internal, format!("the conversations cannot be kept ({error})")),
    };
    PortError::new(PORT, kind, sentence).with_source(error)
}

fn damaged(path: &Path, what: &str) -> PortError {
    let sentence = format!(
        "{} is damaged ({what}). It contains only open conversations: the file may be deleted, and they start over",
        path.display()
    );
    PortError::new(PORT, Fault::Corrupt, sentence)
}
