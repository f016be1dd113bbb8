//! A summary of an output in a model's words, held against the output by what the profile says of the tool.

use std::collections::BTreeMap;

use vouch_domain::ToolRecord;

use super::faithful::{self, FieldReading, OutputReading};
use crate::policy::{FieldKind, ToolPolicy};

/// What may be shown of a summary of this tool's output: all but its courtesies, where the output bears out every part of that.
///
/// # Errors
/// Says what the output does not bear out.
pub fn borne_out(summary: &str, output: &ToolRecord, tool: &ToolPolicy) -> Result<String, String> {
    let fields: BTreeMap<String, FieldReading> =
        tool.fields.iter().map(|(name, kind)| (name.clone(), reading(kind))).collect();
    let each = tool.words.each.iter().map(|(_, line)| line.clone());
    let templates: Vec<String> = each.chain([tool.words.found.clone()]).collect();
    faithful::borne_out(summary, output, &OutputReading { fields: &fields, templates: &templates })
}

/// How a field is read in a summary.
fn reading(kind: &FieldKind) -> FieldReading {
    let kind = match kind {
        FieldKind::Text => faithful::FieldKind::Text,
        FieldKind::Money { currency } => faithful::FieldKind::Money(currency.clone()),
        FieldKind::Date => faithful::FieldKind::Date,
        FieldKind::State(words) => {
            faithful::FieldKind::State(words.iter().map(|(state, word)| (state.clone(), vec![word.clone()])).collect())
        }
        FieldKind::Count => faithful::FieldKind::Count,
    };
    FieldReading { kind, called: Vec::new() }
}
