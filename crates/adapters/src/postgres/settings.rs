//! Where a database is, and how it is spoken to.

use std::{path::PathBuf, time::Duration};

/// Where a database is, and how it is spoken to.
#[derive(Debug, Clone)]
pub struct PostgresSettings {
    /// Its address, `postgresql://user:password@host/database`. It may hold a password and is never repeated.
    pub url: String,
    /// A file of certificates that sign the server's, in place of those this machine trusts.
    pub ca_file: Option<PathBuf>,
    /// How many connections a node has at most.
    pub connections_max: usize,
    /// How long a statement may take.
    pub timeout: Duration,
}
