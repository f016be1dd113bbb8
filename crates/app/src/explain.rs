//! A trace → a table a person can read: every rewrite, every lane, every passage of the pool with its fate, every gate.

use vouch_engine::trace::{CandidateReport, GateName, LaneReport, Rewrite, Routing, Trace};

use vouch_service::wire::Reply;

use crate::render::{push_line, table};

/// How many passages of the pool a person is shown; `--json` has all.
const CANDIDATES_SHOWN: usize = 25;

/// How sure the answer is, on the scale of `decide.confidence_at_least`; nothing where there is no answer to be sure of.
pub(crate) fn confidence(reply: &Reply) -> String {
    reply.confidence.overall.map(|sure| format!("  confidence {sure} of 100\n")).unwrap_or_default()
}

/// Whose question it was and which tools were called; nothing where there are no agents.
fn whose(trace: &Trace) -> String {
    let mut text = String::new();
    if let Some(routing) = &trace.routing {
        let considered = routing.considered.iter().map(|one| format!("{} {:.2}", one.agent, one.confidence));
        let considered = considered.collect::<Vec<_>>().join(", ");
        let Routing { agent, confidence, reason, .. } = routing;
        push_line(&mut text, &format!("  agent {agent} ({confidence:.2}): {reason}; considered: {considered}"));
    }
    for report in &trace.tools {
        let outcome = match &report.failure {
            Some((fault, sentence)) => format!("failed ({fault}): {sentence}"),
            None if report.is_found => "found".to_owned(),
            None => "not found".to_owned(),
        };
        push_line(&mut text, &format!("  tool {} took {:.1} ms: {outcome}", report.call.tool, report.elapsed_ms));
    }
    text
}

/// The trace as text.
pub(crate) fn trace(trace: &Trace) -> String {
    let mut text = String::from("\nHow this result was reached:\n");
    text.push_str(&whose(trace));
    text.push_str(&search(&trace.rewrites, &trace.lanes, &trace.candidates));
    for entry in &trace.memory {
        let judged = entry.judged.map(|fit| format!(", judge {fit:.2}")).unwrap_or_default();
        let answers = entry.answers.map(|sure| format!(", references answer {sure:.2}")).unwrap_or_default();
        let figures = format!("likeness {:.2}, cosine {:.3}{judged}{answers}", entry.likeness, entry.cosine);
        let line = format!(
            "  memory {} {} ({figures}): {}, by \"{}\"",
            entry.kind.as_str(),
            entry.id,
            entry.verdict,
            entry.text
        );
        push_line(&mut text, &line);
    }
    if let Some(lookup) = &trace.lookup {
        let from = if lookup.is_cached { ", from the cache" } else { "" };
        let line = format!("  looked up \"{}\" in {}: {}{from}", lookup.asked, lookup.backend, lookup.outcome);
        push_line(&mut text, &line);
    }
    if let Some(reranker) = &trace.reranker {
        let failure = reranker.failure.as_ref().map(|failure| format!("; not used: {failure}")).unwrap_or_default();
        push_line(&mut text, &format!("  reranker {} was given {} passages{failure}", reranker.name, reranker.given));
    }
    if let Some(judge) = &trace.judge {
        let failure = judge.failure.as_ref().map(|failure| format!("; {failure}")).unwrap_or_default();
        let line = format!("  judge {} read {} of {} passages{failure}", judge.name, judge.readings.len(), judge.given);
        push_line(&mut text, &line);
    }
    for gate in &trace.gates {
        let verdict = match (gate.passed, gate.name) {
            (true, _) => "passed",
            (false, GateName::Keywords) => "warned",
            (false, _) => "failed",
        };
        let raw = gate.raw.map(|raw| format!(", raw cosine {raw:.3}")).unwrap_or_default();
        push_line(&mut text, &format!("  gate {:<14} {verdict}: {}{raw}", gate.name, gate.sentence));
    }
    if let Some(writer) = &trace.writer {
        let (notes, tokens) = (writer.notes.len(), writer.context_tokens);
        push_line(&mut text, &format!("  model {} read {notes} notes of {tokens} tokens", writer.model));
        for (kind, count) in &writer.drops {
            push_line(&mut text, &format!("    taken out: {kind} {count} times"));
        }
        for claim in &writer.left_out {
            push_line(&mut text, &format!("    left out: \"{}\" ({})", claim.text, claim.reason));
        }
        let mended = (writer.mended > 0).then(|| format!("    mended: {} sentences", writer.mended));
        let failure = writer.failure.as_ref().map(|failure| format!("    failed: {failure}"));
        let denied = writer.has_found_no_answer.then(|| "    found no answer".to_owned());
        mended.iter().chain(&failure).chain(&denied).for_each(|line| push_line(&mut text, line));
    }
    let timings: Vec<String> =
        trace.timings.iter().map(|timing| format!("{} {:.1} ms", timing.stage, timing.elapsed_ms)).collect();
    push_line(&mut text, &format!("  time: {}", timings.join(", ")));
    text
}

