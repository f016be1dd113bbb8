//! Findings beside what was planted → figures.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;
use vouch_domain::{Finding, FindingSide};

use super::Planted;
use vouch_app::render;

/// What a set came to.
#[derive(Debug, Default, Serialize)]
pub(super) struct Figures {
    set: String,
    documents: u64,
    found: BTreeMap<String, Count>,
    near_misses: Count,
    /// Findings of planted contradictions with documents that they were not written against.
    beside: Vec<Pair>,
    missed: Vec<Missed>,
    flagged: Vec<Pair>,
    alarms: Vec<Pair>,
    alarms_per_thousand: f64,
    ms_per_document: f64,
    share_of_ingest: f64,
}

#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Count {
    counted: usize,
    of: usize,
}

/// Two sentences that were taken for a contradiction.
#[derive(Debug, Clone, Serialize)]
struct Pair {
    documents: [String; 2],
    sentences: [String; 2],
    likeness: u8,
}

#[derive(Debug, Serialize)]
struct Missed {
    planted: String,
    kind: String,
    sentence: String,
    original: String,
}

/// How long it took to take documents in, and to compare them.
pub(super) struct Times {
    pub(super) compared: u64,
    pub(super) comparing: Duration,
    pub(super) taking_in: Duration,
}

impl Count {
    fn add(&mut self, is_counted: bool) {
        self.of += 1;
        self.counted += usize::from(is_counted);
    }
}

fn pair(finding: &Finding) -> Pair {
    let [left, right] = &finding.sides;
    let id = |side: &FindingSide| side.document.id.as_str().to_owned();
    let sentence = |side: &FindingSide| side.sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    Pair { documents: [id(left), id(right)], sentences: [sentence(left), sentence(right)], likeness: finding.likeness }
}

impl Figures {
    #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
    pub(super) fn new(set: &str, documents: u64, (planted, found): (&[Planted], &[Finding]), times: &Times) -> Self {
        let mut figures = Self { set: set.to_owned(), documents, ..Self::default() };
        let is_planted = |side: &FindingSide| planted.iter().any(|one| one.id() == side.document.id.as_str());
        for one in planted {
            figures.count(one, found, is_planted);
        }
        let alarms = found.iter().filter(|finding| !finding.sides.iter().any(is_planted));
        figures.alarms = alarms.map(pair).collect();
        figures.alarms_per_thousand = figures.alarms.len() as f64 * 1_000.0 / documents.max(1) as f64;
        figures.ms_per_document = times.comparing.as_secs_f64() * 1_000.0 / times.compared.max(1) as f64;
        figures.share_of_ingest = times.comparing.as_secs_f64() / times.taking_in.as_secs_f64().max(f64::MIN_POSITIVE);
        figures
    }

    fn count(&mut self, one: &Planted, found: &[Finding], is_planted: impl Fn(&FindingSide) -> bool) {
        let id = one.id();
        // Each finding as the planted document's side and the corpus's.
        let own = found.iter().filter_map(|finding| {
            let [left, right] = &finding.sides;
            let sides = match (left.document.id.as_str() == id, right.document.id.as_str() == id) {
                (true, false) => (left, right),
                (false, true) => (right, left),
                (true, true) | (false, false) => return None,
            };
            (!is_planted(sides.1)).then_some((finding, sides))
        });
        let own: Vec<_> = own.collect();
        if !one.contradiction {
            self.near_misses.add(!own.is_empty());
            self.flagged.extend(own.iter().map(|(finding, _)| pair(finding)));
            return;
        }
        let is_meant = |(_, (mine, theirs)): &&(&Finding, (&FindingSide, &FindingSide))| {
            one.says(&mine.sentence) && theirs.document.id.as_str() == one.document
        };
        let is_found = own.iter().any(|one| is_meant(&one));
        self.found.entry(one.kind.clone()).or_default().add(is_found);
        self.beside.extend(own.iter().filter(|one| !is_meant(one)).map(|(finding, _)| pair(finding)));
        if !is_found {
            let (kind, sentence, original) = (one.kind.clone(), one.sentence.clone(), one.original.clone());
            self.missed.push(Missed { planted: id, kind, sentence, original });
        }
    }
}

/// The figures as a table.
pub(super) fn shown(all: &[Figures]) -> String {
    let heading = ["set", "documents", "found", "near misses flagged", "alarms", "per 1,000", "ms a document", "share"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for one in all {
        let found: Vec<String> =
            one.found.iter().map(|(kind, count)| format!("{kind} {} of {}", count.counted, count.of)).collect();
        rows.push(vec![
            one.set.clone(),
            one.documents.to_string(),
            if found.is_empty() { "-".to_owned() } else { found.join(", ") },
            format!("{} of {}", one.near_misses.counted, one.near_misses.of),
            one.alarms.len().to_string(),
            format!("{:.1}", one.alarms_per_thousand),
            format!("{:.1}", one.ms_per_document),
            format!("{:.1} %", one.share_of_ingest * 100.0),
        ]);
    }
    render::table(&rows)
}
