//! Between HTML's tokenizer and its tree builder: attributes are dropped, and what the tokenizer has told is counted.
//!
//! Attributes change nothing a reader sees, but the tree builder reopens formatting elements in every paragraph and
//! tells them apart by their attributes: `<b id=1><b id=2>…` over many paragraphs would make a tree of their product.
//! Without attributes it keeps three of each kind at most.

use std::cell::Cell;

use html5ever::{
    tendril::StrTendril,
    tokenizer::{Tag, Token, TokenSink, TokenSinkResult},
    tree_builder::TreeBuilder,
};

use super::page::Page;

/// The attributes the tree builder or the page looks at.
const KEPT: &[&str] = &["type", "encoding", "color", "face", "size", "property", "name", "content"];

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
    let is_font = &*tag.name == "font";
    let kept = tag.attrs.into_iter().filter(|attribute| KEPT.contains(&&*attribute.name.local));
    tag.attrs = kept
        .map(|mut attribute| {
            if is_font {
                attribute.value = StrTendril::new();
            }
            attribute
        })
        .collect();
    tag
}
