//! Vectors in PostgreSQL with the extension `vector`: half-precision rows in a table, graphs of the large shelves over it.
//!
//! A shelf with few rows is looked through row by row. A larger one has a graph (HNSW) of its own, a partial index over that
//! shelf and nothing else, and is searched with it alone. So no row of a shelf that a reader does not see is a node of any graph
//! that the reader's search walks, nor do its rows decide which way of searching is taken: the planner is left no choice.
//!
//! Invariant: every row of the table is seen only by a connection that says whose rows it works on (row-level security).

mod fault;
mod graphs;
mod half;
mod lent;
mod place;
mod rows;
mod search;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use vouch_domain::{PassageKey, PortError, ports::Generation};

use crate::{
    embedded::{CatalogueVectors, IndexIdentity, VectorRow},
    postgres::{PostgresSettings, server::Server},
    remote_dense::{
        IndexContent, IndexHead, NewIndex, RemoteDense, RemoteDenseFigures, ServerQuery, Shelves, VectorServer,
    },
};

use fault::of_the_index;
use lent::Lent;

/// How much longer than the server this side waits for work that the server has a limit for.
const GRACE: Duration = Duration::from_secs(30);

/// Work on a connection of its own, for the runtime of a server.
macro_rules! on_connection {
    ($server:expr, $client:ident => $work:expr) => {{
        let server = Arc::clone(&$server);
        async move {
            let mut lent = Lent::from(&server).await?;
            let $client = lent.client()?;
            let outcome = $work.await;
            lent.give_back();
            outcome
        }
    }};
}

/// How vectors are kept in PostgreSQL and searched there.
#[derive(Debug, Clone)]
pub struct PgvectorSettings {
    /// The database.
    pub database: PostgresSettings,
    /// How long a search may take.
    pub search_timeout: Duration,
    /// How much is asked of it.
    pub figures: RemoteDenseFigures,
    /// A shelf with so many rows has a graph.
    pub graph_rows_min: usize,
    /// How many neighbours a search in a graph keeps in sight (`hnsw.ef_search`).
    pub ef_search: usize,
    /// How much memory the making of a graph may take.
    pub build_memory_mb: usize,
    /// How many processes make a graph besides the one that is asked.
    pub build_workers: usize,
    /// How long a graph may take to be made.
    pub build_timeout: Duration,
}

/// The vectors of a catalogue in PostgreSQL.
///
/// # Errors
/// Fails if the address makes no sense; nobody is asked yet.
pub fn pgvector(vectors: CatalogueVectors, settings: PgvectorSettings) -> Result<RemoteDense, PortError> {
    let server = Arc::new(Server::new(&settings.database).map_err(of_the_index)?);
    let figures = settings.figures;
    let pgvector = Pgvector { server, settings: Arc::new(settings), graphs: Mutex::new(BTreeMap::new()) };
    Ok(RemoteDense::new(vectors, Arc::new(pgvector), figures))
}

struct Pgvector {
    server: Arc<Server>,
    settings: Arc<PgvectorSettings>,
    /// The shelves of an index that have a graph, as this node knows.
    graphs: Mutex<BTreeMap<String, BTreeSet<u32>>>,
}

