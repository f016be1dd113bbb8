//! `vouch review`: documents that are nearly the same or contradict each other, and what of it is settled.

use std::process::ExitCode;

use serde::Serialize;
use vouch_domain::{Dismissal, FindingKind, FindingPage, Reader, ports::Findings};
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
    for finding in &page.findings {
        push_line(&mut text, &format!("{} {} ({} %)", finding.id, finding.kind.as_str(), finding.likeness));
        for side in &finding.sides {
            let date = side.document.date.as_deref().map(|date| format!(", {date}")).unwrap_or_default();
            push_line(&mut text, &format!("  {} ({}{date})", side.document.title, side.document.id));
            if !side.sentence.is_empty() {
                push_line(
                    &mut text,
                    &format!("    {}", side.sentence.split_whitespace().collect::<Vec<_>>().join(" ")),
                );
            }
        }
    }
    let left = page.total.saturating_sub(page.findings.len() as u64);
    if left > 0 {
        push_line(&mut text, &format!("and {left} more"));
    }
    text
}
