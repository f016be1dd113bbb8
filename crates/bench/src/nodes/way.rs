//! The way from servers to their database, which can be closed: what a broken network does, without a database that has to be stopped.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, bail};
use tokio::{
    net::{TcpListener, TcpStream, UnixStream},
    sync::watch,
};
use tokio_postgres::{Config, config::Host};

const PORT: u16 = 5_432;
/// What passes between two looks at the state.
const PIECE: usize = 64 * 1024;

/// What becomes of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    Open,
    /// Those that are there are cut, and new ones too.
    Cut,
    /// They stay, and nothing passes: a machine that is gone without a word.
    Silent,
}

/// A relay in front of the database; it ends with this process.
pub(super) struct Way {
    address: String,
    state: Arc<watch::Sender<Passage>>,
}

#[derive(Clone)]
enum Target {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl Way {
    pub(super) async fn open(database: &str) -> anyhow::Result<Self> {
        let config: Config = database.parse().context("--database is no address of a database")?;
        let port = config.get_ports().first().copied().unwrap_or(PORT);
        let target = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => Target::Tcp(host.clone(), port),
            Some(Host::Unix(folder)) => Target::Unix(folder.join(format!(".s.PGSQL.{port}"))),
            None => bail!("--database names no host"),
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let mut address = format!("host=127.0.0.1 port={}", listener.local_addr()?.port());
        let password = config.get_password().map(|password| String::from_utf8_lossy(password).into_owned());
        for (name, value) in
            [("user", config.get_user()), ("dbname", config.get_dbname()), ("password", password.as_deref())]
        {
            if let Some(value) = value {
                let quoted = value.replace('\\', "\\\\").replace('\'', "\\'");
                address.push_str(&format!(" {name}='{quoted}'"));
            }
        }
        let state = Arc::new(watch::Sender::new(Passage::Open));
        let told = state.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, target.clone(), told.clone()));
            }
        });
        Ok(Self { address, state })
    }

    /// What servers are told instead of the database's own address.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn set(&self, passage: Passage) {
        self.state.send_replace(passage);
    }
}

/// Passes one connection on until either side ends it or the way is cut.
async fn pass(client: TcpStream, target: Target, mut state: watch::Receiver<Passage>) {
    if state.wait_for(|passage| *passage != Passage::Silent).await.is_ok_and(|passage| *passage == Passage::Cut) {
        return;
    }
    let _ = client.set_nodelay(true);
    let cut = {
        let mut state = state.clone();
        async move { drop(state.wait_for(|passage| *passage == Passage::Cut).await) }
    };
    let joined = async {
        match target {
            Target::Tcp(host, port) => {
                let Ok(server) = TcpStream::connect((host.as_str(), port)).await else { return };
                let _ = server.set_nodelay(true);
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                tokio::select! {
                    () = forward(from_client, to_server, state.clone()) => {}
                    () = forward(from_server, to_client, state.clone()) => {}
                }
            }
            Target::Unix(socket) => {
                let Ok(server) = UnixStream::connect(socket).await else { return };
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                tokio::select! {
                    () = forward(from_client, to_server, state.clone()) => {}
                    () = forward(from_server, to_client, state.clone()) => {}
                }
            }
        }
    };
    tokio::select! { () = joined => {}, () = cut => {} }
}

async fn forward(
    mut from: impl tokio::io::AsyncRead + Unpin,
    mut to: impl tokio::io::AsyncWrite + Unpin,
    mut state: watch::Receiver<Passage>,
) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut piece = vec![0; PIECE];
    loop {
        let Ok(length @ 1..) = from.read(&mut piece).await else { return };
        if state.wait_for(|passage| *passage != Passage::Silent).await.is_err() {
            return;
        }
        let Some(read) = piece.get(..length) else { return };
        if to.write_all(read).await.is_err() {
            return;
        }
    }
}
