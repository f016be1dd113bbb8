//! The tables of indexes: made, found, taken away.
//!
//! The number that PostgreSQL gives a table is the incarnation of its index: a table that was removed and made again has another.
//! What is said of an index is said with that number, and counts only while the table has it.

use std::collections::BTreeSet;

use deadpool_postgres::{Object, Transaction};
use vouch_domain::{Fault, PortError, ports::Generation};

use crate::{
    embedded::IndexIdentity,
    postgres::{
        fault::{PORT, fault},
        tenant::{ALL, begin, unsigned},
    },
    remote_dense::{IndexContent, IndexHead, NewIndex},
};

/// The generation of a death that has not come.
pub(super) const NEVER: i64 = i64::MAX;
/// What every node locks that makes or removes tables.
const LOCK: &str = "SELECT pg_advisory_xact_lock(8247351620716)";

/// Whether the table of heads is there, with the column that came last.
const HAS_HEADS: &str = "EXISTS (SELECT 1 FROM pg_attribute
                                 WHERE attrelid = to_regclass('vouch_dense.heads') AND attname = 'incarnation')";

/// The table of an index. Its name is made of hexadecimal digits.
pub(super) fn table(identity: &IndexIdentity) -> String {
    table_of(&identity.name)
}

fn table_of(name: &str) -> String {
    format!("vouch_dense.rows_{name}")
}

/// Begins a transaction that works on the rows of all.
pub(super) async fn begin_all(client: &mut Object) -> Result<Transaction<'_>, PortError> {
    begin(client, ALL).await
}

/// How far an index has come, and the shelves that have a graph.
pub(super) async fn head(
    client: &Object,
    identity: &IndexIdentity,
) -> Result<Option<(IndexHead, BTreeSet<u32>)>, PortError> {
    let is_there = format!("SELECT to_regclass($1) IS NOT NULL AND {HAS_HEADS}");
    let is_there: bool = client.query_one(&is_there, &[&table(identity)]).await.map_err(fault)?.get(0);
    if !is_there {
        return Ok(None);
    }
    let sql = "SELECT incarnation, generation, floor FROM vouch_dense.heads
               WHERE name = $1 AND incarnation = to_regclass($2)::oid::int8";
    let found = client.query_opt(sql, &[&identity.name, &table(identity)]).await.map_err(fault)?;
    let Some(row) = found else { return Ok(None) };
    let head = IndexHead {
        incarnation: row.get(0),
        generation: Generation(unsigned(row.get(1))),
        floor: Generation(unsigned(row.get(2))),
    };
    Ok(Some((head, graphs(client, identity).await?)))
}

/// The shelves that have a graph.
pub(super) async fn graphs(client: &Object, identity: &IndexIdentity) -> Result<BTreeSet<u32>, PortError> {
    let start = format!("graph_{}_", identity.name);
    let sql = "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
               WHERE i.indrelid = to_regclass($1) AND i.indisvalid AND starts_with(c.relname::text, $2)";
    let rows = client.query(sql, &[&table(identity), &start]).await.map_err(fault)?;
    let shelf = |name: &str| name.strip_prefix(&start)?.parse().ok();
    Ok(rows.iter().filter_map(|row| shelf(row.get(0))).collect())
}

