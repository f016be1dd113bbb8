//! Triples → `Statements`: what the file says of each node, found by the node in one step.
//!
//! Invariant: every name is kept once, every statement that is read is kept, and no other.

use std::{collections::HashMap, rc::Rc};

use oxrdf::{Literal, NamedOrBlankNode, Term, Triple};

use super::{
    allowance::Allowance,
    fault::SkosError,
    rdf_words::{Class, Property},
};

/// Longest address that is read, in bytes.
const ADDRESS_BYTES_MAX: usize = 16 << 10;
/// What a blank node's name begins with, and no address does.
const BLANK: &str = "_:";

/// A node of the graph, or a language's tag, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// Its place among all nodes.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is said: another node, or words.
#[derive(Debug)]
pub(super) enum Value {
    /// Another node.
    Node(NodeId),
    /// Words, and their language where one is named.
    Text { text: Box<str>, language: Option<NodeId> },
}

/// One thing that is said of a node.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) property: Property,
    pub(super) value: Value,
}

/// All that a file says, by subject.
#[derive(Debug)]
pub(super) struct Statements {
    ids: HashMap<Rc<str>, NodeId>,
    nodes: Vec<(Rc<str>, Vec<Fact>)>,
    allowance: Allowance,
}

impl Statements {
    /// No statements yet, of a file of this many bytes.
    pub(super) fn with_limit(bytes: usize) -> Self {
        Self { ids: HashMap::new(), nodes: Vec::new(), allowance: Allowance::new(bytes) }
    }

    /// Keeps a triple, if it is one that is read.
    pub(super) fn add(&mut self, triple: Triple) -> Result<(), SkosError> {
        check_addresses(&triple)?;
        let Some(property) = Property::from_iri(triple.predicate.as_str()) else { return Ok(()) };
        let subject = match &triple.subject {
            NamedOrBlankNode::NamedNode(node) => self.id(node.as_str())?,
            NamedOrBlankNode::BlankNode(node) => self.id(&format!("{BLANK}{}", node.as_str()))?,
        };
        let value = match triple.object {
            Term::NamedNode(node) => Value::Node(self.id(node.as_str())?),
            Term::BlankNode(node) => Value::Node(self.id(&format!("{BLANK}{}", node.as_str()))?),
            Term::Literal(literal) => self.text(literal)?,
        };
        self.say(subject, Fact { property, value });
        Ok(())
    }

    /// Says from the other side as well what holds both ways.
    pub(super) fn complete(&mut self) {
        let mut inverses = Vec::new();
        for subject in self.ids() {
            for fact in self.facts(subject) {
                if let (Some(inverse), Value::Node(object)) = (fact.property.inverse(), &fact.value) {
                    inverses.push((*object, Fact { property: inverse, value: Value::Node(subject) }));
                }
            }
        }
        for (object, fact) in inverses {
            self.say(object, fact);
        }
    }

    /// Every node, in the order in which they were first named.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// What is said of a node.
    pub(super) fn facts(&self, id: NodeId) -> &[Fact] {
        self.nodes.get(id.index()).map_or(&[], |(_, facts)| facts)
    }

    /// A node's address or a language's tag.
    pub(super) fn name(&self, id: NodeId) -> &str {
        self.nodes.get(id.index()).map_or("", |(name, _)| name)
    }

    /// A node's address, unless it is a blank one.
    pub(super) fn address(&self, id: NodeId) -> Option<&str> {
        Some(self.name(id)).filter(|name| !name.starts_with(BLANK))
    }

    /// The class this node is, if it is one that matters.
    pub(super) fn class(&self, id: NodeId) -> Option<Class> {
        Class::from_iri(self.name(id))
    }

    fn say(&mut self, subject: NodeId, fact: Fact) {
        if let Some((_, facts)) = self.nodes.get_mut(subject.index()) {
            facts.push(fact);
        }
    }

    fn id(&mut self, name: &str) -> Result<NodeId, SkosError> {
        if let Some(known) = self.ids.get(name) {
            return Ok(*known);
        }
        self.allowance.keep(name.len())?;
        let number = u32::try_from(self.nodes.len()).map_err(|_| SkosError::whole("it has too many distinct names"))?;
        let name: Rc<str> = Rc::from(name);
        self.ids.insert(Rc::clone(&name), NodeId(number));
        self.nodes.push((name, Vec::new()));
        Ok(NodeId(number))
    }

    fn text(&mut self, literal: Literal) -> Result<Value, SkosError> {
        let (text, _, language) = literal.destruct();
        self.allowance.keep(text.len())?;
        let language = language.filter(|tag| !tag.is_empty()).map(|tag| self.id(&tag)).transpose()?;
        Ok(Value::Text { text: text.trim().into(), language })
    }
}

/// An address made long by its prefix would be made again by every statement that uses it.
fn check_addresses(triple: &Triple) -> Result<(), SkosError> {
    let subject = match &triple.subject {
        NamedOrBlankNode::NamedNode(node) => node.as_str(),
        NamedOrBlankNode::BlankNode(_) => "",
    };
    let object = match &triple.object {
        Term::NamedNode(node) => node.as_str(),
        Term::Literal(literal) => literal.datatype().as_str(),
        Term::BlankNode(_) => "",
    };
    let longest = [subject, triple.predicate.as_str(), object].into_iter().max_by_key(|address| address.len());
    match longest {
        Some(address) if address.len() > ADDRESS_BYTES_MAX => {
            let start: String = address.chars().take(60).collect();
            let bytes = address.len();
            let sentence = format!("the address {start}… has {bytes} bytes, the limit is {ADDRESS_BYTES_MAX}");
            Err(SkosError::whole(sentence))
        }
        Some(_) | None => Ok(()),
    }
}
