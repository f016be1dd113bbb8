//! A report → one HTML page with its plots, which needs nothing else to be read.
//!
//! Invariant: whatever stands in a question or an answer is text on the page, never markup; no script, no link, no picture from
//! elsewhere.

mod plot;

use std::fmt::Write;

use crate::{
    bounds::Rate,
    comparison::{Comparison, FigureChange, points},
    goals::Goal,
    metrics::{Metrics, Slice},
    report::{Failure, Report},
};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}\
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{padding:.25rem .75rem;border-bottom:1px solid #dde2e8;text-align:left}\
td.n{text-align:right;font-variant-numeric:tabular-nums}h2{margin-top:2.2rem}.bad{color:#a02020}.good{color:#1c6b33}.dim{color:#5a6675}\
details{border-bottom:1px solid #dde2e8;padding:.35rem 0}pre{white-space:pre-wrap;background:#f5f7f9;padding:.6rem;margin:.4rem 0}\
svg{max-width:100%;height:auto}.plots{display:flex;flex-wrap:wrap;gap:2rem}figure{margin:0;max-width:30rem}";

/// How much of an answer is shown.
const ANSWER_CHARS_MAX: usize = 1_200;

/// A page that shows a report, and what changed since a baseline where there is one.
#[must_use]
pub fn page(title: &str, report: &Report, comparison: Option<&Comparison>) -> String {
    let mut page = String::new();
    let title = escaped(title);
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>"
    );
    page.push_str(&meta(report));
    page.push_str(&overall(&report.metrics));
    page.push_str(&goals(&report.goals));
    if let Some(comparison) = comparison {
        page.push_str(&changes(comparison));
    }
    let _ = write!(
        page,
        "<h2>Certainty</h2><div class=\"plots\"><figure>{}<figcaption>With answers below a confidence held back: the \
         share of questions answered, and the share of answers that is \
         wrong.</figcaption></figure><figure>{}<figcaption>How often answers with a given confidence are right, with \
         95 % intervals.</figcaption></figure></div>",
        plot::risk_coverage(&report.metrics.risk_coverage),
        plot::calibration(&report.metrics.calibration)
    );
    page.push_str(&slices("By collection", report.metrics.by_collection.iter()));
    page.push_str(&slices("By category", report.metrics.by_category.iter()));
    page.push_str(&rest(&report.metrics));
    page.push_str(&failures(&report.failures));
    page.push_str("</body></html>\n");
    page
}

fn meta(report: &Report) -> String {
    let meta = &report.meta;
    let none = || "none".to_owned();
    let rows = [
        ("questions", format!("{} ({} correct, {} not)", meta.total_queries, meta.pass_count, meta.fail_count)),
        ("half", meta.split.clone().unwrap_or_else(|| "all".to_owned())),
        (
            "golden set",
            format!("{} version {}", meta.golden_set_hash, meta.golden_set_version.clone().unwrap_or_else(none)),
        ),
        ("corpus", meta.corpus.clone()),
        ("settings", meta.config_hash.clone()),
        ("embedder", meta.embedder.clone()),
        ("judge", meta.judge.clone().unwrap_or_else(none)),
        ("program", format!("{}, commit {}", meta.version, meta.commit.clone().unwrap_or_else(none))),
        ("run", meta.timestamp.clone()),
    ];
    let row = |(name, value): &(&str, String)| format!("<tr><th>{name}</th><td>{}</td></tr>", escaped(value));
    format!("<table>{}</table>", rows.iter().map(row).collect::<String>())
}

fn overall(metrics: &Metrics) -> String {
    let slice = &metrics.overall;
    let rows = [
        ("precision: right among the answers", slice.right_of_answered),
        ("recall: answerable questions answered rightly", slice.right_of_answerable),
        ("hallucination: wrong answers among all questions", slice.hallucination),
        ("unanswerable questions answered", slice.answered_unanswerable),
        ("answers missing required text", slice.beside),
        ("answerable questions refused", slice.false_refusal),
        ("refusals that were right", slice.refusal_precision),
        ("unanswerable questions refused", slice.refusal_recall),
        ("cited documents that contain an answer", metrics.citations.precision),
        ("documents with an answer that are cited", metrics.citations.recall),
    ];
    let body: String = rows.iter().map(|(name, rate)| rate_row(name, rate)).collect();
    let latency = &metrics.latency;
    format!(
        "<h2>Figures</h2><table><tr><th></th><th>share</th><th>95 % interval</th><th>of</th></tr>{body}</table>\
         <p>F1 {:.3}. {:.1} % were refused, routed or asked back. A question took {:.0} ms (half of them), {:.0} ms (95 of 100), \
         {:.0} ms (99 of 100), {:.0} ms at most.</p>",
        slice.f1,
        metrics.abstention.total_rate * 100.0,
        latency.p50_ms,
        latency.p95_ms,
        latency.p99_ms,
        latency.max_ms
    )
}

fn goals(goals: &[Goal]) -> String {
    if goals.is_empty() {
        return String::new();
    }
    let row = |goal: &Goal| {
        let (class, word) = if goal.is_met { ("good", "reached") } else { ("bad", "missed") };
        let told = [&goal.name, &goal.wanted, &goal.reached].map(|text| format!("<td>{}</td>", escaped(text)));
        format!("<tr>{}<td class=\"{class}\">{word}</td></tr>", told.concat())
    };
    let rows: String = goals.iter().map(row).collect();
    format!("<h2>Goals</h2><table><tr><th></th><th>wanted</th><th>reached</th><th></th></tr>{rows}</table>")
}

fn rate_row(name: &str, rate: &Rate) -> String {
    if rate.of == 0 {
        return format!("<tr><td>{}</td><td class=\"n\">none</td><td></td><td></td></tr>", escaped(name));
    }
    format!(
        "<tr><td>{}</td><td class=\"n\">{:.1} %</td><td class=\"n\">{:.1} to {:.1} %</td><td class=\"n\">{} of {}</td></tr>",
        escaped(name),
        rate.share * 100.0,
        rate.low * 100.0,
        rate.high * 100.0,
        rate.part,
        rate.of
    )
}

fn changes(comparison: &Comparison) -> String {
    let percent =
        |share: &Option<f64>| share.map_or_else(|| "none".to_owned(), |share| format!("{:.1} %", share * 100.0));
    let row = |(name, before, after): &FigureChange| {
        let change = before.zip(*after).map(|(before, after)| format!("{:+.1}", points(before, after)));
        format!(
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escaped(name),
            percent(before),
            percent(after),
            change.unwrap_or_default()
        )
    };
    let flip = |flip: &crate::comparison::Flip| {
        format!(
            "<tr><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            if flip.is_worse { "bad" } else { "good" },
            escaped(&flip.id),
            escaped(&flip.query),
            escaped(&flip.change.0),
            escaped(&flip.change.1)
        )
    };
    let notices: String = comparison.notices.iter().map(|one| format!("<li>{}</li>", escaped(one))).collect();
    let flips = match comparison.flips.is_empty() {
        true => "<p>No question has a different verdict.</p>".to_owned(),
        false => format!(
            "<table><tr><th>question</th><th></th><th>before</th><th>now</th></tr>{}</table>",
            comparison.flips.iter().map(flip).collect::<String>()
        ),
    };
    format!(
        "<h2>Compared with the \
         baseline</h2><ul>{notices}</ul><table><tr><th></th><th>before</th><th>now</th><th>points</th></tr>{}</table>{flips}",
        comparison.figures.iter().map(row).collect::<String>()
    )
}

fn slices<'a>(heading: &str, slices: impl Iterator<Item = (&'a String, &'a Slice)>) -> String {
    let row = |(name, slice): (&String, &Slice)| {
        format!(
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.3}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escaped(name),
            slice.count,
            slice.right_of_answered.percent(),
            slice.right_of_answerable.percent(),
            slice.f1,
            slice.hallucination.part,
            slice.false_refusal.part
        )
    };
    let body: String = slices.map(row).collect();
    if body.is_empty() {
        return String::new();
    }
    format!(
        "<h2>{heading}</h2><table><tr><th></th><th>questions</th><th>precision</th><th>recall</th><th>F1</th><th>wrong</th>\
         <th>refused wrongly</th></tr>{body}</table>"
    )
}

