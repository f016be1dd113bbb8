//! A reply → what a person reads on a terminal.

use vouch_server::wire::Reply;

/// How many of the judge's readings a person is shown.
const READINGS_SHOWN: usize = 5;

/// The reply as text: the answer or the refusal, then what it rests on.
pub(crate) fn reply(reply: &Reply) -> String {
    let mut text = String::new();
    push_line(&mut text, &reply.answer);
    if let Some(reason) = &reply.refusal_reason {
        push_line(&mut text, &format!("Why: {reason}"));
    }
    if !reply.citations.is_empty() {
        push_line(&mut text, "");
    }
    for citation in &reply.citations {
        let mut line = format!("[^{}] {}", citation.marker, citation.document_name);
        if let Some(section) = &citation.section {
            line.push_str(&format!(" › {section}"));
        }
        let details: Vec<String> = [
            citation.locator.clone(),
            citation.version.as_ref().map(|version| format!("version {version}")),
            citation.updated.clone(),
            Some(format!("relevance {:.2}", citation.relevance_score)),
        ]
        .into_iter()
        .flatten()
        .collect();
        line.push_str(&format!(" ({})", details.join(", ")));
        push_line(&mut text, &line);
    }
    for warning in &reply.warnings {
        push_line(&mut text, &format!("Note: {warning}"));
    }
    for notice in &reply.notices {
        push_line(&mut text, &format!("Note: {notice}"));
    }
    if !reply.suggestions.is_empty() {
        let heading = if reply.outcome == "clarify" { "\nChoose one:" } else { "\nNear your question:" };
        push_line(&mut text, heading);
        for (number, suggestion) in (1..).zip(&reply.suggestions) {
            push_line(&mut text, &format!("  {number}. {}  → {}", suggestion.label, suggestion.query));
        }
    }
    text
}

/// The trace as text.
pub(crate) fn explanation(trace: &vouch_domain::Trace) -> String {
    let mut text = String::from("\nHow it came about:\n");
    for lane in &trace.lanes {
        let failure = lane.failure.as_ref().map(|failure| format!(", failed: {failure}")).unwrap_or_default();
        push_line(&mut text, &format!("  lane {:<8} {} passages{failure}", lane.lane, lane.hits));
    }
    if let Some(lookup) = &trace.lookup {
        let from = if lookup.is_cached { ", known from before" } else { "" };
        let line = format!("  looked up \"{}\" in {}: {}{from}", lookup.asked, lookup.backend, lookup.outcome);
        push_line(&mut text, &line);
    }
    for gate in &trace.gates {
        let verdict = if gate.passed { "passed" } else { "failed" };
        let raw = gate.raw.map(|raw| format!(", raw cosine {raw:.3}")).unwrap_or_default();
        push_line(&mut text, &format!("  gate {:<14} {verdict}: {}{raw}", gate.name, gate.sentence));
    }
    if let Some(judge) = &trace.judge {
        push_line(
            &mut text,
            &format!("  judge {} read {} of {} passages", judge.name, judge.readings.len(), judge.given),
        );
        for reading in judge.readings.iter().take(READINGS_SHOWN) {
            let figures = format!("answer {:.2}, fit {:.2}", reading.answerable, reading.relevant);
            push_line(&mut text, &format!("    {figures}  {}", reading.source_id));
        }
        if let Some(failure) = &judge.failure {
            push_line(&mut text, &format!("    {failure}"));
        }
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for dropped in &trace.dropped {
        match reasons.iter_mut().find(|(reason, _)| *reason == dropped.reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((dropped.reason, 1)),
        }
    }
    for (reason, count) in reasons {
        push_line(&mut text, &format!("  left out {count} passages: {reason}"));
    }
    let timings: Vec<String> =
        trace.timings.iter().map(|timing| format!("{} {:.1} ms", timing.stage, timing.elapsed_ms)).collect();
    push_line(&mut text, &format!("  time: {}", timings.join(", ")));
    text
}

/// Columns of text, each as wide as its widest cell.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        push_line(&mut text, cells.join("  ").trim_end());
    }
    text
}

fn push_line(text: &mut String, line: &str) {
    // A document may hold control characters that would steer the reader's terminal.
    text.extend(line.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')));
    text.push('\n');
}
