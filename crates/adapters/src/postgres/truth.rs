//! The database as the truth that copies follow.

use std::{
    sync::{Arc, mpsc::SyncSender},
    time::Duration,
};

use deadpool_postgres::Object;
use vouch_domain::{Fault, PortError};

use super::{
    changes::{self, WHOLE_STORE},
    fault::{PORT, is_away, late},
    server::{Server, within},
};
use crate::embedded::following::{Changed, Head, Place, TableShape, Truth, Turn, Visit};

/// How long an end of a transaction is waited for.
const END_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a change waits for its turn where the database says nothing: longer than for others' changes, which it does tell of.
const TURN_WITHIN: Duration = Duration::from_secs(20);

pub(super) struct PostgresTruth {
    server: Arc<Server>,
}

impl PostgresTruth {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self { server }
    }
}

impl Truth for PostgresTruth {
    fn turn(&self) -> Result<Box<dyn Turn + '_>, PortError> {
        let server = self.server.as_ref();
        let limit = TURN_WITHIN;
        let begun = server.wait(async move {
            let begin = async move {
                let mut client = Client::take(server).await?;
                within(limit, client.get()?.batch_execute(&format!("BEGIN; {WHOLE_STORE}"))).await?;
                let head = changes::head(client.get()?, limit, "FOR UPDATE").await?;
                client.is_open = true;
                Ok((client, head))
            };
            tokio::time::timeout(limit, begin).await.unwrap_or_else(|_| Err(late()))
        });
        let (client, head) = begun?;
        Ok(Box::new(PostgresTurn { server, client, head }))
    }

    fn changes(&self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError> {
        read(&self.server, Wanted::Changes { tables, after }, visit)
    }

    fn head(&self) -> Result<Head, PortError> {
        read(&self.server, Wanted::Head, &mut |_| Ok(()))
    }

    fn rows(&self, tables: &[TableShape], from: Option<&Place>, visit: Visit<'_>) -> Result<Head, PortError> {
        read(&self.server, Wanted::Rows { tables, from }, visit)
    }
}

/// What is read of a store.
pub(super) enum Wanted<'a> {
    /// How far it has come.
    Head,
    /// What was written after a change.
    Changes { tables: &'a [TableShape], after: u64 },
    /// Every row from a place on.
    Rows { tables: &'a [TableShape], from: Option<&'a Place> },
    /// Every row of a copy that is not finished, which has no head yet.
    Copied { tables: &'a [TableShape] },
}

/// Reads as of one moment, and answers the moment.
pub(super) fn read(server: &Server, wanted: Wanted<'_>, visit: Visit<'_>) -> Result<Head, PortError> {
    let limit = server.limit();
    let read = |sender| async move {
        let mut client = Client::take(server).await?;
        let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {WHOLE_STORE}");
        within(limit, client.get()?.batch_execute(&begin)).await?;
        let head = match &wanted {
            Wanted::Copied { .. } => Head::default(),
            Wanted::Head | Wanted::Changes { .. } | Wanted::Rows { .. } => {
                changes::head(client.get()?, limit, "").await?
            }
        };
        match wanted {
            Wanted::Changes { tables, after } if head.change > after => {
                changes::read(client.get()?, limit, (tables, after), sender).await?;
            }
            Wanted::Head | Wanted::Changes { .. } => {}
            Wanted::Rows { tables, from } => changes::rows(client.get()?, limit, (tables, from), sender).await?,
            Wanted::Copied { tables } => changes::rows(client.get()?, limit, (tables, None), sender).await?,
        }
        within(END_TIMEOUT, client.get()?.batch_execute("COMMIT")).await?;
        client.is_fit = true;
        Ok(head)
    };
    server.stream(read, visit)
}

/// A connection that goes back to the pool only where its transaction has ended.
pub(super) struct Client {
    object: Option<Object>,
    pub(super) is_fit: bool,
    is_open: bool,
}

impl Client {
    pub(super) async fn take(server: &Server) -> Result<Self, PortError> {
        Ok(Self { object: Some(server.connection().await?), is_fit: false, is_open: false })
    }

    pub(super) fn get(&self) -> Result<&Object, PortError> {
        self.object.as_ref().ok_or_else(|| PortError::new(PORT, Fault::Internal, "a connection was given back"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(object) = self.object.take().filter(|_| !self.is_fit) {
            // The server rolls back what a connection leaves behind.
            drop(Object::take(object));
        }
    }
}

struct PostgresTurn<'a> {
    server: &'a Server,
    client: Client,
    head: Head,
}

impl Turn for PostgresTurn<'_> {
    fn head(&self) -> &Head {
        &self.head
    }

    fn changes(&mut self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<(), PortError> {
        let (limit, client) = (self.server.limit(), &self.client);
        let read = |sender| async move { changes::read(client.get()?, limit, (tables, after), sender).await };
        self.server.stream(read, visit)
    }

    fn write(&mut self, changed: Changed) -> Result<(), PortError> {
        let (limit, change, client) = (self.server.limit(), self.head.change + 1, &self.client);
        // Each statement has its limit, and there may be many.
        let write = |_: SyncSender<()>| async move { changes::write(client.get()?, limit, change, changed).await };
        self.server.stream(write, |()| Ok(()))
    }

    fn commit(mut self: Box<Self>) -> Result<u64, PortError> {
        let (server, limit, change) = (self.server, self.server.limit(), self.head.change + 1);
        let client = &self.client;
        server.wait(async move { changes::finish(client.get()?, limit, change).await })?;
        self.client.is_open = false;
        let client = &self.client;
        let ended = server.wait(async move { within(END_TIMEOUT, client.get()?.batch_execute("COMMIT")).await });
        ended.map_err(|error| if is_away(&error) { unknown(error) } else { error })?;
        self.client.is_fit = true;
        Ok(change)
    }
}

impl Drop for PostgresTurn<'_> {
    fn drop(&mut self) {
        if !self.client.is_open {
            return;
        }
        // Whoever waits for the lock need not wait for the server to notice that a connection is gone.
        let client = &self.client;
        let ended = self.server.wait(async move { within(END_TIMEOUT, client.get()?.batch_execute("ROLLBACK")).await });
        self.client.is_fit = ended.is_ok();
    }
}

/// What is said where the end of a transaction may have been reached.
pub(super) fn unknown(error: PortError) -> PortError {
    let sentence = "the connection to the database was lost while a change was being saved, so it may or may not be \
                    there; send it again, which is harmless if it is";
    PortError::new(PORT, Fault::Unavailable, sentence).with_source(error)
}
