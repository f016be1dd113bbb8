//! What was measured → a table on the terminal and the page in `docs/`.

use super::{LieWord, Report, Tally};
use vouch_app::render;

fn share(part: usize, whole: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a share of a count")]
    let share = part as f64 / whole.max(1) as f64 * 100.0;
    format!("{share:.1} %")
}

fn row(kind: &LieWord, tally: &Tally) -> [String; 4] {
    [kind.0.as_str().to_owned(), tally.told.to_string(), tally.reached.to_string(), share(tally.reached, tally.told)]
}

/// For a person at a terminal.
pub(super) fn shown(report: &Report) -> String {
    let mut rows = vec![["lie", "told", "reached the asker", ""].map(str::to_owned).to_vec()];
    rows.extend(report.lies.iter().map(|(kind, tally)| row(kind, tally).to_vec()));
    let mut text = render::table(&rows);
    for (kind, tally) in &report.lies {
        for example in &tally.examples {
            render::push_line(&mut text, &format!("reached ({}): {example}", kind.0.as_str()));
        }
    }
    render::push_line(&mut text, &summary(report));
    text
}

/// The page.
pub(super) fn document(report: &Report) -> String {
    let mut text = String::from(
        "# The hostile scribe\n\nMade by `vouch-bench hostile`. A scribe takes the true answer to a question and lies in it, in \
         every way it\nknows; then it says true things in other words. Counted is what reaches the asker.\n\n\
         | lie | told | reached the asker | |\n|---|---|---|---|\n",
    );
    for (kind, tally) in &report.lies {
        text.push_str(&format!("| {} |\n", row(kind, tally).join(" | ")));
    }
    text.push_str(&format!("\n{}\n", summary(report)));
    text
}

fn summary(report: &Report) -> String {
    let told: usize = report.lies.values().map(|tally| tally.told).sum();
    format!(
        "{told} lies to {} questions of {}; invented citations shown: {}.\n{} true sentences in other words, {} lost ({}).\nThe \
         longest that a scribe without end or beginning was listened to: {} ms.",
        report.questions,
        report.sets.join(", "),
        report.invented_citations,
        report.reworded,
        report.reworded_lost,
        share(report.reworded_lost, report.reworded),
        report.slowest_listener_ms,
    )
}
