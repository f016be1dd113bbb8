//! An answer and what it cites → the share of its key phrases that stand there.

use vouch_domain::language::{sentence_ranges, terms, words::is_stop_word};

use crate::verify::VerifiedText;

/// A phrase is no longer than this; a longer run of words is several.
const PHRASE_WORDS_MAX: usize = 3;

/// The share of the answer's key phrases that one sentence of what it cites holds; none where it has no phrase.
pub(super) fn coverage(text: &VerifiedText) -> Option<f32> {
    let cited: Vec<Vec<String>> = text
        .citations()
        .iter()
        .flat_map(|cited| {
            let passage = &cited.piece.passage.passage;
            let own = passage.text.as_str();
            let headings = passage.section.iter().chain(std::iter::once(&cited.piece.passage.document.title));
            let sentences = sentence_ranges(own).into_iter().filter_map(|range| own.get(range)).map(terms);
            sentences.chain(headings.map(|heading| terms(heading))).collect::<Vec<_>>()
        })
        .collect();
    let stands = |phrase: &Vec<String>| cited.iter().any(|held| phrase.iter().all(|word| held.contains(word)));
    let phrases: Vec<Vec<String>> = text.claims().iter().flat_map(|claim| phrases(&claim.text)).collect();
    let found = phrases.iter().filter(|phrase| stands(phrase)).count();
    #[expect(clippy::cast_precision_loss, reason = "an answer has few phrases")]
    (!phrases.is_empty()).then(|| found as f32 / phrases.len() as f32)
}

/// Runs of words without a stop word or a sign between them.
fn phrases(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_stop = bare.is_empty() || is_stop_word(&bare.to_lowercase());
        if is_stop || open.len() == PHRASE_WORDS_MAX {
            found.extend(Some(std::mem::take(&mut open)).filter(|phrase| !phrase.is_empty()));
        }
        if !is_stop {
            open.extend(terms(bare));
        }
        if word.ends_with([',', ';', ':', '.', '!', '?', ')']) {
            found.extend(Some(std::mem::take(&mut open)).filter(|phrase| !phrase.is_empty()));
        }
    }
    found.extend(Some(open).filter(|phrase| !phrase.is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::phrases;

    #[test]
    fn phrases_are_runs_of_words_that_carry_meaning() {
        let found: Vec<String> = phrases("The annual leave is 25 days, and the line manager signs form HR-7.")
            .iter()
            .map(|p| p.join(" "))
            .collect();
        assert_eq!(found, ["annual leav", "25 day", "line manag sign", "form hr 7"]);
    }
}
