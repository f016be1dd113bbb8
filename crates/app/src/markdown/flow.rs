//! Sentences as they pass → what is written of them at once: prose sentence by sentence, everything else when it is whole.

use super::{
    Styled, render,
    screen::{Screen, width},
    span::written,
    spans_of,
    wrap::wrap_from,
};

/// A stream of sentences on a terminal.
#[derive(Debug)]
pub(crate) struct Flow {
    screen: Screen,
    /// The column the line ends in that is being written.
    column: usize,
    /// A list, table or block of code of which more may come.
    pending: String,
}

impl Flow {
    pub(crate) fn new(screen: Screen) -> Self {
        Self { screen, column: 0, pending: String::new() }
    }

    /// What is to be written now; `lead` is what stands between the sentence and the one before.
    pub(crate) fn push(&mut self, lead: &str, sentence: &str) -> Styled {
        let mut now = Styled::default();
        let starts_block = lead.contains("\n\n") && !has_open_fence(&self.pending);
        if starts_block {
            now.push(&self.flush());
        }
        // The mark of a list, or its number, stands before the sentence.
        let is_item = !lead.trim().is_empty();
        if !self.pending.is_empty() || is_item || !is_prose(sentence) {
            self.pending.push_str(if self.pending.is_empty() { lead.trim_start_matches('\n') } else { lead });
            self.pending.push_str(sentence);
            if self.column > 0 {
                now.0.push_str(if starts_block { "\n\n" } else { "\n" });
                self.column = 0;
            }
            return now;
        }
        if self.column > 0 && lead.contains('\n') {
            now.0.push_str(if starts_block { "\n\n" } else { "\n" });
            self.column = 0;
        }
        let mut spans = spans_of(sentence, self.screen);
        if self.column > 0
            && let Some(first) = spans.first_mut()
        {
            first.text.insert(0, ' ');
        }
        let lines = wrap_from(&spans, self.screen.columns, self.column);
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                now.0.push('\n');
                self.column = 0;
            }
            now.0.push_str(&written(line, self.screen));
            self.column += line.iter().map(|span| width(&span.text)).sum::<usize>();
        }
        now
    }

    /// The rest, with its last line ended.
    pub(crate) fn finish(&mut self) -> Styled {
        let mut now = self.flush();
        if self.column > 0 {
            now.0.push('\n');
            self.column = 0;
        }
        now
    }

    fn flush(&mut self) -> Styled {
        let pending = std::mem::take(&mut self.pending);
        let mut now = render(&pending, self.screen);
        // Prose that follows begins a line of its own, with a gap before it.
        if !pending.is_empty() {
            now.0.push('\n');
        }
        now
    }
}

fn has_open_fence(text: &str) -> bool {
    text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1
}

/// Whether a sentence can be nothing but words of a paragraph.
fn is_prose(sentence: &str) -> bool {
    let first = sentence.chars().next();
    let is_number = sentence.split_once(['.', ')']).is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    !sentence.contains('\n')
        && !is_number
        && first.is_some_and(|c| c.is_alphanumeric() || matches!(c, '"' | '\'' | '“' | '‘' | '(' | '[' | '`' | '_'))
        && !sentence.starts_with("```")
}
