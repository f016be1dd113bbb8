//! A query → the passages that the graphs of large shelves and a scan of the small ones propose.
//!
//! Invariant: which way a shelf is searched depends on that shelf alone. Left to itself the planner would choose by how many rows
//! other shelves have, and a scan finds what a graph may miss.

use std::collections::BTreeSet;

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::{Row, SimpleQueryMessage, error::SqlState, types::Type};
use vouch_domain::{PassageKey, PortError};

use super::{
    PgvectorSettings,
    place::{made_again, table},
};
use crate::{
    embedded::IndexIdentity,
    postgres::{fault::fault, tenant::begin},
    remote_dense::ServerQuery,
};

/// The most that the extension keeps in sight.
const EF_SEARCH_MAX: usize = 1_000;
/// Every order but that of a graph has to be sorted, and then counts as more than any graph. A walk goes on until it has found enough
/// of its generation, so a shelf with many dead needs more steps and memory (times `work_mem`) than a walk is given by itself.
const BY_GRAPH: &str = "SET LOCAL enable_indexscan = on; SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off;
     SET LOCAL enable_bitmapscan = off; SET LOCAL hnsw.iterative_scan = strict_order;
     SET LOCAL hnsw.max_scan_tuples = 200000; SET LOCAL hnsw.scan_mem_multiplier = 8";
/// Without index scans no graph can be used, whatever the planner thinks of it.
const BY_SCAN: &str = "SET LOCAL enable_indexscan = off; SET LOCAL enable_sort = on; SET LOCAL enable_seqscan = on;
     SET LOCAL enable_bitmapscan = on";

/// A search, without anything borrowed.
pub(super) struct Search {
    incarnation: i64,
    tenant: i64,
    table: String,
    with_graph: Vec<u32>,
    without: Vec<i32>,
    generation: i64,
    /// The vector as the extension reads it.
    vector: String,
    limit: usize,
    ef_search: usize,
    dimensions: usize,
    timeout_ms: u128,
}

impl Search {
    pub(super) fn new(
        identity: &IndexIdentity,
        query: &ServerQuery<'_>,
        graphs: &BTreeSet<u32>,
        settings: &PgvectorSettings,
    ) -> Self {
        let (with_graph, without): (Vec<u32>, Vec<u32>) =
            query.shelves.iter().copied().partition(|shelf| graphs.contains(shelf));
        let values: Vec<String> = query.vector.iter().map(ToString::to_string).collect();
        Self {
            incarnation: query.incarnation,
            tenant: query.tenant,
            table: table(identity),
            with_graph,
            without: without.into_iter().filter_map(|shelf| i32::try_from(shelf).ok()).collect(),
            generation: i64::try_from(query.generation.0).unwrap_or(i64::MAX),
            vector: format!("[{}]", values.join(",")),
            limit: query.limit,
            ef_search: settings.ef_search.max(query.limit).min(EF_SEARCH_MAX),
            timeout_ms: settings.search_timeout.as_millis(),
            dimensions: identity.dimensions,
        }
    }

    /// The best of all shelves together, ties to the older passage.
    pub(super) async fn run(&self, client: &mut Object) -> Result<Vec<PassageKey>, PortError> {
        let transaction = begin(client, &self.tenant.to_string()).await?;
        self.hold(&transaction).await?;
        let mut found = Vec::new();
        if !self.with_graph.is_empty() {
            let figures = format!("{BY_GRAPH}; SET LOCAL hnsw.ef_search = {}", self.ef_search);
            transaction.batch_execute(&figures).await.map_err(fault)?;
            let sql = self.of_graphs();
            let values: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
                [(&self.vector, Type::TEXT), (&self.generation, Type::INT8)];
            found.extend(read(transaction.query_typed(&sql, &values).await.map_err(fault)?));
        }
        if !self.without.is_empty() {
            found.extend(self.scan(&transaction).await?);
        }
        transaction.commit().await.map_err(fault)?;
        found.sort_by(|(a, a_key), (b, b_key)| a.total_cmp(b).then(a_key.cmp(b_key)));
        found.truncate(self.limit);
        Ok(found.into_iter().map(|(_, key)| key).collect())
    }

    /// Sees to it that the table is the one that is meant, and stays: one of its name may be half filled.
    async fn hold(&self, transaction: &Transaction<'_>) -> Result<(), PortError> {
        let Self { table, timeout_ms, incarnation, .. } = self;
        let sql = format!(
            "SET LOCAL statement_timeout = {timeout_ms}; LOCK TABLE {table} IN ACCESS SHARE MODE;
             SELECT to_regclass('{table}')::oid::int8"
        );
        let messages = transaction.simple_query(&sql).await.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::UNDEFINED_TABLE => made_again(),
            Some(_) | None => fault(error),
        })?;
        let number = |message: &SimpleQueryMessage| {
            if let SimpleQueryMessage::Row(row) = message { row.get(0)?.parse::<i64>().ok() } else { None }
        };
        if messages.iter().find_map(number) == Some(*incarnation) { Ok(()) } else { Err(made_again()) }
    }

    async fn scan(&self, transaction: &Transaction<'_>) -> Result<Vec<(f64, PassageKey)>, PortError> {
        transaction.batch_execute(BY_SCAN).await.map_err(fault)?;
        let Self { table, dimensions, limit, .. } = self;
        let sql = format!(
            "SELECT passage, vector <#> $1::text::halfvec({dimensions}) AS distance FROM {table}
             WHERE shelf = ANY($3) AND born <= $2 AND died > $2 ORDER BY distance, passage LIMIT {limit}"
        );
        let values: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 3] =
            [(&self.vector, Type::TEXT), (&self.generation, Type::INT8), (&self.without, Type::INT4_ARRAY)];
        Ok(read(transaction.query_typed(&sql, &values).await.map_err(fault)?).collect())
    }

    /// One statement for the graphs of all shelves; each is named as in its graph's condition.
    fn of_graphs(&self) -> String {
        let Self { table, dimensions, limit, .. } = self;
        let one = |shelf: &u32| {
            format!(
                "(SELECT passage, vector <#> $1::text::halfvec({dimensions}) AS distance FROM {table}
                  WHERE shelf = {shelf} AND born <= $2 AND died > $2
                  ORDER BY vector <#> $1::text::halfvec({dimensions}) LIMIT {limit})"
            )
        };
        self.with_graph.iter().map(one).collect::<Vec<_>>().join(" UNION ALL ")
    }
}

fn read(rows: Vec<Row>) -> impl Iterator<Item = (f64, PassageKey)> {
    rows.into_iter().map(|row| (row.get(1), PassageKey(u64::try_from(row.get::<_, i64>(0)).unwrap_or(0))))
}
