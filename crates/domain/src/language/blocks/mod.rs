//! Text → its blocks in order: paragraphs, list items, table rows, code, quotes and headings.
//!
//! A block is what no sentence crosses. Lines that an author wrapped by hand are one block, and so are the lines of a quote.
//! Lines without text, such as comments, anchors, images and tags of a template, belong to none.
//!
//! Invariant: ranges lie on character boundaries, in order and apart, and hold every word that is text. Where it is not
//! certain that a paragraph has ended it goes on: half a sentence can say the opposite of the whole. The work is linear.

mod line_opening;
mod reader;
mod silent_line;

use std::ops::Range;

pub(super) use line_opening::{has_bar, item_words};
pub(super) use silent_line::is_silent;

/// A stretch of text that no sentence crosses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// How many list items it stands in, its own included; 0 outside of lists.
    pub depth: usize,
    /// The bytes of its words without the mark in front of them. The fences of code belong to it.
    pub range: Range<usize>,
    /// The same with its mark and what that is indented by.
    pub whole: Range<usize>,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Lines of words.
    Paragraph,
    /// The first paragraph of a list item; what follows inside the item are blocks of the same depth.
    ListItem {
        /// Whether its mark is a number.
        is_numbered: bool,
    },
    /// A row of a table.
    TableRow {
        /// Whether it stands above the rule that ends a table's header.
        is_header: bool,
    },
    /// Code between fences or indented.
    Code,
    /// Neighbouring lines of a quote; the marks of all but the first line are inside its range.
    Quote,
    /// A heading.
    Heading,
}

/// A number with more digits is no mark of a list.
const MARK_DIGITS_MAX: usize = 3;

/// Whether what stands between two sentences is white space and the marks of lists, tables and quotes alone.
#[must_use]
pub fn is_mark(between: &str) -> bool {
    let is_one = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+•>|:#.)".contains(c);
    between.chars().all(is_one) && between.chars().filter(char::is_ascii_digit).count() <= MARK_DIGITS_MAX
}

/// The blocks of a text.
#[must_use]
pub fn blocks(text: &str) -> Vec<Block> {
    reader::read(text)
}

#[cfg(test)]
mod tests {
    use super::{Block, BlockKind, blocks, is_mark};

