//! Schemes → the titles they go by.

use std::{collections::HashMap, rc::Rc};

use vouch_domain::LabelKind;

use super::{
    rdf_words::Property,
    statements::{Fact, NodeId, Statements, Value},
};

/// The titles of schemes, each found once.
#[derive(Debug)]
pub(super) struct Titles<'a> {
    statements: &'a Statements,
    known: HashMap<NodeId, Option<Rc<str>>>,
}

impl<'a> Titles<'a> {
    /// No title looked for yet.
    pub(super) fn new(statements: &'a Statements) -> Self {
        Self { statements, known: HashMap::new() }
    }

    /// What a scheme is called, its address where it has no title; nothing for a blank node without one.
    pub(super) fn of(&mut self, scheme: NodeId) -> Option<Rc<str>> {
        let statements = self.statements;
        let find = || title(statements, scheme).or_else(|| statements.address(scheme)).map(Rc::from);
        self.known.entry(scheme).or_insert_with(find).clone()
    }
}

/// English before no language before any other; then the property that names schemes best.
fn title(statements: &Statements, scheme: NodeId) -> Option<&str> {
    let said = statements.facts(scheme).iter().filter_map(|Fact { property, value }| match (place(*property), value) {
        (Some(place), Value::Text { text, language }) if !text.is_empty() => {
            Some((rank(language.map(|tag| statements.name(tag))), place, text.as_ref()))
        }
        (Some(_) | None, _) => None,
    });
    said.min().map(|(_, _, text)| text)
}

fn place(property: Property) -> Option<usize> {
    const IN_ORDER: [Property; 4] =
        [Property::TermsTitle, Property::ElementsTitle, Property::RdfsLabel, Property::Label(LabelKind::Preferred)];
    IN_ORDER.iter().position(|known| *known == property)
}

fn rank(language: Option<&str>) -> u8 {
    match language {
        Some("en") => 0,
        Some(tag) if tag.starts_with("en-") => 1,
        None => 2,
        Some(_) => 3,
    }
}
