//! One folder per technology behind a port; nothing here names a stage of the engine.

pub mod embedded;
pub mod extractive;
pub mod files;
pub mod milvus;
pub mod model_server;
pub mod oidc;
pub mod ollama;
pub mod openai_compatible;
pub mod otlp;
pub mod pgvector;
pub mod postgres;
pub mod remote_dense;
pub mod running_server;
pub mod skos_file;
pub mod skosmos;
pub mod sources;
pub mod system_clock;
pub mod tools;
