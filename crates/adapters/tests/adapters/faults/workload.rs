//! A seed → the changes a worker makes, and what the store holds after each of them.
//!
//! Invariant: every step is one change of one part of the store, so that after a crash the store holds what it held
//! before the step that was under way, or what it was to hold after it.

use std::collections::BTreeMap;

use super::draw::Draw;

/// How many documents there are at most, so that most changes meet one that is there.
const DOCUMENTS: u32 = 14;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Adds or replaces documents, each in an edition, in one batch.
    Keep(Vec<(u32, u32)>),
    Remove(u32),
    /// Brings both indexes up to the catalogue.
    Refresh,
    Remember(u32, u32),
    Forget(u32),
    /// Puts an edition of a vocabulary in the place of the one before.
    Terms(u32, u32),
    Person(u32, u32),
    PersonGone(u32),
    KeyMade(u32),
    KeyRevoked(u32),
    Written(u32),
    Rewritten(u32),
    Commented(u32),
    /// Closes the store and opens it again.
    Reopen,
}

/// What is known of an entry of the trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    pub is_rewritten: bool,
    pub is_commented: bool,
}

/// What a store holds: numbers of things, each with its edition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    pub documents: BTreeMap<u32, u32>,
    pub memory: BTreeMap<u32, u32>,
    pub terms: BTreeMap<u32, u32>,
    pub people: BTreeMap<u32, u32>,
    /// Whether each key is revoked.
    pub keys: BTreeMap<u32, bool>,
    pub trail: BTreeMap<u32, Entry>,
}

impl Content {
    fn apply(&mut self, step: &Step) {
        match step {
            Step::Keep(documents) => self.documents.extend(documents.iter().copied()),
            Step::Remove(id) => drop(self.documents.remove(id)),
            Step::Refresh | Step::Reopen => {}
            Step::Remember(id, edition) => drop(self.memory.insert(*id, *edition)),
            Step::Forget(id) => drop(self.memory.remove(id)),
            Step::Terms(source, edition) => drop(self.terms.insert(*source, *edition)),
            Step::Person(id, edition) => drop(self.people.insert(*id, *edition)),
            Step::PersonGone(id) => drop(self.people.remove(id)),
            Step::KeyMade(name) => drop(self.keys.insert(*name, false)),
            Step::KeyRevoked(name) => drop(self.keys.insert(*name, true)),
            Step::Written(id) => drop(self.trail.insert(*id, Entry::default())),
            Step::Rewritten(id) => self.trail.entry(*id).or_default().is_rewritten = true,
            Step::Commented(id) => self.trail.entry(*id).or_default().is_commented = true,
        }
    }
}

/// The editions that any step gives each thing, the newest first.
#[derive(Debug, Clone, Default)]
pub struct Editions {
    pub documents: BTreeMap<u32, Vec<u32>>,
    pub memory: BTreeMap<u32, Vec<u32>>,
    pub terms: BTreeMap<u32, Vec<u32>>,
    pub people: BTreeMap<u32, Vec<u32>>,
}

/// The steps of one seed, and the content before each and after the last.
pub struct Workload {
    pub seed: u64,
    pub steps: Vec<Step>,
    pub contents: Vec<Content>,
}

impl Workload {
    pub fn of(seed: u64, length: u32) -> Self {
        let mut draw = Draw::of(seed, 1);
        let mut workload = Self { seed, steps: Vec::new(), contents: vec![Content::default()] };
        for number in 0..length {
            let content = workload.contents.last().cloned().unwrap_or_default();
            let step = step(&mut draw, &content, number);
            let is_change = matches!(step, Step::Keep(_) | Step::Remove(_));
            workload.push(step);
            // Most changes are searchable at once, as in a server; some wait for the next.
            if is_change && draw.below(4) > 0 {
                workload.push(Step::Refresh);
            }
        }
        workload.push(Step::Refresh);
        workload
    }

    fn push(&mut self, step: Step) {
        let mut content = self.contents.last().cloned().unwrap_or_default();
        content.apply(&step);
        self.contents.push(content);
        self.steps.push(step);
    }

    pub fn editions(&self) -> Editions {
        let mut found = Editions::default();
        for step in self.steps.iter().rev() {
            let (part, things) = match step {
                Step::Keep(documents) => (&mut found.documents, documents.clone()),
                Step::Remember(id, edition) => (&mut found.memory, vec![(*id, *edition)]),
                Step::Terms(id, edition) => (&mut found.terms, vec![(*id, *edition)]),
                Step::Person(id, edition) => (&mut found.people, vec![(*id, *edition)]),
                Step::Remove(_)
                | Step::Refresh
                | Step::Forget(_)
                | Step::PersonGone(_)
                | Step::KeyMade(_)
                | Step::KeyRevoked(_)
                | Step::Written(_)
                | Step::Rewritten(_)
                | Step::Commented(_)
                | Step::Reopen => continue,
            };
            things.into_iter().for_each(|(id, edition)| part.entry(id).or_default().push(edition));
        }
        found
    }
}

/// The next change; `number` is an edition nothing has had before.
fn step(draw: &mut Draw, content: &Content, number: u32) -> Step {
    let one = |draw: &mut Draw, limit: usize| u32::try_from(draw.below(limit)).unwrap_or_default();
    let of = |draw: &mut Draw, ids: Vec<u32>| draw.pick(&ids);
    let kept = |draw: &mut Draw| {
        let count = 1 + draw.below(3);
        let documents: BTreeMap<u32, u32> = (0..count).map(|_| (one(draw, DOCUMENTS as usize), number)).collect();
        Step::Keep(documents.into_iter().collect())
    };
    let open = content.trail.iter().filter(|(_, entry)| !entry.is_rewritten).map(|(id, _)| *id).collect();
    let silent = content.trail.iter().filter(|(_, entry)| !entry.is_commented).map(|(id, _)| *id).collect();
    let valid = content.keys.iter().filter(|(_, is_revoked)| !**is_revoked).map(|(name, _)| *name).collect();
    let chosen = match draw.below(20) {
        0..8 => None,
        8 | 9 => of(draw, content.documents.keys().copied().collect()).map(Step::Remove),
        10 => Some(Step::Remember(one(draw, 4), number)),
        11 => of(draw, content.memory.keys().copied().collect()).map(Step::Forget),
        12 => Some(Step::Terms(one(draw, 2), number)),
        13 => Some(Step::Person(one(draw, 3), number)),
        14 => of(draw, content.people.keys().copied().collect()).map(Step::PersonGone),
        15 => Some(Step::KeyMade(number)),
        16 => of(draw, valid).map(Step::KeyRevoked),
        17 => Some(Step::Written(number)),
        18 => match draw.below(2) {
            0 => of(draw, open).map(Step::Rewritten),
            _ => of(draw, silent).map(Step::Commented),
        },
        _ => Some(Step::Reopen),
    };
    chosen.unwrap_or_else(|| kept(draw))
}
