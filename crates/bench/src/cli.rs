//! The words of `vouch-bench`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use vouch_app::{cli::Common, settings::DenseEngine};

use crate::{nodes::NodesArgs, scale::ScaleArgs};

/// Measures Vouch on public data sets; `--data DIR` names their folder.
#[derive(Debug, Parser)]
#[command(name = "vouch-bench", version, after_help = "Example:\n  vouch-bench retrieval --data data/")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Drive a running server with 1, 8 and 64 clients, then with four times what it can do (VOUCH_KEY holds a key)
    #[command(
        after_help = "Example:\n  vouch-bench serve --url http://127.0.0.1:8080 --golden profiles/book/golden.jsonl \
                      --pid 4711\n  vouch ingest more/ --background && vouch-bench serve --golden golden.jsonl --clients 1 \
                      --without-overload"
    )]
    Serve(ServeBenchArgs),
    /// Several servers on one PostgreSQL database: how much they answer, and what they lose when they are killed
    Nodes(NodesArgs),
    /// What 10, 100 and 1,000 million passages ask of machines, by a simulation of queues with measured costs
    #[command(
        after_help = "Example:\n  vouch-bench scale\n  vouch-bench scale --measure --write costs.json\n  vouch-bench scale --measured \
                      costs.json --json"
    )]
    Scale(ScaleArgs),
    /// nDCG@10 and recall@10 of each lane and of both fused
    #[command(after_help = "Example:\n  vouch-bench retrieval --data data/ --sets scifact,cranfield")]
    Retrieval(BenchArgs),
    /// Embedding rate, and search and ask latency at growing size
    #[command(after_help = "Example:\n  vouch-bench speed --data data/ --sizes 1000,10000,100000 --json")]
    Speed(SpeedArgs),
    /// How long it takes to look at every vector of a large store
    #[command(after_help = "Example:\n  vouch-bench scan --rows 1000000 --json")]
    Scan(ScanArgs),
    /// The same vectors searched in the data folder, in PostgreSQL and in Milvus, which are started: ingest, memory, disk, latency
    /// and recall@10 against an exact scan
    #[command(
        after_help = "Example:\n  vouch-bench dense --engines embedded,pgvector,milvus --passages 100000 --readers all,1% --json"
    )]
    Dense(DenseArgs),
    /// Latency, memory and start-up of one store, in a process of its own
    #[command(hide = true)]
    SpeedOfStore {
        /// Questions, one per line
        #[arg(long)]
        questions: PathBuf,
    },
    /// Compare the built-in encoder with rten and ONNX Runtime: passages per second, one question, pairs for the judge, memory
    #[command(
        after_help = "Example:\n  vouch-bench encoder --paths --json\n  cargo run --release -p vouch-bench --features compare -- \
                      encoder --onnxruntime libonnxruntime.so"
    )]
    Encoder(EncoderArgs),
    /// The judge beside its floors: answerability, claims, altered sentences, refusals, order of passages, speed
    #[command(
        after_help = "Example:\n  vouch-bench judge --data data/ --sets squad2,wice --parts answerability,claims"
    )]
    Judge(JudgeArgs),
    /// Print the judge's scores for pairs of texts, to compare it with its float original
    #[command(hide = true)]
    JudgePairs {
        /// JSON Lines {"a", "b"}
        #[arg(long, value_name = "FILE")]
        pairs: PathBuf,
    },
    /// Print the embedder's vectors for texts, to compare them with its float original
    #[command(hide = true)]
    Vectors {
        /// JSON Lines {"text"}
        #[arg(long, value_name = "FILE")]
        texts: PathBuf,
    },
    /// Measure how often exact and misspelt words are found, and what rewrites cost; `--data DIR` names a store
    #[command(
        after_help = "Example:\n  vouch-bench lanes --data .vouch-bench/speed-100000-20000 --questions questions.txt"
    )]
    Lanes {
        /// Questions, one per line
        #[arg(long, value_name = "FILE")]
        questions: PathBuf,
        /// Most questions to time
        #[arg(long, default_value_t = 150)]
        asked_max: usize,
    },
    /// Measure whether terms and document addresses lead to the right entry and to nothing else
    #[command(after_help = "Example:\n  vouch-bench names --data data/ --sets skos,adr,kjv")]
    Names(BenchArgs),
    /// Check that every quote of every answer is in its document at the place given
    #[command(after_help = "Example:\n  vouch-bench quotes --data data/ --sets squad2")]
    Quotes(BenchArgs),
    /// Plant contradictions in corpora: count those that are found, and the alarms that are none; `--data DIR` names a folder
    /// with corpus.jsonl and planted.jsonl, or a folder of such folders
    #[command(after_help = "Example:\n  vouch-bench contradictions --data planted/ --json")]
    Contradictions(ContradictionsArgs),
    /// Let a fake model lie in every known way: count the lies that reach the reader and the true sentences that are lost
    #[command(
        after_help = "Example:\n  vouch-bench hostile --data data/ --sets clapnq-dev,cranfield --output docs/hostile.md"
    )]
    Hostile(HostileArgs),
    /// The profile `support`: how often the router is right, and which summaries of tools' outputs pass
    #[command(after_help = "Example:\n  vouch-bench support --profiles profiles")]
    Support(SupportArgs),
    /// Measure how fast a model's text is verified, and how soon a finished sentence is shown
    #[command(after_help = "Example:\n  vouch-bench stream --data data/ --sets squad2")]
    Stream(BenchArgs),
    /// Fit the map from the embedder's cosines of two questions to the scale of the memory's thresholds
    #[command(
        after_help = "Example:\n  vouch-bench fit-likeness --pairs pairs.jsonl --write models/gte-small/likeness.json"
    )]
    FitLikeness {
        /// JSON Lines {"a", "b", "y"}: 1 for two wordings of one question (training/paraphrases.py makes them)
        #[arg(long, value_name = "FILE")]
        pairs: PathBuf,
        /// Write the map here
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Fit the chance that an answer is right on one half of the questions, and report on the other how well the chance in use holds
    #[command(
        after_help = "Example:\n  vouch-bench fit-confidence --data data/ --sets squad2,clapnq-dev,real/handbook-18f"
    )]
    FitConfidence {
        #[command(flatten)]
        bench: BenchArgs,
        /// Most questions of each half of a set
        #[arg(long, default_value_t = 300)]
        questions: usize,
    },
    /// Fit the map from the embedder's cosines to the gates' scale
    #[command(
        after_help = "Example:\n  vouch-bench fit-relevance --data data/ --write models/gte-small/relevance.json"
    )]
    FitRelevance {
        #[command(flatten)]
        bench: BenchArgs,
        /// Write the map here
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct EncoderArgs {
    /// How often each measurement is repeated
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) rounds: u32,
    /// Also measure the slower instruction sets of this processor
    #[arg(long)]
    pub(crate) paths: bool,
    /// ONNX Runtime's library [default: the one ORT_DYLIB_PATH names]
    #[arg(long, value_name = "FILE")]
    pub(crate) onnxruntime: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ScanArgs {
    /// Number of vectors to make
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) rows: usize,
    /// Dimensions of each vector
    #[arg(long, default_value_t = 384)]
    pub(crate) dimensions: usize,
    /// Number of queries to time
    #[arg(long, default_value_t = 50)]
    pub(crate) queries: usize,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DenseArgs {
    /// Which engines are measured
    #[arg(long, value_delimiter = ',', value_parser = engine, default_value = "embedded,pgvector,milvus")]
    pub(crate) engines: Vec<DenseEngine>,
    /// Number of passages to make
    #[arg(long, default_value_t = 100_000)]
    pub(crate) passages: usize,
    /// Who asks: who sees everything, who sees one passage in a hundred
    #[arg(long, value_delimiter = ',', value_enum, default_value = "all,1%")]
    pub(crate) readers: Vec<DenseReader>,
    /// Number of queries to time
    #[arg(long, default_value_t = 200)]
    pub(crate) queries: usize,
    /// Where the catalogue, which is kept for the next run, and the servers' programs are
    #[arg(long, value_name = "DIR", default_value = "./.vouch-bench")]
    pub(crate) folder: PathBuf,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DenseReader {
    All,
    #[value(name = "1%")]
    Few,
}

impl DenseReader {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Few => "1%",
        }
    }
}

