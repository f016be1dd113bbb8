//! A Skosmos server as the vocabulary: search for the key, keep what bears it, fetch what the search left out.
//!
//! The search is used and never the server's look-up, which stops at the first kind of label that fits and so hides
//! that a term has two meanings. The server knows no readers: whoever may ask may see all of it.
//!
//! Invariant: a concept is returned only where one of its labels is the key, and a look-up with all its requests ends
//! within one deadline.

mod addresses;
mod client;
mod graph;
mod in_order;
mod one_or_many;
mod reply;
mod search_answer;
mod server;
mod settings;

use std::{collections::BTreeMap, future::Future, pin::pin, time::Duration};

use async_trait::async_trait;
use futures::future::{Either, select, try_join_all};
use vouch_domain::{
    PortError,
    concept::{Concept, TermKey},
    ports::Vocabulary,
    reader::Reader,
};

use addresses::{Addresses, Search};
use client::Client;
use graph::Graph;
use search_answer::{ConceptHit, SearchAnswer, names_near};

pub use settings::SkosmosSettings;

/// How many concepts are asked for on their own in one look-up.
const PAGES_MAX: usize = 5;

/// A term that is almost right is right at its start: so many characters of it, or at least the first.
const PREFIX_CHARS: [usize; 2] = [4, 1];

/// How many names are weighed for a suggestion; the server orders them by letter and not by likeness.
const SIMILAR_HITS_MAX: usize = 200;

/// The vocabularies of a Skosmos server.
pub struct Skosmos {
    client: Client,
    addresses: Addresses,
    language: String,
    timeout: Duration,
}

impl Skosmos {
    /// Prepares to ask a server; nothing is sent yet.
    ///
    /// # Errors
    /// Fails if the settings make no sense, or where the system's certificates cannot be read for `https`.
    pub fn new(settings: SkosmosSettings) -> Result<Self, PortError> {
        let base = settings.check()?;
        let client = Client::new(&base, &settings)?;
        let addresses = Addresses::new(base, settings.vocabularies);
        Ok(Self { client, addresses, language: settings.language, timeout: settings.timeout })
    }

    async fn within_deadline<T>(&self, work: impl Future<Output = Result<T, PortError>>) -> Result<T, PortError> {
        match tokio::time::timeout(self.timeout, work).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.client.server().timed_out(self.timeout)),
        }
    }

    /// A term means what it means in the asker's language. Only where that has no such label do the others count:
    /// labels without a language are found by no search that names one. Both searches are under way at once, so that a
    /// miss takes no longer than a hit; a hit does not wait for the other.
    async fn find(&self, key: &TermKey) -> Result<Vec<Concept>, PortError> {
        let own = pin!(self.search(key, &self.language));
        if self.language.is_empty() {
            return self.complete(own.await?, key).await;
        }
        let found = match select(own, pin!(self.search(key, ""))).await {
            Either::Left((Ok(found), in_any)) if found.is_empty() => in_any.await?,
            Either::Left((own, _)) => own?,
            Either::Right((in_any, own)) => match own.await? {
                found if found.is_empty() => in_any?,
                found => found,
            },
        };
        self.complete(found, key).await
    }

    async fn search(&self, key: &TermKey, language: &str) -> Result<Vec<ConceptHit>, PortError> {
        let address = self.addresses.search(&Search::whole(key.as_str(), language));
        let answer: SearchAnswer = self.client.server().read(&self.client.fetch(address).await?)?;
        Ok(answer.bearing(key, language))
    }

    /// Fetches the pages of concepts the search did not define.
    async fn complete(&self, found: Vec<ConceptHit>, key: &TermKey) -> Result<Vec<Concept>, PortError> {
        let undefined = || found.iter().filter(|found| !found.is_defined());
        let left_out = undefined().count().saturating_sub(PAGES_MAX);
        if left_out > 0 {
            tracing::debug!(left_out, "concepts returned without their own page");
        }
        let pages = try_join_all(undefined().take(PAGES_MAX).map(|found| self.page(found))).await?;
        let mut pages: BTreeMap<String, Concept> =
            pages.into_iter().flatten().map(|page| (page.uri.clone(), page)).collect();
        let complete = |found: ConceptHit| {
            let page = pages.remove(found.uri());
            found.with_page(page, key)
        };
        Ok(found.into_iter().map(complete).collect())
    }

    /// All a vocabulary says of one concept; nothing if it says nothing.
    async fn page(&self, found: &ConceptHit) -> Result<Option<Concept>, PortError> {
        let reply = self.client.fetch(self.addresses.data(found.vocabulary(), found.uri())).await?;
        if reply.is_missing_concept() {
            return Ok(None);
        }
        let graph: Graph = self.client.server().read(&reply)?;
        Ok(graph.concept(found.uri(), &self.language))
    }

    async fn starting(&self, prefix: &str) -> Result<SearchAnswer, PortError> {
        let address = self.addresses.search(&Search::starting(prefix, &self.language, SIMILAR_HITS_MAX));
        self.client.server().read(&self.client.fetch(address).await?)
    }
}

#[async_trait]
impl Vocabulary for Skosmos {
    fn backend(&self) -> &'static str {
        "skosmos"
    }

    async fn look_up(&self, _reader: &Reader, key: &TermKey) -> Result<Vec<Concept>, PortError> {
        // Nothing but asterisks would ask for every concept there is.
        if key.as_str().chars().all(|c| c == '*' || c.is_whitespace()) {
            return Ok(Vec::new());
        }
        self.within_deadline(self.find(key)).await
    }

    async fn similar(&self, _reader: &Reader, key: &TermKey, limit: usize) -> Result<Vec<String>, PortError> {
        let prefixes = PREFIX_CHARS
            .map(|length| key.as_str().chars().take(length).take_while(|c| *c != '*').collect::<String>())
            .map(|prefix| Some(prefix).filter(|prefix| limit > 0 && !prefix.is_empty()));
        let answers = try_join_all(prefixes.iter().flatten().map(|prefix| self.starting(prefix)));
        let answers = self.within_deadline(answers).await?;
        let mut names = names_near(&answers, key);
        names.truncate(limit);
        Ok(names)
    }
}
