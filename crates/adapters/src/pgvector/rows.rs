//! Rows of vectors, written in bulk.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use deadpool_postgres::{Object, Transaction};
use futures::{SinkExt, pin_mut};
use tokio_postgres::types::ToSql;
use vouch_domain::{PortError, ports::Generation};

use super::{
    graphs::begin_limited,
    half::half,
    place::{NEVER, begin_all, made_again, table},
};
use crate::{
    embedded::{IndexIdentity, VectorRow},
    postgres::fault::fault,
    remote_dense::IndexHead,
};

/// How PostgreSQL's binary form of a copy begins: a signature, flags, and the length of nothing.
const COPY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const COPY_END: i16 = -1;
const COLUMNS: i16 = 6;
/// How much of a copy is sent at a time.
const PART_BYTES: usize = 1 << 20;

/// Writes rows; one that is there lives no longer than either says.
pub(super) async fn write(client: &mut Object, identity: &IndexIdentity, rows: &[VectorRow]) -> Result<(), PortError> {
    let (table, dimensions) = (table(identity), identity.dimensions);
    let transaction = begin_all(client).await?;
    let make = format!(
        "CREATE TEMPORARY TABLE incoming (passage int8, tenant int8, shelf int4, born int8, died int8, \
         vector halfvec({dimensions})) ON COMMIT DROP"
    );
    transaction.batch_execute(&make).await.map_err(fault)?;
    let sink = transaction.copy_in("COPY incoming FROM STDIN (FORMAT binary)").await.map_err(fault)?;
    pin_mut!(sink);
    let mut part = BytesMut::with_capacity(PART_BYTES + 4_096);
    part.extend_from_slice(COPY_HEADER);
    for row in rows {
        put(&mut part, row);
        if part.len() >= PART_BYTES {
            sink.send(part.split().freeze()).await.map_err(fault)?;
        }
    }
    part.put_i16(COPY_END);
    sink.send(Bytes::from(part)).await.map_err(fault)?;
    sink.finish().await.map_err(fault)?;
    let take = format!(
        "INSERT INTO {table} SELECT DISTINCT ON (passage) * FROM incoming ORDER BY passage, died \
         ON CONFLICT (passage) DO UPDATE SET died = excluded.died WHERE excluded.died < {table}.died"
    );
    transaction.batch_execute(&take).await.map_err(fault)?;
    transaction.commit().await.map_err(fault)
}

fn put(part: &mut BytesMut, row: &VectorRow) {
    let signed = |number: u64| i64::try_from(number).unwrap_or(NEVER);
    part.put_i16(COLUMNS);
    for number in [signed(row.key), row.tenant] {
        part.put_i32(8);
        part.put_i64(number);
    }
    part.put_i32(4);
    part.put_u32(row.shelf);
    for number in [signed(row.born), row.died.map_or(NEVER, signed)] {
        part.put_i32(8);
        part.put_i64(number);
    }
    // A half-precision vector is its width, two bytes of nothing, and its components.
    let width = i16::try_from(row.vector.len()).unwrap_or(i16::MAX);
    part.put_i32(4 + 2 * i32::from(width));
    part.put_i16(width);
    part.put_i16(0);
    row.vector.iter().for_each(|value| part.put_u16(half(*value)));
}

/// Says that a new index holds everything up to there, never less than another who made the same says.
pub(super) async fn publish(client: &mut Object, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
    let transaction = begin_all(client).await?;
    let sql = "INSERT INTO vouch_dense.heads AS own (name, store, incarnation, generation, floor)
               SELECT $1::text, $2::text, $3::int8, $4::int8, $5::int8 WHERE to_regclass($6::text)::oid::int8 = $3::int8
               ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation,
                   generation = CASE WHEN own.incarnation = excluded.incarnation
                       THEN greatest(own.generation, excluded.generation) ELSE excluded.generation END,
                   floor = CASE WHEN own.incarnation = excluded.incarnation
                       THEN greatest(own.floor, excluded.floor) ELSE excluded.floor END";
    let (generation, floor, table) = (signed(head.generation), signed(head.floor), table(identity));
    let values: [&(dyn ToSql + Sync); 6] =
        [&identity.name, &identity.store, &head.incarnation, &generation, &floor, &table];
    if transaction.execute(sql, &values).await.map_err(fault)? == 0 {
        return Err(made_again());
    }
    forget(&transaction, &table, floor).await?;
    transaction.commit().await.map_err(fault)
}

/// Says how far an index has come, never less far than it was, and lets go of those that died long ago. Whoever did not fill an index
/// cannot say that it is whole, so one without a head stays without.
pub(super) async fn advance(client: &mut Object, identity: &IndexIdentity, head: IndexHead) -> Result<(), PortError> {
    let transaction = begin_all(client).await?;
    let sql = "UPDATE vouch_dense.heads SET generation = greatest(generation, $3), floor = greatest(floor, $4)
               WHERE name = $1 AND incarnation = $2 AND incarnation = to_regclass($5)::oid::int8";
    let (generation, floor, table) = (signed(head.generation), signed(head.floor), table(identity));
    let values: [&(dyn ToSql + Sync); 5] = [&identity.name, &head.incarnation, &generation, &floor, &table];
    if transaction.execute(sql, &values).await.map_err(fault)? == 0 {
        return Err(made_again());
    }
    forget(&transaction, &table, floor).await?;
    transaction.commit().await.map_err(fault)
}

async fn forget(transaction: &Transaction<'_>, table: &str, floor: i64) -> Result<(), PortError> {
    let sql = format!("DELETE FROM {table} WHERE died <= $1 AND died < {NEVER}");
    transaction.execute(&sql, &[&floor]).await.map_err(fault)?;
    Ok(())
}

fn signed(generation: Generation) -> i64 {
    i64::try_from(generation.0).unwrap_or(NEVER)
}

pub(super) async fn count(
    client: &mut Object,
    identity: &IndexIdentity,
    (at, limit): (Generation, Duration),
) -> Result<u64, PortError> {
    let transaction = begin_limited(client, limit).await?;
    let sql = format!("SELECT count(*) FROM {} WHERE born <= $1 AND died > $1", table(identity));
    let count: i64 = transaction.query_one(&sql, &[&signed(at)]).await.map_err(fault)?.get(0);
    transaction.commit().await.map_err(fault)?;
    Ok(u64::try_from(count).unwrap_or(0))
}
