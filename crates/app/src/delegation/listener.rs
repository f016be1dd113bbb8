//! Delegated commands come in at a socket beside the data, for the user that this process runs as.
//!
//! Invariant: a command whose client goes away ends, one that changes documents at its next step; no client can keep this process
//! from ending.

use std::{
    fs::{File, Permissions},
    io,
    os::{fd::AsFd, unix::fs::PermissionsExt},
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use futures::FutureExt;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    net::{UnixListener, UnixSocket, UnixStream},
    sync::{OwnedSemaphorePermit, watch},
    task::JoinHandle,
};

use super::{
    borrowed_app,
    parse_request::parse_request,
    protocol::{Event, REQUEST_BYTES_MAX, Request},
    remote_output::RemoteOutput,
    room::Room,
    runner::{CurrentService, Runner},
    settings_digest::settings_digest,
    socket::SocketPath,
    trust, working_folder,
};
use crate::{
    cli::{Cli, Command},
    exit, message,
    wiring::App,
};

/// Connections that wait to be taken.
const WAITING_MAX: u32 = 1024;
/// How long a client may take to send its request, and to read an event.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a command may take to bring what it changes to a good end once nobody waits for it.
const GRACE: Duration = Duration::from_secs(60);
/// A question's walk is deep.
const STACK_BYTES: usize = 8 << 20;

/// Open until it is dropped; what runs by then is dropped too.
pub(crate) struct Listener {
    task: JoinHandle<()>,
    path: PathBuf,
    _is_open: watch::Sender<()>,
}

#[derive(Clone)]
struct Holder {
    app: App,
    answering: CurrentService,
    runner: Runner,
    closed: watch::Receiver<()>,
}

/// Listens for commands; where the system has no sockets in this folder, other commands find it in use.
pub(crate) fn open(app: &App, answering: CurrentService, runner: Runner) -> Option<Listener> {
    let opened = SocketPath::of(app.folder()).and_then(|socket| {
        // Whoever left one behind is gone, since this process holds the folder.
        let _ = std::fs::remove_file(socket.as_path());
        let listener = listen(socket.as_path())?;
        Ok((socket, listener))
    });
    let (socket, listener) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            tracing::warn!(%error, "commands beside this one cannot be taken: there can be no socket in the data folder");
            return None;
        }
    };
    let (is_open, closed) = watch::channel(());
    let holder = Holder { app: app.clone(), answering, runner, closed };
    let path = app.folder().join("socket");
    let task = tokio::spawn(async move {
        let _socket = socket;
        let room = Room::new();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(take(stream, holder.clone(), room.clone()))),
                Err(error) => {
                    tracing::debug!(%error, "a command beside this one could not be taken");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    });
    Some(Listener { task, path, _is_open: is_open })
}

