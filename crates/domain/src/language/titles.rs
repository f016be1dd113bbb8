//! Blocks that only name what stands below them: headings, and lines that are set in bold in the place of one.
//!
//! They are no sentences: what they name is said by what follows.

use std::ops::Range;

use super::blocks::{Block, BlockKind, blocks};

/// A longer line in bold is words with weight, not a title.
const TITLE_WORDS_MAX: usize = 12;

/// The blocks of a text that are titles of what follows on them, by their bytes; one with nothing below it is none.
#[must_use]
pub fn titles(text: &str) -> Vec<Range<usize>> {
    let blocks = blocks(text);
    let followed = blocks.iter().take(blocks.len().saturating_sub(1));
    followed.filter(|block| is_title(text, block)).map(|block| block.range.clone()).collect()
}

/// Whether a block is a title, wherever it stands.
pub(super) fn is_title(text: &str, block: &Block) -> bool {
    match block.kind {
        BlockKind::Heading => true,
        BlockKind::Paragraph => block.depth == 0 && text.get(block.range.clone()).is_some_and(is_bold_line),
        BlockKind::ListItem { .. } | BlockKind::TableRow { .. } | BlockKind::Code | BlockKind::Quote => false,
    }
}

/// Whether a text is one line, all of it in bold, that does not end as a sentence does.
fn is_bold_line(text: &str) -> bool {
    let line = text.trim().trim_end_matches(':');
    let inside = ["**", "__"].into_iter().find_map(|mark| {
        let inside = line.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inside.contains(mark)).then_some(inside.trim())
    });
    let is_short = |inside: &str| inside.split_whitespace().take(TITLE_WORDS_MAX + 1).count() <= TITLE_WORDS_MAX;
    inside.is_some_and(|inside| {
        !line.contains('\n') && !inside.ends_with(['.', '!', '?', '…', '。']) && is_short(inside) && !inside.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::titles;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = titles(text).into_iter().filter_map(|range| text.get(range)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn headings_and_lines_in_bold_name_what_follows() {
        check("## Sails\n\nHemp.\n\n**Masts**\n\nOak.\n\n__Ropes:__\n- one", &["Sails", "**Masts**", "__Ropes:__"]);
    }

    #[test]
    fn sentences_words_with_weight_and_what_stands_last_are_no_titles() {
        for text in [
            "**Never sail alone.**\n\nIt is cold.",
            "**Mast** of oak\n\nOld.",
            "**a** and **b**\n\nc",
            "Oak.\n\n**Masts**",
        ] {
            check(text, &[]);
        }
    }
}
