//! Two texts → what differs between them, block by block.
//!
//! Invariant: a block whose words stand in both texts is no change, wherever it stands now; every other block of either
//! text is part of exactly one change. Finding them is linear in the texts; which of them belong together is weighed
//! within bounds, and the outcome says where these were reached.

mod pairing;

use std::collections::HashMap;

use super::{Block, BlockKind, blocks};
use pairing::{Gap, Loose, pair};

/// What differs between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextChanges {
    /// In the order of the later text; what was removed comes where it stood.
    pub changes: Vec<BlockChange>,
    /// Whether there was too much to weigh, so that a changed block may be told as one removed and one added.
    pub is_cut: bool,
}

/// A block that is not the same in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockChange {
    /// The headings above it, outermost first, in the later text where it is there.
    pub section: Vec<String>,
    /// Its words in the earlier text; none if it was added.
    pub before: Option<String>,
    /// Its words in the later text; none if it was removed.
    pub after: Option<String>,
}

/// A block with its words in the form they are compared by.
struct Part<'a> {
    words: &'a str,
    key: String,
    section: Vec<String>,
}

/// What differs between an earlier and a later text.
#[must_use]
pub fn changes(before: &str, after: &str) -> TextChanges {
    let (old, new) = (parts(before), parts(after));
    let partners = same(&old, &new);
    let mut of_new: Vec<Option<usize>> = vec![None; new.len()];
    for (at, partner) in partners.iter().enumerate() {
        if let Some(slot) = partner.and_then(|partner| of_new.get_mut(partner)) {
            *slot = Some(at);
        }
    }
    let (loose_old, loose_new) = (loose(&old, &partners), loose(&new, &of_new));
    // A block that stands in both texts goes by the place it has in the earlier one.
    let own = |(at, partner): (usize, &Option<usize>)| partner.is_some().then_some(at);
    let in_old: Vec<Option<usize>> = partners.iter().enumerate().map(own).collect();
    let (pairs, is_cut) = pair(&gaps(&loose_old, &in_old), &gaps(&loose_new, &of_new));
    TextChanges { changes: in_order((&old, &partners), (&new, &of_new), &pairs), is_cut }
}

/// The blocks of a text that have words, with the headings above each.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut found = Vec::new();
    for block in blocks(text) {
        let Some(words) = text.get(block.range.clone()) else { continue };
        let key = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if key.is_empty() {
            continue;
        }
        let level = (block.kind == BlockKind::Heading).then(|| level(text, &block));
        if let Some(level) = level {
            above.retain(|(own, _)| *own < level);
        }
        let section = above.iter().map(|(_, heading)| heading.clone()).collect();
        if let Some(level) = level {
            above.push((level, key.clone()));
        }
        found.push(Part { words: words.trim(), key, section });
    }
    found
}

/// How deep a heading stands: by its number signs, or by the line below it.
fn level(text: &str, heading: &Block) -> usize {
    let whole = text.get(heading.whole.clone()).unwrap_or_default().trim_start();
    match whole.chars().take_while(|sign| *sign == '#').count() {
        0 if whole.trim_end().ends_with('-') => 2,
        0 => 1,
        signs => signs,
    }
}

/// For every earlier block the later one with the same words; of several the first that is free.
fn same(old: &[Part<'_>], new: &[Part<'_>]) -> Vec<Option<usize>> {
    let mut free: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, part) in new.iter().enumerate().rev() {
        free.entry(&part.key).or_default().push(at);
    }
    old.iter().map(|part| free.get_mut(part.key.as_str()).and_then(Vec::pop)).collect()
}

/// The blocks without a partner.
fn loose<'a>(parts: &'a [Part<'_>], partners: &[Option<usize>]) -> Vec<Loose<'a>> {
    let alone = parts.iter().zip(partners).enumerate().filter(|(_, (_, partner))| partner.is_none());
    alone.map(|(at, (part, _))| Loose::new(at, &part.key)).collect()
}

/// The same with the blocks of both texts that each stands between; `known` numbers those alike for both texts.
fn gaps<'a, 'b>(loose: &'b [Loose<'a>], known: &[Option<usize>]) -> Vec<(Gap, &'b Loose<'a>)> {
    let before: Vec<Option<usize>> = known
        .iter()
        .scan(None, |last, own| {
            let before = *last;
            *last = own.or(*last);
            Some(before)
        })
        .collect();
    let mut after: Vec<Option<usize>> = known
        .iter()
        .rev()
        .scan(None, |next, own| {
            let after = *next;
            *next = own.or(*next);
            Some(after)
        })
        .collect();
    after.reverse();
    let at = |list: &[Option<usize>], index: usize| list.get(index).copied().flatten();
    loose.iter().map(|one| (Gap { before: at(&before, one.at), after: at(&after, one.at) }, one)).collect()
}

type Side<'a, 'b> = (&'b [Part<'a>], &'b [Option<usize>]);

