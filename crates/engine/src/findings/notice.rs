//! Open contradictions of cited sentences → what the reader of an answer is told, both sides word for word.

use vouch_domain::{CharSpan, Finding, FindingSide};

use crate::verify::{Citation, VerifiedText};

/// Contradictions that are told of one answer.
const NOTICES_MAX: usize = 3;

/// A notice for every contradiction of a sentence that the text cites.
#[must_use]
pub fn notices(text: &VerifiedText, findings: &[Finding]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for finding in findings {
        let [left, right] = &finding.sides;
        let is_cited = |side: &FindingSide| text.citations().iter().any(|cited| cites(cited, side));
        let (own, other) = match (is_cited(left), is_cited(right)) {
            (true, _) => (left, right),
            (false, true) => (right, left),
            (false, false) => continue,
        };
        let notice = notice(own, other);
        if told.len() < NOTICES_MAX && !told.contains(&notice) {
            told.push(notice);
        }
    }
    told
}

fn cites(cited: &Citation, side: &FindingSide) -> bool {
    let overlaps = |quote: CharSpan| quote.start < side.span.end && side.span.start < quote.end;
    cited.document().id == side.document.id && cited.quote().is_some_and(overlaps)
}

fn notice(own: &FindingSide, other: &FindingSide) -> String {
    let date = |side: &FindingSide| side.document.date.clone();
    let dated = |side: &FindingSide| match date(side) {
        Some(date) => format!("\"{}\" ({date})", side.document.title),
        None => format!("\"{}\" (no date)", side.document.title),
    };
    let newer = match (date(own), date(other)) {
        (Some(own_date), Some(other_date)) if own_date > other_date => format!("; \"{}\" is newer", own.document.title),
        (Some(own_date), Some(other_date)) if own_date < other_date => {
            format!("; \"{}\" is newer", other.document.title)
        }
        _ => String::new(),
    };
    let sentence = other.sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("The documents disagree: {} says otherwise than {}{newer}: \"{sentence}\"", dated(other), dated(own))
}
