//! Vectors in Milvus: codes of bits, every one of a reader's shelves compared, the best weighed again here with the exact vectors.
//!
//! Milvus keeps a code for each passage (`codes`) and no vector. A search compares the query's code with every code of the
//! reader's shelves (`BIN_FLAT`, Hamming), so that nothing is learned from rows and none is missed: which passages are proposed
//! is a function of the codes that the reader may see, and of nothing else. Where the list ends within passages that are equally
//! near, all of these are left out or all are asked for, since which of them come first would depend on how the server has cut
//! its rows into segments.
//!
//! Invariant: a search names the tenant, the shelves and the generation.

mod client;
mod codes;
mod collection;
mod hits;
mod messages;

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use async_trait::async_trait;
use vouch_domain::{Fault, PassageKey, PortError, ports::Generation};

use crate::{
    embedded::{CatalogueVectors, IndexIdentity, VectorRow},
    remote_dense::{
        IndexContent, IndexHead, NewIndex, RemoteDense, RemoteDenseFigures, ServerQuery, Shelves, VectorServer,
    },
};

use client::{Client, PORT, is_missing};
use codes::Codes;
use collection::{CODE, METRIC, pair, row_of, signed};
use hits::{nearer_than_the_cut, read_hits, unfit};
use messages::{
    BoolResponse, CollectionRequest, ConsistencyLevel, DataType, DeleteRequest, MutationResult, PlaceholderGroup,
    PlaceholderValue, QueryRequest, QueryResults, SearchRequest, SearchResults, ShowCollectionsRequest,
    ShowCollectionsResponse, Status,
};

pub use client::MilvusServer;

/// The most that Milvus returns of a search.
const RESULTS_MAX: usize = 16_384;
/// After so many written rows the server is told to seal what it has, rather than when it thinks best.
const FLUSHED_ROWS: usize = 100_000;
/// How many of the dead are let go of at a time.
const FORGOTTEN_ROWS: i64 = 8_192;

/// How vectors are kept in Milvus and searched there.
#[derive(Debug, Clone)]
pub struct MilvusSettings {
    /// The server.
    pub server: MilvusServer,
    /// How much is asked of it.
    pub figures: RemoteDenseFigures,
    /// How many bits a passage's code has.
    pub code_bits: usize,
}

/// The vectors of a catalogue in Milvus.
///
/// # Errors
/// Fails if the address makes no sense; nobody is asked yet.
pub fn milvus(
    vectors: CatalogueVectors,
    dimensions: usize,
    settings: &MilvusSettings,
) -> Result<RemoteDense, PortError> {
    let client = Client::new(&settings.server)?;
    let codes = Codes::new(dimensions, settings.code_bits);
    Ok(RemoteDense::new(
        vectors,
        std::sync::Arc::new(Milvus { client, codes, seen: AtomicU64::new(1) }),
        settings.figures,
    ))
}

struct Milvus {
    client: Client,
    codes: Codes,
    /// The time of this node's last change; searches wait until the server has come to it.
    seen: AtomicU64,
}

impl Milvus {
    fn name(&self, identity: &IndexIdentity) -> String {
        collection::name(identity, &self.codes)
    }

