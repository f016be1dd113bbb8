//! A socket between a node and the server, where what the node says can be held back or its answer lost.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    runtime::{Builder, Runtime},
    time::sleep,
};
use vouch_adapters::postgres::PostgresSettings;

use super::{Server, nodes::PATIENCE};

/// How sockets of PostgreSQL are called.
const SOCKET: &str = ".s.PGSQL.5432";
const GLANCE: Duration = Duration::from_millis(10);
/// So long the server may take for what it was told last.
const DONE_WITHIN: Duration = Duration::from_secs(2);

/// What becomes of something that a node says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is passed on.
    Passed,
    /// It is passed on, and nothing after it before the way is opened again.
    Last,
    /// It is passed on, and the connection is lost before the answer.
    Unanswered,
}

type Judge = Box<dyn FnMut(&[u8]) -> Fate + Send>;

/// The way of all connections.
struct Way {
    is_open: AtomicBool,
    connections: AtomicUsize,
    judge: Mutex<Judge>,
}

/// A server that is reached by a way of its own.
pub(super) struct Between {
    folder: tempfile::TempDir,
    way: Arc<Way>,
    _runtime: Runtime,
}

impl Between {
    pub(super) fn new(server: &Server, judge: impl FnMut(&[u8]) -> Fate + Send + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let judge: Judge = Box::new(judge);
        let (is_open, connections) = (AtomicBool::new(true), AtomicUsize::new(0));
        let way = Arc::new(Way { is_open, connections, judge: Mutex::new(judge) });
        let (here, there) = (folder.path().join(SOCKET), server.postgres.folder().join(SOCKET));
        let listener = runtime.block_on(async { UnixListener::bind(here) }).expect("a socket");
        let own = Arc::clone(&way);
        runtime.spawn(async move {
            while let Ok((node, _)) = listener.accept().await {
                own.connections.fetch_add(1, Ordering::SeqCst);
                let Ok(server) = UnixStream::connect(&there).await else { continue };
                tokio::spawn(pass(node, server, Arc::clone(&own)));
            }
        });
        Self { folder, way, _runtime: runtime }
    }

    /// How a node addresses the same database by this way.
    pub(super) fn settings(&self, server: &Server, direct: &PostgresSettings) -> PostgresSettings {
        let [there, here] =
            [server.postgres.folder(), self.folder.path().to_owned()].map(|at| at.display().to_string());
        PostgresSettings { url: direct.url.replace(&there, &here), ..direct.clone() }
    }

    pub(super) fn open(&self) {
        self.way.is_open.store(true, Ordering::SeqCst);
    }

    pub(super) fn close(&self) {
        self.way.is_open.store(false, Ordering::SeqCst);
    }

    /// How many connections there have been.
    pub(super) fn connections(&self) -> usize {
        self.way.connections.load(Ordering::SeqCst)
    }

    pub(super) fn wait_until_closed(&self) {
        wait_until("the way is closed", || !self.way.is_open.load(Ordering::SeqCst));
    }
}

/// Waits on this thread for something that is to come about.
pub(super) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(GLANCE);
    }
}

async fn pass(node: UnixStream, server: UnixStream, way: Arc<Way>) {
    let (mut said, to_node) = node.into_split();
    let (answered, mut to_server) = server.into_split();
    let is_lost = Arc::new(AtomicBool::new(false));
    let answers = tokio::spawn(answer(answered, to_node, Arc::clone(&is_lost)));
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = said.read(&mut bytes).await {
        while !way.is_open.load(Ordering::SeqCst) {
            sleep(GLANCE).await;
        }
        let fate = {
            let mut judge = way.judge.lock().expect("a judge");
            (*judge)(&bytes[..count])
        };
        match fate {
            Fate::Passed => {}
            Fate::Last => way.is_open.store(false, Ordering::SeqCst),
            Fate::Unanswered => is_lost.store(true, Ordering::SeqCst),
        }
        if to_server.write_all(&bytes[..count]).await.is_err() {
            return;
        }
        if fate == Fate::Unanswered {
            // The server's side stays open until it has done what it was told: one that cannot answer what came before does no more.
            drop(said);
            let _ = answers.await;
            return;
        }
    }
}

/// Passes on what the server says, until that is lost.
async fn answer(mut answered: OwnedReadHalf, mut to_node: OwnedWriteHalf, is_lost: Arc<AtomicBool>) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = answered.read(&mut bytes).await {
        if is_lost.load(Ordering::SeqCst) {
            // It may be the answer to what was said before; a moment later the server has come to the last.
            sleep(DONE_WITHIN).await;
            return;
        }
        if to_node.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
