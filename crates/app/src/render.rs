//! A reply → what a person reads on a terminal.

use vouch_service::{
    outcome::Outcome,
    wire::{Reply, SuggestionWire},
};

use crate::{markdown::without_dead_links, plain_words, terminal};

/// The reply as text: the answer or the refusal, then what it rests on.
pub fn reply(reply: &Reply) -> String {
    let mut text = String::new();
    push_line(&mut text, &without_dead_links(reply.answer_alone()));
    text.push_str(&grounds(reply));
    text
}

/// What a reply rests on, and what else is to be said of it.
pub fn grounds(reply: &Reply) -> String {
    let mut text = String::new();
    if let Some(reason) = &reply.refusal_reason {
        push_line(&mut text, &format!("Why: {}", plain_words::why(reason, &reply.warnings)));
    }
    if let Some(route) = &reply.route_to {
        let whom = route.owner_email.as_deref().unwrap_or("the administrator");
        push_line(&mut text, &format!("Ask: {whom} ({})", route.reason));
    }
    if !reply.citations.is_empty() {
        push_line(&mut text, if reply.has_sources_block() { "\nSources:" } else { "" });
    }
    for citation in &reply.citations {
        if reply.has_sources_block() {
            push_line(&mut text, &format!("[^{}] {}", citation.marker, reply.source_line(citation)));
            continue;
        }
        let mut line = format!("[^{}] {}", citation.marker, citation.document_name);
        if let Some(section) = &citation.section {
            line.push_str(&format!(" › {section}"));
        }
        let played = citation
            .url
            .as_ref()
            .filter(|url| url.contains("#t=") || citation.locator.as_ref().is_some_and(|at| at.starts_with("t=")));
        let details: Vec<String> = [
            citation.locator.clone(),
            citation.version.as_ref().map(|version| format!("version {version}")),
            citation.updated.clone(),
            played.cloned(),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !details.is_empty() {
            line.push_str(&format!(" ({})", details.join(", ")));
        }
        push_line(&mut text, &line);
    }
    for warning in plain_words::warnings(reply) {
        push_line(&mut text, &format!("Note: {warning}"));
    }
    for notice in &reply.notices {
        push_line(&mut text, &format!("Note: {}", without_dead_links(notice)));
    }
    if !reply.nearest.is_empty() {
        push_line(&mut text, &format!("\n{}", plain_words::NEAREST));
    }
    for nearest in &reply.nearest {
        let section = nearest.citation.section.as_ref().map(|section| format!(" › {section}")).unwrap_or_default();
        push_line(&mut text, &format!("  {}{section}:", nearest.citation.document_name));
        for line in without_dead_links(&nearest.text).lines() {
            push_line(&mut text, &format!("  │ {line}"));
        }
    }
    if !reply.suggestions.is_empty() {
        let heading = if reply.outcome == Outcome::Clarify { "\nChoose one:" } else { "\nNear your question:" };
        push_line(&mut text, heading);
        for (number, suggestion) in (1..).zip(&reply.suggestions) {
            let label = suggestion_label(suggestion);
            push_line(&mut text, &format!("  {number}. {label}{}", suggestion.query));
        }
    }
    text
}

/// A list of documents: its rows, without what they would cite: themselves.
pub fn listing(reply: &Reply) -> String {
    let mut text = String::new();
    for line in reply.answer.lines() {
        push_line(&mut text, without_marker(line));
    }
    for notice in plain_words::warnings(reply).chain(&reply.notices) {
        push_line(&mut text, &format!("Note: {}", without_dead_links(notice)));
    }
    text
}

/// A row without the marker that leads to the document it names.
pub(crate) fn without_marker(row: &str) -> &str {
    row.rsplit_once(" [^").filter(|(_, number)| number.ends_with(']')).map_or(row, |(row, _)| row)
}

/// What stands before a suggestion's question; nothing where it asks in the words of its label, "section (title)", and of a label that
/// quotes the question, "Did you mean …", what comes before it.
pub(crate) fn suggestion_label(suggestion: &SuggestionWire) -> String {
    let quoting = suggestion.label.split_once(&suggestion.query).filter(|(before, _)| !before.is_empty());
    if let Some((before, _)) = quoting {
        return before.trim_end_matches('"').to_owned();
    }
    let is_told = suggestion.label.split(['(', ')']).all(|words| suggestion.query.contains(words.trim()));
    if is_told { String::new() } else { format!("{}  → ", suggestion.label) }
}

/// Columns of text, each as wide as its widest cell.
pub fn table(rows: &[Vec<String>]) -> String {
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

pub fn push_line(text: &mut String, line: &str) {
    // Widths are counted over what is shown.
    text.push_str(&terminal::sanitize(line));
    text.push('\n');
}
