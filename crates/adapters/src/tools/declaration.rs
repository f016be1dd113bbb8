//! What a profile says of its databases, servers and tools. Nothing here has been checked but its shape.
//!
//! Invariant: no secret has a place here: addresses with passwords and keys are named by the environment variable that has them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Databases, servers and the tools over them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolsDeclaration {
    /// Databases by name.
    pub databases: BTreeMap<String, DatabaseDeclaration>,
    /// HTTP servers by name.
    pub servers: BTreeMap<String, ServerDeclaration>,
    /// The tools, in order.
    pub tools: Vec<ToolDeclaration>,
}

/// A database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum DatabaseDeclaration {
    /// A file.
    Sqlite {
        /// The file; a relative path is relative to the profile's folder.
        path: String,
    },
    /// A PostgreSQL server.
    Postgres {
        /// The environment variable that has the address, such as `postgresql://user:password@localhost/customers`.
        url_variable: String,
    },
}

/// An HTTP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerDeclaration {
    /// Its address, to which paths are added.
    pub url: String,
    /// The environment variable that has the key sent with every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
}

/// A tool: either statements over a database, or a request to a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolDeclaration {
    /// Its name: letters, digits and `_`.
    pub name: String,
    /// Whether it changes anything.
    #[serde(default)]
    pub changes: bool,
    /// The form of its input, a JSON schema of an object.
    pub input: Value,
    /// The form of its output, a JSON schema of an object.
    pub output: Value,
    /// How many rows it may give.
    #[serde(default = "rows_max")]
    pub rows_max: usize,
    /// How long it may take.
    #[serde(default = "timeout_ms")]
    pub timeout_ms: u64,
    /// What it gives where there is no row, or the server says 404. It need not have the form of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Map<String, Value>>,
    /// The name under which all rows are given as a list; without one the first row is the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// The database of its statements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Its statements, with inputs as `:name`; the last one gives the output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sql: Vec<String>,
    /// Its request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpDeclaration>,
    /// What must be so for it to do anything, looked up in its database before it is shown for a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<RequirementDeclaration>,
}

/// A statement that finds a row where a tool can do its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequirementDeclaration {
    /// What stands in the way where it finds none.
    pub name: String,
    /// The statement, with inputs as `:name`; it is run once all of these are known.
    pub sql: String,
}

/// A request. Inputs stand in it as `{name}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpDeclaration {
    /// The server.
    pub server: String,
    /// How it is asked.
    pub method: HttpMethod,
    /// The path, such as `/customers/{user_id}/invoices`. A value never leaves its part of the path.
    pub path: String,
    /// The query; one whose only input is absent is left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub query: BTreeMap<String, String>,
    /// The body, an object. A text that is nothing but `{name}` stands for that input with its type.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
}

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Looking something up.
    Get,
    /// Sending something.
    Post,
}

fn rows_max() -> usize {
    50
}

fn timeout_ms() -> u64 {
    2_000
}