/// What was asked, what each lane brought, and the pool.
pub(crate) fn search(rewrites: &[Rewrite], lanes: &[LaneReport], candidates: &[CandidateReport]) -> String {
    let mut text = String::new();
    for (number, Rewrite { kind, text: words }) in rewrites.iter().enumerate() {
        push_line(&mut text, &format!("  asked as q{number} ({kind}): {words}"));
    }
    for lane in lanes {
        let failure = lane.failure.as_ref().map(|failure| format!(", failed: {failure}")).unwrap_or_default();
        let forced = if lane.forced > 0 { format!(", {} forced into the pool", lane.forced) } else { String::new() };
        push_line(&mut text, &format!("  lane {:<8} {} passages{forced}{failure}", lane.lane, lane.hits));
    }
    if !candidates.is_empty() {
        let heading = ["passage", "found by", "fused", "cosine", "relevance", "judge", "fate"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        rows.extend(candidates.iter().take(CANDIDATES_SHOWN).map(row));
        push_line(&mut text, "");
        for line in table(&rows).lines() {
            push_line(&mut text, &format!("  {line}"));
        }
        let hidden = candidates.len().saturating_sub(CANDIDATES_SHOWN);
        if hidden > 0 {
            push_line(&mut text, &format!("  and {hidden} more passages"));
        }
        push_line(&mut text, "");
    }
    text
}

fn row(one: &CandidateReport) -> Vec<String> {
    let figure = |value: Option<f32>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    // The best place in each lane, and for which rewrite where it is not the question itself.
    let mut found: Vec<String> = Vec::new();
    for rank in &one.found_by {
        let best = one.found_by.iter().filter(|other| other.lane == rank.lane).min_by_key(|other| other.rank);
        if best == Some(rank) {
            let rewrite = if rank.rewrite == 0 { String::new() } else { format!("/q{}", rank.rewrite) };
            found.push(format!("{} {}{rewrite}", rank.lane, rank.rank));
        }
    }
    let judge = one.answerable.zip(one.relevant).map(|(answer, fit)| format!("answer {answer:.2} fit {fit:.2}"));
    let forced = one.forced_by.map(|lane| format!(", forced by {lane}")).unwrap_or_default();
    let fate = match (one.marker, one.dropped) {
        (Some(marker), _) if one.is_reserve => format!("kept as {marker} (reserve)"),
        (Some(marker), _) => format!("kept as {marker}"),
        (None, Some(reason)) => format!("dropped: {reason}"),
        (None, None) => "found".to_owned(),
    };
    vec![
        one.source_id.clone(),
        found.join(", "),
        format!("{:.3}", one.fused_score),
        figure(one.cosine),
        figure(one.relevance),
        judge.unwrap_or_else(|| "-".to_owned()),
        format!("{fate}{forced}"),
    ]
}
