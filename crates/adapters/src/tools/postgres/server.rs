//! The address of a PostgreSQL server → connections to it, a few at a time.
//!
//! Invariant: without TLS nothing leaves this machine, so only its own servers are spoken to.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Client, Config, NoTls};

use crate::postgres::place::is_on_this_machine;

/// How many calls may use the server at once.
const AT_ONCE_MAX: usize = 8;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server.
pub(in crate::tools) struct PostgresServer {
    config: Config,
    turns: Semaphore,
}

impl PostgresServer {
    /// Reads an address, which may hold a password and is not repeated.
    pub(in crate::tools) fn parse(url: &str) -> Result<Self, String> {
        let mut config: Config = url
            .parse()
            .map_err(|_| "its address must look like `postgresql://user:password@localhost/customers`".to_owned())?;
        if !is_on_this_machine(&config) {
            let why = "its server is on another machine, and connections to PostgreSQL are not encrypted yet: use \
                       localhost, a socket, or a tunnel that ends there";
            return Err(why.to_owned());
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err("its address names no host".to_owned());
        }
        config.connect_timeout(CONNECT_TIMEOUT).application_name("vouch");
        Ok(Self { config, turns: Semaphore::new(AT_ONCE_MAX) })
    }

    /// Waits for a turn; the caller's deadline ends the wait.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turns.acquire().await.ok()
    }

    /// Connects. The connection ends with its client.
    pub(super) async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = self.config.connect(NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to PostgreSQL broke");
            }
        });
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::PostgresServer;

    #[test]
    fn only_servers_of_this_machine_are_spoken_to_and_no_address_is_repeated() {
        for url in [
            "postgresql://u:sesame@localhost/db",
            "postgresql://u:sesame@127.0.0.1:5433/db",
            "postgresql://u:sesame@[::1]/db",
            "host=/run/postgresql user=u",
        ] {
            assert!(PostgresServer::parse(url).is_ok(), "{url}");
        }
        for url in [
            "postgresql://u:sesame@db.example.org/db",
            "postgresql://u:sesame@localhost,db.example.org/db",
            "host=localhost hostaddr=10.0.0.1 password=sesame",
            "postgresql://u:sesame@localhost:port/db",
            "user=sesame",
            "sesame",
        ] {
            let told = PostgresServer::parse(url).err();
            assert!(told.as_ref().is_some_and(|told| !told.contains("sesame")), "{url}: {told:?}");
        }
    }
}