pub(super) async fn create(client: &mut Object, identity: &IndexIdentity) -> Result<NewIndex, PortError> {
    let (table, name, dimensions) = (table(identity), &identity.name, identity.dimensions);
    let transaction = begin_all(client).await?;
    transaction.batch_execute(LOCK).await.map_err(fault)?;
    // Making a schema needs a right even where it is there already.
    let sql = format!(
        "SELECT to_regnamespace('vouch_dense') IS NOT NULL, to_regtype('halfvec') IS NOT NULL, {HAS_HEADS},
                to_regclass($1) IS NOT NULL"
    );
    let found = transaction.query_one(&sql, &[&table]).await.map_err(fault)?;
    let (has_schema, has_extension): (bool, bool) = (found.get(0), found.get(1));
    let (has_heads, has_table): (bool, bool) = (found.get(2), found.get(3));
    if !has_extension {
        transaction.batch_execute("CREATE EXTENSION IF NOT EXISTS vector").await.map_err(fault)?;
    }
    if !has_schema {
        transaction.batch_execute("CREATE SCHEMA vouch_dense").await.map_err(fault)?;
    }
    if !has_heads {
        let heads = "CREATE TABLE IF NOT EXISTS vouch_dense.heads (
                         name text PRIMARY KEY, store text NOT NULL, generation int8 NOT NULL, floor int8 NOT NULL);
                     ALTER TABLE vouch_dense.heads ADD COLUMN incarnation int8 NOT NULL DEFAULT 0";
        transaction.batch_execute(heads).await.map_err(fault)?;
    }
    // A head of no incarnation says nothing but whose the table is, so that it is found once it is superseded.
    let own = "INSERT INTO vouch_dense.heads (name, store, generation, floor) VALUES ($1, $2, 0, 0)
               ON CONFLICT (name) DO NOTHING";
    transaction.execute(own, &[name, &identity.store]).await.map_err(fault)?;
    if !has_table {
        transaction.batch_execute(&new_table(&table, name, dimensions)).await.map_err(fault)?;
    }
    let number = "SELECT to_regclass($1)::oid::int8";
    let incarnation = transaction.query_one(number, &[&table]).await.map_err(fault)?.get(0);
    transaction.commit().await.map_err(fault)?;
    let content = if has_table { IndexContent::Rows } else { IndexContent::Nothing };
    Ok(NewIndex { incarnation, content })
}

fn new_table(table: &str, name: &str, dimensions: usize) -> String {
    format!(
        "CREATE TABLE {table} (
             passage int8 PRIMARY KEY, tenant int8 NOT NULL, shelf int4 NOT NULL, born int8 NOT NULL,
             died int8 NOT NULL, vector halfvec({dimensions}) NOT NULL);
         CREATE INDEX shelves_{name} ON {table} (shelf);
         CREATE INDEX deaths_{name} ON {table} (died) WHERE died < {NEVER};
         ALTER TABLE {table} ALTER COLUMN vector SET STORAGE PLAIN;
         ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
         ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
         CREATE POLICY of_the_tenant ON {table} USING (
             current_setting('vouch.tenant', true) IN ('*', tenant::text));"
    )
}

/// Removes an index that is still the one that was looked at.
pub(super) async fn remove(client: &mut Object, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
    let transaction = begin_all(client).await?;
    transaction.batch_execute(LOCK).await.map_err(fault)?;
    let sql = "DELETE FROM vouch_dense.heads
               WHERE name = $1 AND incarnation = $2 AND incarnation = to_regclass($3)::oid::int8";
    let table = table(identity);
    if transaction.execute(sql, &[&identity.name, &head.incarnation, &table]).await.map_err(fault)? == 0 {
        return Err(made_again());
    }
    transaction.batch_execute(&format!("DROP TABLE {table}")).await.map_err(fault)?;
    transaction.commit().await.map_err(fault)
}

pub(super) async fn remove_superseded(client: &mut Object, identity: &IndexIdentity) -> Result<(), PortError> {
    let sql = "SELECT name FROM vouch_dense.heads WHERE store = $1 AND name <> $2";
    let superseded = client.query(sql, &[&identity.store, &identity.name]).await.map_err(fault)?;
    for row in superseded {
        let name: String = row.get(0);
        let transaction = begin_all(client).await?;
        transaction.batch_execute(LOCK).await.map_err(fault)?;
        transaction.execute("DELETE FROM vouch_dense.heads WHERE name = $1", &[&name]).await.map_err(fault)?;
        transaction.batch_execute(&format!("DROP TABLE IF EXISTS {}", table_of(&name))).await.map_err(fault)?;
        transaction.commit().await.map_err(fault)?;
    }
    Ok(())
}

/// What an index was read or written as is not there any more.
pub(super) fn made_again() -> PortError {
    PortError::new(PORT, Fault::Held, "another node is rebuilding the vector index")
}
