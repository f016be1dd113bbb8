//! Statements → concepts: their words first, then the links between them.
//!
//! Invariant: the same statements give the same concepts in whatever order they were read; every list is sorted and
//! says nothing twice.

use std::collections::HashMap;

use vouch_domain::{Concept, ConceptLink, Label, LabelKind};

use super::{
    allowance::Allowance,
    fault::SkosError,
    rdf_words::Property,
    roles::{Role, Roles},
    statements::{Fact, NodeId, Statements, Value},
    titles::Titles,
    wordings::{Part, Wordings},
};

/// Most concepts of one file.
const CONCEPTS_MAX: usize = 1_000_000;
/// The language that links are named in first.
const ENGLISH: &str = "en";

/// The concepts of a file of this many bytes, in the order of their addresses.
pub(super) fn all(mut statements: Statements, bytes: usize) -> Result<Vec<Concept>, SkosError> {
    statements.complete();
    let roles = Roles::new(&statements);
    let found: Vec<NodeId> = statements.ids().filter(|id| roles.role(*id) == Role::Concept).collect();
    check_count(found.len())?;
    let mut described = described(&statements, &found, bytes)?;
    let names = described.iter().filter_map(|(id, concept)| Some((*id, name(concept)?))).collect();
    let mut links = Links { statements: &statements, roles: &roles, names, allowance: Allowance::new(bytes) };
    for (id, concept) in &mut described {
        links.tie(*id, concept)?;
    }
    let mut concepts: Vec<Concept> = described.into_iter().map(|(_, concept)| concept).collect();
    concepts.sort_unstable_by(|a, b| a.uri.cmp(&b.uri));
    Ok(concepts)
}

fn check_count(found: usize) -> Result<(), SkosError> {
    if found > CONCEPTS_MAX {
        return Err(SkosError::whole(format!("it has {found} concepts, the limit is {CONCEPTS_MAX}")));
    }
    Ok(())
}

/// Each concept with all its words and no links yet.
fn described(statements: &Statements, found: &[NodeId], bytes: usize) -> Result<Vec<(NodeId, Concept)>, SkosError> {
    let mut wordings = Wordings::new(statements, bytes);
    let mut titles = Titles::new(statements);
    let mut allowance = Allowance::new(bytes);
    let mut described = Vec::with_capacity(found.len());
    for id in found {
        let mut concept = worded(statements, *id, &mut wordings)?;
        for Fact { property, value } in statements.facts(*id) {
            if let (Property::InScheme | Property::TopConceptOf, Value::Node(scheme)) = (property, value)
                && let Some(title) = titles.of(*scheme)
            {
                allowance.keep(title.len())?;
                concept.schemes.push(title.to_string());
            }
        }
        put_in_order(&mut concept.schemes);
        described.push((*id, concept));
    }
    Ok(described)
}

fn worded(statements: &Statements, id: NodeId, wordings: &mut Wordings<'_>) -> Result<Concept, SkosError> {
    let uri = statements.name(id);
    let mut concept = Concept { uri: uri.to_owned(), ..Concept::default() };
    for Fact { property, value } in statements.facts(id) {
        if let Property::Label(kind) = *property {
            let said = wordings.of(uri, Part::Label, value)?;
            concept.labels.extend(said.into_iter().map(|wording| Label { kind, wording }));
        } else if *property == Property::Definition {
            concept.definitions.extend(wordings.of(uri, Part::Definition, value)?);
        } else if *property == Property::ScopeNote {
            concept.scope_notes.extend(wordings.of(uri, Part::ScopeNote, value)?);
        } else if *property == Property::Notation {
            let said = wordings.of(uri, Part::Notation, value)?;
            concept.notations.extend(said.into_iter().map(|wording| wording.text));
        }
    }
    put_in_order(&mut concept.labels);
    put_in_order(&mut concept.definitions);
    put_in_order(&mut concept.scope_notes);
    put_in_order(&mut concept.notations);
    Ok(concept)
}

/// The name it is linked under, if it has one.
fn name(concept: &Concept) -> Option<String> {
    let is_named = concept.labels.iter().any(|label| label.kind == LabelKind::Preferred);
    is_named.then(|| concept.name(ENGLISH).to_owned())
}

fn put_in_order<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

/// What links need to be written.
struct Links<'a> {
    statements: &'a Statements,
    roles: &'a Roles,
    names: HashMap<NodeId, String>,
    allowance: Allowance,
}

impl Links<'_> {
    /// Ties a concept to those it is said to be beside, above and below.
    fn tie(&mut self, id: NodeId, concept: &mut Concept) -> Result<(), SkosError> {
        concept.broader = self.list(id, Property::Broader)?;
        concept.narrower = self.list(id, Property::Narrower)?;
        concept.related = self.list(id, Property::Related)?;
        Ok(())
    }

    fn list(&mut self, id: NodeId, wanted: Property) -> Result<Vec<ConceptLink>, SkosError> {
        let mut list = Vec::new();
        for Fact { property, value } in self.statements.facts(id) {
            if let (true, Value::Node(other)) = (*property == wanted, value)
                && *other != id
                && let Some(link) = self.link(*other)
            {
                let bytes = link.uri.len() + link.label.as_ref().map_or(0, String::len);
                self.allowance.keep(bytes)?;
                list.push(link);
            }
        }
        put_in_order(&mut list);
        Ok(list)
    }

    /// A link to a concept of this file or of another; none to what is known to be no concept.
    fn link(&self, id: NodeId) -> Option<ConceptLink> {
        match self.roles.role(id) {
            Role::Concept | Role::Unknown => {
                let uri = self.statements.address(id)?.to_owned();
                Some(ConceptLink { uri, label: self.names.get(&id).cloned() })
            }
            Role::LeftOut => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_count;

    #[test]
    fn a_file_holds_a_million_concepts_and_no_more() {
        assert!(check_count(1_000_000).is_ok());
        let told = check_count(1_000_001).map_err(|fault| fault.sentence);
        assert_eq!(told, Err("it has 1000001 concepts, the limit is 1000000".to_owned()));
    }
}
