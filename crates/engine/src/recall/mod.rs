//! Question → `Recollection`: what an editor has prepared for it.
//!
//! Invariant: a pinned source is never chosen on a fuzzy match alone, and a note's own words never become evidence. Only
//! references that the reader may see are brought.

mod curate;
mod exact;
mod nearness;
mod offer;
mod references;
mod translate;

use std::{collections::BTreeSet, sync::Arc};

use vouch_domain::{
    PassageKey, PortError, Reader, StoredPassage,
    language::{is_small_word, key_words, terms, with_parents},
    memory::{MemoryEntry, MemoryKind},
    ports::{JudgedPassage, Memory, MemoryMatch, PassageJudge},
};

use crate::{
    policy::{MemoryPolicy, RetrievePolicy},
    retrieve::{Lane, Probe, RetrievePorts, Similarity, with_timeout},
    trace::{LaneReport, MemoryReport, MemoryVerdict, RewriteKind},
    understand::Understanding,
};

pub use curate::{BadEntry, CurateError, CurateReport, Curator, check, embed};
pub use nearness::Nearness;
pub use references::open_references;
pub use translate::{TranslateError, translate, wants_translation};

/// How many entries are considered for one question.
const ENTRIES_MAX: usize = 10;
/// How many passages the references of one entry bring at most.
const PASSAGES_MAX: usize = 40;
/// How many uncertain matches the judge decides for one question, and how many passages it reads for each.
const BORDER_MAX: usize = 3;
const READ_MAX: usize = 6;

/// Everything a recollection needs.
pub struct Recall<'a> {
    /// The store of entries.
    pub memory: &'a Arc<dyn Memory>,
    /// Judges uncertain matches.
    pub judge: Option<&'a Arc<dyn PassageJudge>>,
    /// Where references are looked up.
    pub ports: &'a RetrievePorts,
    /// The figures.
    pub policy: &'a MemoryPolicy,
    /// How long a look-up may take.
    pub deadline: &'a RetrievePolicy,
}

/// What an editor has prepared for a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recollection {
    /// A question that was pinned to its sources.
    pub pinned: Option<RecalledEntry>,
    /// A note on its subject, or a pinned question near it: what they refer to takes part in the search.
    pub note: Option<RecalledEntry>,
    /// Every entry that was considered, for the trace.
    pub considered: Vec<MemoryReport>,
    /// Why nothing could be recalled, if it failed.
    pub failure: Option<String>,
}

impl Recollection {
    /// Takes an entry for what it is good for; whether it is good for anything.
    fn take(&mut self, recalled: RecalledEntry) -> bool {
        match recalled.entry.kind {
            // A pinned question is worth what its sources are.
            MemoryKind::Pinned if recalled.passages.is_empty() => return false,
            MemoryKind::Pinned if recalled.is_same => self.pinned = Some(recalled),
            MemoryKind::Pinned | MemoryKind::Note => self.note = Some(recalled),
        }
        true
    }

    /// What the lane did; none if nothing is remembered at all.
    #[must_use]
    pub fn report(&self) -> Option<LaneReport> {
        let passages = |recalled: &Option<RecalledEntry>| recalled.as_ref().map_or(0, |one| one.passages.len());
        let hits = passages(&self.pinned) + passages(&self.note);
        let is_empty = self.considered.is_empty() && self.failure.is_none();
        let report = LaneReport { lane: Lane::Memory, hits, forced: hits, failure: self.failure.clone(), fault: None };
        (!is_empty).then_some(report)
    }
}

/// An entry that was accepted, with the passages it leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledEntry {
    /// The entry.
    pub entry: Arc<MemoryEntry>,
    /// The text of it that is nearest to the question.
    pub text: String,
    /// Its note in the asker's language, or in the one that comes nearest to it; none for a pinned question.
    pub note: Option<String>,
    /// How near that is.
    pub similarity: Similarity,
    /// The passages behind each reference the reader may see.
    pub passages: Vec<StoredPassage>,
    /// Those of them that a reference names; of what no reference names the nearest is meant.
    pub named: Vec<PassageKey>,
    /// How many references lead somewhere.
    pub references: usize,
    /// Whether this is the very question the entry was prepared for; else its references answer the question.
    pub is_same: bool,
    /// Whether the question is one of its phrases, word for word.
    pub is_exact: bool,
    /// Whether not the asker's own words were near it, but those of a model.
    pub is_planned: bool,
}

