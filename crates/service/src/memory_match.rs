//! A question and wordings that somebody is writing → how near they are to each other, before anything is kept.

use serde::Serialize;
use utoipa::ToSchema;
use vouch_domain::{
    Fault, MemoryKind, PortError, Reader,
    language::{detect_language, with_parents},
    ports::{Embedder, Memory},
};
use vouch_engine::{policy::MemoryPolicy, recall::Nearness};

/// How many entries that are kept already are named.
const ENTRIES_MAX: usize = 5;

/// What likeness is told by.
pub struct MemoryMatcher<'a> {
    /// Words to vectors.
    pub embedder: &'a dyn Embedder,
    /// What is kept already.
    pub memory: &'a dyn Memory,
    /// From which likeness on a wording counts.
    pub policy: &'a MemoryPolicy,
}

/// How near wordings are to a question.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MatchList {
    /// From this likeness on a pinned question is the same question.
    pub same_from: f32,
    /// From this likeness on, up to `same_from`, a model judges.
    pub border_from: f32,
    /// The wordings that were sent, in their order, then entries that are kept, nearest first.
    pub matches: Vec<MatchWire>,
}

/// How near one wording is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Match)]
pub struct MatchWire {
    /// Id of the entry; null for a wording that was sent.
    pub id: Option<String>,
    /// `pinned` or `note`.
    pub kind: &'static str,
    /// The wording.
    pub text: String,
    /// How near it is, 0 to 1.
    pub likeness: f32,
    /// `same`, `border` or `far`. A question that names something else is never the same, however near.
    pub nearness: &'static str,
}

/// An entry that a question is near to.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = NearEntry)]
pub struct NearEntryWire {
    /// Id of the entry.
    pub id: String,
    /// Its phrase that comes nearest.
    pub phrase: String,
    /// How near it is, 0 to 1.
    pub likeness: f32,
}

impl MemoryMatcher<'_> {
    /// The entry nearest to each text, where one is near enough to be offered to whoever asks it.
    ///
    /// # Errors
    /// Fails if the embedder or the memory does.
    pub async fn nearest_of_each(
        &self,
        reader: &Reader,
        texts: Vec<String>,
    ) -> Result<Vec<Option<NearEntryWire>>, PortError> {
        let map = self.embedder.likeness_map();
        let mut found = Vec::with_capacity(texts.len());
        for (text, vector) in texts.iter().zip(self.embedder.embed(texts.clone()).await?) {
            let languages: Vec<String> = detect_language(text)
                .into_iter()
                .chain([self.policy.language.as_str()])
                .flat_map(with_parents)
                .collect();
            let nearest = self.memory.nearest(reader, &[vector], &languages, 1).await?.into_iter().next();
            let near = nearest.map(|one| (map.relevance(one.cosine), one));
            let near = near.filter(|(likeness, _)| *likeness >= self.policy.note_at_least);
            found.push(near.map(|(likeness, one)| {
                // A note's own words are no phrase.
                let is_phrase = one.entry.phrases.iter().any(|phrase| phrase.text == one.text);
                let first = || one.entry.phrases.first().map(|phrase| phrase.text.clone()).unwrap_or_default();
                let phrase = if is_phrase { one.text.clone() } else { first() };
                NearEntryWire { id: one.entry.id.clone(), phrase, likeness }
            }));
        }
        Ok(found)
    }

    /// Compares a question with wordings and with what is kept.
    ///
    /// # Errors
    /// Fails if the embedder or the memory does.
    pub async fn compare(
        &self,
        reader: &Reader,
        query: &str,
        (phrases, kind): (Vec<String>, MemoryKind),
    ) -> Result<MatchList, PortError> {
        let texts: Vec<String> = std::iter::once(query.to_owned()).chain(phrases.iter().cloned()).collect();
        let wanted = texts.len();
        let vectors = self.embedder.embed(texts).await?;
        let mut vectors = self.embedder.identity().accept(vectors, wanted)?.into_iter();
        let missing = || PortError::new("embedder", Fault::Internal, "the embedder returned no vector for some texts");
        let asked = vectors.next().ok_or_else(missing)?;
        let map = self.embedder.likeness_map();
        let matched = |id: Option<String>, kind: MemoryKind, text: String, cosine: f32| {
            let likeness = map.relevance(cosine);
            let nearness = Nearness::of(kind, likeness, self.policy).as_str();
            MatchWire { id, kind: kind.as_str(), text, likeness, nearness }
        };
        let mut matches: Vec<MatchWire> = phrases
            .into_iter()
            .zip(vectors)
            .map(|(phrase, vector)| matched(None, kind, phrase, vector.cosine(&asked)))
            .collect();
        let languages = with_parents(&self.policy.language);
        let kept = self.memory.nearest(reader, &[asked], &languages, ENTRIES_MAX).await?;
        let kept =
            kept.into_iter().map(|one| matched(Some(one.entry.id.clone()), one.entry.kind, one.text, one.cosine));
        matches.extend(kept);
        let (same_from, border_from) = Nearness::limits(kind, self.policy);
        Ok(MatchList { same_from, border_from, matches })
    }
}
