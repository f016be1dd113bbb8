//! Rows that were written after a change, read; rows written as the next change.

use std::{sync::mpsc::SyncSender, time::Duration};

use deadpool_postgres::Object;
use futures::{TryStreamExt, pin_mut};
use rusqlite::types::Value;
use tokio_postgres::types::ToSql;
use vouch_domain::{Fault, PortError};

use super::{
    fault::{PORT, fault},
    server::within,
    tenant::{signed, unsigned},
    values::{Column, array_of, key_of, key_text, values},
};
use crate::embedded::following::{Changed, Head, TableShape};

/// Rows that are sent at once, and their bytes.
const ROWS_MAX: usize = 2_000;
const BYTES_MAX: usize = 4 << 20;
/// Everything a store keeps is seen and changed here, whosever it is.
pub(super) const WHOLE_STORE: &str = "SET LOCAL vouch.tenant = '*'";

/// How far the truth has come, in the transaction of a connection.
pub(super) async fn head(client: &Object, limit: Duration, lock: &str) -> Result<Head, PortError> {
    let sql = format!("SELECT changed_at FROM vouch.head {lock}");
    let row = within(limit, client.query_one(&sql, &[])).await?;
    let change = unsigned(row.get(0));
    let sql = "SELECT value FROM vouch.meta WHERE key = 'store_id'";
    let store_id = within(limit, client.query_opt(sql, &[])).await?.map(|row| row.get(0));
    Ok(Head { change, store_id })
}

/// Sends everything that was written after a change: what is gone first.
pub(super) async fn read(
    client: &Object,
    limit: Duration,
    (tables, after): (&[TableShape], u64),
    sender: SyncSender<Changed>,
) -> Result<(), PortError> {
    let after_change = signed(after);
    // Where there is no copy yet, nothing can be taken out of it.
    if after > 0 {
        let sql = "SELECT table_name, row_key FROM vouch.gone WHERE changed_at > $1 ORDER BY changed_at";
        for row in within(limit, client.query(sql, &[&after_change])).await? {
            let (name, key): (&str, &str) = (row.try_get(0).map_err(fault)?, row.try_get(1).map_err(fault)?);
            let Some(table) = tables.iter().find(|table| table.name == name) else { continue };
            let changed = Changed { table: table.clone(), rows: Vec::new(), gone: vec![key_of(key)?] };
            sender.send(changed).map_err(|_| broken_off())?;
        }
    }
    for table in tables {
        let columns: Vec<String> = table.column_names().map(quoted).collect();
        let sql = format!("SELECT {} FROM vouch.{} WHERE changed_at > $1", columns.join(", "), quoted(&table.name));
        let statement = within(limit, client.prepare_cached(&sql)).await?;
        let parameters: [&(dyn ToSql + Sync); 1] = [&after_change];
        let rows = within(limit, client.query_raw(&statement, parameters)).await?;
        pin_mut!(rows);
        let (mut some, mut bytes) = (Vec::new(), 0);
        while let Some(row) = within(limit, rows.try_next()).await? {
            let row = values(&row, table)?;
            bytes += size(&row);
            some.push(row);
            if some.len() >= ROWS_MAX || bytes >= BYTES_MAX {
                let rows = std::mem::take(&mut some);
                bytes = 0;
                let changed = Changed { table: table.clone(), rows, gone: Vec::new() };
                sender.send(changed).map_err(|_| broken_off())?;
            }
        }
        if !some.is_empty() {
            let changed = Changed { table: table.clone(), rows: some, gone: Vec::new() };
            sender.send(changed).map_err(|_| broken_off())?;
        }
    }
    Ok(())
}

/// Writes rows as part of a change, in the transaction of a connection.
pub(super) async fn write(client: &Object, limit: Duration, change: u64, changed: Changed) -> Result<(), PortError> {
    let change = signed(change);
    take_out(client, limit, change, &changed).await?;
    let Changed { table, rows, .. } = changed;
    let statement = within(limit, client.prepare_cached(&insert(&table))).await?;
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let (mut some, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.next_if(|_| some.len() < ROWS_MAX && bytes < BYTES_MAX) {
            bytes += size(&row);
            some.push(row);
        }
        let columns = Column::all(table.columns.iter().map(|(_, kind)| *kind), some)?;
        let mut parameters: Vec<&(dyn ToSql + Sync)> = columns.iter().map(Column::as_parameter).collect();
        parameters.push(&change);
        within(limit, client.execute(&statement, &parameters)).await?;
    }
    Ok(())
}

/// Makes what was written the store's last change.
pub(super) async fn finish(client: &Object, limit: Duration, change: u64) -> Result<(), PortError> {
    let change = signed(change);
    let sql = "UPDATE vouch.head SET changed_at = $1";
    within(limit, client.execute(sql, &[&change])).await?;
    within(limit, client.execute("SELECT pg_notify('vouch_changed', $1::text)", &[&change.to_string()])).await?;
    Ok(())
}

fn insert(table: &TableShape) -> String {
    let columns: Vec<String> = table.column_names().map(quoted).collect();
    let keys: Vec<String> = table.key_names().map(quoted).collect();
    let arrays: Vec<String> =
        (1..).zip(&table.columns).map(|(at, (_, kind))| format!("${at}::{}", array_of(*kind))).collect();
    let replaced: Vec<String> = columns
        .iter()
        .filter(|column| !keys.contains(column))
        .map(|column| format!("{column} = excluded.{column}"))
        .chain(["changed_at = excluded.changed_at".to_owned()])
        .collect();
    format!(
        "INSERT INTO vouch.{} ({}, changed_at) SELECT given.*, ${}::bigint FROM unnest({}) AS given \
         ON CONFLICT ({}) DO UPDATE SET {}",
        quoted(&table.name),
        columns.join(", "),
        columns.len() + 1,
        arrays.join(", "),
        keys.join(", "),
        replaced.join(", ")
    )
}

async fn take_out(client: &Object, limit: Duration, change: i64, changed: &Changed) -> Result<(), PortError> {
    let table = &changed.table;
    for gone in changed.gone.chunks(ROWS_MAX) {
        let kinds: Vec<_> = table.keys.iter().filter_map(|at| table.columns.get(*at)).map(|(_, kind)| *kind).collect();
        let keys: Vec<String> = table.key_names().map(quoted).collect();
        let arrays: Vec<String> = (1..).zip(&kinds).map(|(at, kind)| format!("${at}::{}", array_of(*kind))).collect();
        let sql = format!(
            "DELETE FROM vouch.{} WHERE ({}) IN (SELECT * FROM unnest({}))",
            quoted(&table.name),
            keys.join(", "),
            arrays.join(", ")
        );
        let columns = Column::all(kinds.into_iter(), gone.to_vec())?;
        let parameters: Vec<&(dyn ToSql + Sync)> = columns.iter().map(Column::as_parameter).collect();
        within(limit, client.execute(&sql, &parameters)).await?;
        let texts = gone.iter().map(|key| key_text(key)).collect::<Result<Vec<String>, _>>()?;
        let sql = "INSERT INTO vouch.gone (changed_at, table_name, row_key) SELECT $1, $2, given.* FROM unnest($3::text[]) AS given";
        within(limit, client.execute(sql, &[&change, &table.name, &texts])).await?;
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn size(row: &[Value]) -> usize {
    let bytes = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::Null | Value::Integer(_) | Value::Real(_) => 8,
    };
    row.iter().map(bytes).sum()
}

fn broken_off() -> PortError {
    PortError::new(PORT, Fault::Internal, "nobody takes the rows of the database any more")
}
