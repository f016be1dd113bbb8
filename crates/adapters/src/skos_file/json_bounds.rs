//! Text of JSON-LD → whether it may be parsed.
//!
//! Invariant: what passes is JSON, nests within bounds, carries its contexts with it, and grows by them no further than
//! the file's allowance. The parser behind recurses with the nesting and with terms built on terms.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, error::Category};

use super::{allowance::Allowance, fault::SkosError};

/// How deep objects and lists may lie in one another.
const DEPTH_MAX: usize = 100;
/// How many terms may be built on one another.
const CHAIN_MAX: usize = 8;
/// What the parser keeps of each string for every object around it, in bytes.
const KEPT_BYTES: usize = 64;
/// Most terms that are carried from context to context, all in all.
const CARRIED_MAX: usize = 50_000_000;

/// Refuses what would not stay within bounds.
pub(super) fn check(text: &str) -> Result<(), SkosError> {
    let mut tally = Tally::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let walked = Walk { tally: &mut tally, depth: 0, objects: 0 }.deserialize(&mut reader).and_then(|()| reader.end());
    walked.map_err(|error| {
        let told = error.to_string();
        let told = told.split(" at line ").next().unwrap_or_default();
        let sentence = match error.classify() {
            Category::Data => told.to_owned(),
            Category::Syntax | Category::Eof | Category::Io => format!("it is not valid JSON-LD: {told}"),
        };
        SkosError::on(error.line() as u64, error.column() as u64, sentence)
    })?;
    if tally.contexts.saturating_mul(tally.terms.len()) > CARRIED_MAX {
        return Err(SkosError::whole("it changes its @context too often"));
    }
    let address_bytes_max = tally.chain_max.saturating_add(1).saturating_mul(tally.term_bytes_max);
    Allowance::new(text.len()).spend(tally.strings.saturating_mul(address_bytes_max) as u64)?;
    Allowance::new(text.len()).spend(tally.buffered.saturating_mul(KEPT_BYTES) as u64)
}

/// What is counted on the way.
#[derive(Debug, Default)]
struct Tally {
    strings: usize,
    buffered: usize,
    contexts: usize,
    terms: HashSet<String>,
    term_bytes_max: usize,
    chain_max: usize,
}

