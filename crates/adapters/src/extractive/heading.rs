//! The headings over a passage → the one without which its words would be read the wrong way.

/// Words that turn what stands under a heading into its opposite, or bound it.
const TURNING: &str = "not no never don't dont cannot can't won't without avoid avoided prohibited forbidden banned except exception \
                       exceptions exclusion exclusions excluded unless deprecated obsolete superseded rejected former myth myths mistake \
                       mistakes wrong bad invalid unsupported unacceptable limitation limitations restriction restrictions antipattern \
                       antipatterns";

/// A longer heading is a sentence of its own.
const WORDS_MAX: usize = 12;

/// The nearest heading that turns or bounds what stands under it; the first of them is the document's title and is not looked at.
pub(super) fn turning(headings: &[String]) -> Option<&String> {
    headings.iter().skip(1).rev().find(|heading| turns(heading))
}

fn turns(heading: &str) -> bool {
    let lower = heading.to_lowercase().replace('’', "'").replace('-', "");
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    words.len() <= WORDS_MAX && words.iter().any(|word| TURNING.split_whitespace().any(|turning| turning == *word))
}

#[cfg(test)]
mod tests {
    use super::turning;

    #[test]
    fn the_nearest_heading_that_turns_is_found() {
        let found = |headings: &[&str]| {
            let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
            turning(&headings).cloned()
        };
        assert_eq!(found(&["Side work", "Not OK", "On weekdays"]).as_deref(), Some("Not OK"));
        assert_eq!(found(&["Side work", "What you can’t claim"]).as_deref(), Some("What you can’t claim"));
        assert_eq!(found(&["Not a title to show", "OK"]), None);
        assert_eq!(found(&["Notes", "Nothing else", "Notable work"]), None);
    }
}
