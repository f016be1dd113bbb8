//! The collection of an index: its name, its fields, its rows, and the one row that says how far it has come.

use std::time::{Duration, Instant};

use tokio::time::sleep;
use vouch_domain::{Fault, PortError};

use super::{
    client::{Client, PORT, is_missing},
    codes::{Codes, FORM},
    messages::{
        CollectionRequest, CollectionSchema, ConsistencyLevel, CreateCollectionRequest, CreateIndexRequest, DataType,
        DescribeCollectionResponse, Field, FieldData, FieldSchema, FlushRequest, FlushResponse, GetFlushStateRequest,
        GetFlushStateResponse, GetLoadStateRequest, GetLoadStateResponse, InsertRequest, KeyValuePair, LongArray,
        ScalarField, VectorField,
    },
};
use crate::{
    embedded::{IndexIdentity, VectorRow},
    remote_dense::IndexHead,
};

pub(super) const CODE: &str = "code";
pub(super) const METRIC: &str = "HAMMING";
/// The generation of a death that has not come.
pub(super) const NEVER: i64 = i64::MAX;
/// The tenant of rows that say how far the index has come; no reader sees it.
const NOWHERE: i64 = -1;
/// Tenants are hashed to so many parts; a search looks at one of them.
const PARTITIONS: i64 = 16;
const SHARDS: i32 = 1;
const LOADED: i32 = 3;
const STORE_CHARS: usize = 12;
/// How long a collection may take to be loaded.
const LOADED_WITHIN: Duration = Duration::from_secs(600);
const POLLED_EVERY: Duration = Duration::from_millis(100);

/// A row as the collection holds it.
pub(super) struct Row {
    passage: i64,
    tenant: i64,
    shelf: i64,
    born: i64,
    died: i64,
    code: Vec<u8>,
}

/// How the names of a store's collections begin.
pub(super) fn start_of_names(identity: &IndexIdentity) -> String {
    let store: String = blake3::hash(identity.store.as_bytes()).to_hex().chars().take(STORE_CHARS).collect();
    format!("vouch_{store}_")
}

pub(super) fn name(identity: &IndexIdentity, codes: &Codes) -> String {
    format!("{}{}_{FORM}_{}", start_of_names(identity), identity.name, codes.bits())
}

pub(super) fn pair(key: &str, value: &str) -> KeyValuePair {
    KeyValuePair { key: key.to_owned(), value: value.to_owned() }
}

pub(super) fn create(name: &str, bits: usize) -> CreateCollectionRequest {
    let number =
        |name: &str| FieldSchema { name: name.to_owned(), data_type: DataType::Int64.into(), ..FieldSchema::default() };
    let fields = vec![
        FieldSchema { is_primary_key: true, ..number("passage") },
        FieldSchema { is_partition_key: true, ..number("tenant") },
        number("shelf"),
        number("born"),
        number("died"),
        FieldSchema {
            name: CODE.to_owned(),
            data_type: DataType::BinaryVector.into(),
            type_params: vec![pair("dim", &bits.to_string())],
            ..FieldSchema::default()
        },
    ];
    let schema = CollectionSchema { name: name.to_owned(), description: "vouch".to_owned(), fields };
    CreateCollectionRequest {
        collection_name: name.to_owned(),
        schema: prost::Message::encode_to_vec(&schema),
        shards_num: SHARDS,
        consistency_level: ConsistencyLevel::Bounded.into(),
        num_partitions: PARTITIONS,
    }
}

/// Every code is compared: an index that leaves some out would choose them by all rows.
pub(super) fn index(name: &str) -> CreateIndexRequest {
    CreateIndexRequest {
        collection_name: name.to_owned(),
        field_name: CODE.to_owned(),
        extra_params: vec![pair("index_type", "BIN_FLAT"), pair("metric_type", METRIC), pair("params", "{}")],
    }
}

pub(super) async fn wait_until_loaded(client: &Client, name: &str) -> Result<(), PortError> {
    let begun = Instant::now();
    while begun.elapsed() < LOADED_WITHIN {
        let request = GetLoadStateRequest { collection_name: name.to_owned() };
        let found: GetLoadStateResponse = client.call("GetLoadState", request, client.timeout).await?;
        if found.state == LOADED {
            return Ok(());
        }
        sleep(POLLED_EVERY).await;
    }
    Err(PortError::new(PORT, Fault::Timeout, "Milvus did not load the vector index in time"))
}

