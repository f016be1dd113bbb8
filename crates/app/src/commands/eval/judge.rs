//! `vouch eval judge`: two files of replies, compared pair by pair by a model that wrote neither.
//!
//! Invariant: each pair is judged in both orders, at temperature 0. What the judge fails at or says otherwise than asked counts as not judged.

use std::{collections::BTreeSet, fs::File, io::Read, path::Path, process::ExitCode};

use futures::StreamExt;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde::Serialize;
use vouch_engine::{
    ask::AskError,
    model_registry::{
        JobModel, is_same_model,
        prompt::{system_message, user_message},
    },
};
use vouch_evals::pairwise::{
    heuristic,
    pairing::{Pair, Pairing, pair},
    prompt::prompt,
    reply::{self, Replies},
    tally::{JudgedPair, NotJudged, PairwiseReport},
    verdict::{self, CRITERIA, SCHEMA, Verdict},
};

use super::{print, print_json, read, tell};
use crate::{
    cli::{Common, EvalJudgeArgs},
    console::load,
    exit::Usage,
    render, wiring,
};

/// How many pairs are under way at once.
const AT_ONCE: usize = 4;
/// The largest file of replies, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;
const ASKED: &str = "The JSON object:";

/// Who judges.
enum Judge {
    Model(JobModel),
    Heuristic,
}

/// What is told as JSON.
#[derive(Serialize)]
struct Told<'a> {
    judge: &'a str,
    /// True if no model judged: the figures check the machinery and measure no quality.
    is_heuristic: bool,
    a: FileWire,
    b: FileWire,
    #[serde(flatten)]
    report: &'a PairwiseReport,
}

/// One version's file.
#[derive(Serialize)]
struct FileWire {
    file: String,
    /// Who wrote the answers.
    written_by: BTreeSet<String>,
    /// Replies to questions that the other file has no reply to.
    without_partner: usize,
    /// Questions that could not be answered at all.
    failed: usize,
}

pub(super) async fn run(common: &Common, args: &EvalJudgeArgs) -> anyhow::Result<ExitCode> {
    let (a, b) = (read_replies(&args.a)?, read_replies(&args.b)?);
    let golden = args.golden.as_deref().map(|path| read(path, None)).transpose()?;
    let golden = golden.map(|(questions, _)| questions).unwrap_or_default();
    let files = [file(&args.a, &a), file(&args.b, &b)];
    let judge = judge(common, args, &files).await?;
    let Pairing { pairs, only_a, only_b } =
        pair(a, b, &golden, is_a_first).map_err(|error| Usage(error.to_string()))?;
    let report = PairwiseReport::new(&judge.judge_all(&pairs).await);
    let [a, b] = files;
    let told = Told {
        judge: judge.name(),
        is_heuristic: matches!(judge, Judge::Heuristic),
        a: FileWire { without_partner: only_a, ..a },
        b: FileWire { without_partner: only_b, ..b },
        report: &report,
    };
    if common.json {
        print_json(&told)?;
    } else {
        print(&shown(&told))?;
    }
    if report.judged() == 0 {
        tell("vouch: no pair could be judged");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Which answer is shown first at first; as good as drawn, and always the same.
fn is_a_first(id: &str) -> bool {
    blake3::hash(id.as_bytes()).as_bytes().first().is_some_and(|byte| byte % 2 == 0)
}

fn read_replies(path: &Path) -> anyhow::Result<Replies> {
    let cannot = |error: std::io::Error| Usage(format!("cannot read {}: {error}", path.display()));
    let mut bytes = Vec::new();
    File::open(path).map_err(cannot)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(Usage(format!("{} has more than {FILE_BYTES_MAX} bytes", path.display())).into());
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| Usage(format!("{} is not valid UTF-8 text", path.display())))?;
    reply::read(text).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        Usage(format!("{}: {error}{cause}", path.display())).into()
    })
}

fn file(path: &Path, replies: &Replies) -> FileWire {
    FileWire {
        file: path.display().to_string(),
        written_by: replies.replies.iter().filter_map(|reply| reply.model.clone()).collect(),
        without_partner: 0,
        failed: replies.failed,
    }
}

/// The judge that was asked for: one that wrote no answer of either file, and is there.
async fn judge(common: &Common, args: &EvalJudgeArgs, files: &[FileWire; 2]) -> anyhow::Result<Judge> {
    if args.heuristic {
        return Ok(Judge::Heuristic);
    }
    let Some(job_model) = wiring::pairwise_model(&load(common)?)? else {
        let sentence =
            "no model is configured to compare answers; set `models.pairwise`, or check the machinery with --heuristic";
        return Err(Usage(sentence.to_owned()).into());
    };
    for file in files {
        if let Some(writer) = file.written_by.iter().find(|writer| is_same_model(writer, &job_model.model)) {
            return Err(Usage(format!(
                "models.pairwise is {}, and {writer} wrote answers in {}; a model must not judge its own output, so name another",
                job_model.model, file.file
            ))
            .into());
        }
    }
    job_model.check_available().await.map_err(AskError::Model)?;
    Ok(Judge::Model(JobModel { temperature: 0.0, ..job_model }))
}

