//! Statements → `Roles`: which nodes are concepts, and which are known to be something else.
//!
//! Invariant: a collection, a withdrawn concept and a blank node are never concepts, whatever else is said of them.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use vouch_domain::LabelKind;

use super::{
    rdf_words::{Class, Property},
    statements::{Fact, NodeId, Statements, Value},
};

/// What a node is to the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A concept that is read.
    Concept,
    /// A collection, a scheme, or a concept that was withdrawn.
    LeftOut,
    /// Nothing the file describes, such as a concept of another vocabulary.
    Unknown,
}

/// The role of every node.
#[derive(Debug)]
pub(super) struct Roles(Vec<Role>);

impl Roles {
    /// Gives each node its role; the statements must be complete.
    pub(super) fn new(statements: &Statements) -> Self {
        let (classes, schemes) = (classes(statements), schemes(statements));
        let role = |id| {
            let mut seen = look(statements, &classes, id);
            seen.is_scheme |= schemes.contains(&id);
            if statements.address(id).is_some() { seen.role() } else { Role::Unknown }
        };
        Self(statements.ids().map(role).collect())
    }

    /// The role of this node.
    pub(super) fn role(&self, id: NodeId) -> Role {
        self.0.get(id.index()).copied().unwrap_or(Role::Unknown)
    }
}

/// What the facts of one node come to.
#[derive(Debug, Default)]
struct Seen {
    is_said_concept: bool,
    is_kind_of_concept: bool,
    is_scheme: bool,
    is_collection: bool,
    is_withdrawn: bool,
    is_named: bool,
    is_placed: bool,
    has_members: bool,
}

impl Seen {
    fn role(&self) -> Role {
        if self.is_withdrawn || self.is_collection {
            return Role::LeftOut;
        }
        if self.is_said_concept {
            return Role::Concept;
        }
        if self.is_scheme || self.has_members {
            return Role::LeftOut;
        }
        let acts_as_concept = self.is_named && (self.is_kind_of_concept || self.is_placed);
        if acts_as_concept { Role::Concept } else { Role::Unknown }
    }
}

fn look(statements: &Statements, classes: &HashMap<NodeId, Class>, id: NodeId) -> Seen {
    let mut seen = Seen::default();
    for Fact { property, value } in statements.facts(id) {
        match (property, value) {
            (Property::Type, Value::Node(class)) => match classes.get(class) {
                Some(Class::Concept) if statements.class(*class).is_some() => seen.is_said_concept = true,
                Some(Class::Concept) => seen.is_kind_of_concept = true,
                Some(Class::Scheme) => seen.is_scheme = true,
                Some(Class::Collection) => seen.is_collection = true,
                None => {}
            },
            (Property::Deprecated, Value::Text { text, .. }) => {
                seen.is_withdrawn |= matches!(text.as_ref(), "true" | "1");
            }
            (Property::Label(LabelKind::Preferred), _) => seen.is_named = true,
            (Property::Member, _) => seen.has_members = true,
            (Property::InScheme | Property::TopConceptOf, Value::Node(_)) => seen.is_placed = true,
            (Property::Broader | Property::Narrower | Property::Related, Value::Node(_)) => seen.is_placed = true,
            _ => {}
        }
    }
    seen
}

/// The classes that matter and all that the file derives from them.
fn classes(statements: &Statements) -> HashMap<NodeId, Class> {
    let mut below: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    let mut open: Vec<(NodeId, Class)> = Vec::new();
    for id in statements.ids() {
        open.extend(statements.class(id).map(|class| (id, class)));
        for Fact { property, value } in statements.facts(id) {
            if let (Property::SubClassOf, Value::Node(above)) = (property, value) {
                below.entry(*above).or_default().push(id);
            }
        }
    }
    let mut classes: HashMap<NodeId, Class> = open.iter().copied().collect();
    while let Some((above, class)) = open.pop() {
        for id in below.remove(&above).unwrap_or_default() {
            if let Entry::Vacant(free) = classes.entry(id) {
                free.insert(class);
                open.push((id, class));
            }
        }
    }
    classes
}

/// What concepts are said to be in, whether or not it is said to be a scheme.
fn schemes(statements: &Statements) -> HashSet<NodeId> {
    let mut schemes = HashSet::new();
    for id in statements.ids() {
        for Fact { property, value } in statements.facts(id) {
            match (property, value) {
                (Property::InScheme, Value::Node(scheme)) => schemes.insert(*scheme),
                (Property::HasTopConcept, Value::Node(_)) => schemes.insert(id),
                _ => false,
            };
        }
    }
    schemes
}