impl Tally {
    fn context(&mut self, context: &Value) -> Result<(), String> {
        match context {
            Value::Object(terms) => self.terms(terms),
            Value::Array(several) => several.iter().try_for_each(|context| self.context(context)),
            Value::String(address) => {
                Err(format!("its @context is at {address}, and nothing is fetched; copy it into the file"))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    fn terms(&mut self, terms: &Map<String, Value>) -> Result<(), String> {
        self.contexts += 1;
        for (term, definition) in terms {
            if term == "@import" {
                return Err("its @context imports another, and nothing is fetched; copy it into the file".to_owned());
            }
            if definition.get("@context").is_some() {
                return Err(format!("the term {term:?} has an @context of its own, which is not supported"));
            }
            if definition.get("@container").is_some_and(|container| container.to_string().contains("@graph")) {
                return Err(format!("the term {term:?} is a container of graphs, which is not supported"));
            }
            let longest = strings_of(definition).map(str::len).chain([term.len()]).max().unwrap_or(0);
            self.term_bytes_max = self.term_bytes_max.max(longest);
            self.terms.insert(term.clone());
        }
        self.chain_max = self.chain_max.max(chain(terms)?);
        Ok(())
    }
}

/// How many terms are built on one another at most.
fn chain(terms: &Map<String, Value>) -> Result<usize, String> {
    let built_on: HashMap<&str, Vec<&str>> = terms
        .iter()
        .map(|(term, definition)| {
            let named = strings_of(definition).chain([term.as_str()]);
            let parts = named.flat_map(|name| [Some(name), name.split_once(':').map(|(prefix, _)| prefix)]);
            let others = parts.flatten().filter(|name| *name != term && terms.contains_key(*name));
            (term.as_str(), others.collect())
        })
        .collect();
    let mut reached: HashSet<&str> = built_on.keys().copied().collect();
    for steps in 0..CHAIN_MAX {
        reached = reached.into_iter().filter_map(|term| built_on.get(term)).flatten().copied().collect();
        if reached.is_empty() {
            return Ok(steps);
        }
    }
    Err("the terms of its @context refer to one another in too long a chain".to_owned())
}

/// The strings of a term's definition, which is one or an object of some.
fn strings_of(definition: &Value) -> impl Iterator<Item = &str> {
    let fields = definition.as_object().into_iter().flat_map(Map::values).filter_map(Value::as_str);
    definition.as_str().into_iter().chain(fields)
}

/// Walks through a value without keeping it.
struct Walk<'a> {
    tally: &'a mut Tally,
    depth: usize,
    objects: usize,
}

impl Walk<'_> {
    fn string(&mut self) {
        self.tally.strings += 1;
        self.value();
    }

    fn value(&mut self) {
        self.tally.buffered = self.tally.buffered.saturating_add(self.objects);
    }

    fn within<E: serde::de::Error>(&mut self, objects: usize) -> Result<Walk<'_>, E> {
        if self.depth >= DEPTH_MAX {
            return Err(E::custom(format!("it is nested more than {DEPTH_MAX} levels deep")));
        }
        Ok(Walk { tally: self.tally, depth: self.depth + 1, objects })
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(mut self) -> Result<(), E> {
        self.value();
        Ok(())
    }

    fn visit_bool<E>(mut self, _: bool) -> Result<(), E> {
        self.value();
        Ok(())
    }

    fn visit_i64<E>(mut self, _: i64) -> Result<(), E> {
        self.value();
        Ok(())
    }

    fn visit_u64<E>(mut self, _: u64) -> Result<(), E> {
        self.value();
        Ok(())
    }

    fn visit_f64<E>(mut self, _: f64) -> Result<(), E> {
        self.value();
        Ok(())
    }

    fn visit_str<E>(mut self, _: &str) -> Result<(), E> {
        self.string();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        self.value();
        let objects = self.objects;
        while list.next_element_seed(self.within(objects)?)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        self.value();
        let objects = self.objects + 1;
        while let Some(key) = object.next_key::<String>()? {
            if key == "@context" {
                let context: Value = object.next_value()?;
                self.tally.context(&context).map_err(A::Error::custom)?;
            } else {
                self.string();
                object.next_value_seed(self.within(objects)?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    fn told(text: &str) -> String {
        check(text).map_or_else(|fault| fault.sentence, |()| "read".to_owned())
    }

    fn terms(count: usize, definition: impl Fn(usize) -> String) -> String {
        let terms: Vec<String> = (0..count).map(|at| format!("\"t{at}\": {}", definition(at))).collect();
        format!("{{\"@context\": {{{}}}}}", terms.join(","))
    }

    #[test]
    fn terms_may_build_on_one_another_but_not_without_end() {
        let chain = |count| terms(count, |at| format!("\"t{}:x\"", at + 1));
        assert_eq!(told(&chain(8)), "read");
        let too_long = "the terms of its @context refer to one another in too long a chain";
        assert_eq!(told(&chain(9)), too_long);
        assert_eq!(told(&chain(10_000)), too_long);
        assert_eq!(told(&terms(2, |at| format!("{{\"@id\": \"t{}\"}}", 1 - at))), too_long);
        assert_eq!(told(&terms(2, |at| format!("\"t{at}:itself\""))), "read");
    }

    #[test]
    fn contexts_are_refused_where_the_parser_cannot_bound_them() {
        let cases = [
            (
                "{\"a\": {\"@id\": \"http://x/\", \"@context\": {}}}",
                "the term \"a\" has an @context of its own, which is not supported",
            ),
            (
                "{\"a\": {\"@container\": [\"@graph\", \"@id\"]}}",
                "the term \"a\" is a container of graphs, which is not supported",
            ),
            ("{\"a\": {\"@container\": [\"@set\", \"@language\"]}}", "read"),
            (
                "[{}, {\"@import\": \"c\"}]",
                "its @context imports another, and nothing is fetched; copy it into the file",
            ),
            ("[null, {}]", "read"),
        ];
        for (context, expected) in cases {
            assert_eq!(told(&format!("[{{\"@context\": {context}}}]")), expected);
        }
    }

    #[test]
    fn contexts_may_change_often_or_be_large_but_not_both() {
        let file = |terms: usize, changes: usize| {
            let terms: String = (0..terms).map(|at| format!("\"t{at}\": \"x:y\",")).collect();
            let changes = "{\"@context\": {}},".repeat(changes);
            format!("{{\"@context\": {{{terms}\"z\": \"x:y\"}}, \"@graph\": [{changes}1]}}")
        };
        assert_eq!(told(&file(10_000, 10)), "read");
        assert_eq!(told(&file(10, 10_000)), "read");
        assert_eq!(told(&file(10_000, 10_000)), "it changes its @context too often");
    }

    #[test]
    fn many_values_may_lie_high_but_not_deep() {
        let file = |depth: usize| {
            let values = "1,".repeat(20_000);
            format!("{}[{values}1]{}", "{\"a\":".repeat(depth), "}".repeat(depth))
        };
        assert_eq!(told(&file(3)), "read");
        assert_eq!(told(&file(90)), "what it repeats and nests would grow beyond the size limit");
    }
}
