//! Rows of PostgreSQL ↔ values of SQLite, column by column.

use rusqlite::types::Value;
use tokio_postgres::{Row, types::ToSql};
use vouch_domain::{Fault, PortError};

use super::fault::{PORT, fault};
use crate::embedded::following::{ColumnKind, TableShape};

/// A column of many rows.
pub(super) enum Column {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

impl Column {
    fn new(kind: ColumnKind, rows: usize) -> Self {
        match kind {
            ColumnKind::Integer => Self::Integers(Vec::with_capacity(rows)),
            ColumnKind::Text => Self::Texts(Vec::with_capacity(rows)),
            ColumnKind::Bytes => Self::Bytes(Vec::with_capacity(rows)),
        }
    }

    /// The columns of some rows.
    pub(super) fn all(kinds: impl Iterator<Item = ColumnKind>, rows: Vec<Vec<Value>>) -> Result<Vec<Self>, PortError> {
        let mut columns: Vec<Self> = kinds.map(|kind| Self::new(kind, rows.len())).collect();
        for row in rows {
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(value)?;
            }
        }
        Ok(columns)
    }

    fn push(&mut self, value: Value) -> Result<(), PortError> {
        match (self, value) {
            (Self::Integers(some), Value::Integer(number)) => some.push(Some(number)),
            (Self::Texts(some), Value::Text(text)) => some.push(Some(text)),
            (Self::Bytes(some), Value::Blob(bytes)) => some.push(Some(bytes)),
            (Self::Integers(some), Value::Null) => some.push(None),
            (Self::Texts(some), Value::Null) => some.push(None),
            (Self::Bytes(some), Value::Null) => some.push(None),
            (Self::Integers(_) | Self::Texts(_) | Self::Bytes(_), _) => {
                return Err(PortError::new(PORT, Fault::Internal, "a value is not of its column's kind"));
            }
        }
        Ok(())
    }

    pub(super) fn as_parameter(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Integers(some) => some,
            Self::Texts(some) => some,
            Self::Bytes(some) => some,
        }
    }
}

/// The type of a column in PostgreSQL, as an array.
pub(super) fn array_of(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Integer => "bigint[]",
        ColumnKind::Text => "text[]",
        ColumnKind::Bytes => "bytea[]",
    }
}

/// The values of a row.
pub(super) fn values(row: &Row, table: &TableShape) -> Result<Vec<Value>, PortError> {
    let value = |(at, (_, kind)): (usize, &(String, ColumnKind))| -> Result<Value, tokio_postgres::Error> {
        Ok(match kind {
            ColumnKind::Integer => row.try_get::<_, Option<i64>>(at)?.map_or(Value::Null, Value::Integer),
            ColumnKind::Text => row.try_get::<_, Option<String>>(at)?.map_or(Value::Null, Value::Text),
            ColumnKind::Bytes => row.try_get::<_, Option<Vec<u8>>>(at)?.map_or(Value::Null, Value::Blob),
        })
    };
    table.columns.iter().enumerate().map(value).collect::<Result<_, _>>().map_err(fault)
}
