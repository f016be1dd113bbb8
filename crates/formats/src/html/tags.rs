//! Between HTML's tokenizer and its tree builder: attributes are dropped, and what the tokenizer has told is counted.
//!
//! Few attributes change what a reader sees, but the tree builder reopens formatting elements in every paragraph and
//! tells them apart by their attributes: `<b id=1><b id=2>…` over many paragraphs would make a tree of their product.
//! Of these elements it is kept whether they are hidden and whether they lead to another place on the page and nothing
//! else, so there are few of each kind.

use std::cell::Cell;

use html5ever::{
    Attribute, LocalName, QualName, ns,
    tendril::StrTendril,
    tokenizer::{Tag, Token, TokenSink, TokenSinkResult},
    tree_builder::TreeBuilder,
};

use super::{
    marks::{NOTE, WITHIN},
    page::Page,
};

/// The attributes the tree builder or the page looks at.
const KEPT: &[&str] =
    &["type", "encoding", "property", "name", "content", "role", "colspan", "rowspan", "start", "value", "epub:type"];
/// The elements that the tree builder reopens, and the attributes of a font that it looks at.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
const KEPT_OF_FONT: &[&str] = &["color", "face", "size"];
const HIDDEN: &str = "hidden";

pub(super) struct Tags {
    builder: TreeBuilder<u32, Page>,
    told: Cell<u64>,
}

impl Tags {
    pub(super) fn new(page: Page) -> Self {
        Self {
            builder: TreeBuilder::new(page, html5ever::tree_builder::TreeBuilderOpts::default()),
            told: Cell::new(0),
        }
    }

    pub(super) fn page(&self) -> &Page {
        &self.builder.sink
    }

    /// How many tokens there were so far, errors not counted.
    pub(super) fn told(&self) -> u64 {
        self.told.get()
    }
}

impl TokenSink for Tags {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        let token = match token {
            Token::TagToken(tag) => Token::TagToken(plain(tag)),
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::DoctypeToken(_) | Token::CommentToken(_) | Token::CharacterTokens(_) => token,
            Token::NullCharacterToken | Token::EOFToken => token,
        };
        self.told.set(self.told.get() + 1);
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A tag with the attributes that matter; of a font it matters only which it has.
fn plain(mut tag: Tag) -> Tag {
    let is_formatting = FORMATTING.contains(&&*tag.name);
    let is_font = &*tag.name == "font";
    let is_hidden = tag.attrs.iter().any(hides);
    let target = if &*tag.name == "a" { target(&tag.attrs) } else { None };
    tag.attrs.retain(|attribute| {
        let name = &&*attribute.name.local;
        if is_formatting { is_font && KEPT_OF_FONT.contains(name) } else { KEPT.contains(name) || is_margin(attribute) }
    });
    if is_font {
        tag.attrs.iter_mut().for_each(|attribute| attribute.value = StrTendril::new());
    }
    if let Some(target) = target {
        let name = QualName::new(None, ns!(), LocalName::from("href"));
        tag.attrs.push(Attribute { name, value: StrTendril::from(target) });
    }
    if is_hidden {
        let name = QualName::new(None, ns!(), LocalName::from(HIDDEN));
        tag.attrs.push(Attribute { name, value: StrTendril::new() });
    }
    tag
}

/// Where a link leads that leads to another place on the page, without the name of the place.
fn target(attributes: &[Attribute]) -> Option<&'static str> {
    let value = |wanted: &str| attributes.iter().find(|one| *one.name.local == *wanted).map(|one| one.value.trim());
    let leads_within = value("href").is_some_and(|place| place.starts_with('#'));
    let is_note = value("class").is_some_and(|class| class.contains("footnote"));
    leads_within.then_some(if is_note { NOTE } else { WITHIN })
}

/// Whether an attribute says that its element is the head or foot of a page.
fn is_margin(attribute: &Attribute) -> bool {
    match &*attribute.name.local {
        "id" => &*attribute.value == "footer",
        "title" => matches!(&*attribute.value, "header" | "footer"),
        _ => false,
    }
}

/// Whether an attribute takes its element out of what a reader sees.
fn hides(attribute: &Attribute) -> bool {
    match &*attribute.name.local {
        HIDDEN => !attribute.value.eq_ignore_ascii_case("until-found"),
        "aria-hidden" => attribute.value.trim().eq_ignore_ascii_case("true"),
        "style" => {
            let style: String = attribute.value.chars().filter(|c| !c.is_whitespace()).collect();
            let style = style.to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        }
        _ => false,
    }
}