    /// The kind of each block in a word, its depth where it stands in a list, and its words.
    fn shown(text: &str) -> Vec<(String, &str)> {
        let name = |block: &Block| match block.kind {
            BlockKind::Paragraph => "paragraph",
            BlockKind::ListItem { is_numbered: false } => "item",
            BlockKind::ListItem { is_numbered: true } => "numbered",
            BlockKind::TableRow { is_header: false } => "row",
            BlockKind::TableRow { is_header: true } => "header",
            BlockKind::Code => "code",
            BlockKind::Quote => "quote",
            BlockKind::Heading => "heading",
        };
        let depth = |block: &Block| if block.depth == 0 { String::new() } else { format!(" {}", block.depth) };
        let words = |block: &Block| text.get(block.range.clone()).unwrap_or("not on characters");
        blocks(text).iter().map(|block| (format!("{}{}", name(block), depth(block)), words(block))).collect()
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = shown(text);
        let found: Vec<(&str, &str)> = found.iter().map(|(kind, words)| (kind.as_str(), *words)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn marks_are_told_from_words_and_figures() {
        for mark in ["", " ", "\n\n- ", "\n12. ", "\n> ", "\n|---|:--|\n| "] {
            assert!(is_mark(mark), "{mark:?}");
        }
        for other in ["\n<!-- no -->\n", " not ", " 1850 "] {
            assert!(!is_mark(other), "{other:?}");
        }
    }

    #[test]
    fn wrapped_lines_are_one_paragraph() {
        check(
            "One is\r\nhere. Two\n  too.\n\nThree.",
            &[("paragraph", "One is\r\nhere. Two\n  too."), ("paragraph", "Three.")],
        );
    }

    #[test]
    fn an_item_holds_its_wrapped_lines_and_what_is_indented_below_it() {
        let text = "Bring:\n- a rope\n  of hemp\n- a\nlamp\n    1) with oil\n\n       and a wick\n\n2. a map\n\nGo.";
        check(
            text,
            &[
                ("paragraph", "Bring:"),
                ("item 1", "a rope\n  of hemp"),
                ("item 1", "a\nlamp"),
                ("numbered 2", "with oil"),
                ("paragraph 2", "and a wick"),
                ("numbered 1", "a map"),
                ("paragraph", "Go."),
            ],
        );
    }

    #[test]
    fn a_wrapped_line_that_starts_with_a_number_is_no_item() {
        check("It was on May\n27. They left.", &[("paragraph", "It was on May\n27. They left.")]);
        check("Do this:\n2. Rise.", &[("paragraph", "Do this:"), ("numbered 1", "Rise.")]);
        check("See\n1. Rise.", &[("paragraph", "See"), ("numbered 1", "Rise.")]);
    }

    #[test]
    fn the_whole_of_a_block_holds_its_mark() {
        let text = "  - a\n\n> b\n\n## c\n\nd\n--\n\ne\n---\n\n    f()\n";
        let whole: Vec<&str> = blocks(text).into_iter().filter_map(|block| text.get(block.whole)).collect();
        assert_eq!(whole, ["  - a", "> b", "## c", "d\n--", "e\n---", "    f()"]);
    }

    #[test]
    fn neighbouring_lines_of_a_quote_are_one_block() {
        check(
            "He said:\n> It is\n> not so.\n>\n> - Never.\nWe left.\n> And\nagain.",
            &[
                ("paragraph", "He said:"),
                ("quote", "It is\n> not so.\n>\n> - Never."),
                ("paragraph", "We left."),
                ("quote", "And\nagain."),
            ],
        );
    }

    #[test]
    fn rows_are_blocks_and_the_one_above_the_rule_is_the_header() {
        check(
            "| a | b |\n|---|---|\n| 1 | 2 |\nNote.",
            &[("header", "| a | b |"), ("row", "| 1 | 2 |"), ("paragraph", "Note.")],
        );
        check(
            "Sizes\na | b\n--|--\n1 | 2\n3|4\n\nx | y",
            &[("paragraph", "Sizes"), ("header", "a | b"), ("row", "1 | 2"), ("row", "3|4"), ("row", "x | y")],
        );
        check("Part | Size\nmast | 2 m", &[("row", "Part | Size"), ("row", "mast | 2 m")]);
        check("Pipe with `a | b`\nand go.", &[("paragraph", "Pipe with `a | b`\nand go.")]);
    }

    #[test]
    fn code_is_one_block_fenced_or_indented() {
        check(
            "Run:\n~~~ sh\nls\n\n```\n~~~\nDone.",
            &[("paragraph", "Run:"), ("code", "~~~ sh\nls\n\n```\n~~~"), ("paragraph", "Done.")],
        );
        check(
            "Run:\n\n    ls -l\n\n    pwd\n\nDone.",
            &[("paragraph", "Run:"), ("code", "ls -l\n\n    pwd"), ("paragraph", "Done.")],
        );
        check("- Run:\n\n  ```\n  ls\n  ```\n", &[("item 1", "Run:"), ("code 1", "```\n  ls\n  ```")]);
        check("Run:\n```\nls\n\nrm", &[("paragraph", "Run:"), ("code", "```\nls\n\nrm")]);
    }

    #[test]
    fn indented_prose_is_no_code() {
        check("    It rained.\n    Then it did not.", &[("paragraph", "It rained.\n    Then it did not.")]);
        check("    It rained all\nday long", &[("paragraph", "It rained all\nday long")]);
        check("Bring:\n\n    - a rope", &[("paragraph", "Bring:"), ("item 1", "a rope")]);
    }

    #[test]
    fn lines_without_text_belong_to_no_block() {
        let text =
            "<!-- a\n\nlong one -->\n<a id=\"x\"></a>\nOne.\n![img](x.png)\nTwo.\n{% end %}\n\n<!-- b --> Three.";
        check(text, &[("paragraph", "One."), ("paragraph", "Two."), ("paragraph", "Three.")]);
    }

    #[test]
    fn what_stands_inside_a_sentence_stays_in_it() {
        check(
            "It is <!-- not --> here\n<!-- nor\n there -->\nand {{ x }} now.",
            &[("paragraph", "It is <!-- not --> here\n<!-- nor\n there -->\nand {{ x }} now.")],
        );
    }

    #[test]
    fn a_comment_that_never_closes_is_text() {
        check("One.\n\n<!-- open\nTwo.", &[("paragraph", "One."), ("paragraph", "<!-- open\nTwo.")]);
        check("--> x\n<!-- open", &[("paragraph", "--> x\n<!-- open")]);
    }

    #[test]
    fn a_lot_of_anything_take_no_time() {
        for line in
            ["<!--\n", "```a`\n", "    x\ny\n\n", "- a\n", "> \n", "a | b\n", "))))\n<a>\n", "|--\n", "1. 2. \n"]
        {
            let text = line.repeat(200_000 / line.len());
            assert!(blocks(&text).iter().all(|block| text.get(block.range.clone()).is_some()), "{line:?}");
        }
        let steps: String = (0..700).map(|at| format!("{}- a\n", "  ".repeat(at))).collect();
        assert_eq!(blocks(&steps).last().map(|block| block.depth), Some(700));
        assert!(blocks(&format!("{}{}", ")".repeat(100_000), "\n<a>".repeat(20_000))).len() == 1);
    }
}
