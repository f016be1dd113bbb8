//! `vouch eval run`: a golden set against the store.

use std::{path::Path, process::ExitCode, sync::Arc};

use anyhow::Context;
use async_trait::async_trait;
use vouch_domain::{
    EmbedderIdentity, Embedding, Fault, PortError, Question, RelevanceMap,
    ports::{Embedder, Toolbox},
};
use vouch_engine::ask::Engine;
use vouch_evals::{
    golden::{self, GoldenQuestion},
    score::{self, AgentCounts, Report, RoutingCounts, Verdict},
};

use vouch_service::{recorded_toolbox::RecordedToolbox, wire::ToolCallWire};

use super::{open_filled, print, print_json, tell};
use crate::{
    cli::{Common, EvalCommand},
    exit::Usage,
    render, settings,
    wiring::App,
};

pub(super) async fn run(common: &Common, command: EvalCommand) -> anyhow::Result<ExitCode> {
    let EvalCommand::Run { golden, split, thresholds, output, embedder_down, max_answered_unanswerable, min_right } =
        command;
    let questions = read(&golden, split.as_deref())?;
    let mut app = open_filled(common)?;
    app.engine.be_patient();
    if let Some(path) = thresholds {
        let figures = settings::load_thresholds(&path).map_err(|error| Usage(format!("{error:#}")))?;
        app.engine.policies.judge.thresholds = figures;
    }
    if embedder_down {
        app.engine.retrieve.embedder = Arc::new(DownEmbedder(app.engine.retrieve.embedder));
    }
    let (report, misses) = evaluate(&app, &questions).await?;
    if let Some(path) = output {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if common.json {
        print_json(&report)?;
    } else {
        misses.iter().for_each(|miss| tell(miss));
        print(&shown(&report))?;
    }
    let is_too_bold = max_answered_unanswerable.is_some_and(|limit| report.overconfident_share > limit);
    let is_too_weak = min_right.is_some_and(|limit| report.right_share < limit);
    if is_too_bold || is_too_weak {
        tell("vouch: the golden set failed");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// An embedder that always fails.
struct DownEmbedder(Arc<dyn Embedder>);

#[async_trait]
impl Embedder for DownEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        self.0.identity()
    }

    fn relevance_map(&self) -> &RelevanceMap {
        self.0.relevance_map()
    }

    fn likeness_map(&self) -> &RelevanceMap {
        self.0.likeness_map()
    }

    async fn embed(&self, _: Vec<String>) -> Result<Vec<Embedding>, PortError> {
        Err(PortError::new("embedder", Fault::Unavailable, "it is switched off for this evaluation (--embedder-down)"))
    }
}

fn read(path: &Path, split: Option<&str>) -> anyhow::Result<Vec<GoldenQuestion>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut questions =
        golden::read(&text).map_err(|error| Usage(format!("{}: {error}: {}", path.display(), error.source)))?;
    questions.retain(|question| split.is_none_or(|split| question.split == split));
    if questions.is_empty() {
        return Err(Usage(format!("{} has no question in this split", path.display())).into());
    }
    Ok(questions)
}

/// The engine, with what tools said when the set was made in the place of the tools.
fn engine_of(app: &App, golden: &GoldenQuestion) -> anyhow::Result<Engine> {
    let toolbox = match &app.engine.toolbox {
        None => None,
        Some(declared) => {
            let read = |call: &serde_json::Value| serde_json::from_value(call.clone());
            let calls: Vec<ToolCallWire> =
                golden.recorded.iter().map(read).collect::<Result<_, _>>().map_err(|error| {
                    Usage(format!("{}: a recorded call of a tool cannot be read: {error}", golden.id))
                })?;
            Some(Arc::new(RecordedToolbox::new(Arc::clone(declared), &calls)) as Arc<dyn Toolbox>)
        }
    };
    Ok(Engine { toolbox, ..app.engine.clone() })
}

/// Asks every question; the second part names those that went wrong.
async fn evaluate(app: &App, questions: &[GoldenQuestion]) -> anyhow::Result<(Report, Vec<String>)> {
    let mut verdicts = Vec::new();
    let mut misses = Vec::new();
    let (mut routing, mut agents) = (RoutingCounts::default(), AgentCounts::default());
    for golden in questions {
        let question = Question {
            conversation: golden.conversation(),
            asker: golden.user.clone(),
            ..Question::new(&golden.query, golden.reader())
        };
        let response = engine_of(app, golden)?.ask(&question).await?;
        agents.add(golden, &response);
        let verdict = score::grade(golden, &response);
        routing.add(golden, &response);
        let word = match verdict {
            Verdict::Right | Verdict::RightRefusal => None,
            Verdict::Beside => Some("answered from other sources than expected"),
            Verdict::FalseRefusal => Some("refused although answerable"),
            Verdict::Overconfident => Some("answered although unanswerable"),
        };
        misses.extend(word.map(|word| format!("{}: {word}: {}", golden.id, golden.query)));
        verdicts.push((golden.category.clone(), verdict));
    }
    let routing = (routing.asked > 0).then_some(routing);
    let agents = (agents.asked > 0).then_some(agents);
    Ok((Report { routing, agents, ..score::report(&verdicts) }, misses))
}

fn shown(report: &Report) -> String {
    let heading = ["category", "right", "beside", "false refusal", "right refusal", "overconfident"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let all = [("all".to_owned(), report.counts.clone())];
    for (name, counts) in report.by_category.clone().into_iter().chain(all) {
        let figures = [counts.right, counts.beside, counts.false_refusals, counts.right_refusals, counts.overconfident];
        rows.push(std::iter::once(name).chain(figures.iter().map(usize::to_string)).collect());
    }
    let routing = report.routing.as_ref().map_or(String::new(), |counts| {
        format!(
            "cite or route: {} of {} as expected; {} routed, {} of them to the right person, {} beside a right answer\n",
            counts.right_action, counts.asked, counts.routed, counts.right_owner, counts.right_beside
        )
    });
    let agents = report
        .agents
        .as_ref()
        .map_or(String::new(), |counts| format!("agents: {} of {} as expected\n", counts.right, counts.asked));
    format!(
        "{}\n{} questions: {:.1} % of the answerable answered rightly, {:.1} % refused; {:.1} % of the unanswerable answered\n{routing}{agents}",
        render::table(&rows),
        report.questions,
        report.right_share * 100.0,
        report.false_refusal_share * 100.0,
        report.overconfident_share * 100.0
    )
}