fn engine(name: &str) -> Result<DenseEngine, String> {
    let all = [DenseEngine::Embedded, DenseEngine::Pgvector, DenseEngine::Milvus];
    all.into_iter().find(|engine| engine.as_str() == name).ok_or_else(|| "no such engine".to_owned())
}

#[derive(Debug, Clone, Args)]
pub(crate) struct BenchArgs {
    /// Use only these data sets
    #[arg(long, value_delimiter = ',')]
    pub(crate) sets: Vec<String>,
    /// Where the benchmark keeps its stores between runs
    #[arg(long, value_name = "DIR", default_value = "./.vouch-bench")]
    pub(crate) store: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ContradictionsArgs {
    /// Where the benchmark keeps its stores
    #[arg(long, value_name = "DIR", default_value = "./.vouch-bench")]
    pub(crate) store: PathBuf,
    /// Write every pair that was weighed here
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) pairs: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ServeBenchArgs {
    /// Base URL of the server
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
    /// Questions as JSON Lines {"id", "query", …}
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: PathBuf,
    /// How long each load lasts, in seconds
    #[arg(long, default_value_t = 30)]
    pub(crate) seconds: u64,
    /// How many clients ask at once, load by load
    #[arg(long, value_delimiter = ',', default_value = "1,8,64")]
    pub(crate) clients: Vec<usize>,
    /// Do without the last load, of four times as many requests as the server can answer
    #[arg(long)]
    pub(crate) without_overload: bool,
    /// Process id of the server, to report its memory
    #[arg(long)]
    pub(crate) pid: Option<u32>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct HostileArgs {
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// The folder of the profiles, to say the sentences about their corpora that were written by hand
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Option<PathBuf>,
    /// Number of lies to tell
    #[arg(long, default_value_t = 1000)]
    pub(crate) lies: usize,
    /// Number of true sentences to say in other words
    #[arg(long, default_value_t = 1000)]
    pub(crate) reworded: usize,
    /// Write the table as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SupportArgs {
    /// The folder of the profiles
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    pub(crate) profiles: PathBuf,
    /// Where the benchmark keeps its store between runs
    #[arg(long, value_name = "DIR", default_value = "./.vouch-bench")]
    pub(crate) store: PathBuf,
    /// Also tell what went wrong in the half that may be looked at
    #[arg(long)]
    pub(crate) wrong: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// Only these parts
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(crate) parts: Vec<JudgePart>,
    /// Most questions or claims from each data set
    #[arg(long, default_value_t = 10_000)]
    pub(crate) questions: usize,
}

/// A part of the judge's benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgePart {
    Answerability,
    Claims,
    Altered,
    Refusal,
    GoldRemoved,
    Rerank,
    Speed,
    Written,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SpeedArgs {
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
    /// Store sizes to measure, in passages
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    pub(crate) sizes: Vec<usize>,
    /// Number of questions to ask at each size
    #[arg(long, default_value_t = 500)]
    pub(crate) questions: usize,
    /// Most real passages to embed; the rest is generated
    #[arg(long, default_value_t = 20_000)]
    pub(crate) real_max: usize,
    /// Measure embedding alone
    #[arg(long)]
    pub(crate) embedding_only: bool,
}
