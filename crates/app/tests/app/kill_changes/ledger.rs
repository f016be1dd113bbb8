//! What was acknowledged, and what may have happened besides: the changes that were under way at a kill.

use std::collections::{BTreeMap, BTreeSet};

/// A thing that is there in an edition, or not there.
#[derive(Debug, Clone, Default)]
pub struct Thing {
    sure: Option<u32>,
    maybe: Vec<Option<u32>>,
}

impl Thing {
    /// A change is on its way.
    pub fn begin(&mut self, edition: Option<u32>) {
        self.maybe.push(edition);
    }

    /// The change was acknowledged.
    pub fn acknowledge(&mut self, edition: Option<u32>) {
        self.sure = edition;
        self.maybe.clear();
    }

    /// Takes what was found for the truth; whether it can be.
    pub fn settle(&mut self, found: Option<u32>) -> bool {
        let is_fit = found == self.sure || self.maybe.contains(&found);
        self.acknowledge(found);
        is_fit
    }

    pub fn sure(&self) -> Option<u32> {
        self.sure
    }

    /// Every edition that is known to be there or may be.
    pub fn editions(&self) -> std::collections::BTreeSet<u32> {
        self.maybe.iter().chain([&self.sure]).flatten().copied().collect()
    }

    pub fn is_open(&self) -> bool {
        !self.maybe.is_empty()
    }
}

/// A key whose secret was told.
#[derive(Debug, Clone)]
pub struct Key {
    pub id: String,
    pub secret: String,
    /// Edition 0 while it is valid, gone once it is revoked.
    pub valid: Thing,
}

/// Everything that was changed since the folder was made.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// By id; each client and the folder of files have ids of their own.
    pub documents: BTreeMap<String, Thing>,
    pub memory: BTreeMap<String, Thing>,
    /// The vocabulary's file as a whole.
    pub terms: Thing,
    pub keys: Vec<Key>,
    /// Requests whose replies came back, not looked up yet.
    pub told: BTreeSet<String>,
    /// Those of them that feedback was acknowledged for.
    pub liked: BTreeSet<String>,
    edition: u32,
}

impl Ledger {
    /// An edition nothing has had before.
    pub fn next(&mut self) -> u32 {
        self.edition += 1;
        self.edition
    }

    pub fn document(&mut self, id: &str) -> &mut Thing {
        self.documents.entry(id.to_owned()).or_default()
    }

    pub fn entry(&mut self, id: &str) -> &mut Thing {
        self.memory.entry(id.to_owned()).or_default()
    }

    pub fn living(&self, prefix: &str) -> Vec<String> {
        let own = self.documents.iter().filter(|(id, thing)| id.starts_with(prefix) && thing.sure().is_some());
        own.map(|(id, _)| id.clone()).collect()
    }
}

/// A word that stands in one edition only, and that no stemmer shortens.
pub fn word(edition: u32) -> String {
    let letters = ["b", "c", "d", "f", "g", "h", "j", "k", "l", "m"];
    let digits = format!("{edition:06}");
    let spelt: String = digits.chars().filter_map(|digit| letters.get(digit.to_digit(10)? as usize)).copied().collect();
    format!("zx{spelt}q")
}

/// A document's text: it says which edition it is at its beginning and at its end.
pub fn text(edition: u32) -> String {
    let middle =
        "The lantern hangs beside the gate of the orchard and is lit at dusk. ".repeat(1 + edition as usize % 9);
    let word = word(edition);
    format!(
        "Edition {edition} begins with lantern {word}.\n\n{middle}\n\nEdition {edition} ends with lantern {word}.\n"
    )
}

/// Which edition a text is, if it is whole.
pub fn edition_of(found: &str) -> Option<u32> {
    let number =
        |before: &str, after: &str| found.split(before).last()?.split(after).next()?.trim().parse::<u32>().ok();
    let (first, last) =
        (number("Edition ", " ends"), found.trim_start_matches("Edition ").split(' ').next()?.parse().ok());
    (first.is_some() && first == last && found.trim_end().ends_with(&format!("{}.", word(first?)))).then_some(first?)
}