fn rest(metrics: &Metrics) -> String {
    let reason = |(name, share): (&String, &f64)| {
        format!("<tr><td>{}</td><td class=\"n\">{:.1} %</td></tr>", escaped(name), share * 100.0)
    };
    let reasons: String = metrics.abstention.by_reason.iter().map(reason).collect();
    let expected: String = metrics.expectations.iter().map(|(key, rate)| rate_row(key, rate)).collect();
    let expected = match expected.is_empty() {
        true => String::new(),
        false => format!(
            "<h2>What the lines expect</h2><table><tr><th></th><th>agrees</th><th>95 % interval</th><th>of</th></tr>{expected}</table>"
        ),
    };
    format!("<h2>Refused, routed or asked back</h2><table>{reasons}</table>{expected}")
}

fn failures(failures: &[Failure]) -> String {
    let one = |failure: &Failure| {
        let unmet: String = failure
            .unmet
            .iter()
            .map(|unmet| format!("{}: {} expected, {} found\n", unmet.key, unmet.expected, unmet.actual))
            .collect();
        let answer: String = failure.actual.answer.chars().take(ANSWER_CHARS_MAX).collect();
        format!(
            "<details><summary><span class=\"bad\">{}</span> {} <span class=\"dim\">{}</span></summary><pre>{}</pre><pre>{}</pre>\
             <p class=\"dim\">trace {}</p></details>",
            escaped(&failure.reason),
            escaped(&failure.query),
            escaped(&failure.id),
            escaped(&answer),
            escaped(&unmet),
            escaped(&failure.trace_id)
        )
    };
    format!("<h2>What went wrong ({})</h2>{}", failures.len(), failures.iter().map(one).collect::<String>())
}

/// Text that means nothing to a browser.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            sign => safe.push(sign),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::page;
    use crate::{
        expectation::Actual,
        golden::Expected,
        report::{Failure, Report},
    };

    #[test]
    fn a_hostile_question_is_text_on_the_page() {
        let failure = Failure {
            id: "a".to_owned(),
            query: "<script>alert('x')</script>".to_owned(),
            expected: Expected::default(),
            actual: Actual { answer: "</pre><img src=x onerror=\"y\">".to_owned(), ..Actual::default() },
            reason: "beside".to_owned(),
            unmet: Vec::new(),
            trace_id: "eval-a".to_owned(),
        };
        let page = page("Book & more", &Report { failures: vec![failure], ..Report::default() }, None);
        assert!(!page.contains("<script") && !page.contains("<img") && page.contains("Book &amp; more"));
        assert!(page.contains("&lt;script&gt;"));
    }
}
