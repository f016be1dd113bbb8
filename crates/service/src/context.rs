//! A response → how its request went, in the words that logs, metrics and replies share: the route, the fallbacks, the
//! collections.

use std::collections::BTreeSet;

use vouch_domain::Question;
use vouch_engine::{
    ask::{Engine, Response},
    retrieve::Candidates,
    understand::{Intent, understand},
};

use crate::outcome::Route;

/// `tree` where several collections took part, `direct` for one or for what was looked up by name.
pub(crate) fn route(response: &Response) -> Route {
    let is_looked_up = response.trace.lookup.is_some();
    if !is_looked_up && collections(response).len() > 1 { Route::Tree } else { Route::Direct }
}

/// The same for a search without an answer.
pub(crate) fn search_route(found: &Candidates) -> Route {
    let collections: BTreeSet<&str> =
        found.items().iter().map(|one| one.passage.document.collection.as_str()).collect();
    if collections.len() > 1 { Route::Tree } else { Route::Direct }
}

/// Which route a question is about to take, as far as its words and the collections met so far can say.
pub(crate) fn expected_route(question: &Question, engine: &Engine, has_several: bool) -> Route {
    let is_named = understand(question, &engine.policies.understand).is_ok_and(|understood| {
        let is_look_up = match understood.intent() {
            Intent::Terminology(_) => engine.terms.is_some(),
            Intent::List(_) => true,
            Intent::Open => false,
        };
        is_look_up || !understood.mentions().is_empty()
    });
    if has_several && !is_named { Route::Tree } else { Route::Direct }
}

/// The collections among what was found and what was answered from.
pub(crate) fn collections(response: &Response) -> BTreeSet<&str> {
    let found = response.trace.candidates.iter().map(|candidate| candidate.collection.as_str());
    let used = response.evidence.pieces().iter().map(|piece| piece.passage.document.collection.as_str());
    found.chain(used).collect()
}

/// What stood in for something that failed, each once.
pub(crate) fn fallback_flags(response: &Response) -> Vec<&'static str> {
    response.trace.fallbacks.iter().map(|fallback| fallback.as_str()).collect()
}
