//! The command line: every command with its arguments and an example.

mod audit;
#[cfg(unix)]
mod delegated;
mod eval;
mod jobs;
mod key;
mod memory;
mod metrics;
mod people;
mod show;
mod review;
mod store;
mod vocab;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use vouch_domain::{is_session_id, language::language_tag};

use crate::settings::LogForm;

pub(crate) use audit::AuditCommand;
pub(crate) use eval::{
    EvalCalibrateArgs, EvalCheckArgs, EvalCommand, EvalJudgeArgs, EvalRunArgs, EvalVerifyArgs, SELF_EXAM_QUESTIONS,
};
pub(crate) use jobs::{JobsCommand, SyncArgs};
pub(crate) use key::{KeyArgs, KeyCommand, RoleArg};
pub(crate) use memory::{MemoryCommand, ProposeArgs, TranslateArgs};
pub(crate) use metrics::MetricsArgs;
pub(crate) use people::{TagCommand, UserCommand};
pub(crate) use review::{FindingKindArg, ReviewArgs, ReviewCommand};
pub(crate) use show::ShowArgs;
pub(crate) use store::{PointArgs, StoreCommand};
pub(crate) use vocab::VocabCommand;

/// Answers questions from your own documents with citations that hold, or refuses and says why.
#[derive(Debug, Parser)]
#[command(
    name = "vouch",
    version = crate::version::text(),
    after_help = "Example:\n  vouch ingest docs/\n  vouch ask \"How tall is the mast?\""
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Settings file [default: ./vouch.yaml if it exists, else the built-in settings]
    #[arg(long, global = true, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// Data folder
    #[arg(long, global = true, value_name = "DIR", default_value = "./.vouch")]
    pub data: PathBuf,
    /// Print the result as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Write log messages to standard error in this format [default: `serve.logs` for a server, else problems as text]
    #[arg(long, global = true, value_enum, value_name = "FORM")]
    pub log: Option<LogForm>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Load a sample corpus and serve a page that answers questions about it
    #[command(after_help = "Examples:\n  vouch demo --profile book\n  vouch demo --chat")]
    Demo {
        /// Which sample to load
        #[arg(long, default_value = "book")]
        profile: String,
        /// Address and port to listen on [default: `serve.listen` of the settings, or the next free port]
        #[arg(long, value_name = "ADDR")]
        listen: Option<std::net::SocketAddr>,
        /// Ask turn by turn here instead of serving the page
        #[arg(long, conflicts_with = "listen")]
        chat: bool,
    },
    /// Write a commented vouch.yaml and a folder for documents
    #[command(after_help = "Example:\n  vouch init handbook --profile book")]
    Init {
        /// Folder to write to; created if it does not exist
        #[arg(default_value = ".")]
        folder: PathBuf,
        /// Start from a profile's settings instead of the defaults
        #[arg(long)]
        profile: Option<String>,
    },
    /// Add or update documents: Markdown, text, web pages, PDF, office files, mail, tables and more
    #[command(
        after_help = "Examples:\n  vouch ingest docs/ policies.jsonl --tags hr --prune\n  vouch ingest docs/ --background"
    )]
    Ingest(IngestArgs),
    /// Read the sources in the settings: folders, git repositories, web sites, buckets
    #[command(after_help = "Examples:\n  vouch sync\n  vouch sync handbook --background")]
    Sync(SyncArgs),
    /// Show and control background jobs
    #[command(subcommand, after_help = "Example:\n  vouch jobs list")]
    Jobs(JobsCommand),
    /// Ask one question, or many from a file
    #[command(
        after_help = "Examples:\n  vouch ask \"How tall is the mast?\" --explain\n  vouch ask --batch questions.jsonl --json\n  vouch \
                      ask \"How tall is the mast?\" --certificate answer.json"
    )]
    Ask(AskArgs),
    /// Check the certificate of an answer against the documents as they are now, offline
    ///
    /// Exits with 1 if the file or a quote in it no longer holds, or if that cannot be determined.
    #[command(after_help = "Example:\n  vouch verify answer.json")]
    Verify {
        /// Certificate of `vouch ask --certificate`
        #[arg(value_name = "FILE")]
        certificate: PathBuf,
    },
    /// Check whether texts support a claim, or many claims from a file
    #[command(
        after_help = "Examples:\n  vouch check \"The mast is 3 m tall.\" --evidence mast.txt\n  vouch check --batch claims.jsonl --json"
    )]
    Check(CheckArgs),
    /// Ask turn by turn
    #[command(after_help = "Example:\n  vouch chat")]
    Chat {
        #[command(flatten)]
        reader: ReaderArgs,
    },
    /// Find passages without answering
    #[command(after_help = "Example:\n  vouch search \"battery replacement\" -k 5 --lane lexical")]
    Search(SearchArgs),
    /// Look a term up in the vocabulary
    #[command(after_help = "Example:\n  vouch term \"voltage regulation\"")]
    Term {
        /// The term
        term: String,
        #[command(flatten)]
        reader: ReaderArgs,
    },
    /// List versions of one document that are both in force, documents that are nearly the same, and guesses at contradictions
    #[command(after_help = "Example:\n  vouch review --kind versions --json")]
    Review(ReviewArgs),
    /// Manage the curated memory: questions pinned to sources, and notes that frame answers
    #[command(subcommand, after_help = "Example:\n  vouch memory import memory.yaml")]
    Memory(MemoryCommand),
    /// Manage users and what they may see
    #[command(subcommand, after_help = "Example:\n  vouch user add mira --email mira@tarnside.example --tags staff,hr")]
    User(UserCommand),
    /// Manage topics and the people responsible for them
    #[command(subcommand, after_help = "Example:\n  vouch tag add hr --owner mira")]
    Tag(TagCommand),
    /// Manage the keys of a server's callers
    #[command(subcommand, after_help = "Example:\n  vouch key add intranet --tags staff --expires-days 90")]
    Key(KeyCommand),
    /// Manage the vocabularies that define terms
    #[command(subcommand, after_help = "Examples:\n  vouch vocab import terms.ttl\n  vouch vocab list")]
    Vocab(VocabCommand),
    /// List every document of a kind in a fixed order, or the kinds there are
    #[command(after_help = "Examples:\n  vouch list\n  vouch list ADR\n  vouch list principle --about security")]
    List {
        /// The kind, such as ADR or policy; without one, the kinds are listed with their counts
        kind: Option<String>,
        /// Only documents whose words are about this
        #[arg(long, value_name = "TEXT", requires = "kind")]
        about: Option<String>,
        /// Only documents with this among the `tags` of their front matter
        #[arg(long, requires = "kind")]
        topic: Option<String>,
        #[command(flatten)]
        reader: ReaderArgs,
    },
    /// Show one document by its address, its title, or the id that `vouch search` prints, or an earlier version of it
    #[command(
        after_help = "Example:\n  vouch show ADR-0012\n  vouch show ADR-0012 --versions\n  vouch show ADR-0012 --version 1\n  vouch show ADR-0012 --changes"
    )]
    Show(ShowArgs),
    /// Serve the HTTP API and a web page to ask questions; on loopback only while there are no keys
    #[command(
        after_help = "Example:\n  vouch serve --listen 127.0.0.1:8080\n  curl -s 127.0.0.1:8080/v1/ask --json '{\"query\": \"Who approves travel?\"}'"
    )]
    Serve {
        /// Address and port to listen on [default: `serve.listen` of the settings]
        #[arg(long, value_name = "ADDR")]
        listen: Option<std::net::SocketAddr>,
    },
    /// Serve tools over MCP on standard input and output
    #[command(
        after_help = "Examples:\n  vouch mcp --user mira\n  vouch mcp --admin\n\nIn a client's settings: command \"vouch\", arguments [\"mcp\", \"--data\", \"/path/to/.vouch\"]"
    )]
    Mcp {
        #[command(flatten)]
        reader: ReaderArgs,
        /// Also offer the tools that change the memory
        #[arg(long, conflicts_with_all = ["user", "tags"])]
        admin: bool,
    },
    /// Read the audit trail: what was asked and answered
    #[command(subcommand, after_help = "Example:\n  vouch audit list --limit 20")]
    Audit(AuditCommand),
    /// Compute every vector again with the configured embedder
    #[command(after_help = "Example:\n  vouch reembed")]
    Reembed,
    /// Print the metrics of the running server or, without one, those the audit trail holds
    #[command(
        after_help = "Examples:\n  vouch metrics --dump\n  VOUCH_KEY=… vouch metrics --dump --url https://vouch.example --json"
    )]
    Metrics(MetricsArgs),
    /// Check the store, its indexes and the services Vouch depends on
    #[command(after_help = "Example:\n  vouch doctor --json")]
    Doctor,
    /// Print completions for a shell
    #[command(after_help = "Example:\n  vouch completions bash")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Copy, back up, restore, repair and compact a store
    #[command(subcommand, after_help = "Example:\n  vouch store backup backups/2026-05-21")]
    Store(StoreCommand),
    /// Evaluate answers and refusals against a golden set
    #[command(subcommand, after_help = "Example:\n  vouch eval run --golden golden.jsonl")]
    Eval(EvalCommand),
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files and folders to read
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Collection for documents that name none
    #[arg(long)]
    pub(crate) collection: Option<String>,
    /// Kind for documents that name none, such as policy
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Show the documents only to people with one of these tags; later runs keep this
    #[arg(long, value_delimiter = ',')]
    pub(crate) tags: Vec<String>,
    /// Let more people see documents than an earlier run said: those with --tags or `access`, or everyone without either
    #[arg(long)]
    pub(crate) open: bool,
    /// Tenant the documents belong to
    #[arg(long, default_value = "default")]
    pub(crate) tenant: String,
    /// Remove stored documents whose files below these paths no longer exist; refused if more than a third are gone
    #[arg(long)]
    pub(crate) prune: bool,
    /// Like --prune, however many are gone, for when a folder was emptied on purpose
    #[arg(long)]
    pub(crate) prune_many: bool,
    /// Follow symbolic links that lead out of the given folders
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Read unchanged files again, for when a converter in the settings has changed
    #[arg(long)]
    pub(crate) reread: bool,
    /// Keep watching the paths and follow every change, including deletions
    #[arg(long)]
    pub(crate) watch: bool,
    /// Let the server on this data folder do it in the background
    #[arg(long, conflicts_with_all = ["watch", "self_exam", "reread"])]
    pub(crate) background: bool,
    /// Then examine the documents as `vouch eval self` does; with --json a second object follows
    #[arg(long, conflicts_with = "watch")]
    pub(crate) self_exam: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ReaderArgs {
    /// Read only documents that have one of these tags, or none
    #[arg(long, value_delimiter = ',')]
    pub(crate) tags: Option<Vec<String>>,
    /// Read what this user may see, by the tags that `vouch user` has for them
    #[arg(long, value_name = "ID", conflicts_with = "tags")]
    pub(crate) user: Option<String>,
    /// Tenant whose documents to read
    #[arg(long, default_value = "default")]
    pub(crate) tenant: String,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The claim
    #[arg(required_unless_present = "batch")]
    pub(crate) claim: Option<String>,
    /// Text files to check the claim against
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    pub(crate) evidence: Vec<PathBuf>,
    /// Claims as JSON Lines {"id", "claim", "evidence": [text, ...]}; verdicts come in the same order
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claim", "evidence"])]
    pub(crate) batch: Option<PathBuf>,
}

