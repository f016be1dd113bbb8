//! The address of a PostgreSQL server → a few connections to it, on threads of their own.
//!
//! Invariant: without TLS nothing leaves this machine; no wait is without end.

use std::{
    fmt, fs,
    future::Future,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime as PoolRuntime};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::ConfigVerifierExt;
use tokio::{runtime::Runtime, time::timeout};
use tokio_postgres::{Config, NoTls, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;
use vouch_domain::{Fault, PortError};

use super::{
    PostgresSettings,
    fault::{PORT, fault, late},
    place::is_on_this_machine,
};

/// How long it may take until a server has let a connection in.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long others are waited for that change the store.
const LOCK_TIMEOUT: Duration = Duration::from_secs(15);
/// A server that has heard nothing of a connection with an open transaction for so long ends it.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
/// How much longer than the server's own limit this side waits, for servers that say nothing any more.
const GRACE: Duration = Duration::from_secs(5);

/// A server.
pub(crate) struct Server {
    pool: Pool,
    config: Config,
    tls: Option<MakeRustlsConnect>,
    timeout: Duration,
    /// Taken when this is dropped, since a runtime may not be dropped where nothing may block.
    runtime: Option<Runtime>,
}

impl Server {
    /// Reads the address; nobody is asked yet.
    pub(crate) fn new(settings: &PostgresSettings) -> Result<Self, PortError> {
        let (config, is_here) = read_address(settings)?;
        let tls = if is_here && config.get_ssl_mode() != SslMode::Require { None } else { Some(tls(settings)?) };
        let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = match tls.clone() {
            Some(tls) => Manager::from_config(config.clone(), tls, manager_config),
            None => Manager::from_config(config.clone(), NoTls, manager_config),
        };
        let pool = Pool::builder(manager)
            .max_size(settings.connections_max.max(2))
            .runtime(PoolRuntime::Tokio1)
            .create_timeout(Some(CONNECT_TIMEOUT))
            .wait_timeout(Some(LOCK_TIMEOUT))
            .build()
            .map_err(|error| PortError::new(PORT, Fault::Internal, "no pool of connections").with_source(error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("database")
            .enable_all()
            .build()
            .map_err(|error| PortError::new(PORT, Fault::Internal, "no thread for the database").with_source(error))?;
        Ok(Self { pool, config, tls, timeout: settings.timeout, runtime: Some(runtime) })
    }

    /// A connection of the pool. To be awaited on the runtime of this server.
    pub(crate) async fn connection(&self) -> Result<Object, PortError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => fault(error),
            PoolError::Timeout(_) => late(),
            other @ (PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_)) => {
                PortError::new(PORT, Fault::Unavailable, "the database cannot be reached").with_source(other)
            }
        })
    }

    /// How the server is reached, for connections outside the pool.
    pub(super) fn target(&self) -> (&Config, Option<&MakeRustlsConnect>) {
        (&self.config, self.tls.as_ref())
    }

    /// How long one piece of work may take.
    pub(super) fn limit(&self) -> Duration {
        self.timeout + LOCK_TIMEOUT + GRACE
    }

    /// Runs work away from the threads that answer.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl Future<Output = Result<T, PortError>> + Send + 'static,
    ) -> Result<T, PortError> {
        self.run_within(self.limit(), work).await
    }

    /// The same for work that has a limit of its own.
    pub(crate) async fn run_within<T: Send + 'static>(
        self: &Arc<Self>,
        limit: Duration,
        work: impl Future<Output = Result<T, PortError>> + Send + 'static,
    ) -> Result<T, PortError> {
        let Some(runtime) = &self.runtime else { return Err(late()) };
        let work = async move { timeout(limit, work).await.unwrap_or_else(|_| Err(late())) };
        runtime.spawn(work).await.unwrap_or_else(|error| {
            Err(PortError::new(PORT, Fault::Internal, "the database's task was stopped").with_source(error))
        })
    }

    /// Waits for work on this thread, whatever that thread is.
    pub(super) fn wait<T: Send>(
        &self,
        work: impl Future<Output = Result<T, PortError>> + Send,
    ) -> Result<T, PortError> {
        let Some(runtime) = &self.runtime else { return Err(late()) };
        let limit = self.limit();
        // A thread of its own: one that serves a runtime must not wait for another.
        let waited = thread::scope(|scope| {
            let work = scope
                .spawn(|| runtime.block_on(async move { timeout(limit, work).await.unwrap_or_else(|_| Err(late())) }));
            work.join()
        });
        waited.unwrap_or_else(|_| Err(PortError::new(PORT, Fault::Internal, "the database's thread stopped")))
    }

    /// The same for work that gives things on the way, which are taken on this thread. Each step has a deadline, not the whole.
    pub(super) fn stream<I: Send, T: Send, F: Future<Output = Result<T, PortError>> + Send>(
        &self,
        work: impl FnOnce(mpsc::SyncSender<I>) -> F + Send,
        mut take: impl FnMut(I) -> Result<(), PortError>,
    ) -> Result<T, PortError> {
        let Some(runtime) = &self.runtime else { return Err(late()) };
        let (sender, receiver) = mpsc::sync_channel(2);
        thread::scope(|scope| {
            let work = scope.spawn(move || runtime.block_on(work(sender)));
            let taken = receiver.into_iter().try_for_each(&mut take);
            let outcome = work
                .join()
                .unwrap_or_else(|_| Err(PortError::new(PORT, Fault::Internal, "the database's thread stopped")));
            taken.and(outcome)
        })
    }

    /// Starts work that goes on by itself.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(work);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.pool.close();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Server")
    }
}

