//! `vouch serve`: the HTTP API, until it is told to stop; what runs by then is finished.

use std::{net::SocketAddr, process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context;
use vouch_domain::{Caller, Reader, Role, ports::Gatekeeper};
use vouch_server::{
    admission::Admission,
    connections::{self, Limits},
    door::Door,
    service::{Service, router},
};

use super::{load, open, tell};
use crate::{cli::Common, exit::Usage, settings::ServeSettings, wiring::House};

pub(super) async fn run(common: &Common, listen: Option<SocketAddr>) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    let settings = &loaded.settings.serve;
    let address: SocketAddr = match listen {
        Some(address) => address,
        None => settings.listen.parse().map_err(|_| {
            Usage(format!("serve.listen is '{}', it must be an address such as 127.0.0.1:8080", settings.listen))
        })?,
    };
    let house = open(common)?;
    serve(&house, address, settings, local()).await
}

/// Whoever sits at this machine, where there are no keys.
pub(super) fn local() -> Caller {
    Caller {
        id: "local".to_owned(),
        reader: Reader::of_tenant(Reader::DEFAULT_TENANT),
        role: Role::Admin,
        requests_per_minute: None,
    }
}

pub(super) async fn serve(
    house: &House,
    address: SocketAddr,
    settings: &ServeSettings,
    local: Caller,
) -> anyhow::Result<ExitCode> {
    let keys = house.keys()?;
    let has_keys = keys.is_needed().await?;
    // Nobody is asked who they are without keys, so nobody from outside may ask.
    if !has_keys && !address.ip().is_loopback() {
        return Err(Usage(format!(
            "{address} can be reached from outside; without keys Vouch listens on loopback only (vouch key add makes one)"
        ))
        .into());
    }
    let service = Service {
        desk: Arc::new(house.desk()?),
        door: Door {
            gatekeepers: vec![Arc::new(keys)],
            local,
            rate: Arc::default(),
            clock: Arc::clone(&house.engine.clock),
        },
        keeper: house.keeper(),
        admission: Admission::new(settings.running_max, settings.waiting_max),
        timeout: Duration::from_millis(settings.timeout_ms),
        body_bytes_max: settings.body_bytes_max,
        body_timeout: Duration::from_millis(settings.client_timeout_ms),
    };
    let limits = Limits {
        connections_max: settings.connections_max,
        client_timeout: Duration::from_millis(settings.client_timeout_ms),
        shutdown: Duration::from_millis(settings.shutdown_ms),
    };
    let listener =
        tokio::net::TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr().context("no address")?;
    tell(&match has_keys {
        true => format!("Listening on http://{address}, for bearers of a key."),
        false => format!(
            "Listening on http://{address}, on loopback only: there are no keys, so everybody sees the whole tenant."
        ),
    });
    connections::serve(listener, router(service), limits, stopped()).await;
    Ok(ExitCode::SUCCESS)
}

/// Comes back when the process is asked to end.
async fn stopped() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let terminated = async {
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! { _ = interrupted => {}, () = terminated => {} }
    }
    #[cfg(not(unix))]
    let _ = interrupted.await;
}