/// The number of a collection, which is the incarnation of its index; none where there is no such collection.
pub(super) async fn number(client: &Client, name: String) -> Result<Option<i64>, PortError> {
    let request = CollectionRequest { collection_name: name };
    let found: Result<DescribeCollectionResponse, PortError> =
        client.call("DescribeCollection", request, client.timeout).await;
    match found {
        Ok(found) => Ok(Some(found.collection_id)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Has what was written sealed, and waits until it is; answers whether that was in time.
pub(super) async fn flush(client: &Client, name: &str) -> Result<bool, PortError> {
    let request = FlushRequest { collection_names: vec![name.to_owned()] };
    let begun = Instant::now();
    let sealed: FlushResponse = client.call("Flush", request, client.write_timeout).await?;
    let segments = sealed.segments.get(name).map(|segments| segments.data.clone()).unwrap_or_default();
    let until = sealed.until.get(name).copied().unwrap_or(0);
    let request = GetFlushStateRequest { segments, until, collection_name: name.to_owned() };
    while begun.elapsed() < client.write_timeout {
        let state: GetFlushStateResponse = client.call("GetFlushState", request.clone(), client.timeout).await?;
        if state.is_flushed {
            return Ok(true);
        }
        sleep(POLLED_EVERY).await;
    }
    Ok(false)
}

pub(super) fn row_of(row: &VectorRow, codes: &Codes) -> Row {
    let signed = |number: u64| i64::try_from(number).unwrap_or(NEVER);
    Row {
        passage: signed(row.key),
        tenant: row.tenant,
        shelf: i64::from(row.shelf),
        born: signed(row.born),
        died: row.died.map_or(NEVER, signed),
        code: codes.code(&row.vector),
    }
}

/// A generation as a row has it.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(NEVER - 1)
}

pub(super) fn head_row(head: IndexHead, bits: usize) -> Row {
    let (generation, floor) = (signed(head.generation.0), signed(head.floor.0));
    // No passage has such a number. Each generation has its own, so that there is no moment without any.
    let passage = -generation - 1;
    let code = vec![0; bits.div_ceil(8)];
    Row { passage, tenant: NOWHERE, shelf: head.incarnation, born: generation, died: floor, code }
}

/// The rows that say how far the index has come; the last of them counts. One that was written of another collection of this name says
/// nothing.
pub(super) fn head_filter(incarnation: i64) -> String {
    format!("passage < 0 and shelf == {incarnation}")
}

/// Those of them that no longer count.
pub(super) fn old_heads(generation: i64) -> String {
    format!("passage < 0 and born < {generation}")
}

impl Row {
    pub(super) fn passage(&self) -> i64 {
        self.passage
    }

    pub(super) fn died(&self) -> i64 {
        self.died
    }
}

pub(super) fn insert(collection_name: String, rows: &[Row], bits: usize) -> InsertRequest {
    let numbers = |name: &str, value: fn(&Row) -> i64| FieldData {
        data_type: DataType::Int64.into(),
        field_name: name.to_owned(),
        field: Some(Field::Scalars(ScalarField {
            long_data: Some(LongArray { data: rows.iter().map(value).collect() }),
        })),
    };
    let codes = VectorField {
        dim: i64::try_from(bits).unwrap_or(0),
        binary_vector: rows.iter().flat_map(|row| row.code.iter().copied()).collect(),
    };
    InsertRequest {
        collection_name,
        fields_data: vec![
            numbers("passage", |row| row.passage),
            numbers("tenant", |row| row.tenant),
            numbers("shelf", |row| row.shelf),
            numbers("born", |row| row.born),
            numbers("died", |row| row.died),
            FieldData {
                data_type: DataType::BinaryVector.into(),
                field_name: CODE.to_owned(),
                field: Some(Field::Vectors(codes)),
            },
        ],
        num_rows: u32::try_from(rows.len()).unwrap_or(0),
    }
}