/// One step of work, for as long as the server gives it.
pub(super) async fn within<T>(
    limit: Duration,
    step: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, PortError> {
    match timeout(limit, step).await {
        Ok(outcome) => outcome.map_err(fault),
        Err(_) => Err(late()),
    }
}

/// The address, and whether all of it is on this machine.
fn read_address(settings: &PostgresSettings) -> Result<(Config, bool), PortError> {
    let wrong = |what: &str| PortError::new(PORT, Fault::Invalid, format!("store.postgres: {what}"));
    let mut config: Config = settings
        .url
        .parse()
        .map_err(|_| wrong("the address must look like `postgresql://user:password@localhost/vouch`"))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(wrong("the address names no host"));
    }
    let is_here = is_on_this_machine(&config);
    if !is_here {
        // What is asked for by `sslmode=prefer` would go without TLS where the server has none.
        config.ssl_mode(SslMode::Require);
    }
    let options = format!(
        "-c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={} \
         -c default_transaction_isolation=read\\ committed -c client_min_messages=warning",
        settings.timeout.as_millis(),
        LOCK_TIMEOUT.as_millis(),
        IDLE_TIMEOUT.as_millis()
    );
    config
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(Duration::from_secs(15))
        .keepalives_idle(Duration::from_secs(15))
        .options(options)
        .application_name("vouch");
    Ok((config, is_here))
}

fn tls(settings: &PostgresSettings) -> Result<MakeRustlsConnect, PortError> {
    // Fails only where one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = |what: String| PortError::new(PORT, Fault::Invalid, format!("store.postgres.ca_file: {what}"));
    let config = match &settings.ca_file {
        Some(path) => {
            let bytes =
                fs::read(path).map_err(|error| wrong(format!("{} cannot be read ({error})", path.display())))?;
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(&bytes) {
                let certificate =
                    certificate.map_err(|_| wrong(format!("{} contains no certificates", path.display())))?;
                roots.add(certificate).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
            }
            ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
        }
        None => ClientConfig::with_platform_verifier()
            .map_err(|error| wrong(format!("this machine's certificates cannot be used ({error})")))?,
    };
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_postgres::config::SslMode;

    use super::{PostgresSettings, read_address};

    fn settings(url: &str) -> PostgresSettings {
        PostgresSettings { url: url.to_owned(), ca_file: None, connections_max: 2, timeout: Duration::from_secs(1) }
    }

    #[test]
    fn whatever_leaves_this_machine_goes_over_tls_and_no_address_is_repeated() {
        for url in ["postgresql://u:sesame@127.0.0.1/db", "host=/run/postgresql user=u"] {
            let (config, is_here) = read_address(&settings(url)).expect("an address");
            assert!(is_here && config.get_ssl_mode() != SslMode::Require, "{url}");
        }
        for url in [
            "postgresql://u:sesame@db.example.org/db",
            "postgresql://u:sesame@db.example.org/db?sslmode=disable",
            "postgresql://u:sesame@localhost,db.example.org/db?sslmode=prefer",
            "host=localhost hostaddr=10.0.0.1 password=sesame",
        ] {
            let (config, is_here) = read_address(&settings(url)).expect("an address");
            assert!(!is_here && config.get_ssl_mode() == SslMode::Require, "{url}");
        }
        for url in ["sesame", "user=sesame", "postgresql://u:sesame@localhost:port/db"] {
            let error = read_address(&settings(url)).expect_err("no address");
            assert!(!format!("{error} {error:?}").contains("sesame"), "{error:?}");
        }
    }
}