/// The changes in the order of the later text.
fn in_order(
    (old, partners): Side<'_, '_>,
    (new, of_new): Side<'_, '_>,
    pairs: &HashMap<usize, usize>,
) -> Vec<BlockChange> {
    let before_of: HashMap<usize, usize> = pairs.iter().map(|(old, new)| (*new, *old)).collect();
    let mut placed: Vec<((usize, usize, usize), BlockChange)> = Vec::new();
    let mut last = 0;
    for (at, (part, partner)) in old.iter().zip(partners).enumerate() {
        match partner.as_ref().or_else(|| pairs.get(&at)) {
            Some(partner) => last = partner + 1,
            None => {
                let before = Some(part.words.to_owned());
                placed.push(((last, 1, at), BlockChange { section: part.section.clone(), before, after: None }));
            }
        }
    }
    for (at, (part, partner)) in new.iter().zip(of_new).enumerate() {
        if partner.is_none() {
            let before = before_of.get(&at).and_then(|at| old.get(*at)).map(|part| part.words.to_owned());
            let after = Some(part.words.to_owned());
            placed.push(((at + 1, 0, 0), BlockChange { section: part.section.clone(), before, after }));
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, change)| change).collect()
}

#[cfg(test)]
mod tests {
    use super::{BlockChange, changes};

    /// Every change as `before → after`, with `-` for what is not there.
    fn shown(before: &str, after: &str) -> Vec<String> {
        let side = |words: &Option<String>| words.clone().unwrap_or_else(|| "-".to_owned());
        let line =
            |one: &BlockChange| format!("{}: {} → {}", one.section.join("/"), side(&one.before), side(&one.after));
        changes(before, after).changes.iter().map(line).collect()
    }

    const LEAVE: &str =
        "# Leave\n\nStaff have 26 days of leave.\n\n## Forms\n\nUse form P-04.\n\n- Sign it.\n- Send it.\n";

    #[test]
    fn the_same_words_are_no_change_however_they_are_set() {
        assert_eq!(shown(LEAVE, LEAVE), Vec::<String>::new());
        assert_eq!(shown("One is\nhere.\n\nTwo.", "One   is here.\n\nTwo."), Vec::<String>::new());
    }

    #[test]
    fn a_block_that_moved_is_no_change() {
        assert_eq!(shown("A one.\n\nB two.\n\nC three.", "C three.\n\nA one.\n\nB two."), Vec::<String>::new());
        assert_eq!(shown("A.\n\nA.\n\nB.", "B.\n\nA."), [": A. → -"], "of two one went");
    }

    #[test]
    fn a_changed_block_is_told_with_both_its_wordings_under_its_headings() {
        let later = LEAVE.replace("26 days", "27 days").replace("Use form P-04.", "Use form P-05.");
        let expected = [
            "Leave: Staff have 26 days of leave. → Staff have 27 days of leave.",
            "Leave/Forms: Use form P-04. → Use form P-05.",
        ];
        assert_eq!(shown(LEAVE, &later), expected);
    }

    #[test]
    fn what_came_and_what_went_is_told_where_it_stands() {
        let later = "# Leave\n\nStaff have 26 days of leave.\n\nUnused days lapse in March.\n\n## Forms\n\n- Sign it.\n- Send it.\n";
        let expected = ["Leave: - → Unused days lapse in March.", "Leave/Forms: Use form P-04. → -"];
        assert_eq!(shown(LEAVE, later), expected);
    }

    #[test]
    fn rows_and_items_change_one_by_one() {
        let before = "| part | size |\n|---|---|\n| mast | 2 m |\n| keel | 4 m |\n";
        let after = "| part | size |\n|---|---|\n| mast | 3 m |\n| keel | 4 m |\n";
        assert_eq!(shown(before, after), [": | mast | 2 m | → | mast | 3 m |"]);
        assert_eq!(shown("- a rope\n- a lamp", "- a lamp"), [": a rope → -"]);
    }

    #[test]
    fn blocks_that_share_nothing_are_no_pair() {
        assert_eq!(
            shown("A.\n\nThe mast is tall.\n\nB.", "A.\n\nPay your invoices early.\n\nB."),
            [": The mast is tall. → -", ": - → Pay your invoices early."]
        );
    }

    #[test]
    fn a_changed_block_is_found_where_it_moved_too() {
        let before =
            "One stays here.\n\nThe red heater is switched off at night.\n\nTwo stays here.\n\nThree stays here.";
        let after =
            "One stays here.\n\nTwo stays here.\n\nThree stays here.\n\nThe red heater is switched off at noon.";
        let expected = [": The red heater is switched off at night. → The red heater is switched off at noon."];
        assert_eq!(shown(before, after), expected);
    }

    #[test]
    fn two_long_texts_with_nothing_in_common_take_no_time_and_say_so() {
        let text = |word: &str| (0..6_000).map(|at| format!("{word} number {at} of all.\n\n")).collect::<String>();
        let found = changes(&text("mast"), &text("keel"));
        assert!(found.is_cut);
        assert!(found.changes.len() >= 6_000, "{}", found.changes.len());
    }

    #[test]
    fn nothing_against_something_is_all_of_it() {
        assert_eq!(shown("", "One.\n\nTwo."), [": - → One.", ": - → Two."]);
        assert_eq!(shown("One.", ""), [": One. → -"]);
    }
}
