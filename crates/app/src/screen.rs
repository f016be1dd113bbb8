//! A reply → how it looks on a terminal.

use vouch_service::{
    outcome::Outcome,
    wire::{CitationWire, Reply},
};

use crate::{
    markdown::{Piece, Screen, Styled, line, render},
    plain_words,
};

/// How far what belongs to a line above is set in.
const INDENT: usize = 4;

/// The whole reply: the answer or the refusal, then what it rests on.
pub(crate) fn reply(reply: &Reply, screen: Screen) -> Styled {
    let mut shown = render(reply.answer_alone(), screen);
    shown.push(&grounds(reply, screen));
    shown
}

/// A list of documents, without what its rows would cite: themselves.
pub(crate) fn listing(reply: &Reply, screen: Screen) -> Styled {
    let mut shown = Styled::default();
    for row in reply.answer.lines().map(crate::render::without_marker) {
        shown.push(&line(&[Piece::Plain(row)], INDENT, screen));
    }
    shown.push(&notes(reply, screen));
    shown
}

/// What a reply rests on, and what else is to be said of it.
pub(crate) fn grounds(reply: &Reply, screen: Screen) -> Styled {
    let mut shown = Styled::default();
    if let Some(reason) = &reply.refusal_reason {
        shown.push(&line(
            &[Piece::Strong("Why: "), Piece::Plain(&plain_words::why(reason, &reply.warnings))],
            INDENT,
            screen,
        ));
    }
    if let Some(route) = &reply.route_to {
        let whom = route.owner_email.as_deref().unwrap_or("the administrator");
        let why = format!(" ({})", route.reason);
        shown.push(&line(&[Piece::Strong("Ask: "), Piece::Plain(whom), Piece::Quiet(&why)], INDENT, screen));
    }
    if !reply.citations.is_empty() {
        shown.push_gap();
    }
    if reply.has_sources_block() {
        shown.push(&line(&[Piece::Strong("Sources:")], INDENT, screen));
    }
    for citation in &reply.citations {
        if reply.has_sources_block() {
            let number = format!("[{}] ", citation.marker);
            shown.push(&line(&[Piece::Quiet(&number), Piece::Plain(&reply.source_line(citation))], INDENT, screen));
            continue;
        }
        let number = format!("[{}] ", citation.marker);
        let place = place(citation);
        let details = details(citation);
        let pieces = [
            Piece::Quiet(&number),
            Piece::Name(&citation.document_name, citation.url.as_deref()),
            Piece::Plain(&place),
            Piece::Quiet(&details),
        ];
        shown.push(&line(&pieces, INDENT, screen));
    }
    shown.push(&notes(reply, screen));
    shown.push(&nearest(reply, screen));
    shown.push(&suggestions(reply, screen));
    shown
}

fn place(citation: &CitationWire) -> String {
    citation.section.as_ref().map(|section| format!(" › {section}")).unwrap_or_default()
}

/// Where in the document, which version and how old it is.
fn details(citation: &CitationWire) -> String {
    let details: Vec<String> = [
        citation.locator.clone(),
        citation.version.as_ref().map(|version| format!("version {version}")),
        citation.updated.clone(),
    ]
    .into_iter()
    .flatten()
    .collect();
    if details.is_empty() { String::new() } else { format!("  {}", details.join(" · ")) }
}

fn notes(reply: &Reply, screen: Screen) -> Styled {
    let mut shown = Styled::default();
    for warning in plain_words::warnings(reply) {
        shown.push(&line(&[Piece::Strong("Note: "), Piece::Plain(warning)], INDENT, screen));
    }
    for notice in &reply.notices {
        shown.push(&line(&[Piece::Strong("Note: "), Piece::Markdown(notice)], INDENT, screen));
    }
    shown
}

fn nearest(reply: &Reply, screen: Screen) -> Styled {
    let mut shown = Styled::default();
    if !reply.nearest.is_empty() {
        shown.push_gap();
        shown.push(&line(&[Piece::Plain(plain_words::NEAREST)], INDENT, screen));
    }
    for nearest in &reply.nearest {
        let citation = &nearest.citation;
        let place = place(citation);
        let name = Piece::Name(&citation.document_name, citation.url.as_deref());
        shown.push(&line(&[name, Piece::Plain(&place)], INDENT, screen));
        let quote: Vec<String> = nearest.text.lines().map(|line| format!("> {line}")).collect();
        shown.push(&render(&quote.join("\n"), screen));
    }
    shown
}

fn suggestions(reply: &Reply, screen: Screen) -> Styled {
    let mut shown = Styled::default();
    if reply.suggestions.is_empty() {
        return shown;
    }
    shown.push_gap();
    let heading = if reply.outcome == Outcome::Clarify { "Choose one:" } else { "Near your question:" };
    shown.push(&line(&[Piece::Plain(heading)], INDENT, screen));
    for (number, suggestion) in (1..).zip(&reply.suggestions) {
        let label = crate::render::suggestion_label(suggestion);
        let pieces = [Piece::Plain(&format!("  {number}. ")), Piece::Quiet(&label), Piece::Plain(&suggestion.query)];
        shown.push(&line(&pieces, INDENT + 1, screen));
    }
    shown
}
