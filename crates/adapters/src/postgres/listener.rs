//! Word of changes, as the database sends it.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream::poll_fn};
use tokio::sync::Notify;
use tokio_postgres::{AsyncMessage, Client, NoTls};

use super::server::{CONNECT_TIMEOUT, Server};

/// How long it is until a lost connection is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// A connection that says nothing is asked whether it is still there.
const ASKED_EVERY: Duration = Duration::from_secs(20);

/// Hears of changes for as long as it lives.
pub struct ChangeListener {
    heard: Arc<Heard>,
    /// Whose threads it listens on.
    _server: Arc<Server>,
}

impl ChangeListener {
    pub(super) fn start(server: &Arc<Server>) -> Self {
        let heard = Arc::<Heard>::default();
        let (notify, weak) = (Arc::downgrade(&heard), Arc::downgrade(server));
        server.spawn(async move {
            loop {
                let Some(server) = weak.upgrade().filter(|_| notify.strong_count() > 0) else { return };
                let listened = listen(&server, &notify).await;
                drop(server);
                let Some(listening) = listened else {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                };
                // Whatever was changed before it listened is heard of now.
                notify.upgrade().inspect(|heard| heard.something.notify_one());
                listening.await_end().await;
            }
        });
        Self { heard, _server: Arc::clone(server) }
    }

    /// Waits until something may have changed, but not longer than this; answers whether it was heard of.
    pub async fn wait(&self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.heard.something.notified()).await.is_ok()
    }

    /// The latest change that was told of; zero where none was.
    #[must_use]
    pub fn latest(&self) -> u64 {
        self.heard.change.load(Ordering::Relaxed)
    }
}

/// What was heard.
#[derive(Default)]
struct Heard {
    something: Notify,
    change: AtomicU64,
}

/// A connection that listens.
struct Listening {
    client: Client,
    driver: tokio::task::JoinHandle<()>,
}

impl Listening {
    async fn await_end(self) {
        let Self { client, mut driver } = self;
        loop {
            if tokio::time::timeout(ASKED_EVERY, &mut driver).await.is_ok() {
                return;
            }
            let asked = tokio::time::timeout(ASKED_EVERY, client.batch_execute("")).await;
            if !matches!(asked, Ok(Ok(()))) {
                driver.abort();
                return;
            }
        }
    }
}

/// Connects and listens; none where the server cannot be reached, or says nothing in time.
async fn listen(server: &Server, heard: &Weak<Heard>) -> Option<Listening> {
    let (client, driver) = tokio::time::timeout(CONNECT_TIMEOUT, connect(server, heard)).await.ok()??;
    let listened = tokio::time::timeout(CONNECT_TIMEOUT, client.batch_execute("LISTEN vouch_changed")).await;
    if !matches!(listened, Ok(Ok(()))) {
        driver.abort();
        return None;
    }
    Some(Listening { client, driver })
}

/// A connection of its own. The time-out of its settings is for the socket alone; TLS and the server's greeting come after it.
async fn connect(server: &Server, heard: &Weak<Heard>) -> Option<(Client, tokio::task::JoinHandle<()>)> {
    let (config, tls) = server.target();
    match tls {
        Some(tls) => {
            let (client, connection) = config.connect(tls.clone()).await.ok()?;
            Some((client, drive(connection, heard)))
        }
        None => {
            let (client, connection) = config.connect(NoTls).await.ok()?;
            Some((client, drive(connection, heard)))
        }
    }
}

fn drive<S, T>(mut connection: tokio_postgres::Connection<S, T>, heard: &Weak<Heard>) -> tokio::task::JoinHandle<()>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let heard = Weak::clone(heard);
    tokio::spawn(async move {
        let mut messages = poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = messages.next().await {
            let Some(heard) = heard.upgrade() else { return };
            if let AsyncMessage::Notification(told) = message {
                heard.change.fetch_max(told.payload().parse().unwrap_or(0), Ordering::Relaxed);
                heard.something.notify_one();
            }
        }
    })
}
