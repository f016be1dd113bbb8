//! A value → its words, said outright or by the node it leads to.
//!
//! Invariant: no text is longer than is read, and none is empty.

use vouch_domain::Wording;

use super::{
    allowance::Allowance,
    fault::SkosError,
    rdf_words::Property,
    statements::{Fact, NodeId, Statements, Value},
};

/// Longest label, definition, note or code, in characters.
const TEXT_CHARS_MAX: usize = 20_000;

/// What words are to their concept.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Label,
    Definition,
    ScopeNote,
    Notation,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Definition => "definition",
            Self::ScopeNote => "scope note",
            Self::Notation => "notation",
        }
    }

    /// Where a node keeps words of this sort; the first place that holds any counts.
    fn kept_under(self) -> &'static [Property] {
        match self {
            Self::Label => &[Property::LiteralForm],
            Self::Definition | Self::ScopeNote => &[Property::RdfValue, Property::RdfsLabel],
            Self::Notation => &[],
        }
    }
}

/// Reads words off the statements and keeps count of them: many concepts may lead to one node.
#[derive(Debug)]
pub(super) struct Wordings<'a> {
    statements: &'a Statements,
    allowance: Allowance,
}

impl<'a> Wordings<'a> {
    /// Over the statements of a file of this many bytes.
    pub(super) fn new(statements: &'a Statements, bytes: usize) -> Self {
        Self { statements, allowance: Allowance::new(bytes) }
    }

    /// The words of a value, as a part of this concept.
    pub(super) fn of(&mut self, concept: &str, part: Part, value: &Value) -> Result<Vec<Wording>, SkosError> {
        match value {
            Value::Text { text, language } => Ok(self.wording(concept, part, (text, *language))?.into_iter().collect()),
            Value::Node(node) => self.of_node(concept, part, *node),
        }
    }

    fn of_node(&mut self, concept: &str, part: Part, node: NodeId) -> Result<Vec<Wording>, SkosError> {
        let facts = self.statements.facts(node);
        for place in part.kept_under() {
            self.allowance.spend(facts.len() as u64)?;
            let mut found = Vec::new();
            for Fact { property, value } in facts {
                if let (true, Value::Text { text, language }) = (property == place, value) {
                    found.extend(self.wording(concept, part, (text, *language))?);
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn wording(
        &mut self,
        concept: &str,
        part: Part,
        (text, language): (&str, Option<NodeId>),
    ) -> Result<Option<Wording>, SkosError> {
        if text.is_empty() {
            return Ok(None);
        }
        let chars = text.chars().count();
        if chars > TEXT_CHARS_MAX {
            let part = part.name();
            let sentence = format!("a {part} of {concept} has {chars} characters, the limit is {TEXT_CHARS_MAX}");
            return Err(SkosError::whole(sentence));
        }
        self.allowance.keep(text.len())?;
        let language = language.map(|tag| self.statements.name(tag).to_owned());
        Ok(Some(Wording { text: text.to_owned(), language }))
    }
}
