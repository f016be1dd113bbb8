//! The Markdown of an answer → how it looks on a terminal: links that open, bold, code, tables and numbered steps.
//!
//! Only what a person reads on a terminal goes through here; a pipe and a program get the words as they are.
//!
//! Invariant: what steers a terminal is taken out of every text before anything is added to it, so the only commands in a
//! `Styled` are those written here. Time is in proportion to the text.

mod blocks;
mod dead_links;
mod flow;
mod prepare;
mod screen;
mod span;
mod table;
mod wrap;

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag, TagEnd, TextMergeStream};

use blocks::Blocks;
use prepare::prepare;
use span::{Span, Style, openable, written};
use wrap::wrap;

pub(crate) use dead_links::without_dead_links;
pub(crate) use flow::Flow;
pub(crate) use screen::Screen;

/// What a terminal is written to: text without foreign commands, with commands of our own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Styled(String);

impl Styled {
    pub(crate) fn push(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    pub(crate) fn push_gap(&mut self) {
        self.0.push('\n');
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Markdown as it looks on a terminal, every line ended; nothing for a text without words.
pub(crate) fn render(text: &str, screen: Screen) -> Styled {
    Styled(read(text, screen, |_| true).finish())
}

/// What the parser finds in a text, as far as it is wanted.
fn read(text: &str, screen: Screen, is_wanted: impl Fn(&Event<'_>) -> bool) -> Blocks {
    let prepared = prepare(&crate::terminal::sanitize(text));
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut blocks = Blocks::new(screen);
    // Where the links of a document lead is told at its end, which an answer does not hold: their words stay.
    let without_target = |link: BrokenLink<'_>| {
        let has_words = matches!(link.link_type, LinkType::Reference | LinkType::Collapsed);
        (has_words && !link.reference.starts_with('^')).then(|| ("".into(), "".into()))
    };
    let parser = Parser::new_with_broken_link_callback(&prepared, options, Some(without_target));
    for event in TextMergeStream::new(parser).filter(is_wanted) {
        blocks.take(event);
    }
    blocks
}

/// A piece of a line of our own: what it says and how.
pub(crate) enum Piece<'a> {
    Plain(&'a str),
    /// Words that may quote a document, with its marks.
    Markdown(&'a str),
    Strong(&'a str),
    /// Beside the point.
    Quiet(&'a str),
    /// A name, and where it can be opened.
    Name(&'a str, Option<&'a str>),
}

/// A line of our own; where it does not fit, what follows is set in.
pub(crate) fn line(pieces: &[Piece<'_>], indent: usize, screen: Screen) -> Styled {
    let spans: Vec<Span> = pieces.iter().flat_map(|piece| spans_of_piece(piece, screen)).collect();
    let mut text = String::new();
    for (number, line) in wrap(&spans, screen.columns.saturating_sub(indent)).iter().enumerate() {
        let before = if number == 0 { 0 } else { indent };
        text.push_str(&" ".repeat(before));
        text.push_str(&written(line, screen));
        text.push('\n');
    }
    Styled(text)
}

fn spans_of_piece(piece: &Piece<'_>, screen: Screen) -> Vec<Span> {
    let (text, style) = match piece {
        Piece::Plain(text) => (text, Style::default()),
        Piece::Markdown(text) => return spans_of(text, screen),
        Piece::Strong(text) => (text, Style { bold: true, ..Style::default() }),
        Piece::Quiet(text) => (text, Style { dim: true, ..Style::default() }),
        Piece::Name(text, address) => {
            (text, Style { bold: true, link: address.and_then(openable), ..Style::default() })
        }
    };
    vec![Span { text: crate::terminal::sanitize(text).into_owned(), style }]
}

/// The words of a sentence, as they look within a line.
fn spans_of(sentence: &str, screen: Screen) -> Vec<Span> {
    let is_wanted = |event: &Event<'_>| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph));
    read(sentence, screen, is_wanted).into_spans()
}

#[cfg(test)]
mod tests;
