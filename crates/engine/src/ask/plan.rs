//! Question → `Plan`: which path it takes, decided here and nowhere else.

use std::pin::pin;

use futures::future::{Either, select};
use vouch_domain::{PortError, Question, Reader};

use super::{
    asked_term::AskedTerm, engine::Engine, lookup_faults::LookupFaults, question_kind::QuestionKind, trace::StopWatch,
    undefined_term::UndefinedTerm,
};
use crate::{
    recall::{RecalledEntry, Recollection},
    resolve::{Listing, NamedDocuments, Resolution, resolve},
    retrieve::{Candidates, LaneChoice, Probe, retrieve, with_timeout},
    trace::Stage,
    understand::{Intent, QueryClass, Understanding},
};

/// The path of a question.
pub(super) enum Plan {
    /// The vocabulary defines a term.
    Term(Understanding, AskedTerm),
    /// Documents named by their addresses speak for themselves. Where they could not be looked up nothing is searched
    /// instead: another document's words would be no answer.
    Named(Understanding, Result<NamedDocuments, PortError>),
    /// The catalogue lists documents of a kind.
    Listed(Understanding, Listing),
    /// An editor has chosen the sources for this very question.
    Pinned(PreparedSearch, RecalledEntry),
    /// Everything the reader may see is searched.
    Searched(PreparedSearch),
}

/// A question ready to be searched for.
pub(super) struct PreparedSearch {
    pub(super) probe: Probe,
    pub(super) recalled: Recollection,
    /// What the lanes found meanwhile; nothing where an editor has chosen the sources.
    pub(super) found: Result<Candidates, PortError>,
    /// The term it asks for, where no vocabulary defines it.
    pub(super) undefined: Option<UndefinedTerm>,
}

impl Plan {
    /// What sort of question it is.
    pub(super) fn kind(&self) -> QuestionKind {
        match self {
            Self::Term(..) => QuestionKind::Terminology,
            Self::Named(..) => QuestionKind::Entity,
            Self::Listed(..) => QuestionKind::List,
            Self::Pinned(prepared, _) | Self::Searched(prepared) => match prepared.probe.understanding.class() {
                QueryClass::Factual => QuestionKind::Factual,
                QueryClass::Procedural => QuestionKind::Procedural,
                QueryClass::Clarification => QuestionKind::Clarification,
                QueryClass::Greeting => QuestionKind::Greeting,
            },
        }
    }
}

