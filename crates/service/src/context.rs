//! A question → its route, and its response → the fallbacks and collections, in the words that logs, metrics and replies
//! share.

use std::collections::BTreeSet;

use vouch_domain::Question;
use vouch_engine::{
    ask::{Engine, Response},
    retrieve::with_timeout,
};

use crate::outcome::Route;

/// Which way a question or a search goes: `tree` where its reader sees documents of several collections, else `direct`.
/// It is decided when a request begins, by nothing that turns out later, so that all that is told of the request says the
/// same.
pub(crate) async fn route(question: &Question, engine: &Engine) -> Route {
    let asked = engine.retrieve.register.has_several_collections(&question.reader);
    match with_timeout(&engine.policies.retrieve, "register", asked).await {
        Ok(true) => Route::Tree,
        Ok(false) => Route::Direct,
        Err(error) => {
            tracing::warn!(%error, "the collections are not known");
            Route::Direct
        }
    }
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