impl RecalledEntry {
    /// Whether a note is so near and so well founded that nothing else need be searched.
    #[must_use]
    pub fn is_sufficient(&self, policy: &MemoryPolicy) -> bool {
        let is_founded = self.references >= policy.strong_references_min || (self.is_exact && self.references > 0);
        self.entry.kind == MemoryKind::Note && self.is_same && self.is_strong(policy) && is_founded
    }

    /// Its note, where that is written for readers.
    #[must_use]
    pub fn note_for_readers(&self) -> Option<&str> {
        self.note.as_deref().filter(|_| self.entry.is_for_readers)
    }

    /// Whether it is so near that what it says of its sources holds for the question.
    #[must_use]
    pub fn is_strong(&self, policy: &MemoryPolicy) -> bool {
        !self.is_planned && self.similarity.relevance >= policy.strong_note_at_least
    }
}

/// An entry near the question, and by whose words.
struct Near {
    found: MemoryMatch,
    similarity: Similarity,
    is_planned: bool,
}

impl Near {
    /// How near it counts as. What a model asked in the asker's place is no more than a hint at what they meant, so the judge reads
    /// the entry beside their own words, however near the model's are.
    fn nearness(&self, policy: &MemoryPolicy) -> Nearness {
        match Nearness::of(self.found.entry.kind, self.similarity.relevance, policy) {
            Nearness::Same if self.is_planned => Nearness::Border,
            nearness @ (Nearness::Same | Nearness::Border | Nearness::Far) => nearness,
        }
    }
}

/// What became of a match, with the judge's figures where it was asked.
struct Weighed {
    verdict: MemoryVerdict,
    judged: Option<f32>,
    answers: Option<f32>,
}

impl Weighed {
    fn plainly(verdict: MemoryVerdict) -> Self {
        Self { verdict, judged: None, answers: None }
    }
}