impl Engine {
    /// What an editor set for these very words comes first; then names before terms, terms before what an editor prepared for
    /// questions like it, and a search comes last. What the vocabulary could not say on the way is noted.
    pub(super) async fn plan(
        &self,
        question: &Question,
        understanding: Understanding,
        (watch, faults): (&mut StopWatch<'_>, &mut LookupFaults),
    ) -> Plan {
        let (policies, reader) = (&self.policies, &question.reader);
        let exact = self.recall_exact(&understanding, reader).await;
        watch.lap(Stage::Recall);
        if let Some(recalled) = exact {
            return self.plan_exact(question, understanding, recalled, (watch, faults)).await;
        }
        let naming = resolve(&understanding, reader, &self.retrieve.register, &policies.understand);
        let resolved = with_timeout(&policies.retrieve, "register", naming).await;
        watch.lap(Stage::Resolve);
        let missing = match resolved {
            Err(error) => return Plan::Named(understanding, Err(error)),
            Ok(Resolution::Named(missing @ NamedDocuments::Missing { .. })) => Some(missing),
            Ok(Resolution::Named(named)) => return Plan::Named(understanding, Ok(named)),
            Ok(Resolution::Listing(listing)) => return Plan::Listed(understanding, listing),
            Ok(Resolution::Nothing) => None,
        };
        let asked_term = self.asked_term(&understanding, reader, faults).await;
        watch.lap(Stage::Resolve);
        let (undefined, asked_term) = match asked_term.map(UndefinedTerm::of) {
            Some(Ok(undefined)) => (Some(undefined), None),
            Some(Err(asked)) => (None, Some(asked)),
            None => (None, None),
        };
        match asked_term {
            Some(asked) if asked.is_known() => return Plan::Term(understanding, asked),
            Some(asked) if missing.is_none() && is_term(&understanding) => return Plan::Term(understanding, asked),
            Some(asked) => faults.note_report(asked.report()),
            None => {}
        }
        if let Some(missing) = missing {
            return Plan::Named(understanding, Ok(missing));
        }
        let prepared = self.prepare(question, understanding, (watch, faults)).await;
        let prepared = PreparedSearch { undefined, ..prepared };
        match prepared.recalled.pinned.clone() {
            Some(pinned) => Plan::Pinned(prepared, pinned),
            None => Plan::Searched(prepared),
        }
    }

    /// The way of a question that an editor has set word for word: to the sources they chose, and no other is looked for; a note
    /// that leads to none still frames what is found.
    async fn plan_exact(
        &self,
        question: &Question,
        understanding: Understanding,
        recalled: Recollection,
        (watch, faults): (&mut StopWatch<'_>, &mut LookupFaults),
    ) -> Plan {
        if recalled.note.as_ref().is_some_and(|note| note.passages.is_empty()) {
            let prepared = self.prepare(question, understanding, (watch, faults)).await;
            return Plan::Searched(PreparedSearch { recalled, ..prepared });
        }
        let probe = Probe::new(understanding, &self.retrieve, &self.policies.retrieve).await;
        watch.lap(Stage::Embed);
        let pinned = recalled.pinned.clone();
        let prepared = PreparedSearch { probe, recalled, found: Ok(Candidates::empty()), undefined: None };
        match pinned {
            Some(pinned) => Plan::Pinned(prepared, pinned),
            None => Plan::Searched(prepared),
        }
    }

    /// The term a question asks for: one that its words make a term, known or not, or one that the vocabulary knows.
    async fn asked_term(
        &self,
        understanding: &Understanding,
        reader: &Reader,
        faults: &mut LookupFaults,
    ) -> Option<AskedTerm> {
        let term_lookup = self.terms_in_use().await?;
        let by_words = match understanding.intent() {
            Intent::Terminology(term) => Some(AskedTerm::look_up(term, term_lookup, reader, faults).await),
            Intent::List(_) | Intent::Open => None,
        };
        if by_words.as_ref().is_some_and(|asked| !asked.is_unknown()) {
            return by_words;
        }
        let is_new = |name: &&String| by_words.as_ref().is_none_or(|asked| asked.term != **name);
        let others: Vec<&String> = understanding.definable().iter().filter(is_new).collect();
        let other = AskedTerm::first_not_unknown(&others, term_lookup, reader, faults).await;
        if by_words.is_none() || other.as_ref().is_some_and(AskedTerm::is_known) {
            return other;
        }
        faults.note_report(other.and_then(|other| other.report()));
        by_words
    }

    /// Every way to ask the question, a vector for each, what an editor has prepared for it, and what the lanes find: memory
    /// is one lane more, and none waits for another.
    async fn prepare(
        &self,
        question: &Question,
        understanding: Understanding,
        (watch, faults): (&mut StopWatch<'_>, &mut LookupFaults),
    ) -> PreparedSearch {
        let classified = self.classify(understanding).await;
        let widened = self.widen(&classified, &question.reader, faults).await;
        watch.lap(Stage::Widen);
        let probe = Probe::new(widened, &self.retrieve, &self.policies.retrieve).await;
        watch.lap(Stage::Embed);
        let (recalled, found) = self.recall_and_search(&probe, &question.reader, watch).await;
        PreparedSearch { probe, recalled, found, undefined: None }
    }

    /// What an editor has prepared and what the lanes find, side by side; where an editor has chosen the sources, the search
    /// is given up.
    async fn recall_and_search(
        &self,
        probe: &Probe,
        reader: &Reader,
        watch: &mut StopWatch<'_>,
    ) -> (Recollection, Result<Candidates, PortError>) {
        let searching = pin!(retrieve(probe, reader, LaneChoice::All, &self.retrieve, &self.policies.retrieve));
        match select(pin!(self.recall(probe, reader)), searching).await {
            Either::Left((recalled, searching)) => {
                watch.lap(Stage::Recall);
                let found = if recalled.pinned.is_some() { Ok(Candidates::empty()) } else { searching.await };
                watch.lap(Stage::Retrieve);
                (recalled, found)
            }
            Either::Right((found, recalling)) => {
                let recalled = recalling.await;
                watch.lap(Stage::Recall);
                (recalled, found)
            }
        }
    }
}

fn is_term(understanding: &Understanding) -> bool {
    matches!(understanding.intent(), Intent::Terminology(_))
}
