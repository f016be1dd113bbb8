//! As much of Milvus's gRPC messages as is used, with the numbers of its published definitions (2.3).

use std::collections::BTreeMap;

use prost::{Enumeration, Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(int32, tag = "1")]
    pub(super) error_code: i32,
    #[prost(string, tag = "2")]
    pub(super) reason: String,
    #[prost(int32, tag = "3")]
    pub(super) code: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyValuePair {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(super) enum DataType {
    Unset = 0,
    Int64 = 5,
    BinaryVector = 100,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(super) enum ConsistencyLevel {
    Strong = 0,
    Bounded = 2,
    /// As of the time that the request names.
    Customized = 4,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldSchema {
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(bool, tag = "3")]
    pub(super) is_primary_key: bool,
    #[prost(enumeration = "DataType", tag = "5")]
    pub(super) data_type: i32,
    #[prost(message, repeated, tag = "6")]
    pub(super) type_params: Vec<KeyValuePair>,
    #[prost(bool, tag = "13")]
    pub(super) is_partition_key: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CollectionSchema {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) description: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) fields: Vec<FieldSchema>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateCollectionRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
    /// A `CollectionSchema`.
    #[prost(bytes = "vec", tag = "4")]
    pub(super) schema: Vec<u8>,
    #[prost(int32, tag = "5")]
    pub(super) shards_num: i32,
    #[prost(enumeration = "ConsistencyLevel", tag = "6")]
    pub(super) consistency_level: i32,
    #[prost(int64, tag = "8")]
    pub(super) num_partitions: i64,
}

/// A request that names a collection and nothing else: `HasCollection`, `DescribeCollection`, `DropCollection`, `LoadCollection`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CollectionRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BoolResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(bool, tag = "2")]
    pub(super) value: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DescribeCollectionResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    /// Another for each collection that is made, also of the same name.
    #[prost(int64, tag = "3")]
    pub(super) collection_id: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ShowCollectionsRequest {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ShowCollectionsResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(string, repeated, tag = "2")]
    pub(super) collection_names: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CreateIndexRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
    #[prost(string, tag = "4")]
    pub(super) field_name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) extra_params: Vec<KeyValuePair>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GetLoadStateRequest {
    #[prost(string, tag = "2")]
    pub(super) collection_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GetLoadStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    /// 3 once it is loaded.
    #[prost(int32, tag = "2")]
    pub(super) state: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FlushRequest {
    #[prost(string, repeated, tag = "3")]
    pub(super) collection_names: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FlushResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    /// The segments of each collection that were sealed.
    #[prost(btree_map = "string, message", tag = "3")]
    pub(super) segments: BTreeMap<String, LongArray>,
    /// Up to which moment each collection is flushed.
    #[prost(btree_map = "string, uint64", tag = "6")]
    pub(super) until: BTreeMap<String, u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GetFlushStateRequest {
    #[prost(int64, repeated, tag = "1")]
    pub(super) segments: Vec<i64>,
    #[prost(uint64, tag = "2")]
    pub(super) until: u64,
    #[prost(string, tag = "4")]
    pub(super) collection_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GetFlushStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(bool, tag = "2")]
    pub(super) is_flushed: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct LongArray {
    #[prost(int64, repeated, tag = "1")]
    pub(super) data: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ScalarField {
    #[prost(message, optional, tag = "3")]
    pub(super) long_data: Option<LongArray>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct VectorField {
    /// How many bits a vector has.
    #[prost(int64, tag = "1")]
    pub(super) dim: i64,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) binary_vector: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct FieldData {
    #[prost(enumeration = "DataType", tag = "1")]
    pub(super) data_type: i32,
    #[prost(string, tag = "2")]
    pub(super) field_name: String,
    #[prost(oneof = "Field", tags = "3, 4")]
    pub(super) field: Option<Field>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Field {
    #[prost(message, tag = "3")]
    Scalars(ScalarField),
    #[prost(message, tag = "4")]
    Vectors(VectorField),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct InsertRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) fields_data: Vec<FieldData>,
    #[prost(uint32, tag = "7")]
    pub(super) num_rows: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DeleteRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
    #[prost(string, tag = "5")]
    pub(super) expr: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct MutationResult {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(uint64, tag = "9")]
    pub(super) timestamp: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PlaceholderValue {
    #[prost(string, tag = "1")]
    pub(super) tag: String,
    #[prost(enumeration = "DataType", tag = "2")]
    pub(super) data_type: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(super) values: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PlaceholderGroup {
    #[prost(message, repeated, tag = "1")]
    pub(super) placeholders: Vec<PlaceholderValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SearchRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
    #[prost(string, tag = "5")]
    pub(super) dsl: String,
    /// A `PlaceholderGroup`.
    #[prost(bytes = "vec", tag = "6")]
    pub(super) placeholder_group: Vec<u8>,
    /// 1 for an expression.
    #[prost(int32, tag = "7")]
    pub(super) dsl_type: i32,
    #[prost(message, repeated, tag = "9")]
    pub(super) search_params: Vec<KeyValuePair>,
    #[prost(uint64, tag = "11")]
    pub(super) guarantee_timestamp: u64,
    #[prost(int64, tag = "12")]
    pub(super) nq: i64,
    #[prost(enumeration = "ConsistencyLevel", tag = "14")]
    pub(super) consistency_level: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Ids {
    #[prost(message, optional, tag = "1")]
    pub(super) int_id: Option<LongArray>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SearchResultData {
    #[prost(float, repeated, tag = "4")]
    pub(super) scores: Vec<f32>,
    #[prost(message, optional, tag = "5")]
    pub(super) ids: Option<Ids>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SearchResults {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(super) results: Option<SearchResultData>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct QueryRequest {
    #[prost(string, tag = "3")]
    pub(super) collection_name: String,
    #[prost(string, tag = "4")]
    pub(super) expr: String,
    #[prost(string, repeated, tag = "5")]
    pub(super) output_fields: Vec<String>,
    #[prost(message, repeated, tag = "9")]
    pub(super) query_params: Vec<KeyValuePair>,
    #[prost(enumeration = "ConsistencyLevel", tag = "11")]
    pub(super) consistency_level: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct QueryResults {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, repeated, tag = "2")]
    pub(super) fields_data: Vec<FieldData>,
}

impl QueryResults {
    /// A column of numbers.
    pub(super) fn numbers(&self, name: &str) -> &[i64] {
        let column = self.fields_data.iter().find(|column| column.field_name == name);
        match column.and_then(|column| column.field.as_ref()) {
            Some(Field::Scalars(ScalarField { long_data: Some(numbers) })) => &numbers.data,
            Some(Field::Scalars(_) | Field::Vectors(_)) | None => &[],
        }
    }
}

/// A reply that says whether the request was met.
pub(super) trait Reply: Message + Default + 'static {
    fn status(&self) -> Option<&Status>;
}

impl Reply for Status {
    fn status(&self) -> Option<&Status> {
        Some(self)
    }
}

macro_rules! replies {
    ($($name:ty),*) => {
        $(impl Reply for $name {
            fn status(&self) -> Option<&Status> {
                self.status.as_ref()
            }
        })*
    };
}

replies!(
    BoolResponse,
    DescribeCollectionResponse,
    ShowCollectionsResponse,
    GetLoadStateResponse,
    FlushResponse,
    GetFlushStateResponse,
    MutationResult,
    SearchResults,
    QueryResults
);