    async fn write_call<Q: prost::Message + 'static, A: messages::Reply>(
        &self,
        method: &str,
        request: Q,
    ) -> Result<A, PortError> {
        self.client.call(method, request, self.client.write_timeout).await
    }

    async fn has(&self, collection_name: String) -> Result<bool, PortError> {
        let found: BoolResponse = self
            .client
            .call("HasCollection", CollectionRequest { collection_name }, self.client.timeout)
            .await
            .or_else(|error| if is_missing(&error) { Ok(BoolResponse::default()) } else { Err(error) })?;
        Ok(found.value)
    }

    fn query(&self, identity: &IndexIdentity, expr: String, output: &[&str], limit: Option<i64>) -> QueryRequest {
        QueryRequest {
            collection_name: self.name(identity),
            expr,
            output_fields: output.iter().map(|name| (*name).to_owned()).collect(),
            query_params: limit.map(|limit| pair("limit", &limit.to_string())).into_iter().collect(),
            consistency_level: ConsistencyLevel::Strong.into(),
        }
    }

    /// The incarnation of an index, whether it has been filled or not.
    async fn incarnation(&self, identity: &IndexIdentity) -> Result<Option<i64>, PortError> {
        collection::number(&self.client, self.name(identity)).await
    }

    /// Inserts the rows that are not there, and replaces those that live there and are dead now. Other nodes write the same rows at the
    /// same time: what is there as it should be is left alone, so that no search misses it and an end in between loses nothing.
    /// Milvus 2.3 has a call that replaces, which puts rows where a search by tenant does not look for them.
    async fn complete(&self, identity: &IndexIdentity, rows: Vec<collection::Row>) -> Result<(), PortError> {
        let there = self.deaths(identity, &rows).await?;
        let (mut missing, mut dead) = (Vec::new(), Vec::new());
        for row in rows {
            match there.get(&row.passage()) {
                None => missing.push(row),
                Some(died) if row.died() < *died => dead.push(row),
                Some(_) => {}
            }
        }
        self.delete(identity, dead.iter().map(collection::Row::passage)).await?;
        missing.append(&mut dead);
        self.insert(identity, &missing).await
    }

    /// Which of these passages are there, and when they died.
    async fn deaths(&self, identity: &IndexIdentity, rows: &[collection::Row]) -> Result<HashMap<i64, i64>, PortError> {
        let query =
            self.query(identity, of_passages(rows.iter().map(collection::Row::passage)), &["passage", "died"], None);
        let found: QueryResults = self.write_call("Query", query).await?;
        let (keys, died) = (found.numbers("passage"), found.numbers("died"));
        if keys.len() != died.len() {
            return Err(unfit("its rows have columns of different lengths"));
        }
        Ok(keys.iter().copied().zip(died.iter().copied()).collect())
    }

    async fn insert(&self, identity: &IndexIdentity, rows: &[collection::Row]) -> Result<(), PortError> {
        if rows.is_empty() {
            return Ok(());
        }
        let request = collection::insert(self.name(identity), rows, self.codes.bits());
        let result: MutationResult = self.write_call("Insert", request).await?;
        self.seen.fetch_max(result.timestamp, Ordering::SeqCst);
        Ok(())
    }

    /// Deletes what a query finds, up to a limit.
    async fn forget(&self, identity: &IndexIdentity, expr: String) -> Result<(), PortError> {
        let query = self.query(identity, expr, &["passage"], Some(FORGOTTEN_ROWS));
        let found: QueryResults = self.write_call("Query", query).await?;
        self.delete(identity, found.numbers("passage").iter().copied()).await
    }

    async fn delete(&self, identity: &IndexIdentity, keys: impl Iterator<Item = i64>) -> Result<(), PortError> {
        let mut keys = keys.peekable();
        if keys.peek().is_none() {
            return Ok(());
        }
        let request = DeleteRequest { collection_name: self.name(identity), expr: of_passages(keys) };
        let result: MutationResult = self.write_call("Delete", request).await?;
        self.seen.fetch_max(result.timestamp, Ordering::SeqCst);
        Ok(())
    }

    /// Says how far an index has come, in the place of what was said before.
    async fn say(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        let row = collection::head_row(head, self.codes.bits());
        self.delete(identity, std::iter::once(row.passage())).await?;
        self.insert(identity, &[row]).await?;
        self.forget(identity, collection::old_heads(signed(head.generation.0))).await
    }

    /// The nearest of a reader's shelves; of those that are equally near as the last, none or all.
    async fn propose(&self, identity: &IndexIdentity, query: &ServerQuery<'_>) -> Result<Vec<PassageKey>, PortError> {
        let mut limit = query.limit.saturating_add(1).min(RESULTS_MAX);
        loop {
            let found = self.search(identity, query, limit).await?;
            let is_cut = found.len() >= limit;
            if limit == RESULTS_MAX && is_cut {
                tracing::debug!(component = "dense", "more passages are equally near than Milvus returns");
            }
            let nearer = nearer_than_the_cut(found, limit);
            // What is equally near is nearly a text of its own; where much of it is at the cut, more is asked for.
            if !is_cut || nearer.len() * 2 >= query.limit || limit == RESULTS_MAX {
                return Ok(nearer);
            }
            limit = limit.saturating_mul(4).min(RESULTS_MAX);
        }
    }

    /// The nearest of a reader's shelves, nearest first, with the bits in which their codes differ.
    async fn search(
        &self,
        identity: &IndexIdentity,
        query: &ServerQuery<'_>,
        limit: usize,
    ) -> Result<Vec<(f32, PassageKey)>, PortError> {
        let placeholder = PlaceholderValue {
            tag: "$0".to_owned(),
            data_type: DataType::BinaryVector.into(),
            values: vec![self.codes.code(query.vector)],
        };
        let group = PlaceholderGroup { placeholders: vec![placeholder] };
        let params = [
            ("anns_field", CODE.to_owned()),
            ("topk", limit.to_string()),
            ("metric_type", METRIC.to_owned()),
            ("params", "{}".to_owned()),
            ("round_decimal", "-1".to_owned()),
        ];
        let request = SearchRequest {
            collection_name: self.name(identity),
            dsl: filter(query),
            placeholder_group: prost::Message::encode_to_vec(&group),
            dsl_type: 1,
            search_params: params.iter().map(|(key, value)| pair(key, value)).collect(),
            guarantee_timestamp: self.seen.load(Ordering::SeqCst),
            nq: 1,
            consistency_level: ConsistencyLevel::Customized.into(),
        };
        let found: SearchResults = self.client.call("Search", request, self.client.timeout).await?;
        read_hits(found.results, limit)
    }
}

