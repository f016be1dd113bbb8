//! The terminal that is written to: how wide it is, and whether it knows styles.

use std::io::IsTerminal;

use console::{Term, measure_text_width};

use crate::delegation::remote_output::RemoteOutput;

/// Lines longer than this are hard to read, however wide the window.
const COLUMNS_MAX: usize = 100;
/// A window narrower than this is written to as if it were so wide.
pub(super) const COLUMNS_MIN: usize = 20;

/// The terminal that standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    pub(super) columns: usize,
    pub(super) has_styles: bool,
}

impl Screen {
    /// Where results are printed, if a person reads there.
    pub(crate) fn of_stdout() -> Option<Self> {
        let known = match RemoteOutput::current() {
            Some(output) => output.terminal.screen,
            None => Self::columns_and_styles_of_stdout(),
        };
        known.map(|(columns, has_styles)| Self::new(columns, has_styles))
    }

    /// The columns of this process's standard output and whether it knows styles, if a person reads there.
    pub(crate) fn columns_and_styles_of_stdout() -> Option<(usize, bool)> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|kind| kind == "dumb");
        let is_person = std::io::stdout().is_terminal() && !is_dumb;
        is_person.then(|| (usize::from(Term::stdout().size().1), console::colors_enabled()))
    }

    pub(crate) fn new(columns: usize, has_styles: bool) -> Self {
        // The last column is left free: some terminals break a line that fills it.
        Self { columns: columns.saturating_sub(1).clamp(COLUMNS_MIN, COLUMNS_MAX), has_styles }
    }
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    measure_text_width(text)
}
