//! Where the output of a delegated command goes, in place of this process's own streams.

use std::{
    fmt,
    io::{self, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use indicatif::{ProgressDrawTarget, TermLike};
use tokio::sync::Notify;

use super::protocol::{Event, Terminal};

tokio::task_local! {
    static CURRENT: RemoteOutput;
}

/// How often a bar is drawn at the other end, in a second.
const DRAWN_A_SECOND: u8 = 10;

/// The connection to the client of a delegated command.
#[derive(Clone)]
pub(crate) struct RemoteOutput {
    /// None once something could not be sent: a client that reads no more is not waited for again.
    to: Arc<Mutex<Option<Box<dyn Write + Send>>>>,
    lost: Arc<Notify>,
    is_abandoned: Arc<AtomicBool>,
    pub(crate) terminal: Terminal,
}

impl RemoteOutput {
    pub(crate) fn new(to: impl Write + Send + 'static, terminal: Terminal) -> Self {
        let to: Box<dyn Write + Send> = Box::new(to);
        Self { to: Arc::new(Mutex::new(Some(to))), lost: Arc::default(), is_abandoned: Arc::default(), terminal }
    }

    /// That of the delegated command this task runs; `None` where a command runs in its own process.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }

    /// Runs work whose words go here.
    pub(crate) async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self, work).await
    }

    /// Sends one event.
    pub(crate) fn send(&self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = to.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let sent = open.write_all(&line).and_then(|()| open.flush());
        if sent.is_err() {
            *to = None;
            self.lost.notify_one();
        }
        sent
    }

    /// Returns when something could not be sent.
    pub(crate) async fn lost(&self) {
        self.lost.notified().await;
    }

    /// Says that nobody waits for the command any more.
    pub(crate) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits for the command any more; what it has begun to change it brings to a good end.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }
}

/// Whether whoever gave this command has gone.
pub(crate) fn is_abandoned() -> bool {
    RemoteOutput::current().is_some_and(|output| output.is_abandoned())
}

/// Where progress is drawn: on this process's terminal, or on the client's; nowhere if no person reads there.
pub(crate) fn progress_target() -> ProgressDrawTarget {
    match RemoteOutput::current() {
        None => ProgressDrawTarget::stderr(),
        Some(output) => match output.terminal.bar_columns {
            Some(columns) => {
                ProgressDrawTarget::term_like_with_hz(Box::new(Drawing { output, columns }), DRAWN_A_SECOND)
            }
            None => ProgressDrawTarget::hidden(),
        },
    }
}

/// A terminal at the other end.
struct Drawing {
    output: RemoteOutput,
    columns: u16,
}

impl fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Drawing").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl Drawing {
    fn draw(&self, text: String) -> io::Result<()> {
        self.output.send(&Event::Bar(text))
    }

    fn move_by(&self, count: usize, direction: char) -> io::Result<()> {
        if count == 0 { Ok(()) } else { self.draw(format!("\u{1b}[{count}{direction}")) }
    }
}

impl TermLike for Drawing {
    fn width(&self) -> u16 {
        self.columns
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_by(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.draw(format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.draw(text.to_owned())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.draw("\r\u{1b}[2K".to_owned())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}
