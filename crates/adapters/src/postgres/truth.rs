//! The database as the truth that copies follow.

use std::{
    sync::{Arc, mpsc::SyncSender},
    time::Duration,
};

use deadpool_postgres::Object;
use vouch_domain::{Fault, PortError};

use super::{
    changes::{self, WHOLE_STORE},
    fault::{PORT, is_away},
    server::{Server, within},
};
use crate::embedded::following::{Changed, Head, TableShape, Truth, Turn, Visit};

/// How long an end of a transaction is waited for.
const END_TIMEOUT: Duration = Duration::from_secs(10);

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
        let limit = server.limit();
        let begun = server.wait(async move {
            let mut client = Client::take(server).await?;
            within(limit, client.get()?.batch_execute(&format!("BEGIN; {WHOLE_STORE}"))).await?;
            let head = changes::head(client.get()?, limit, "FOR UPDATE").await?;
            client.is_open = true;
            Ok((client, head))
        });
        let (client, head) = begun?;
        Ok(Box::new(PostgresTurn { server, client, head }))
    }

    fn changes(&self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError> {
        let server = self.server.as_ref();
        let limit = server.limit();
        let read = |sender| async move {
            let mut client = Client::take(server).await?;
            let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {WHOLE_STORE}");
            within(limit, client.get()?.batch_execute(&begin)).await?;
            let head = changes::head(client.get()?, limit, "").await?;
            if head.change > after {
                changes::read(client.get()?, limit, (tables, after), sender).await?;
            }
            within(END_TIMEOUT, client.get()?.batch_execute("COMMIT")).await?;
            client.is_fit = true;
            Ok(head)
        };
        server.stream(read, visit)
    }
}

/// A connection that goes back to the pool only where its transaction has ended.
struct Client {
    object: Option<Object>,
    is_fit: bool,
    is_open: bool,
}

impl Client {
    async fn take(server: &Server) -> Result<Self, PortError> {
        Ok(Self { object: Some(server.connection().await?), is_fit: false, is_open: false })
    }

    fn get(&self) -> Result<&Object, PortError> {
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

fn unknown(error: PortError) -> PortError {
    let sentence = "the database was lost while a change was being kept, so that it may be there or not; ask for it again, \
                    which changes nothing where it is";
    PortError::new(PORT, Fault::Unavailable, sentence).with_source(error)
}
