//! Rows that were written after a change, read; rows written as the next change.

use std::{sync::mpsc::SyncSender, time::Duration};

use deadpool_postgres::Object;
use futures::{TryStreamExt, pin_mut};
use rusqlite::types::Value;
use tokio_postgres::{Row, RowStream, types::ToSql};
use vouch_domain::{Fault, PortError};

use super::{
    fault::{PORT, fault},
    server::within,
    tenant::{signed, unsigned},
    values::{Column, array_of, values},
};
use crate::embedded::following::{Changed, Head, Place, TableShape, key_of, key_text, size};

/// Rows that are sent at once, and their bytes.
const ROWS_MAX: usize = 2_000;
const BYTES_MAX: usize = 4 << 20;
/// Rows that one statement reads: it must end in time, however many there are and however slowly they are taken.
const PAGE_ROWS: usize = 1_000;
/// The table of what was taken out.
const GONE: &str = "gone";
/// Everything a store keeps is seen and changed here, whosever it is.
pub(super) const WHOLE_STORE: &str = "SET LOCAL vouch.tenant = '*'";

/// How far the truth has come, in the transaction of a connection.
pub(super) async fn head(client: &Object, limit: Duration, lock: &str) -> Result<Head, PortError> {
    let sql = format!("SELECT changed_at, first_change FROM vouch.head {lock}");
    let row = within(limit, client.query_one(&sql, &[])).await?;
    let (change, first) = (unsigned(row.get(0)), unsigned(row.get(1)));
    // A statement of its own: the one that waits for the lock sees everything else as it was before it waited, and a copy may have
    // begun meanwhile.
    let sql = "SELECT EXISTS (SELECT 1 FROM vouch.copying), (SELECT value FROM vouch.meta WHERE key = 'store_id')";
    let row = within(limit, client.query_one(sql, &[])).await?;
    if row.get(0) {
        let sentence = "the copy of a store into this database is not finished; run `vouch store copy --to postgres` again, which \
                        goes on where it stopped";
        return Err(PortError::new(PORT, Fault::Invalid, sentence));
    }
    Ok(Head { change, first, store_id: row.get(1) })
}

/// Sends everything that was written after a change: what is gone first.
pub(super) async fn read(
    client: &Object,
    limit: Duration,
    (tables, after): (&[TableShape], u64),
    sender: SyncSender<Changed>,
) -> Result<(), PortError> {
    // All at once: a copy that is hardly behind is brought up while others wait for the lock.
    within(limit, client.batch_execute(&cursors(tables, after))).await?;
    // Where there is no copy yet, nothing can be taken out of it.
    if after > 0 {
        send_gone(client, limit, tables, &sender).await?;
    }
    for table in tables {
        loop {
            let rows = fetch(client, limit, &table.name).await?;
            let (count, _) = send_all(rows, (limit, table), &sender).await?;
            if count < PAGE_ROWS {
                break;
            }
        }
    }
    // The transaction may go on, and read once more.
    within(limit, client.batch_execute("CLOSE ALL")).await
}

/// What declares a cursor for each table's rows that were written after a change, and one for what is gone since.
fn cursors(tables: &[TableShape], after: u64) -> String {
    let after = signed(after);
    let gone = format!("SELECT table_name, row_key FROM vouch.gone WHERE changed_at > {after} ORDER BY changed_at");
    let queries = tables.iter().map(|table| {
        let columns: Vec<String> = table.column_names().map(quoted).collect();
        let query =
            format!("SELECT {} FROM vouch.{} WHERE changed_at > {after}", columns.join(", "), quoted(&table.name));
        (table.name.as_str(), query)
    });
    let declared: Vec<String> = queries
        .chain([(GONE, gone)])
        .map(|(name, query)| format!("DECLARE {} NO SCROLL CURSOR FOR {query}", cursor_of(name)))
        .collect();
    declared.join("; ")
}

/// The next rows of a table's cursor. It bears the table's name, so that what a connection has prepared for it has that table's
/// columns.
async fn fetch(client: &Object, limit: Duration, table: &str) -> Result<RowStream, PortError> {
    let sql = format!("FETCH FORWARD {PAGE_ROWS} FROM {}", cursor_of(table));
    let statement = within(limit, client.prepare_cached(&sql)).await?;
    let parameters: [&(dyn ToSql + Sync); 0] = [];
    within(limit, client.query_raw(&statement, parameters)).await
}

