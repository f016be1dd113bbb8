//! A concept's own page → the `Concept`, from the nodes of a compacted JSON-LD graph.
//!
//! The page holds the concept and its neighbours. A value is bare where there is one and a list where there are
//! several; a text is an object with its language, a plain string without one, or another node that carries it. Names
//! the server's context does not shorten keep their prefix.

use serde::Deserialize;
use serde_json::{Map, Value};
use vouch_domain::concept::{Concept, ConceptLink, Label, LabelKind, Wording};

use super::{in_order::in_order, one_or_many::OneOrMany};

const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const RDF_VALUE: [&str; 2] = ["rdf:value", "http://www.w3.org/1999/02/22-rdf-syntax-ns#value"];

/// The nodes of a page.
#[derive(Deserialize)]
#[serde(from = "Page")]
pub(super) struct Graph {
    nodes: Vec<Node>,
}

type Node = Map<String, Value>;

#[derive(Deserialize)]
#[serde(untagged)]
enum Page {
    Several {
        graph: OneOrMany<Node>,
    },
    /// A graph of one node is written without a graph around it.
    Single(Lone),
}

#[derive(Deserialize)]
struct Lone {
    uri: String,
    #[serde(flatten)]
    rest: Node,
}

impl From<Page> for Graph {
    fn from(page: Page) -> Self {
        let nodes = match page {
            Page::Several { graph } => graph.into_vec(),
            Page::Single(Lone { uri, mut rest }) => {
                rest.insert("uri".to_owned(), Value::String(uri));
                vec![rest]
            }
        };
        Self { nodes }
    }
}

impl Graph {
    /// What the page says of this concept, its neighbours named in this language where they can be.
    pub(super) fn concept(&self, uri: &str, language: &str) -> Option<Concept> {
        let node = self.node(uri)?;
        let schemes = self.links(node, "inScheme", language).into_iter().filter_map(|scheme| scheme.label);
        Some(in_order(Concept {
            uri: uri.to_owned(),
            schemes: schemes.collect(),
            labels: labels(node),
            definitions: self.wordings(node, "definition"),
            scope_notes: self.wordings(node, "scopeNote"),
            notations: skos(node, "notation").into_iter().filter_map(literal).map(|code| code.text).collect(),
            broader: self.links(node, "broader", language),
            narrower: self.links(node, "narrower", language),
            related: self.links(node, "related", language),
        }))
    }

    fn node(&self, uri: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.get("uri").and_then(Value::as_str) == Some(uri))
    }

    /// Texts, be they given here or by a node that carries them.
    fn wordings(&self, node: &Node, name: &str) -> Vec<Wording> {
        let mut found = Vec::new();
        for value in skos(node, name) {
            let carried = reference(value).and_then(|uri| self.node(uri)).map(|node| values(node, &RDF_VALUE));
            match carried {
                Some(carried) => found.extend(carried.into_iter().filter_map(literal)),
                None => found.extend(literal(value)),
            }
        }
        found
    }

    fn links(&self, node: &Node, name: &str, language: &str) -> Vec<ConceptLink> {
        let link = |uri: &str| ConceptLink { uri: uri.to_owned(), label: self.name(uri, language) };
        skos(node, name).into_iter().filter_map(reference).map(link).collect()
    }

    fn name(&self, uri: &str, language: &str) -> Option<String> {
        let labels = labels(self.node(uri)?);
        let neighbour = Concept { uri: uri.to_owned(), labels, ..Concept::default() };
        let name = in_order(neighbour).name(language).to_owned();
        (name != uri).then_some(name)
    }
}

fn labels(node: &Node) -> Vec<Label> {
    let kinds =
        [("prefLabel", LabelKind::Preferred), ("altLabel", LabelKind::Alternative), ("hiddenLabel", LabelKind::Hidden)];
    let of_kind = |(name, kind)| {
        let wordings = skos(node, name).into_iter().filter_map(literal);
        wordings.map(move |wording| Label { kind, wording })
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

/// All values of a property of SKOS.
fn skos<'a>(node: &'a Node, name: &str) -> Vec<&'a Value> {
    values(node, &[name, &format!("skos:{name}"), &format!("{SKOS}{name}")])
}

/// All values of a property, whichever way its name is written.
fn values<'a>(node: &'a Node, spellings: &[&str]) -> Vec<&'a Value> {
    let found = spellings.iter().filter_map(|spelling| node.get(*spelling));
    found.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)).collect()
}

fn reference(value: &Value) -> Option<&str> {
    value.get("uri").and_then(Value::as_str)
}

/// A text or a number with its language, if it is one.
fn literal(value: &Value) -> Option<Wording> {
    let said = value.get("value").unwrap_or(value);
    let text = match said.as_str() {
        Some(text) => text.to_owned(),
        None if said.is_number() => said.to_string(),
        None => return None,
    };
    let language = value.get("lang").and_then(Value::as_str).filter(|language| !language.is_empty());
    (!text.trim().is_empty()).then(|| Wording { text, language: language.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn told(definition: &str) -> Vec<(String, Option<String>)> {
        let nodes = format!(
            r#"{{"graph": [{{"uri": "c", {definition}}}, {{"uri": "_:b", "rdf:value": ["x", {{"lang": "en", "value": "y"}}]}}]}}"#
        );
        let graph: Graph = serde_json::from_str(&nodes).unwrap();
        let concept = graph.concept("c", "en").unwrap();
        concept.definitions.into_iter().map(|wording| (wording.text, wording.language)).collect()
    }

    #[test]
    fn a_definition_is_read_in_every_form_it_is_written_in() {
        let say = |text: &str, language: Option<&str>| (text.to_owned(), language.map(str::to_owned));
        let cases = [
            (r#""skos:definition": "a""#, vec![say("a", None)]),
            (r#""skos:definition": {"lang": "fi", "value": "a"}"#, vec![say("a", Some("fi"))]),
            (r#""skos:definition": {"type": "xsd:string", "value": "a"}"#, vec![say("a", None)]),
            (r#""definition": ["b", {"lang": "en", "value": "a"}]"#, vec![say("a", Some("en")), say("b", None)]),
            (
                r#""http://www.w3.org/2004/02/skos/core#definition": {"uri": "_:b"}"#,
                vec![say("x", None), say("y", Some("en"))],
            ),
            (r#""skos:definition": {"uri": "_:elsewhere"}"#, vec![]),
            (r#""skos:definition": [" ", null, true, {}]"#, vec![]),
            (r#""note": "a""#, vec![]),
        ];
        for (written, expected) in cases {
            assert_eq!(told(written), expected, "{written}");
        }
    }

    #[test]
    fn a_concept_without_neighbours_stands_alone_on_its_page() {
        let graph: Graph = serde_json::from_str(r#"{"@context": {}, "uri": "c", "skos:notation": 42}"#).unwrap();
        assert_eq!(graph.concept("c", "en").unwrap().notations, ["42"]);
        assert!(graph.concept("d", "en").is_none());
    }

    #[test]
    fn a_page_of_another_shape_is_refused() {
        for page in [r#"{"results": []}"#, "[]", r#"{"graph": "x"}"#, r#"{"graph": ["x"]}"#] {
            assert!(serde_json::from_str::<Graph>(page).is_err(), "{page}");
        }
    }
}