impl Judge {
    fn name(&self) -> &str {
        match self {
            Self::Model(job_model) => &job_model.model,
            Self::Heuristic => heuristic::NAME,
        }
    }

    /// Every pair, in their order, however long each takes.
    async fn judge_all(&self, pairs: &[Pair]) -> Vec<JudgedPair> {
        let all = u64::try_from(pairs.len()).unwrap_or(u64::MAX);
        let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
        let mut verdicts = futures::stream::iter(pairs.iter().map(|pair| self.judge_pair(pair))).buffered(AT_ONCE);
        let mut judged = Vec::with_capacity(pairs.len());
        while let Some(one) = verdicts.next().await {
            judged.push(one);
            bar.inc(1);
        }
        drop(verdicts);
        bar.finish_and_clear();
        judged
    }

    async fn judge_pair(&self, pair: &Pair) -> JudgedPair {
        let both = async {
            let one = self.verdict(pair, pair.is_a_first).await?;
            Ok([one, self.verdict(pair, !pair.is_a_first).await?])
        };
        JudgedPair { id: pair.id.clone(), is_a_first: pair.is_a_first, verdicts: both.await }
    }

    async fn verdict(&self, pair: &Pair, is_a_first: bool) -> Result<Verdict, NotJudged> {
        let job_model = match self {
            Self::Heuristic => return Ok(heuristic::verdict(pair, is_a_first)),
            Self::Model(job_model) => job_model,
        };
        let prompt = prompt(pair, is_a_first);
        let tokens = job_model.count(&prompt) + job_model.count(ASKED) + job_model.allowed.response_tokens_max;
        // An answer that is cut to fit would be judged for what is missing.
        if tokens > job_model.allowed.context_window {
            return Err(NotJudged::TooLong);
        }
        let messages = vec![system_message(prompt), user_message(ASKED)];
        let said = job_model.complete_as(messages, SCHEMA).await.map_err(|error| {
            tracing::warn!(code = error.code(), "a pair was not judged");
            NotJudged::Failed
        })?;
        verdict::read(&said).ok_or(NotJudged::Unreadable)
    }
}

fn shown(told: &Told<'_>) -> String {
    let report = told.report;
    let mut text = String::new();
    for (side, file) in [("a", &told.a), ("b", &told.b)] {
        let writers: Vec<&str> = file.written_by.iter().map(String::as_str).collect();
        let writers = if writers.is_empty() { "nobody".to_owned() } else { writers.join(", ") };
        let line = format!("{side}: {}, written by {writers}", file.file);
        let mut counts = String::new();
        for (count, what) in [(file.without_partner, "without a partner"), (file.failed, "that failed")] {
            if count > 0 {
                counts.push_str(&format!("; {count} {what}"));
            }
        }
        render::push_line(&mut text, &format!("{line}{counts}"));
    }
    text.push_str(&format!("judge: {}, each pair in both orders\n\n", told.judge));
    let mut rows = vec![["", "a", "b"].map(str::to_owned).to_vec()];
    for name in CRITERIA {
        let mean = |scores: &std::collections::BTreeMap<&str, f64>| {
            scores.get(name).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"))
        };
        rows.push(vec![name.to_owned(), mean(&report.scores_a), mean(&report.scores_b)]);
    }
    rows.push(vec!["preferred".to_owned(), report.wins_a.to_string(), report.wins_b.to_string()]);
    text.push_str(&render::table(&rows));
    let not_judged: usize = report.not_judged.values().sum();
    text.push_str(&format!(
        "\n{} pairs: {} for a, {} for b, {} ties, {} decided by position, {not_judged} not judged{}\n",
        report.pairs,
        report.wins_a,
        report.wins_b,
        report.ties,
        report.position_decided,
        reasons(report)
    ));
    let agreement = report.agreement;
    let kappa = report.kappa.map(|kappa| format!("; Cohen's kappa {kappa:.2}")).unwrap_or_default();
    text.push_str(&format!(
        "both orders agree on {} of {} ({:.1} %; 95 % interval {:.1} to {:.1}{kappa})\n{}\n",
        agreement.part,
        agreement.of,
        agreement.share * 100.0,
        agreement.low * 100.0,
        agreement.high * 100.0,
        report.conclusion
    ));
    if told.is_heuristic {
        text.push_str("No model judged: the heuristic checks the machinery and does not measure quality.\n");
    }
    text
}

/// Why pairs were not judged.
fn reasons(report: &PairwiseReport) -> String {
    let reasons: Vec<String> = report
        .not_judged
        .iter()
        .map(|(reason, count)| match reason {
            NotJudged::Unreadable => format!("{count} by an unreadable verdict"),
            NotJudged::Failed => format!("{count} because the judge failed or was late"),
            NotJudged::TooLong => format!("{count} too long for the judge"),
        })
        .collect();
    if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) }
}
