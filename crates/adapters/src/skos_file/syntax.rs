//! Text in one of the syntaxes of RDF → its statements.
//!
//! Invariant: what could grow or nest without end is refused before it is parsed, and a parser that panics is a
//! fault like any other.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use oxjsonld::{JsonLdParser, JsonLdSyntaxError};
use oxrdf::{NamedOrBlankNode, Term, Triple, vocab::rdf};
use oxrdfxml::RdfXmlParser;
use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser, TurtleSyntaxError};

use super::{fault::SkosError, json_bounds, statements::Statements, xml_bounds};

/// What is told of a file in no known syntax.
pub(super) const UNKNOWN: &str = "not a supported format (.ttl, .trig, .nt, .nq, .rdf, .owl, .xml, .jsonld, .json)";

/// The base given to JSON-LD, which would else pass over relative addresses in silence.
const NO_BASE: &str = "no-base:/";

/// A way of writing RDF down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Turtle,
    TriG,
    NTriples,
    NQuads,
    RdfXml,
    JsonLd,
}

impl Syntax {
    /// The syntax of a file, by its ending.
    pub(super) fn from_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "ttl" => Some(Self::Turtle),
            "trig" => Some(Self::TriG),
            "nt" => Some(Self::NTriples),
            "nq" => Some(Self::NQuads),
            "rdf" | "owl" | "xml" => Some(Self::RdfXml),
            "jsonld" | "json" => Some(Self::JsonLd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Turtle => "Turtle",
            Self::TriG => "TriG",
            Self::NTriples => "N-Triples",
            Self::NQuads => "N-Quads",
            Self::RdfXml => "RDF/XML",
            Self::JsonLd => "JSON-LD",
        }
    }

    /// What a parser says of this syntax, as one of our sentences.
    fn told(self, reason: &str) -> String {
        let reason = reason.trim().trim_end_matches('.');
        let is_acronym = reason.chars().take(2).all(char::is_uppercase);
        let first = reason.chars().next().filter(|_| !is_acronym).map(|sign| sign.to_ascii_lowercase());
        let rest = reason.chars().skip(usize::from(first.is_some()));
        let reason: String = first.into_iter().chain(rest).collect();
        format!("it is not valid {}: {reason}", self.name())
    }
}

/// Adds all that the text says; graphs are not told apart.
pub(super) fn read_into(statements: &mut Statements, syntax: Syntax, text: &str) -> Result<(), SkosError> {
    let read = AssertUnwindSafe(|| match syntax {
        Syntax::Turtle => lines(statements, syntax, TurtleParser::new().for_slice(text)),
        Syntax::TriG => lines(statements, syntax, TriGParser::new().for_slice(text).map(|quad| quad.map(Triple::from))),
        Syntax::NTriples => lines(statements, syntax, NTriplesParser::new().for_slice(text)),
        Syntax::NQuads => {
            lines(statements, syntax, NQuadsParser::new().for_slice(text).map(|quad| quad.map(Triple::from)))
        }
        Syntax::RdfXml => rdf_xml(statements, text),
        Syntax::JsonLd => json_ld(statements, text),
    });
    catch_unwind(read).unwrap_or_else(|_| {
        let name = syntax.name();
        Err(SkosError::whole(format!("cannot parse it as {name}: the parser stopped with an internal error")))
    })
}

fn lines(
    statements: &mut Statements,
    syntax: Syntax,
    triples: impl Iterator<Item = Result<Triple, TurtleSyntaxError>>,
) -> Result<(), SkosError> {
    for triple in triples {
        let triple = triple.map_err(|error| {
            let start = error.location().start;
            SkosError::on(start.line + 1, start.column + 1, syntax.told(error.message()))
        })?;
        statements.add(triple)?;
    }
    Ok(())
}

fn rdf_xml(statements: &mut Statements, text: &str) -> Result<(), SkosError> {
    xml_bounds::check(text)?;
    let mut triples = RdfXmlParser::new().for_slice(text);
    while let Some(triple) = triples.next() {
        let triple = triple.map_err(|error| {
            let offset = usize::try_from(triples.buffer_position()).unwrap_or(usize::MAX);
            SkosError::at(text, offset, Syntax::RdfXml.told(&error.to_string()))
        })?;
        statements.add(triple)?;
    }
    Ok(())
}

fn json_ld(statements: &mut Statements, text: &str) -> Result<(), SkosError> {
    json_bounds::check(text)?;
    let whole = |reason: &str| SkosError::whole(Syntax::JsonLd.told(reason));
    let parser = JsonLdParser::new().with_base_iri(NO_BASE).map_err(|error| whole(&error.to_string()))?;
    for quad in parser.for_slice(text) {
        let triple = Triple::from(quad.map_err(|error: JsonLdSyntaxError| match error.location() {
            Some(place) => {
                let told = Syntax::JsonLd.told(&error.to_string());
                SkosError::on(place.start.line + 1, place.start.column + 1, told)
            }
            None => whole(&error.to_string()),
        })?);
        if let Some(relative) = relative(&triple) {
            return Err(whole(&format!("the address {relative:?} is relative and no @base is given")));
        }
        statements.add(triple)?;
    }
    Ok(())
}

/// An address that was left relative; classes may be, as they are often names without a vocabulary.
fn relative(triple: &Triple) -> Option<&str> {
    let subject = match &triple.subject {
        NamedOrBlankNode::NamedNode(node) => Some(node.as_str()),
        NamedOrBlankNode::BlankNode(_) => None,
    };
    let object = match &triple.object {
        Term::NamedNode(node) if triple.predicate != rdf::TYPE => Some(node.as_str()),
        Term::NamedNode(_) | Term::BlankNode(_) | Term::Literal(_) => None,
    };
    [subject, object].into_iter().flatten().find_map(|address| address.strip_prefix(NO_BASE))
}
