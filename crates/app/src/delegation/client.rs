//! A command handed to the process that holds its data folder, if there is one; what that says is printed as it comes.

use std::{
    io::{self, BufRead, BufReader, IsTerminal, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::mpsc,
    time::Duration,
};

use console::Term;

use super::{
    path_identity::path_identity,
    plain_paths,
    protocol::{Event, Request, Terminal},
    settings_digest::settings_digest,
    socket::SocketPath,
    trust, working_folder,
};
use crate::{
    cli::Cli,
    console::{load, print_raw},
    exit::{self, Usage},
    markdown::Screen,
    message, version,
};

/// How long a holder may take to say that it runs a command; where it does not, the folder counts as in use.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Has a command run by whoever holds its folder and listens; none where it is to be run here.
pub(crate) fn delegate(cli: &mut Cli) -> Option<ExitCode> {
    let paths: Vec<PathBuf> = cli.command.delegated_paths()?.into_iter().map(|path| path.clone()).collect();
    let words: Vec<String> = std::env::args_os().map(|word| word.into_string().ok()).collect::<Option<_>>()?;
    let folder = working_folder::current()?;
    let stream = match connect(&cli.common.data)? {
        Ok(stream) => stream,
        Err(sentence) => return Some(exit::report(&anyhow::anyhow!(sentence))),
    };
    if let Some(fault) = paths.iter().find_map(|path| plain_paths::fault(&folder, path)) {
        return Some(exit::report(&Usage(fault).into()));
    }
    // Settings that are wrong are told as everywhere.
    let loaded = match load(&cli.common) {
        Ok(loaded) => loaded,
        Err(error) => return Some(exit::report(&error)),
    };
    let request = Request {
        version: version::text().to_owned(),
        words,
        identities: paths.iter().map(|path| path_identity(&folder.join(path))).collect(),
        folder,
        settings: settings_digest(&loaded),
        terminal: Terminal {
            screen: Screen::columns_and_styles_of_stdout(),
            bar_columns: io::stderr().is_terminal().then(|| Term::stderr().size().1),
            has_json_messages: message::is_json(),
        },
    };
    // Where the holder goes away before it has begun, nothing was done, and the command finds out for itself how things are.
    run_there(stream, &request).unwrap_or_else(|error| error.into_code())
}

/// A connection to whoever holds a folder and listens, or why they are told nothing; none where nobody does.
fn connect(data: &Path) -> Option<Result<UnixStream, String>> {
    let socket = SocketPath::of(data).ok()?;
    // The standard library does not tell yet who is at the other end.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
    let connected = runtime.block_on(async {
        let stream = tokio::net::UnixStream::connect(socket.as_path()).await?;
        let user = stream.peer_cred()?.uid();
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        io::Result::Ok((stream, user))
    });
    let (stream, user) = connected.ok()?;
    Some(if trust::may_run(user, data) { Ok(stream) } else { Err(strange_listener(user, data)) })
}

fn strange_listener(user: u32, data: &Path) -> String {
    let data = data.display();
    format!(
        "another user (id {user}) listens on {data}/socket, so the command was not sent; if your server runs as that \
         user, run the command as that user; otherwise check who may write to the folder and remove {data}/socket"
    )
}

enum Failure {
    /// Nothing was begun.
    NotBegun,
    /// Nothing was begun, for a reason that this command must tell.
    Refused(String),
    /// It was begun, and the holder went away.
    CutOff,
}

impl Failure {
    fn into_code(self) -> Option<ExitCode> {
        match self {
            Self::NotBegun => None,
            Self::Refused(sentence) => Some(exit::report(&anyhow::anyhow!(sentence))),
            Self::CutOff => {
                let sentence = "the server stopped before this command had finished; check what was done before you \
                                run it again";
                Some(exit::report(&anyhow::anyhow!(sentence)))
            }
        }
    }
}

fn run_there(mut stream: UnixStream, request: &Request) -> Result<Option<ExitCode>, Failure> {
    let send = |stream: &mut UnixStream| -> io::Result<()> {
        stream.set_read_timeout(Some(BEGIN_TIMEOUT))?;
        stream.set_write_timeout(Some(BEGIN_TIMEOUT))?;
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        stream.write_all(&line)
    };
    send(&mut stream).map_err(|_| Failure::NotBegun)?;
    let waiting = stream.try_clone().map_err(|_| Failure::NotBegun)?;
    let mut lines = BufReader::new(stream).lines();
    match lines.next().and_then(Result::ok).and_then(|line| serde_json::from_str(&line).ok()) {
        Some(Event::Begun) => {}
        Some(Event::Refused(sentence)) => return Err(Failure::Refused(sentence)),
        Some(Event::Out(_) | Event::Err(_) | Event::Bar(_) | Event::Ended(_)) | None => return Err(Failure::NotBegun),
    }
    waiting.set_read_timeout(None).map_err(|_| Failure::CutOff)?;
    // Read ahead of what is printed: somebody who looks at a page of it keeps no server waiting.
    let (sender, events) = mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let Ok(event) = serde_json::from_str::<Event>(&line) else { return };
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    for event in events {
        match event {
            Event::Out(text) => {
                if let Err(error) = print_raw(&text) {
                    return Ok(Some(exit::report(&error)));
                }
            }
            Event::Err(text) => message::pass_on(&text),
            Event::Bar(text) => draw(&text),
            Event::Ended(code) => return Ok(Some(ExitCode::from(code))),
            Event::Begun | Event::Refused(_) => {}
        }
    }
    Err(Failure::CutOff)
}

fn draw(text: &str) {
    // A terminal that is gone shows nothing.
    let _ = io::stderr().write_all(text.as_bytes());
}
