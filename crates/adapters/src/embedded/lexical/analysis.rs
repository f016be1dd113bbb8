//! The engine's own terms as Tantivy tokens, so that the index and the gates read words alike.

use tantivy::{
    Index,
    tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer},
};
use vouch_domain::language::terms;

pub(super) const NAME: &str = "vouch_terms";

pub(super) fn register(index: &Index) {
    index.tokenizers().register(NAME, TextAnalyzer::builder(Terms).build());
}

#[derive(Clone)]
struct Terms;

struct TermStream {
    rest: std::vec::IntoIter<String>,
    token: Token,
}

impl Tokenizer for Terms {
    type TokenStream<'a> = TermStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream {
        TermStream { rest: terms(text).into_iter(), token: Token::default() }
    }
}

impl TokenStream for TermStream {
    fn advance(&mut self) -> bool {
        let Some(text) = self.rest.next() else { return false };
        self.token.text = text;
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