impl Recall<'_> {
    /// What the memory holds for a question; a memory that cannot be asked holds nothing, and the trace says why.
    pub async fn run(&self, probe: &Probe, reader: &Reader) -> Recollection {
        match with_timeout(self.deadline, "memory", self.recall(probe, reader)).await {
            Ok(recollection) => recollection,
            Err(error) => {
                tracing::warn!(fault = error.fault.as_str(), "memory failed");
                Recollection { failure: Some(error.to_string()), ..Recollection::default() }
            }
        }
    }

    async fn recall(&self, probe: &Probe, reader: &Reader) -> Result<Recollection, PortError> {
        let mut recollection = Recollection::default();
        // "Show me the verse": an entry that speaks of verses is near to it and has nothing to do with it.
        if probe.understanding.kind_alone().is_some() {
            return Ok(recollection);
        }
        let languages = self.languages(&probe.understanding, None);
        let mut read = 0;
        for near in self.near(probe, (reader, &languages)).await? {
            let (report, recalled) = self.consider(near, probe, (reader, &languages), &mut read).await?;
            recollection.considered.push(report);
            // The nearest entry that counts is the one that is meant, whichever kind it is.
            if recalled.is_some_and(|recalled| recollection.take(recalled)) {
                break;
            }
        }
        Ok(recollection)
    }

    /// The entries nearest to the question, each by the words that bring it nearest: the asker's own, or a model's, which may ask
    /// for something else.
    async fn near(&self, probe: &Probe, (reader, languages): (&Reader, &[String])) -> Result<Vec<Near>, PortError> {
        let vectors = |is_planned: bool| -> Vec<_> {
            let kinds = probe.with_vectors().filter(|(_, rewrite, _)| match is_planned {
                true => rewrite.kind == RewriteKind::Planned,
                false => rewrite.kind.is_a_question(),
            });
            kinds.map(|(_, _, vector)| vector.clone()).collect()
        };
        let map = self.ports.embedder.likeness_map();
        let mut near: Vec<Near> = Vec::new();
        for is_planned in [false, true] {
            let vectors = vectors(is_planned);
            if vectors.is_empty() {
                continue;
            }
            for found in self.memory.nearest(reader, &vectors, languages, ENTRIES_MAX).await? {
                let similarity = Similarity { cosine: Some(found.cosine), relevance: map.relevance(found.cosine) };
                let known = near.iter_mut().find(|known| known.found.entry.id == found.entry.id);
                let one = Near { found, similarity, is_planned };
                match known {
                    // What the asker's own words settle needs no other words.
                    Some(known) if known.nearness(self.policy) != Nearness::Same => {
                        if one.found.cosine > known.found.cosine {
                            *known = one;
                        }
                    }
                    Some(_) => {}
                    None => near.push(one),
                }
            }
        }
        near.sort_by(|a, b| {
            let by_kind = || a.found.entry.kind.cmp(&b.found.entry.kind);
            let by_id = || a.found.entry.id.cmp(&b.found.entry.id);
            b.found.cosine.total_cmp(&a.found.cosine).then_with(by_kind).then_with(by_id)
        });
        near.truncate(ENTRIES_MAX);
        Ok(near)
    }

    /// What becomes of an entry: the report of it, and the entry where it counts.
    async fn consider(
        &self,
        near: Near,
        probe: &Probe,
        (reader, languages): (&Reader, &[String]),
        read: &mut usize,
    ) -> Result<(MemoryReport, Option<RecalledEntry>), PortError> {
        let nearness = match near.nearness(self.policy) {
            Nearness::Border if *read == BORDER_MAX => Nearness::Far,
            nearness @ (Nearness::Same | Nearness::Border | Nearness::Far) => nearness,
        };
        let Near { found, similarity, is_planned } = near;
        let (entry, text, cosine) = (Arc::clone(&found.entry), found.text.clone(), found.cosine);
        let mut recalled = None;
        let Weighed { verdict, judged, answers } = match nearness {
            Nearness::Far => Weighed::plainly(MemoryVerdict::TooFar),
            Nearness::Same | Nearness::Border => {
                let texts = (found.entry, found.text);
                let own = recalled.insert(self.recalled(texts, similarity, (reader, languages)).await?);
                if !self.holds_every_name(own, probe) {
                    Weighed::plainly(MemoryVerdict::NamesAnother)
                } else if matches!(nearness, Nearness::Same) {
                    Weighed::plainly(MemoryVerdict::Accepted)
                } else {
                    *read += 1;
                    self.weigh(own, probe).await
                }
            }
        };
        let (id, kind, likeness) = (entry.id.clone(), entry.kind, similarity.relevance);
        let report = MemoryReport { id, kind, text, cosine, likeness, judged, answers, verdict };
        let accepted = recalled.filter(|_| verdict == MemoryVerdict::Accepted).map(|recalled| RecalledEntry {
            // Unjudged, a note counts as it does in its document: what is near it is what it was prepared for.
            is_same: match kind {
                MemoryKind::Pinned | MemoryKind::Note if matches!(nearness, Nearness::Same) => true,
                MemoryKind::Pinned => judged.is_some_and(|fit| fit >= self.policy.border_judge_at_least),
                MemoryKind::Note => judged.is_none(),
            },
            is_planned,
            ..recalled
        });
        Ok((report, accepted))
    }

    /// The languages entries are read in: the asker's first, each with what it is a variety of, then the one that the words are known
    /// to be in, then the profile's.
    fn languages(&self, understanding: &Understanding, known: Option<&String>) -> Vec<String> {
        let asked = understanding.languages().iter().chain(known).chain([&self.policy.language]);
        let mut languages: Vec<String> = Vec::new();
        for language in asked.flat_map(|language| with_parents(language)) {
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
        languages
    }

    /// Whether every name, number and rare word of the question stands in the entry or in what it refers to: two questions that
    /// differ in a name alone are as near to each other as can be, and ask for different things.
    fn holds_every_name(&self, recalled: &RecalledEntry, probe: &Probe) -> bool {
        let own = recalled.entry.phrases.iter().chain(&recalled.entry.note).map(|wording| wording.text.as_str());
        let referred = recalled.passages.iter().flat_map(|stored| {
            let headings = stored.passage.section.iter().map(String::as_str);
            [stored.passage.text.as_str(), stored.document.title.as_str()].into_iter().chain(headings)
        });
        let held: BTreeSet<String> = own.chain(referred).flat_map(terms).collect();
        let languages = self.languages(&probe.understanding, None);
        let is_small = |word: &str| languages.iter().any(|language| is_small_word(language, word));
        let is_plain = |word: &str| {
            !word.contains(|c: char| c.is_ascii_digit()) && (self.ports.plain_words.knows(word) || is_small(word))
        };
        let asked = key_words(probe.understanding.asked());
        asked.iter().all(|word| is_plain(&word.word) || held.contains(&word.term))
    }

    /// What the judge makes of an uncertain match: it counts where the question and the curator's words fit each other,
    /// or where what the entry refers to answers the question. Without a judge a pinned question does not match; a note
    /// does, since it is never evidence.
    async fn weigh(&self, recalled: &RecalledEntry, probe: &Probe) -> Weighed {
        let unjudged = match recalled.entry.kind {
            MemoryKind::Pinned => MemoryVerdict::BorderUnjudged,
            MemoryKind::Note => MemoryVerdict::Accepted,
        };
        let Some(judged) = self.judge_match(&recalled.text, probe).await else { return Weighed::plainly(unjudged) };
        let answers = self.judge_references(recalled, probe).await;
        let fits = recalled.entry.kind == MemoryKind::Pinned && judged >= self.policy.border_judge_at_least;
        let is_match = fits || answers.is_some_and(|answers| answers >= self.policy.border_answer_at_least);
        let verdict = if is_match { MemoryVerdict::Accepted } else { MemoryVerdict::BorderRefused };
        Weighed { verdict, judged: Some(judged), answers }
    }

    /// How surely one of the passages an entry refers to answers the question; nothing where it refers to none, or where
    /// that could not be read in time.
    async fn judge_references(&self, recalled: &RecalledEntry, probe: &Probe) -> Option<f32> {
        let read = recalled.passages.iter().take(READ_MAX);
        let passages = read.map(|stored| JudgedPassage {
            heading: stored.passage.section.last().cloned().unwrap_or_default(),
            text: stored.passage.text.clone(),
        });
        let asked = probe.understanding.asked();
        let readings = self.judge?.read(asked, passages.collect(), self.policy.judge_timeout).await.ok()?;
        readings.into_iter().flatten().map(|reading| reading.answerable).max_by(f32::total_cmp)
    }

    /// How well the judge thinks the question and the curator's words fit each other, whichever way round is worse.
    async fn judge_match(&self, text: &str, probe: &Probe) -> Option<f32> {
        let judge = self.judge?;
        let asked = probe.understanding.asked();
        let passage = |text: &str| vec![JudgedPassage { heading: String::new(), text: text.to_owned() }];
        let wait = self.policy.judge_timeout;
        let one_way = judge.read(asked, passage(text), wait).await.ok()?;
        let other_way = judge.read(text, passage(asked), wait).await.ok()?;
        let fit = |readings: Vec<Option<vouch_domain::ports::Reading>>| readings.into_iter().flatten().next();
        Some(fit(one_way)?.relevant.min(fit(other_way)?.relevant))
    }

    async fn recalled(
        &self,
        (entry, text): (Arc<MemoryEntry>, String),
        similarity: Similarity,
        (reader, languages): (&Reader, &[String]),
    ) -> Result<RecalledEntry, PortError> {
        let (mut passages, mut named, mut references) = (Vec::<StoredPassage>::new(), Vec::new(), 0);
        for reference in &entry.references {
            let own = references::passages_of(reference, reader, self.ports.register.as_ref()).await?;
            references += usize::from(!own.passages.is_empty());
            if own.is_named {
                named.extend(own.passages.iter().map(|one| one.key));
            }
            // Two references to one document bring its passages once.
            let is_new = |one: &StoredPassage| passages.iter().all(|known| known.key != one.key);
            let new: Vec<StoredPassage> = own.passages.into_iter().filter(is_new).collect();
            passages.extend(new);
        }
        passages.truncate(PASSAGES_MAX);
        let note = entry.note_in(languages).map(str::to_owned);
        let (is_same, is_exact) = (false, false);
        Ok(RecalledEntry {
            entry,
            text,
            note,
            similarity,
            passages,
            named,
            references,
            is_same,
            is_exact,
            is_planned: false,
        })
    }
}
