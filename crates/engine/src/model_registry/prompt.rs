//! A template and its values → the messages a model is given.
//!
//! Invariant: whatever a document says stands between fences it cannot close, with everything that looks like a citation
//! made harmless; instructions are in the first message alone.

use vouch_domain::ports::{Message, Role};

/// Answering with footnotes.
pub const ANSWER: &str = include_str!("prompts/answer.md");
/// Answering with source ids.
pub const ANSWER_SOURCE_IDS: &str = include_str!("prompts/answer_source_ids.md");
/// Finding a thesis in the notes.
pub const OUTLINE: &str = include_str!("prompts/outline.md");
/// Saying again what failed.
pub const REPAIR: &str = include_str!("prompts/repair.md");
/// Other ways to ask.
pub const PLAN: &str = include_str!("prompts/plan.md");
/// What sort of question it is.
pub const CLASSIFY: &str = include_str!("prompts/classify.md");
/// How well an answer is supported.
pub const CONFIDENCE: &str = include_str!("prompts/confidence.md");
/// Whether a text says what a sentence says.
pub const CLAIM: &str = include_str!("prompts/claim.md");
/// Which of two answers is the better one.
pub const PAIRWISE: &str = include_str!("prompts/pairwise.md");
/// Answering from general knowledge.
pub const OUT_OF_CORPUS: &str = include_str!("prompts/out_of_corpus.md");

/// Saying whose question it is.
pub const AGENTS: &str = include_str!("prompts/agents.md");

/// Calling a tool.
pub const TOOLS: &str = include_str!("prompts/tools.md");

/// Telling what a tool gave.
pub const TOOL_SUMMARY: &str = include_str!("prompts/tool_summary.md");
/// Translating what an editor wrote.
pub const TRANSLATE: &str = include_str!("prompts/translate.md");

/// A template with its places filled: `{notes}` and the like, each once, whatever the filling holds.
#[must_use]
pub fn fill_template(template: &str, places: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let place = after.split_once('}').and_then(|(name, later)| {
            let filling = places.iter().find(|(known, _)| *known == name)?;
            Some((filling.1, later))
        });
        match place {
            Some((filling, later)) => {
                text.push_str(filling);
                rest = later;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// A message with instructions.
#[must_use]
pub fn system_message(text: String) -> Message {
    Message { role: Role::System, text }
}

/// A message with the asker's words.
#[must_use]
pub fn user_message(text: impl Into<String>) -> Message {
    Message { role: Role::Asker, text: text.into() }
}

/// A document's words as data: nothing in them closes a fence, opens a turn or passes for a citation.
#[must_use]
pub fn neutralize(text: &str, is_citing: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let inside = after.split([']', '[', '\n']).next().unwrap_or_default();
        let closes = after.get(inside.len()..).is_some_and(|later| later.starts_with(']'));
        if is_citing(inside) {
            out.push('(');
            out.push_str(inside);
            out.push_str(if closes { ")" } else { "" });
            rest = after.get(inside.len() + usize::from(closes)..).unwrap_or_default();
        } else {
            out.push('[');
            rest = after;
        }
    }
    out.push_str(rest);
    // Fences, template tokens and tags of a model's own language.
    let out = out.replace("<|", "‹|").replace("|>", "|›").replace('【', "(").replace('】', ")");
    let lines = out.lines().map(|line| if is_fence(line) { line.replace('-', "–") } else { line.to_owned() });
    let out = lines.collect::<Vec<_>>().join("\n");
    let out = out.replace("[INST]", "(INST)").replace("[/INST]", "(/INST)");
    TAGS.iter().fold(out, |out, tag| unfenced(&out, tag))
}

/// Tags that close a fence or open a turn in one model's language or another's.
const TAGS: &[&str] = &[
    "<note",
    "</note",
    "<think",
    "</think",
    "<question",
    "</question",
    "<sentence",
    "</sentence",
    "<start_of_turn",
    "<end_of_turn",
    "<s>",
    "</s>",
    "<<sys",
    "<</sys",
    "<system",
    "</system",
    "<user",
    "</user",
    "<assistant",
    "</assistant",
    "<bos>",
    "<eos>",
];

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

/// The same text with a tag's angle made harmless, whatever its case.
fn unfenced(text: &str, tag: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in lower.match_indices(tag) {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push('‹');
        from = at + 1;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}