impl Pgvector {
    fn graphs_of(&self, identity: &IndexIdentity) -> BTreeSet<u32> {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner).get(&identity.name).cloned().unwrap_or_default()
    }

    fn know_graphs(&self, identity: &IndexIdentity, graphs: BTreeSet<u32>) {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner).insert(identity.name.clone(), graphs);
    }

    /// How long this side waits for work whose statements the server gives as long as a graph may take.
    fn long(&self) -> Duration {
        self.settings.build_timeout + GRACE
    }

    async fn look_for_graphs(
        &self,
        identity: &IndexIdentity,
        wanted: graphs::Wanted,
    ) -> Result<graphs::Graphs, PortError> {
        let (settings, own) = (Arc::clone(&self.settings), identity.clone());
        let work = on_connection!(self.server, client => graphs::look(client, &own, &settings, &wanted));
        self.server.run_within(self.long(), work).await.map_err(of_the_index)
    }

    /// Makes the graph of a shelf; answers whether that was not left to another node.
    async fn make_graph(&self, identity: &IndexIdentity, shelf: u32) -> Result<bool, PortError> {
        let workers = self.settings.build_workers;
        let made = match self.try_to_make_graph(identity, shelf, workers).await {
            Err(error) if workers > 0 && graphs::is_short_of_room(&error) => {
                tracing::warn!(component = "dense", shelf, %error, "a graph is made by one process, for want of room for more");
                self.try_to_make_graph(identity, shelf, 0).await
            }
            made => made,
        };
        made.map_err(of_the_index)
    }

    async fn try_to_make_graph(&self, identity: &IndexIdentity, shelf: u32, workers: usize) -> Result<bool, PortError> {
        let (settings, own) = (Arc::clone(&self.settings), identity.clone());
        let work = on_connection!(self.server, client => graphs::make(client, &own, &settings, (shelf, workers)));
        self.server.run_within(self.long(), work).await
    }
}

#[async_trait]
impl VectorServer for Pgvector {
    async fn head(&self, identity: &IndexIdentity) -> Result<Option<IndexHead>, PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => place::head(client, &own));
        let found = self.server.run_within(self.settings.search_timeout, work).await.map_err(of_the_index)?;
        let Some((head, graphs)) = found else { return Ok(None) };
        self.know_graphs(identity, graphs);
        Ok(Some(head))
    }

    async fn create(&self, identity: &IndexIdentity) -> Result<NewIndex, PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => place::create(client, &own));
        self.server.run(work).await.map_err(fault::of_the_making)
    }

    async fn remove(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => place::remove(client, &own, head));
        self.server.run(work).await.map_err(of_the_index)?;
        self.know_graphs(identity, BTreeSet::new());
        Ok(())
    }

    async fn remove_superseded(&self, identity: &IndexIdentity) -> Result<(), PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => place::remove_superseded(client, &own));
        self.server.run(work).await.map_err(of_the_index)
    }

    async fn write(&self, identity: &IndexIdentity, written: Vec<VectorRow>, _: IndexContent) -> Result<(), PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => rows::write(client, &own, &written));
        self.server.run(work).await.map_err(of_the_index)
    }

    async fn publish(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => rows::publish(client, &own, head));
        self.server.run(work).await.map_err(of_the_index)
    }

    async fn advance(&self, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
        let own = identity.clone();
        let work = on_connection!(self.server, client => rows::advance(client, &own, head));
        self.server.run(work).await.map_err(of_the_index)
    }

    async fn settle(&self, identity: &IndexIdentity, shelves: Shelves<'_>, written: usize) -> Result<bool, PortError> {
        let shelves = match shelves {
            Shelves::All => None,
            Shelves::Only(shelves) => Some(shelves.iter().copied().collect()),
        };
        let wanted = graphs::Wanted { shelves, written };
        let graphs::Graphs { mut there, missing } = self.look_for_graphs(identity, wanted).await?;
        self.know_graphs(identity, there.clone());
        let mut is_done = true;
        for shelf in missing {
            if self.make_graph(identity, shelf).await? {
                there.insert(shelf);
                self.know_graphs(identity, there.clone());
            } else {
                is_done = false;
            }
        }
        Ok(is_done)
    }

    async fn count(&self, identity: &IndexIdentity, at: Generation) -> Result<u64, PortError> {
        let (own, limit) = (identity.clone(), self.settings.build_timeout);
        let work = on_connection!(self.server, client => rows::count(client, &own, (at, limit)));
        self.server.run_within(self.long(), work).await.map_err(of_the_index)
    }

    async fn nearest(&self, identity: &IndexIdentity, query: &ServerQuery<'_>) -> Result<Vec<PassageKey>, PortError> {
        let search = search::Search::new(identity, query, &self.graphs_of(identity), &self.settings);
        let work = on_connection!(self.server, client => search.run(client));
        self.server.run_within(self.settings.search_timeout, work).await.map_err(of_the_index)
    }
}
