//! Verified text → a notice for each list that may go on after the last item shown; a cut list looks complete.

use crate::verify::VerifiedText;

pub(super) fn notices(text: &VerifiedText) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for cited in text.citations() {
        let (Some(piece), Some(quote)) = (cited.piece(), cited.quote()) else { continue };
        let passage = &piece.passage.passage;
        let shown = quote.end.saturating_sub(passage.span.start);
        let before: String = passage.text.chars().take(shown).collect();
        let after: String = passage.text.chars().skip(shown).collect();
        let place = passage.section.last().unwrap_or(&cited.document().title);
        let notice = format!("The list in \"{place}\" may go on after what is shown.");
        if may_go_on(&before, &after) && !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    notices
}

/// Whether a text ends with a list item, and either its passage ends there too or another item follows.
fn may_go_on(before: &str, after: &str) -> bool {
    let is_item = |line: Option<&str>| line.is_some_and(is_list_item);
    let follows = after.trim_start();
    is_item(before.trim_end().lines().last()) && (follows.is_empty() || is_item(follows.lines().next()))
}

fn is_list_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after: String = line.chars().skip(digits).take(2).collect();
    ["- ", "* ", "+ ", "• "].iter().any(|mark| line.starts_with(mark))
        || ((1..=3).contains(&digits) && matches!(after.as_str(), ". " | ") "))
}

#[cfg(test)]
mod tests {
    use super::may_go_on;

    #[test]
    fn a_list_cut_by_its_passage_or_by_the_answer_may_go_on() {
        assert!(may_go_on("Steps:\n\n1. Rise.\n2. Shine.", ""));
        assert!(may_go_on("- one\n- two", "\n- three"));
    }

    #[test]
    fn prose_and_a_list_that_ends_in_sight_do_not() {
        assert!(!may_go_on("The mast is tall.", ""));
        assert!(!may_go_on("1. Rise.\n2. Shine.", "\n\nThen rest."));
        assert!(!may_go_on("The year 2015. It blew.", ""));
    }
}