/// The rows of these passages, as Milvus is told.
fn of_passages(keys: impl Iterator<Item = i64>) -> String {
    let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
    format!("passage in [{}]", keys.join(","))
}

/// What a search looks at.
fn filter(query: &ServerQuery<'_>) -> String {
    let shelves: Vec<String> = query.shelves.iter().map(ToString::to_string).collect();
    let (tenant, at) = (query.tenant, signed(query.generation.0));
    format!("tenant == {tenant} and shelf in [{}] and born <= {at} and died > {at}", shelves.join(","))
}

/// What an index was read or written as is not there any more.
fn made_again() -> PortError {
    PortError::new(PORT, Fault::Held, "another node is rebuilding the vector index")
}

#[async_trait]
impl VectorServer for Milvus {
    async fn head(&self, identity: &IndexIdentity) -> Result<Option<IndexHead>, PortError> {
        let Some(incarnation) = self.incarnation(identity).await? else { return Ok(None) };
        let query = self.query(identity, collection::head_filter(incarnation), &["born", "died"], None);
        let found: Result<QueryResults, PortError> = self.client.call("Query", query, self.client.timeout).await;
        let found = match found {
            // Made and never loaded: whoever made it did not come to the end.
            Err(error) if is_missing(&error) => return Ok(None),
            found => found?,
        };
        let head = found.numbers("born").iter().zip(found.numbers("died")).max();
        let generation = |number: &i64| Generation(u64::try_from(*number).unwrap_or(0));
        let head = head.map(|(born, died)| (generation(born), generation(died)));
        Ok(head.map(|(generation, floor)| IndexHead { incarnation, generation, floor }))
    }

    async fn check(&self, identity: &IndexIdentity) -> Result<(), PortError> {
        self.has(self.name(identity)).await.map(drop)
    }