fn cursor_of(table: &str) -> String {
    quoted(&format!("changes of {table}"))
}

/// Sends the keys of rows that are gone, in the order in which they went.
async fn send_gone(
    client: &Object,
    limit: Duration,
    tables: &[TableShape],
    sender: &SyncSender<Changed>,
) -> Result<(), PortError> {
    loop {
        let rows = fetch(client, limit, GONE).await?;
        let page: Vec<Row> = within(limit, rows.try_collect()).await?;
        for row in &page {
            let (name, key): (&str, &str) = (row.try_get(0).map_err(fault)?, row.try_get(1).map_err(fault)?);
            let Some(table) = tables.iter().find(|table| table.name == name) else { continue };
            let changed = Changed { table: table.clone(), rows: Vec::new(), gone: vec![key_of(key)?] };
            sender.send(changed).map_err(|_| broken_off())?;
        }
        if page.len() < PAGE_ROWS {
            return Ok(());
        }
    }
}

/// Sends every row from a place on, in the order of tables and keys.
pub(super) async fn rows(
    client: &Object,
    limit: Duration,
    (tables, from): (&[TableShape], Option<&Place>),
    sender: SyncSender<Changed>,
) -> Result<(), PortError> {
    for (table, key) in Place::rest(from, tables) {
        let mut key = key.map(<[Value]>::to_vec);
        loop {
            let (count, last) = page(client, limit, (table, key.as_deref()), &sender).await?;
            if count < PAGE_ROWS {
                break;
            }
            key = last;
        }
    }
    Ok(())
}

/// Sends the rows of a table after a key, up to a limit; answers how many they are and the key of the last.
async fn page(
    client: &Object,
    limit: Duration,
    (table, after): (&TableShape, Option<&[Value]>),
    sender: &SyncSender<Changed>,
) -> Result<(usize, Option<Vec<Value>>), PortError> {
    let columns: Vec<String> = table.column_names().map(quoted).collect();
    let keys = table.key_names().map(quoted).collect::<Vec<_>>().join(", ");
    let places: Vec<String> = (1..=after.map_or(0, <[Value]>::len)).map(|at| format!("${at}")).collect();
    let wanted = if after.is_some() { format!("WHERE ({keys}) > ({})", places.join(", ")) } else { String::new() };
    let sql = format!(
        "SELECT {} FROM vouch.{} {wanted} ORDER BY {keys} LIMIT {PAGE_ROWS}",
        columns.join(", "),
        quoted(&table.name)
    );
    let statement = within(limit, client.prepare_cached(&sql)).await?;
    let parameters = after.unwrap_or_default().iter().map(key_part).collect::<Result<Vec<_>, _>>()?;
    let rows = within(limit, client.query_raw(&statement, parameters)).await?;
    send_all(rows, (limit, table), sender).await
}

/// Sends rows as they come, a few at a time; answers how many there were and the key of the last.
async fn send_all(
    rows: RowStream,
    (limit, table): (Duration, &TableShape),
    sender: &SyncSender<Changed>,
) -> Result<(usize, Option<Vec<Value>>), PortError> {
    pin_mut!(rows);
    let (mut some, mut bytes, mut count, mut last) = (Vec::new(), 0, 0, None);
    loop {
        let row = within(limit, rows.try_next()).await?;
        let is_end = row.is_none();
        if let Some(row) = row {
            let row = values(&row, table)?;
            bytes += size(&row);
            count += 1;
            some.push(row);
        }
        if !some.is_empty() && (is_end || some.len() >= ROWS_MAX || bytes >= BYTES_MAX) {
            bytes = 0;
            last = some.last().map(|row| table.key_of(row));
            let changed = Changed { table: table.clone(), rows: std::mem::take(&mut some), gone: Vec::new() };
            sender.send(changed).map_err(|_| broken_off())?;
        }
        if is_end {
            return Ok((count, last));
        }
    }
}

/// A part of a key as a parameter.
fn key_part(value: &Value) -> Result<Box<dyn ToSql + Sync + Send>, PortError> {
    match value {
        Value::Integer(number) => Ok(Box::new(*number)),
        Value::Text(text) => Ok(Box::new(text.clone())),
        Value::Null | Value::Real(_) | Value::Blob(_) => {
            Err(PortError::new(PORT, Fault::Internal, "a key is neither a number nor a text"))
        }
    }
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

fn broken_off() -> PortError {
    PortError::new(PORT, Fault::Internal, "nobody takes the rows of the database any more")
}
