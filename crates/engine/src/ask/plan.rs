//! Question → `Plan`: which path it takes, decided here and nowhere else.

use std::sync::Arc;

use vouch_domain::{PortError, Question};

use super::{engine::Engine, question_kind::QuestionKind, trace::StopWatch};
use crate::{
    recall::{RecalledEntry, Recollection},
    resolve::{Listing, NamedDocuments, Resolution, resolve},
    retrieve::{Probe, with_timeout},
    terminology::TermLookup,
    trace::Stage,
    understand::{Intent, QueryClass, Understanding},
};

/// The path of a question.
pub(super) enum Plan {
    /// The vocabulary defines a term.
    Term(Understanding, String, Arc<TermLookup>),
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
    /// Names come before terms, terms before what an editor prepared, and a search comes last.
    pub(super) async fn plan(
        &self,
        question: &Question,
        understanding: Understanding,
        watch: &mut StopWatch<'_>,
    ) -> Plan {
        let (policies, reader) = (&self.policies, &question.reader);
        let naming = resolve(&understanding, reader, &self.retrieve.register, &policies.understand);
        let resolved = with_timeout(&policies.retrieve, "register", naming).await;
        watch.lap(Stage::Resolve);
        match resolved {
            Err(error) => return Plan::Named(understanding, Err(error)),
            Ok(Resolution::Named(named)) => return Plan::Named(understanding, Ok(named)),
            Ok(Resolution::Listing(listing)) => return Plan::Listed(understanding, listing),
            Ok(Resolution::Nothing) => {}
        }
        if let (Intent::Terminology(term), Some(term_lookup)) = (understanding.intent(), &self.terms) {
            let term = term.clone();
            return Plan::Term(understanding, term, Arc::clone(term_lookup));
        }
        let prepared = self.prepare(question, understanding, watch).await;
        match prepared.recalled.pinned.clone() {
            Some(pinned) => Plan::Pinned(prepared, pinned),
            None => Plan::Searched(prepared),
        }
    }

    /// Every way to ask the question, a vector for each, and what an editor has prepared for it.
    async fn prepare(
        &self,
        question: &Question,
        understanding: Understanding,
        watch: &mut StopWatch<'_>,
    ) -> PreparedSearch {
        let classified = self.classify(understanding).await;
        let widened = self.widen(&classified, &question.reader).await;
        watch.lap(Stage::Widen);
        let probe = Probe::new(widened, &self.retrieve, &self.policies.retrieve).await;
        watch.lap(Stage::Embed);
        let recalled = self.recall(&probe, &question.reader).await;
        watch.lap(Stage::Recall);
        PreparedSearch { probe, recalled }
    }
}
