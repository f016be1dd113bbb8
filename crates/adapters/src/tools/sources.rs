//! The databases and servers of a profile → where tools find what they need.
//!
//! Invariant: what is not there when the toolbox is built, a file or a variable, is an error that names it. Nothing is
//! connected yet: a server that is down is noticed by the call that needs it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use vouch_domain::{Fault, PortError};

use super::{
    declaration::{DatabaseDeclaration, ServerDeclaration, ToolsDeclaration},
    port_name::PORT,
    postgres::PostgresServer,
};
use crate::model_server::{Access, Connection, ServerAddress};

/// How long a server may take to accept a connection; the time of a call may be shorter.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A database that statements can be run on.
pub(super) enum Database {
    /// A file.
    Sqlite(PathBuf),
    /// A server.
    Postgres(Arc<PostgresServer>),
}

/// What tools stand on, by name.
pub(super) struct Sources {
    pub(super) databases: BTreeMap<String, Database>,
    pub(super) servers: BTreeMap<String, Arc<Connection>>,
}

/// Looks an environment variable up.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Sources {
    pub(super) fn open(
        declared: &ToolsDeclaration,
        base_folder: &Path,
        variable: Variables<'_>,
    ) -> Result<Self, PortError> {
        let invalid =
            |what: &str, name: &str, why: &str| PortError::new(PORT, Fault::Invalid, format!("{what} `{name}`: {why}"));
        let mut databases = BTreeMap::new();
        for (name, database) in &declared.databases {
            let opened = open_database(database, base_folder, variable);
            databases.insert(name.clone(), opened.map_err(|why| invalid("database", name, &why))?);
        }
        let mut servers = BTreeMap::new();
        for (name, server) in &declared.servers {
            let opened = open_server(server, variable);
            servers.insert(name.clone(), Arc::new(opened.map_err(|why| invalid("server", name, &why))?));
        }
        Ok(Self { databases, servers })
    }
}

fn open_database(
    declared: &DatabaseDeclaration,
    base_folder: &Path,
    variable: Variables<'_>,
) -> Result<Database, String> {
    match declared {
        DatabaseDeclaration::Sqlite { path } => {
            let file = base_folder.join(path);
            if !file.is_file() {
                return Err(format!("there is no file {}", file.display()));
            }
            Ok(Database::Sqlite(file))
        }
        DatabaseDeclaration::Postgres { url_variable } => {
            let url = value_of(url_variable, variable)?;
            Ok(Database::Postgres(Arc::new(PostgresServer::parse(&url)?)))
        }
    }
}

fn open_server(declared: &ServerDeclaration, variable: Variables<'_>) -> Result<Connection, String> {
    let key = declared.key_variable.as_ref().map(|name| value_of(name, variable)).transpose()?.unwrap_or_default();
    let told = |error: PortError| error.sentence;
    let address = ServerAddress::parse(PORT, &declared.url, "https://billing.example.org/api").map_err(|_| {
        "its address must start with http:// or https:// and end with the path, like `https://billing.example.org/api`"
            .to_owned()
    })?;
    if address.has_password() {
        return Err("its address must not contain a password; name the variable that holds the key".to_owned());
    }
    let access = Access { kind: "server", address, key: &key, connect_timeout: CONNECT_TIMEOUT };
    Connection::new(PORT, access).map_err(told)
}

fn value_of(name: &str, variable: Variables<'_>) -> Result<String, String> {
    let value = variable(name).filter(|value| !value.is_empty());
    value.ok_or_else(|| format!("the environment variable {name} is not set"))
}
