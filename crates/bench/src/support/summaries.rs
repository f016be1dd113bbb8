//! Summaries of tools' outputs, true and false ones, written by hand or from hand-written templates → how many true ones are kept and
//! how many false ones are held back.

use anyhow::Context;
use serde::Deserialize;
use vouch_app::console::tell;
use vouch_engine::{policy::AgentsPolicy, tool::borne_out};
use vouch_service::wire::typed_record;

use super::{Row, count, lines};

const SUMMARIES: &str = include_str!("../../data/support/summaries.jsonl");
/// The half whose sentences may be looked at.
const TUNED_ON: &str = "tune";

#[derive(Deserialize)]
struct Summary {
    id: String,
    split: String,
    tool: String,
    output: serde_json::Value,
    summary: String,
    is_true: bool,
    kind: String,
}

pub(super) fn measure(policy: &AgentsPolicy, tells_wrong: bool) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for one in lines::<Summary>(SUMMARIES)? {
        let tool = policy.tool(&one.tool).with_context(|| format!("no tool '{}'", one.tool))?;
        let output = typed_record(&one.output).with_context(|| format!("{} has no output", one.id))?;
        let why = borne_out(&one.summary, &output, tool).err();
        let is_right = why.is_none() == one.is_true;
        let kind = format!("{}, {}", if one.is_true { "true" } else { "false" }, one.split);
        count(&mut rows, ("summaries", &kind), is_right);
        // A lie that passes is a fault, whichever half it is of.
        if tells_wrong && !is_right && (one.split == TUNED_ON || !one.is_true) {
            let why = why.unwrap_or_else(|| "it passed".to_owned());
            tell(&format!("{} ({}): {}\n    {why}", one.id, one.kind, one.summary));
        }
    }
    rows.sort_by(|a, b| a.kind.cmp(&b.kind));
    Ok(rows)
}
