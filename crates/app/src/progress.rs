//! How far taking documents in has come, for the person who waits.

use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use vouch_engine::ingest::{Failure, Progress, Warning};

use crate::{
    console::tell,
    delegation::remote_output::{RemoteOutput, progress_target},
};

/// Progress on a terminal; failures are printed in any case.
pub struct Bar {
    bar: ProgressBar,
    /// Who waits for it in another process, if anybody does.
    output: Option<RemoteOutput>,
    bytes: u64,
    bytes_read: AtomicU64,
    found: AtomicU64,
}

impl Bar {
    pub fn start(bytes: u64) -> Self {
        // Nothing is drawn where standard error is not a terminal.
        let bar = ProgressBar::with_draw_target(Some(1), progress_target());
        let template = "{bar:30} {pos}/{len} passages, {rate}, {eta} left";
        let rate = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            // Writing to a line of the terminal does not fail.
            let _ = write!(text, "{:.0}/s", state.per_sec());
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("rate", rate);
        bar.set_style(style);
        Self { bar, output: RemoteOutput::current(), bytes, bytes_read: AtomicU64::new(0), found: AtomicU64::new(0) }
    }

    pub fn read(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    /// The passages still to be found are guessed from the bytes still to be read.
    fn prepared(&self, passages: usize) {
        let found = self.found.fetch_add(passages as u64, Ordering::Relaxed) + passages as u64;
        let read = self.bytes_read.load(Ordering::Relaxed).max(1);
        let expected = u128::from(found) * u128::from(self.bytes.max(read)) / u128::from(read);
        self.bar.set_length(u64::try_from(expected).unwrap_or(u64::MAX).max(found));
    }

    fn embedded(&self, passages: usize) {
        self.bar.inc(passages as u64);
    }

    fn failed(&self, failure: &Failure) {
        // Told at the end, with the other files that were passed over.
        if failure.is_empty_source() {
            return;
        }
        let place = if failure.place.is_empty() { String::new() } else { format!(", {}", failure.place) };
        self.bar.suspend(|| tell(&format!("failed: {}{place}: {}", failure.source, failure.sentence)));
    }

    fn is_wanted(&self) -> bool {
        self.output.as_ref().is_none_or(|output| !output.is_abandoned())
    }

    fn warned(&self, warning: &Warning) {
        self.bar.suspend(|| tell(&format!("warning: {}: {}", warning.source, warning.sentence)));
    }
}
