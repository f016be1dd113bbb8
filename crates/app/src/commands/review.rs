//! `vouch review`: versions of one document that are both in force, documents that are nearly the same, sentences that may
//! contradict each other, and what of it is settled.

use std::process::ExitCode;

use serde::Serialize;
use vouch_domain::{Dismissal, Finding, FindingKind, FindingPage, Reader, ports::Findings};
use vouch_service::wire::OpenFindingWire;

use super::{open, print, print_json, reader};
use crate::{
    cli::{Common, FindingKindArg, ReviewArgs, ReviewCommand},
    exit::Usage,
    render::push_line,
};

/// Most findings that are listed.
const LISTED_MAX: usize = 1_000;
/// Who dismisses on the command line.
const DISMISSED_BY: &str = "command line";

/// Stands before what is only guessed.
const GUESSES: &str = "guesses, most of them false alarms: sentences that may contradict each other";

#[derive(Serialize)]
struct PageWire {
    findings: Vec<OpenFindingWire>,
    total: u64,
}

pub(super) async fn run(common: &Common, args: &ReviewArgs) -> anyhow::Result<ExitCode> {
    let app = open(common)?;
    let port = app.store.findings.as_ref();
    match &args.command {
        Some(ReviewCommand::Dismiss { id, tenant }) => {
            let dismissal = Dismissal { by: DISMISSED_BY.to_owned(), at_ms: app.ingest.clock.now_ms() };
            if !port.dismiss(&Reader::of_tenant(tenant), id, dismissal).await? {
                return Err(Usage(format!("there is no finding '{id}'; `vouch review` lists them")).into());
            }
            print(&format!("dismissed {id}; it is listed again once one of the two changes\n"))?;
        }
        None => {
            let who = reader::from_args(&args.reader, app.store.directory.as_ref()).await?;
            let page = port.open(&who, args.kind.map(FindingKind::from), LISTED_MAX).await?;
            if common.json {
                let findings = page.findings.iter().map(OpenFindingWire::new).collect();
                print_json(&PageWire { findings, total: page.total })?;
            } else {
                print(&shown(&page))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl From<FindingKindArg> for FindingKind {
    fn from(arg: FindingKindArg) -> Self {
        match arg {
            FindingKindArg::Versions => Self::Versions,
            FindingKindArg::Duplicate => Self::Duplicate,
            FindingKindArg::Contradiction => Self::Contradiction,
        }
    }
}

fn shown(page: &FindingPage) -> String {
    if page.findings.is_empty() {
        return "nothing to review\n".to_owned();
    }
    let mut text = String::new();
    let mut has_guesses = false;
    for finding in &page.findings {
        if finding.kind.is_guess() && !has_guesses {
            has_guesses = true;
            push_line(&mut text, GUESSES);
        }
        push_line(&mut text, &format!("{} {}", finding.id, told(finding)));
        for side in &finding.sides {
            let date = side.document.date.as_deref().map(|date| format!(", {date}")).unwrap_or_default();
            push_line(&mut text, &format!("  {} ({}{date})", side.document.title, side.document.id));
            match finding.kind {
                FindingKind::Versions => {
                    for line in side.sentence.lines() {
                        push_line(&mut text, &format!("    {line}"));
                    }
                }
                FindingKind::Contradiction => {
                    let words: Vec<&str> = side.sentence.split_whitespace().collect();
                    push_line(&mut text, &format!("    {}", words.join(" ")));
                }
                FindingKind::Duplicate => {}
            }
        }
    }
    let left = page.total.saturating_sub(page.findings.len() as u64);
    if left > 0 {
        push_line(&mut text, &format!("and {left} more"));
    }
    text
}

/// What a finding says. How alike the subjects of two sentences are is no measure of how sure it is, and is not told.
fn told(finding: &Finding) -> String {
    match finding.kind {
        FindingKind::Versions => format!(
            "versions: two versions of one document are both in force ({} % of their sentences in common); they differ in",
            finding.likeness
        ),
        FindingKind::Duplicate => format!("duplicate: nearly the same ({} %)", finding.likeness),
        FindingKind::Contradiction => "contradiction: a guess, these may contradict each other".to_owned(),
    }
}