/// The tag of a language, in its one spelling.
fn language(text: &str) -> Result<String, String> {
    language_tag(text).ok_or_else(|| "not the tag of a language, such as en or pt-br".to_owned())
}

/// The id of a conversation.
fn session_id(text: &str) -> Result<String, String> {
    let fault = "must have 1 to 128 letters, digits, '.', '_', ':' or '-'";
    is_session_id(text).then(|| text.to_owned()).ok_or_else(|| fault.to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The question
    #[arg(required_unless_present = "batch")]
    pub(crate) question: Option<String>,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
    /// Model that writes the answer: one of `models.allowed`, or `extractive` to quote the documents
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Language for prepared entries, such as nl [default: that of the question, else `memory.language`]
    #[arg(long, value_name = "TAG", value_parser = language)]
    pub(crate) language: Option<String>,
    /// Agent that should answer, in a profile that has agents [default: chosen by the question]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Conversation to continue, by the id in the last reply (`session_id` with --json); a new id starts one
    #[arg(long, value_name = "ID", conflicts_with = "batch", value_parser = session_id)]
    pub(crate) session: Option<String>,
    /// Earlier turns: a JSON list of {"role", "content"}, each with a "timestamp" if known, where answers may have the
    /// "sources" they cited
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// Show every sentence as soon as it has been verified; with --json, one event per line
    #[arg(long, conflicts_with = "batch")]
    pub(crate) stream: bool,
    /// Show how the answer was reached: search lanes, gates with figures, and what was left out
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write a certificate of the answer to this file, for `vouch verify` to check later
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    pub(crate) certificate: Option<PathBuf>,
    /// Questions as JSON Lines {"id", "query"}; replies come in the same order
    #[arg(long, value_name = "FILE", conflicts_with = "question")]
    pub(crate) batch: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The query
    #[arg(required_unless_present = "batch")]
    pub(crate) query: Option<String>,
    /// Most passages to return, 1 to 1000
    #[arg(short, long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) k: u16,
    /// Search lane to use
    #[arg(long, value_enum, default_value = "all")]
    pub(crate) lane: LaneArg,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
    /// Show every rewrite of the query, and which lane found each passage at which rank
    #[arg(long)]
    pub(crate) explain: bool,
    /// Queries as JSON Lines {"id", "query"}
    #[arg(long, value_name = "FILE", conflicts_with = "query")]
    pub(crate) batch: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LaneArg {
    All,
    Dense,
    Lexical,
    Address,
    Memory,
}
