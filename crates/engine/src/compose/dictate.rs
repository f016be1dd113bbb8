//! Question, conversation and evidence → a model that speaks, told what it may cite.
//!
//! Invariant: what it says is bytes; only `verify` reads them.

use vouch_domain::{
    ModelError, Speaker, Turn,
    ports::{Message, Role, Speech},
};

use crate::{
    judge::Evidence,
    ladder::{
        Rung,
        prompt::{ANSWER, ANSWER_SOURCE_IDS, REPAIR, asker, filled, system},
    },
    policy::ComposePolicy,
};

use super::{
    budget::{Note, Room, Share, Wanted, share},
    markers::{MarkerStyle, Minted},
    notes::{notes, quoted},
    outline::outline,
};

/// How much of a failed sentence, and of the reason, a model is told.
const FAILURE_CHARS_MAX: usize = 400;
/// Tokens of the messages around the texts.
const MARGIN: usize = 64;

/// What a model is to answer.
pub struct Commission<'a> {
    /// The question, with its subject.
    pub question: &'a str,
    /// What was said before, oldest first.
    pub history: &'a [Turn],
    /// What an editor wrote to frame the answer.
    pub background: Option<&'a str>,
    /// What it may be answered from.
    pub evidence: &'a Evidence,
}

/// What a model was given.
#[derive(Debug, Clone)]
pub struct Given {
    /// What it may cite.
    pub minted: Minted,
    /// What it has read.
    pub share: Share,
}

/// Has a model write.
///
/// # Errors
/// Fails if the question does not fit, or as the server fails.
pub async fn dictate(commission: &Commission<'_>, given: &Given, rung: &Rung) -> Result<Box<dyn Speech>, ModelError> {
    let shown: Vec<&str> = given.share.notes.iter().map(|note| note.text.as_str()).collect();
    let instructions = instructions(commission, given.minted.style(), &shown.join("\n\n"));
    let mut messages = vec![system(instructions)];
    messages.extend(given.share.history.iter().map(message));
    messages.push(asker(commission.question));
    rung.speak(messages).await
}

/// What fits of conversation and evidence, and of that what an outline rests on; none if the outline has no thesis.
///
/// # Errors
/// As `dictate`.
pub async fn give(
    commission: &Commission<'_>,
    rung: &Rung,
    planner: Option<&Rung>,
    policy: &ComposePolicy,
) -> Result<Option<Given>, ModelError> {
    let minted = Minted::of(commission.evidence, policy.markers);
    let mut notes = notes(commission.evidence, &minted);
    if let Some(planner) = planner {
        let fitting = fitting(commission, notes.clone(), planner, policy)?;
        let Some(wanted) = outline(planner, commission.question, &fitting.notes).await? else { return Ok(None) };
        notes.retain(|note| wanted.contains(&note.marker));
    }
    let share = fitting(commission, notes, rung, policy)?;
    let read: Vec<u32> = share.notes.iter().map(|note| note.marker).collect();
    Ok(Some(Given { minted: minted.only(&read), share }))
}

/// Has a model say again what failed.
///
/// # Errors
/// As `dictate`.
pub async fn repair(given: &Given, failures: &[(String, String)], rung: &Rung) -> Result<Box<dyn Speech>, ModelError> {
    let shown: Vec<&str> = given.share.notes.iter().map(|note| note.text.as_str()).collect();
    let short = |text: &str| quoted(text).chars().take(FAILURE_CHARS_MAX).collect::<String>();
    let mut failures: Vec<String> =
        failures.iter().map(|(text, why)| format!("- {}\n  ({})", short(text), short(why))).collect();
    // What does not fit is not mended.
    let room =
        rung.allowed.context_window.saturating_sub(rung.allowed.response_tokens_max + rung.count(REPAIR) + MARGIN);
    let notes = rung.count(&shown.join("\n\n"));
    while !failures.is_empty() && notes + rung.count(&failures.join("\n")) > room {
        failures.pop();
    }
    if failures.is_empty() {
        return Err(ModelError::Context { sentence: "no failed sentence fits beside the notes".to_owned() });
    }
    let example = given.share.notes.first().map(|note| given.minted.shown(note.marker)).unwrap_or_default();
    let places = [("example", example.as_str()), ("notes", &shown.join("\n\n")), ("failures", &failures.join("\n"))];
    rung.speak(vec![system(filled(REPAIR, &places)), asker("Write the mended sentences.")]).await
}

fn fitting(
    commission: &Commission<'_>,
    notes: Vec<Note>,
    rung: &Rung,
    policy: &ComposePolicy,
) -> Result<Share, ModelError> {
    let count = |text: &str| rung.count(text);
    let room = Room { count: &count, window: rung.allowed.context_window, response: rung.allowed.response_tokens_max };
    let system = instructions(commission, policy.markers, "");
    let wanted = Wanted { system: &system, question: commission.question, history: commission.history, notes };
    share(wanted, room, &policy.budget)
}

fn instructions(commission: &Commission<'_>, style: MarkerStyle, notes: &str) -> String {
    let template = match style {
        MarkerStyle::Footnote => ANSWER,
        MarkerStyle::SourceId => ANSWER_SOURCE_IDS,
    };
    let background = commission.background.map_or(String::new(), |note| {
        format!(
            "\nAn editor's remark, to frame the answer; never quote it, never cite it:\n<note>\n{}\n</note>\n",
            quoted(note)
        )
    });
    filled(template, &[("background", &background), ("notes", notes)])
}

/// What was said before, with citations of turns past made harmless.
fn message(turn: &Turn) -> Message {
    let role = match turn.speaker {
        Speaker::Asker => Role::Asker,
        Speaker::Vouch => Role::Writer,
    };
    Message { role, text: quoted(&turn.text) }
}
