//! What was measured → a table on the terminal and the page in `docs/`.

use super::{LieWord, Report, Tally, by_hand::ByHand};
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
    let by_hand = by_hand(&report.by_hand);
    if report.sets.is_empty() {
        return by_hand;
    }
    let mut rows = vec![["lie", "told", "reached the asker", ""].map(str::to_owned).to_vec()];
    rows.extend(report.lies.iter().map(|(kind, tally)| row(kind, tally).to_vec()));
    let mut text = render::table(&rows);
    for (kind, tally) in &report.lies {
        for example in &tally.examples {
            render::push_line(&mut text, &format!("reached ({}): {example}", kind.0.as_str()));
        }
    }
    render::push_line(&mut text, &summary(report));
    render::push_line(&mut text, &by_hand);
    text
}

/// The page.
pub(super) fn document(report: &Report) -> String {
    let mut text = String::from(
        "# The hostile scribe\n\nMade by `vouch-bench hostile`. A scribe takes the true answer to a question and lies in it, in \
         every way it\nknows; then it says true things in other words. Counted is what reaches the asker, of true things also as their source.\n\n\
         | lie | told | reached the asker | |\n|---|---|---|---|\n",
    );
    for (kind, tally) in &report.lies {
        text.push_str(&format!("| {} |\n", row(kind, tally).join(" | ")));
    }
    text.push_str(&format!("\n{}\n", summary(report)));
    if !report.by_hand.kept.is_empty() {
        text.push_str(&format!("\n{}", by_hand(&report.by_hand)));
    }
    text
}

/// The halves of what was written by hand, kind by kind, as a page has it.
fn by_hand(report: &ByHand) -> String {
    let mut text = String::from(
        "## Written by hand\n\nSentences about the profiles' own corpora, written one by one before any was weighed, in answer to a question each \
         (`crates/bench/data/by_hand`).\nThe half `tune` was looked at while the rules were made, the half `report` was not; they share no \
         document. A lie has reached the asker where its own words\nare shown; a truth, where they are or the sentences it rests on.\n",
    );
    for (half, sorts) in report.kept.iter() {
        for (is_true, kinds) in sorts {
            let name = if *is_true { "truths" } else { "lies" };
            text.push_str(&format!(
                "\n### {name}, {half}\n\n| kind | said | in their own words | as their source | with what the documents answer anyway | not \
                 |\n|---|---|---|---|---|---|\n"
            ));
            let mut all = [0; 4];
            for (kind, kept) in kinds {
                let counts = [kept.said, kept.own, kept.quoted, kept.otherwise];
                text.push_str(&kept_row(&kind.replace('_', " "), counts));
                all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            text.push_str(&kept_row("**all**", all));
            let [said, own, quoted, _] = all;
            let line = match is_true {
                true => format!("{} reach the asker.", share(own + quoted, said)),
                false => format!("{} reach the asker.", share(own, said)),
            };
            text.push_str(&format!("\n{line}\n"));
        }
    }
    for (half, checked) in &report.checked {
        text.push_str(&format!(
            "\n`vouch check`, where nothing can be put in a sentence's place, {half}: {} of {} truths supported, {} of {} lies, AUROC {:.3}.\n",
            checked.kept,
            checked.truths,
            checked.shown,
            checked.lies,
            checked.auroc.unwrap_or_default()
        ));
    }
    let honest = &report.honest;
    text.push_str(&format!(
        "\nAn honest writer's whole answers: {} questions, {} refused before it wrote, {} of the other {} answered completely ({} of {} \
         sentences).\nOf {} sentences the source was not among the passages found; they are not counted.\n",
        honest.questions,
        honest.unasked,
        honest.complete,
        honest.questions - honest.unasked,
        honest.reached,
        honest.sentences,
        report.not_found
    ));
    text
}

fn kept_row(kind: &str, [said, own, quoted, otherwise]: [usize; 4]) -> String {
    format!("| {kind} | {said} | {own} | {quoted} | {otherwise} | {} |\n", said - own - quoted - otherwise)
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
