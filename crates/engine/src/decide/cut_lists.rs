//! Verified text → a notice for each list that may go on after the last item shown; a cut list looks complete.

use crate::verify::VerifiedText;

/// Passages are cut inside a list only where they are long; in a shorter one a list ends with its section.
const CUT_FROM_CHARS: usize = 400;

pub(super) fn notices(text: &VerifiedText) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for cited in text.citations() {
        let Some(piece) = cited.piece() else { continue };
        let passage = &piece.passage.passage;
        let own = text.claims().iter().filter(|claim| claim.markers().contains(&cited.marker()));
        let ends = own.filter_map(|claim| passage.text.rfind(claim.text()).map(|at| at + claim.text().len()));
        let Some((before, after)) = ends.max().and_then(|end| passage.text.split_at_checked(end)) else { continue };
        let place = passage.section.last().unwrap_or(&cited.document().title);
        let notice = format!("The list in \"{place}\" may continue beyond what is shown.");
        if may_go_on(before, after) && !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    notices
}

/// Whether a text ends with a list item, and either its passage, a long one, ends there too or another item follows.
fn may_go_on(before: &str, after: &str) -> bool {
    let is_item = |line: Option<&str>| line.is_some_and(is_list_item);
    let follows = after.trim_start();
    let is_cut = follows.is_empty() && before.len() >= CUT_FROM_CHARS;
    is_item(before.trim_end().lines().last()) && (is_cut || is_item(follows.lines().next()))
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
        let long = format!("Steps:\n\n1. Rise.\n2. Shine{}.", " and shine".repeat(50));
        assert!(may_go_on(&long, ""));
        assert!(may_go_on("- one\n- two", "\n- three"));
    }

    #[test]
    fn prose_and_a_list_that_ends_in_sight_do_not() {
        assert!(!may_go_on("The mast is tall.", ""));
        assert!(!may_go_on("Steps:\n\n1. Rise.\n2. Shine.", ""));
        assert!(!may_go_on("1. Rise.\n2. Shine.", "\n\nThen rest."));
        assert!(!may_go_on("The year 2015. It blew.", ""));
    }
}
