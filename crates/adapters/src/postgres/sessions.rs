//! Conversations between two turns, for all nodes, behind the `Sessions` port.
//!
//! Invariant: a call that waits is taken away by one statement, so that of all who try at once, on any node, one succeeds.

use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use vouch_domain::{
    Fault, PortError,
    ports::Sessions,
    session::{SessionOwner, SessionState},
};

use super::{
    PostgresDatabase,
    fault::fault,
    server::Server,
    tenant::{ALL, begin, signed},
};
use crate::embedded::sessions::{
    place::{IN_ALL_MAX, KEPT_MS, PER_OWNER_MAX, PORT, Place, state_text},
    stored,
};

/// The conversations of all nodes.
pub struct PostgresSessions {
    server: Arc<Server>,
}

impl PostgresDatabase {
    /// The conversations.
    #[must_use]
    pub fn sessions(&self) -> PostgresSessions {
        PostgresSessions { server: Arc::clone(&self.server) }
    }
}

#[async_trait]
impl Sessions for PostgresSessions {
    async fn load(&self, owner: &SessionOwner, id: &str, now_ms: u64) -> Result<Option<SessionState>, PortError> {
        let (place, server) = (Place::of(owner, id)?, Arc::clone(&self.server));
        let found = self.server.run(async move {
            let mut client = server.connection().await?;
            let transaction = begin(&mut client, &place.tenant).await?;
            let sql = "SELECT state, token FROM vouch.sessions
                       WHERE tenant = $1 AND asker = $2 AND id = $3 AND touched_ms + $4 > $5";
            let kept_ms = signed(KEPT_MS);
            let row = transaction
                .query_opt(sql, &[&place.tenant, &place.asker, &place.id, &kept_ms, &signed(now_ms)])
                .await
                .map_err(fault)?;
            transaction.commit().await.map_err(fault)?;
            Ok(row.map(|row| (row.get::<_, String>(0), row.get::<_, Option<String>>(1))))
        });
        let Some((text, token)) = found.await? else { return Ok(None) };
        let damaged = |what: String| {
            PortError::new(PORT, Fault::Corrupt, format!("a conversation is damaged in the database ({what})"))
        };
        stored::read(&text, token).map(Some).map_err(damaged)
    }

    async fn save(&self, owner: &SessionOwner, id: &str, state: &SessionState, now_ms: u64) -> Result<(), PortError> {
        let (place, text) = (Place::of(owner, id)?, state_text(state)?);
        let token = state.pending.as_ref().and_then(|call| call.token.clone());
        let server = Arc::clone(&self.server);
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, ALL).await?;
                let sql = "INSERT INTO vouch.sessions (tenant, asker, id, state, token, touched_ms)
                           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, asker, id)
                           DO UPDATE SET state = excluded.state, token = excluded.token, touched_ms = excluded.touched_ms";
                transaction
                    .execute(sql, &[&place.tenant, &place.asker, &place.id, &text, &token, &signed(now_ms)])
                    .await
                    .map_err(fault)?;
                forget(&transaction, &place, now_ms).await?;
                transaction.commit().await.map_err(fault)
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
        let server = Arc::clone(&self.server);
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, &place.tenant).await?;
                let sql = "UPDATE vouch.sessions SET state = $5, touched_ms = $6
                           WHERE tenant = $1 AND asker = $2 AND id = $3 AND token = $4 AND touched_ms + $7 > $6";
                let (now, kept_ms) = (signed(now_ms), signed(KEPT_MS));
                let changed = transaction
                    .execute(sql, &[&place.tenant, &place.asker, &place.id, &token, &text, &now, &kept_ms])
                    .await
                    .map_err(fault)?;
                transaction.commit().await.map_err(fault)?;
                Ok(changed > 0)
            })
            .await
    }

    async fn claim(&self, owner: &SessionOwner, id: &str, token: &str, now_ms: u64) -> Result<bool, PortError> {
        let (place, token, server) = (Place::of(owner, id)?, token.to_owned(), Arc::clone(&self.server));
        self.server
            .run(async move {
                let mut client = server.connection().await?;
                let transaction = begin(&mut client, &place.tenant).await?;
                let sql =
                    "UPDATE vouch.sessions SET token = NULL, state = (state::jsonb - 'pending')::text, touched_ms = $5
                           WHERE tenant = $1 AND asker = $2 AND id = $3 AND token = $4 AND touched_ms + $6 > $5";
                let kept_ms = signed(KEPT_MS);
                let changed = transaction
                    .execute(sql, &[&place.tenant, &place.asker, &place.id, &token, &signed(now_ms), &kept_ms])
                    .await
                    .map_err(fault)?;
                transaction.commit().await.map_err(fault)?;
                Ok(changed > 0)
            })
            .await
    }
}

/// Forgets what is over, and the oldest where there are too many. What was just kept is the newest, also where the clock was
/// set back.
async fn forget(transaction: &Transaction<'_>, place: &Place, now_ms: u64) -> Result<(), PortError> {
    let own: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&place.tenant, &place.asker, &place.id];
    let [tenant, asker, id] = own;
    // Another node may be keeping one of them: it is left for the next time.
    let over = "DELETE FROM vouch.sessions WHERE number IN (SELECT number FROM vouch.sessions
                WHERE touched_ms + $5 <= $4 AND NOT (tenant = $1 AND asker = $2 AND id = $3) FOR UPDATE SKIP LOCKED)";
    let (now, kept) = (signed(now_ms), signed(KEPT_MS));
    transaction.execute(over, &[tenant, asker, id, &now, &kept]).await.map_err(fault)?;
    let of_owner = "DELETE FROM vouch.sessions WHERE number IN (SELECT number FROM vouch.sessions
                    WHERE tenant = $1 AND asker = $2 ORDER BY (id = $3) DESC, touched_ms DESC, number DESC OFFSET $4)";
    transaction.execute(of_owner, &[tenant, asker, id, &i64::from(PER_OWNER_MAX)]).await.map_err(fault)?;
    let count: i64 = transaction.query_one("SELECT count(*) FROM vouch.sessions", &[]).await.map_err(fault)?.get(0);
    let surplus = count - i64::from(IN_ALL_MAX);
    if surplus > 0 {
        let oldest = "DELETE FROM vouch.sessions WHERE number IN (SELECT number FROM vouch.sessions
                      WHERE NOT (tenant = $1 AND asker = $2 AND id = $3) ORDER BY touched_ms, number LIMIT $4
                      FOR UPDATE SKIP LOCKED)";
        transaction.execute(oldest, &[tenant, asker, id, &surplus]).await.map_err(fault)?;
    }
    Ok(())
}