    async fn create(&self, identity: &IndexIdentity) -> Result<NewIndex, PortError> {
        let name = self.name(identity);
        let is_there = self.has(name.clone()).await?;
        if !is_there {
            let request = collection::create(&name, self.codes.bits());
            let _: Status = self.write_call("CreateCollection", request).await?;
        }
        let _: Status = self.write_call("CreateIndex", collection::index(&name)).await?;
        let _: Status = self.write_call("LoadCollection", CollectionRequest { collection_name: name.clone() }).await?;
        collection::wait_until_loaded(&self.client, &name).await?;
        let incarnation = self.incarnation(identity).await?.ok_or_else(made_again)?;
        let content = if is_there { IndexContent::Rows } else { IndexContent::Nothing };
        Ok(NewIndex { incarnation, content })
    }

    async fn remove(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        if self.incarnation(identity).await? != Some(head.incarnation) {
            return Err(made_again());
        }
        let request = CollectionRequest { collection_name: self.name(identity) };
        let dropped: Result<Status, PortError> = self.write_call("DropCollection", request).await;
        dropped.map(drop).or_else(|error| if is_missing(&error) { Ok(()) } else { Err(error) })
    }

    async fn remove_superseded(&self, identity: &IndexIdentity) -> Result<(), PortError> {
        let found: ShowCollectionsResponse = self.write_call("ShowCollections", ShowCollectionsRequest {}).await?;
        let (own, of_store) = (self.name(identity), collection::start_of_names(identity));
        for collection_name in found.collection_names {
            if collection_name.starts_with(&of_store) && collection_name != own {
                let _: Status = self.write_call("DropCollection", CollectionRequest { collection_name }).await?;
            }
        }
        Ok(())
    }

    async fn write(
        &self,
        identity: &IndexIdentity,
        rows: Vec<VectorRow>,
        content: IndexContent,
    ) -> Result<(), PortError> {
        let rows: Vec<collection::Row> = rows.iter().map(|row| row_of(row, &self.codes)).collect();
        match content {
            IndexContent::Nothing => self.insert(identity, &rows).await,
            IndexContent::Rows => self.complete(identity, rows).await,
        }
    }

    async fn publish(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        if self.incarnation(identity).await? != Some(head.incarnation) {
            return Err(made_again());
        }
        // A new index holds none of the dead.
        self.say(identity, head).await
    }

    async fn advance(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        // Whoever did not fill an index cannot say that it is whole, so one without a head stays without.
        if self.head(identity).await?.is_none_or(|found| found.incarnation != head.incarnation) {
            return Err(made_again());
        }
        self.say(identity, head).await?;
        self.forget(identity, format!("passage > 0 and died <= {}", signed(head.floor.0))).await
    }

    async fn settle(&self, identity: &IndexIdentity, _: Shelves<'_>, written: usize) -> Result<bool, PortError> {
        if written < FLUSHED_ROWS {
            return Ok(true);
        }
        collection::flush(&self.client, &self.name(identity)).await
    }

    async fn count(&self, identity: &IndexIdentity, at: Generation) -> Result<u64, PortError> {
        let at = signed(at.0);
        let expr = format!("passage > 0 and born <= {at} and died > {at}");
        let query = self.query(identity, expr, &["count(*)"], None);
        let found: QueryResults = self.write_call("Query", query).await?;
        let count = found.numbers("count(*)").first().and_then(|count| u64::try_from(*count).ok());
        count.ok_or_else(|| PortError::new(PORT, Fault::Internal, "Milvus did not say how many rows there are"))
    }

    async fn nearest(&self, identity: &IndexIdentity, query: &ServerQuery<'_>) -> Result<Vec<PassageKey>, PortError> {
        let found = self.propose(identity, query).await;
        // A collection of this name that somebody fills anew would be searched as if it were whole. It is asked for afterwards, since
        // no number comes twice.
        if self.incarnation(identity).await? == Some(query.incarnation) { found } else { Err(made_again()) }
    }
}
