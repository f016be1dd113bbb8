//! A line of a page as it was drawn, before it is part of a block.

/// One line, in the order of reading; lengths in points, heights from the bottom of the page.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) x: f32,
    pub(super) end_x: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    /// Whether all of it is bold.
    pub(super) is_bold: bool,
    /// Whether all of it stands in letters of one width.
    pub(super) is_mono: bool,
    pub(super) kind: Kind,
    pub(super) tie: Tie,
}

/// What a line is, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// Seems to be in a list, by the look of its neighbours.
    Listed,
    /// The first line of an item by the file's own word, without its mark.
    Item(Option<u32>),
    /// 1 for the outermost.
    Heading(usize),
    Row(Vec<String>),
    Quote,
    /// The first line of a footnote, or more of it.
    Note,
    /// A running head or foot, or the number of a page.
    Margin,
}

/// What the file itself says of a line and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    Unknown,
    Begins,
    Continues,
}

/// A page's lines in the order of reading.
#[derive(Debug, Default)]
pub(super) struct PageLines {
    /// 1 for the first page.
    pub(super) number: u32,
    pub(super) lines: Vec<Line>,
    /// Short rules, as they stand above footnotes: left end, right end and height.
    pub(super) rules: Vec<[f32; 3]>,
}

impl Line {
    /// How many letters and digits it has.
    pub(super) fn weight(&self) -> usize {
        self.text.chars().filter(|c| c.is_alphanumeric()).count()
    }

    /// Lines of one size and weight have the same number.
    pub(super) fn half_points(&self) -> i32 {
        half_points(self.size)
    }
}

/// A size in half points, so that sizes which nobody can tell apart are the same.
pub(super) fn half_points(size: f32) -> i32 {
    whole_number(size * 2.0)
}

/// No page is larger: numbers beyond it are cut, so that sums of them fit.
const FARTHEST: f32 = 1_000_000.0;

/// The nearest whole number; huge ones are cut, and what is no number is none.
pub(super) fn whole_number(value: f32) -> i32 {
    // A cast from a float saturates, and there is no other way from one to an integer.
    value.round().clamp(-FARTHEST, FARTHEST) as i32
}