/// A socket that only its owner can open.
fn listen(path: &Path) -> io::Result<UnixListener> {
    let socket = UnixSocket::new_stream()?;
    // The file takes the mode of the socket when it is made. A mode that is set afterwards, by the path, could go to whatever
    // somebody who may write to the folder has put there by then. Other systems than Linux refuse it: there the umask says who
    // can connect. On all of them the system is asked who did.
    let _ = File::from(socket.as_fd().try_clone_to_owned()?).set_permissions(Permissions::from_mode(0o600));
    socket.bind(path)?;
    socket.listen(WAITING_MAX)
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes one command, or says why not.
async fn take(mut stream: UnixStream, holder: Holder, room: Room) {
    let request = tokio::time::timeout(CLIENT_TIMEOUT, read(&mut stream, &holder)).await;
    let (Ok(request), Ok(stream)) = (request, stream.into_std()) else { return };
    if stream.set_nonblocking(false).is_err() || stream.set_write_timeout(Some(CLIENT_TIMEOUT)).is_err() {
        return;
    }
    let Ok(to) = stream.try_clone() else { return };
    let started = request.and_then(|(cli, request)| {
        let permit = room.take(&cli.command)?;
        Ok((cli, request, permit))
    });
    match started {
        // A client that is gone needs no answer.
        Err(sentence) => drop(RemoteOutput::new(to, Default::default()).send(&Event::Refused(sentence))),
        Ok((cli, request, permit)) => {
            let has_other_settings = request.settings != settings_digest(&holder.app.settings_in_use());
            let output = RemoteOutput::new(to, request.terminal);
            let work = Work { cli, folder: request.folder, output, has_other_settings };
            let runtime = tokio::runtime::Handle::current();
            let begin = move || runtime.block_on(run(work, (holder, stream, permit)));
            let thread = std::thread::Builder::new().name("delegated".to_owned()).stack_size(STACK_BYTES).spawn(begin);
            if let Err(error) = thread {
                tracing::warn!(%error, "a command beside this one could not be begun");
            }
        }
    }
}

/// What is to be done, as this process reads it; else why it is not.
async fn read(stream: &mut UnixStream, holder: &Holder) -> Result<(Cli, Request), String> {
    let fault = |error: io::Error| format!("the command could not be read: {error}");
    if !trust::may_ask(stream.peer_cred().map_err(fault)?.uid()) {
        return Err("only the user that the server runs as can run commands through it".to_owned());
    }
    let mut line = Vec::new();
    BufReader::new(stream.take(REQUEST_BYTES_MAX)).read_until(b'\n', &mut line).await.map_err(fault)?;
    let data = holder.app.folder().to_owned();
    // A disk that does not answer keeps nobody else waiting.
    let parsed = tokio::task::spawn_blocking(move || parse_request(&line, &data)).await;
    parsed.unwrap_or_else(|error| Err(format!("the command could not be read: {error}")))
}

/// A command that is to be run.
struct Work {
    cli: Cli,
    /// The folder that it was given in.
    folder: PathBuf,
    output: RemoteOutput,
    has_other_settings: bool,
}

type Held = (Holder, std::os::unix::net::UnixStream, OwnedSemaphorePermit);

/// A connection that ends with this value, however the command ended.
struct HangUp(std::os::unix::net::UnixStream);

impl Drop for HangUp {
    fn drop(&mut self) {
        // The other end may have gone before.
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

/// Why a command runs no more.
enum End {
    Done(ExitCode),
    /// Its client has gone, or reads nothing.
    Abandoned,
    /// This process ends.
    Closing,
}

/// Runs a command to its end, or until nobody waits for it any more.
async fn run(work: Work, (mut holder, stream, _permit): Held) {
    let Work { cli, folder, output, has_other_settings } = work;
    let stream = HangUp(stream);
    if output.send(&Event::Begun).is_err() {
        return;
    }
    let changes_documents = matches!(cli.command, Command::Ingest(_) | Command::Sync(_));
    let app = holder.app.lent(&(holder.answering)());
    let command = async {
        if has_other_settings {
            message::inform(
                "note: the server on this data folder uses its own settings, which differ from those found here",
            );
        }
        let command = working_folder::scope(folder, borrowed_app::scope(app, (holder.runner)(cli)));
        let ended = AssertUnwindSafe(command).catch_unwind().await;
        let broken = |_| Err(anyhow::anyhow!("an internal error stopped the command"));
        ended.unwrap_or_else(broken).unwrap_or_else(|error| exit::report(&error))
    };
    let (gone, is_gone) = tokio::sync::oneshot::channel::<()>();
    let left = output.clone();
    let listening = stream.0.try_clone().map(|stream| {
        std::thread::spawn(move || {
            wait_for_end(stream);
            // Told at once, also to a command that does not look up from its work.
            left.abandon();
            drop(gone);
        })
    });
    let mut work = std::pin::pin!(output.clone().scope(command));
    let end = tokio::select! {
        code = &mut work => End::Done(code),
        _ = is_gone => End::Abandoned,
        () = output.lost() => End::Abandoned,
        _ = holder.closed.changed() => End::Closing,
    };
    match end {
        // A client that has gone has what it wanted.
        End::Done(code) => drop(output.send(&Event::Ended(number(code)))),
        // What was kept must be found: catalogue and indexes are not left apart.
        End::Abandoned if changes_documents => {
            output.abandon();
            let _ = tokio::time::timeout(GRACE, work).await;
        }
        End::Abandoned | End::Closing => {}
    }
    drop((stream, listening));
}

/// Returns when the other end is closed; nothing more is expected from there.
fn wait_for_end(mut stream: std::os::unix::net::UnixStream) {
    use std::io::Read;
    while stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
}

/// An exit code as the number it was made of.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(1)
}
