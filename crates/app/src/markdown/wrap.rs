//! Spans → lines that fit, broken between words; a word longer than a line is broken where the line ends.

use super::{
    screen::width,
    span::{Span, Style},
};

/// Lines of at most so many columns. A line break within a span is kept.
pub(super) fn wrap(spans: &[Span], columns: usize) -> Vec<Vec<Span>> {
    wrap_from(spans, columns, 0)
}

/// The same where the first line already has something in it.
pub(super) fn wrap_from(spans: &[Span], columns: usize, used: usize) -> Vec<Vec<Span>> {
    let mut filler = Filler { columns: columns.max(1), lines: Vec::new(), line: Vec::new(), used };
    let mut word: Vec<Span> = Vec::new();
    // The look of the space before the word, if there is one.
    let mut space: Option<Style> = None;
    for span in spans {
        let mut piece = String::new();
        for c in span.text.chars() {
            if !c.is_whitespace() || c == '\u{a0}' {
                piece.push(c);
                continue;
            }
            add(&mut word, &mut piece, &span.style);
            filler.put(&mut word, &mut space);
            if c == '\n' {
                filler.end_line();
                space = None;
            } else if space.is_none() {
                space = Some(span.style.clone());
            }
        }
        add(&mut word, &mut piece, &span.style);
    }
    filler.put(&mut word, &mut space);
    filler.end_line();
    filler.lines
}

fn add(word: &mut Vec<Span>, piece: &mut String, style: &Style) {
    if !piece.is_empty() {
        word.push(Span { text: std::mem::take(piece), style: style.clone() });
    }
}

struct Filler {
    columns: usize,
    lines: Vec<Vec<Span>>,
    line: Vec<Span>,
    used: usize,
}

impl Filler {
    fn put(&mut self, word: &mut Vec<Span>, space: &mut Option<Style>) {
        if word.is_empty() {
            return;
        }
        let wide: usize = word.iter().map(|span| width(&span.text)).sum();
        let gap = usize::from(space.is_some() && self.used > 0);
        if self.used > 0 && self.used + gap + wide > self.columns {
            self.end_line();
        } else if let Some(style) = space.take().filter(|_| gap == 1) {
            // A space between words of one look belongs to them, any other to nobody.
            let is_inside = word.first().is_some_and(|first| first.style == style)
                && self.line.last().is_some_and(|last| last.style == style);
            self.push(Span { text: " ".to_owned(), style: if is_inside { style } else { Style::default() } });
        }
        *space = None;
        for span in word.drain(..) {
            self.push_broken(span);
        }
    }

    /// A span whose word may be longer than a line.
    fn push_broken(&mut self, span: Span) {
        if self.used + width(&span.text) <= self.columns {
            self.push(span);
            return;
        }
        for c in span.text.chars() {
            if self.used + width(c.encode_utf8(&mut [0; 4])) > self.columns && self.used > 0 {
                self.end_line();
            }
            self.push(Span { text: c.to_string(), style: span.style.clone() });
        }
    }

    fn push(&mut self, span: Span) {
        self.used += width(&span.text);
        match self.line.last_mut().filter(|last| last.style == span.style) {
            Some(last) => last.text.push_str(&span.text),
            None => self.line.push(span),
        }
    }

    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        self.used = 0;
    }
}
