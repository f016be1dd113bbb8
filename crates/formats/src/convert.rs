//! Files of a form that only the site's own program reads → Markdown, which is read as any other.
//!
//! The program is of the site's choosing and has its rights; what it prints is as hostile as the file it was made of. It is
//! killed with everything it started where it takes too long or prints too much.

use std::{
    io::{Read, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use vouch_domain::{
    Document, RawDocument, SourceFormat,
    ports::{ParseError, Parser},
};

use crate::fault::whole;

/// What stands for the file in a command.
const FILE: &str = "{file}";
/// How much of what a program says of its failure is told.
const COMPLAINT_CHARS: usize = 200;
/// What a program inherits of the environment: enough to be found and to know where it is.
const ENVIRONMENT: &[&str] = &["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];

/// A program that turns files into Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converter {
    /// The endings of files it reads, in lower case and without dots.
    pub endings: Vec<String>,
    /// The program and its arguments; `{file}` stands for a copy of the file, which else is its standard input.
    pub command: Vec<String>,
    /// The longest it may take.
    pub timeout: Duration,
    /// The most it may print.
    pub bytes_max: u64,
}

/// Reads what the site has converters for by way of them, and everything else as another parser does.
pub struct ConvertingParser {
    converters: Vec<Converter>,
    parser: Arc<dyn Parser>,
}

impl ConvertingParser {
    /// Puts converters in front of a parser.
    #[must_use]
    pub fn new(converters: Vec<Converter>, parser: Arc<dyn Parser>) -> Self {
        Self { converters, parser }
    }

    fn converter(&self, raw: &RawDocument) -> Option<(&Converter, String)> {
        let ending = Path::new(&raw.source).extension()?.to_str()?.to_ascii_lowercase();
        let converter = self.converters.iter().find(|one| one.endings.contains(&ending))?;
        Some((converter, ending))
    }
}

impl Parser for ConvertingParser {
    fn parse(&self, mut raw: RawDocument) -> Vec<Result<Document, ParseError>> {
        if let Some((converter, ending)) = self.converter(&raw) {
            match converter.convert(&raw.bytes, &ending) {
                Ok(markdown) => (raw.bytes, raw.format) = (markdown, SourceFormat::Markdown),
                Err(sentence) => return vec![Err(whole(&sentence))],
            }
        }
        self.parser.parse(raw)
    }

    fn recipe(&self) -> Option<String> {
        let converters = self.converters.iter().map(|one| format!("{:?} {:?}", one.endings, one.command));
        Some(format!("{} {}", self.parser.recipe()?, converters.collect::<Vec<_>>().join(" ")))
    }
}

impl Converter {
    fn convert(&self, bytes: &[u8], ending: &str) -> Result<Vec<u8>, String> {
        let (name, arguments) = self.command.split_first().ok_or("its converter has no command (ingest.convert)")?;
        let cannot = |error: std::io::Error| format!("its converter {name} could not be run: {error}");
        let wants_file = arguments.iter().any(|argument| argument.contains(FILE));
        let mut copy = tempfile::Builder::new().suffix(&format!(".{ending}")).tempfile().map_err(cannot)?;
        copy.write_all(bytes).map_err(cannot)?;
        let path = copy.path().to_string_lossy();
        let input = if wants_file { Stdio::null() } else { Stdio::from(copy.reopen().map_err(cannot)?) };
        let child = Command::new(name)
            .args(arguments.iter().map(|argument| argument.replace(FILE, &path)))
            .env_clear()
            .envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .process_group(0)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        self.wait(child, name)
    }

    /// What it prints, in time and not too much; else it ends with everything it started.
    fn wait(&self, mut child: Child, name: &str) -> Result<Vec<u8>, String> {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let kill = move || group.map(|group| kill_process_group(group, Signal::KILL));
        let (done, watched) = mpsc::channel::<()>();
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let limit = self.bytes_max;
        let (printed, complaint, is_late) = thread::scope(|scope| {
            let timeout = self.timeout;
            let watch = scope.spawn(move || {
                let is_late = watched.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
                if is_late {
                    kill();
                }
                is_late
            });
            let complain = scope.spawn(move || some_of(errors, COMPLAINT_CHARS as u64 * 4));
            let printed = some_of(output, limit.saturating_add(1));
            if printed.len() as u64 > limit {
                kill();
            }
            // It may close its output and go on; its deadline holds until it has ended.
            let status = child.wait();
            let complaint = complain.join().unwrap_or_default();
            drop(done);
            ((printed, status), complaint, watch.join().unwrap_or(true))
        });
        let (printed, status) = printed;
        if is_late {
            return Err(format!("its converter {name} took longer than {} s", self.timeout.as_secs_f32()));
        }
        if printed.len() as u64 > limit {
            return Err(format!("its converter {name} printed more than {limit} bytes"));
        }
        match status {
            Ok(status) if status.success() => Ok(printed),
            Ok(status) => {
                let complaint = String::from_utf8_lossy(&complaint);
                let complaint: String = complaint.trim().chars().take(COMPLAINT_CHARS).collect();
                Err(format!("its converter {name} failed ({status}): {complaint}"))
            }
            Err(error) => Err(format!("its converter {name} could not be waited for: {error}")),
        }
    }
}

fn some_of(stream: Option<impl Read>, bytes_max: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        let _ = stream.take(bytes_max).read_to_end(&mut bytes);
    }
    bytes
}
