//! The attributes of an element → what they say about how it is read.

use html5ever::Attribute;

/// A cell that says it is wider or higher is taken to be this wide or high.
const SPAN_MAX: usize = 100;
/// What is kept of where a link leads: to a place on the page, or to a note there.
pub(super) const WITHIN: &str = "#";
pub(super) const NOTE: &str = "#note";

/// What an element's attributes say of it.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) is_hidden: bool,
    pub(super) role: Role,
    /// How many columns and rows a cell takes up beside its own.
    pub(super) columns_more: usize,
    pub(super) rows_more: usize,
    /// Whether a link leads to another place on the page, and whether that is said to be a note.
    pub(super) leads_within: bool,
    pub(super) leads_to_note: bool,
    /// The number of an item, or of the first one in a list.
    pub(super) number: Option<u32>,
}

/// What an element is for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Plain,
    Main,
    Navigation,
    /// A table that only arranges what is in it.
    Layout,
    Footnote,
    /// The head or foot of every page of a document that was printed, or is one of many.
    Margin,
}

impl Marks {
    /// Nothing where the attributes say nothing, as those of most elements.
    pub(super) fn of(attributes: &[Attribute]) -> Option<Box<Self>> {
        let mut marks = Self::default();
        for attribute in attributes {
            let value = attribute.value.trim();
            match &*attribute.name.local {
                "hidden" => marks.is_hidden = true,
                "role" => marks.role = role(value),
                "colspan" => marks.columns_more = more(value),
                "rowspan" => marks.rows_more = more(value),
                "start" | "value" => marks.number = value.parse().ok(),
                "href" => (marks.leads_within, marks.leads_to_note) = (true, value == NOTE),
                // Word processors and generators of pages name them so.
                "id" if value == "footer" => marks.role = Role::Margin,
                "title" if matches!(value, "header" | "footer") => marks.role = Role::Margin,
                "epub:type" => marks.role = epub_role(value),
                _ => {}
            }
        }
        (marks != Self::default()).then(|| Box::new(marks))
    }
}

fn role(value: &str) -> Role {
    match value {
        "main" => Role::Main,
        "navigation" | "search" => Role::Navigation,
        "presentation" | "none" => Role::Layout,
        "doc-footnote" => Role::Footnote,
        _ => Role::Plain,
    }
}

fn epub_role(value: &str) -> Role {
    let is = |wanted: &[&str]| value.split_ascii_whitespace().any(|one| wanted.contains(&one));
    if is(&["footnote", "endnote", "rearnote"]) {
        Role::Footnote
    } else if is(&["toc", "landmarks", "page-list", "pagebreak"]) {
        Role::Navigation
    } else {
        Role::Plain
    }
}

fn more(value: &str) -> usize {
    value.parse::<usize>().map_or(0, |span| span.clamp(1, SPAN_MAX) - 1)
}
