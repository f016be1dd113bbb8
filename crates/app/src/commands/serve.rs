//! `vouch serve`: the HTTP API, until it is told to stop; what runs by then is finished.

use std::{net::SocketAddr, process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context;
use vouch_adapters::embedded::KeyStore;
use vouch_domain::{
    Caller, PortError, Reader, Role, Scope,
    ports::{Authenticator, KeyRing, SignIn},
};
use vouch_server::{
    access_control::AccessControl,
    admission::Admission,
    connections::{self, Limits},
    readiness::Readiness,
    router::router,
    service::Service,
    service_slot::{Reload, ServiceSlot},
};
use vouch_service::{ask_service::AskService, certificate::Standing, jobs::Worker};

use super::{
    breaker_exchange::BreakerExchange, follow::Following, hang_up, load, open, snapshots::Snapshots, stop, tell,
};
use crate::{
    certificate_file,
    cli::Common,
    delegation::{self, runner::Runner},
    exit::Usage,
    kept_reports, logs,
    settings::{LoadedSettings, ServeSettings},
    wiring::{self, App},
};

pub(super) async fn run(common: &Common, listen: Option<SocketAddr>, runner: Runner) -> anyhow::Result<ExitCode> {
    let loaded = load(common)?;
    let settings = &loaded.settings.serve;
    let address = listen.map_or_else(|| address(settings), Ok)?;
    let app = open(common)?;
    let reload = reload(&app, common.clone(), loaded.clone());
    serve(&app, &[address], settings, (local(), Some(reload), runner)).await
}

/// How this server changes its models: by what its settings say when they are read again.
fn reload(app: &App, common: Common, loaded: LoadedSettings) -> Reload {
    let (swap, disk) = (app.reload(loaded, move || load(&common)), Arc::new(app.disk_probe()));
    Arc::new(move |service: &Service| {
        let (ask_service, in_use) = swap(&service.ask_service).map_err(|error| format!("{error:#}"))?;
        let ask_service = Arc::new(ask_service);
        let readiness = Readiness::new(&service.access_control, &ask_service, disk.clone());
        Ok((Service { ask_service, readiness, ..service.clone() }, in_use))
    })
}

/// Where the settings say to listen.
pub(super) fn address(settings: &ServeSettings) -> anyhow::Result<SocketAddr> {
    let wrong = |_| {
        Usage(format!("serve.listen is '{}', it must be an address such as 127.0.0.1:8080", settings.listen)).into()
    };
    settings.listen.parse().map_err(wrong)
}

/// The local user, if there are no keys.
pub(super) fn local() -> Caller {
    Caller {
        id: "local".to_owned(),
        name: None,
        person: None,
        reader: Reader::of_tenant(Reader::DEFAULT_TENANT),
        role: Role::Admin,
        requests_per_minute: None,
    }
}

/// Serves at the first of the addresses that is free.
pub(super) async fn serve(
    app: &App,
    addresses: &[SocketAddr],
    settings: &ServeSettings,
    (local, reload, runner): (Caller, Option<Reload>, Runner),
) -> anyhow::Result<ExitCode> {
    let keys = app.keys()?;
    let bearers = admitted(keys.as_ref(), settings, addresses).await?;
    let seen = match &local.reader.scope {
        Scope::WholeTenant => "sees the whole tenant".to_owned(),
        Scope::Tags(_) => format!("sees what {} may see", local.id),
    };
    let (access_control, sign_in) = door(app, settings, keys, local)?;
    let (ask_service, spans) = match &settings.otlp_endpoint {
        Some(endpoint) => app.ask_service_traced_to(endpoint).map(|(ask_service, spans)| (ask_service, Some(spans)))?,
        None => (app.ask_service()?, None),
    };
    if let Some((Standing::Withdrawn, sentence)) = certificate_file::standing(app).await? {
        tell(&format!("The certificate of the answers is {sentence}"));
    }
    let folder = app.folder().to_owned();
    let following = (Following::start(app), Snapshots::start(app), BreakerExchange::start(app)?);
    let service = Service { sign_in, ..service(app, settings, ask_service, access_control)? };
    let worker = app.job_worker(&service.job_service)?;
    let reloads = reload.is_some();
    let slot = ServiceSlot::new(service, reload);
    // Without settings to read again a hang-up ends the process, as it ends any other.
    if reloads {
        let hung_up = slot.clone();
        hang_up::watch(move || {
            let slot = hung_up.clone();
            async move { slot.reload().await.map(drop) }
        });
    }
    let listener =
        tokio::net::TcpListener::bind(addresses).await.with_context(|| format!("cannot listen on {addresses:?}"))?;
    let address = listener.local_addr().context("no address")?;
    let answering = slot.clone();
    let listening =
        delegation::listener::open(app, Arc::new(move || AskService::clone(&answering.current().ask_service)), runner);
    vouch_adapters::embedded::announce(&folder, &format!("http://{address}"));
    let shutdown = Duration::from_millis(settings.shutdown_ms);
    let stopped = stop::watch(shutdown).context("cannot listen for signals")?;
    tell(&match bearers {
        Some(bearers) => format!("Listening on http://{address}, for requests with {bearers}."),
        None => {
            format!("Listening on http://{address}, on loopback only: there are no keys, so everyone {seen}.")
        }
    });
    logs::release();
    let worker = Worker::start(worker);
    let stopped = async {
        stopped.await;
        worker.stop();
    };
    connections::serve(listener, router(slot), limits(settings, shutdown), stopped).await;
    worker.ended().await;
    drop((following, listening));
    if let Some(spans) = spans {
        spans.finish().await;
    }
    Ok(ExitCode::SUCCESS)
}

/// What requests must bear, if anything: without keys there is no authentication, so nobody from outside may ask.
async fn admitted(
    keys: &dyn KeyStore,
    settings: &ServeSettings,
    addresses: &[SocketAddr],
) -> anyhow::Result<Option<String>> {
    let bearers = bearers(settings.require_keys || keys.is_required().await?, settings);
    if bearers.is_some() && settings.oidc.is_none() && keys.cards().await?.is_empty() {
        tell("A key is required and there is none: every request is rejected until you make one with `vouch key add`.");
    }
    if let Some(address) = addresses.iter().find(|address| bearers.is_none() && !address.ip().is_loopback()) {
        return Err(Usage(format!(
            "{address} can be reached from outside; without keys Vouch listens on loopback only (make a key with `vouch key add`)"
        ))
        .into());
    }
    Ok(bearers)
}

/// Who is let in, and where people sign in.
fn door(
    app: &App,
    settings: &ServeSettings,
    keys: Arc<dyn KeyStore>,
    local: Caller,
) -> anyhow::Result<(AccessControl, Option<Arc<dyn SignIn>>)> {
    let mut authenticators: Vec<Arc<dyn Authenticator>> = vec![Arc::clone(&keys) as Arc<dyn Authenticator>];
    let issuer = settings.oidc.as_ref().map(wiring::oidc).transpose()?;
    let sign_in = issuer.and_then(|(oidc, sign_in)| {
        authenticators.push(Arc::new(oidc));
        sign_in
    });
    let access_control = AccessControl {
        authenticators,
        key_ring: Some(keys as Arc<dyn KeyRing>),
        local,
        is_key_required: settings.require_keys,
        rate: Arc::default(),
        shared_rate: app.rates(),
        clock: Arc::clone(&app.engine.clock),
    };
    Ok((access_control, sign_in))
}

fn limits(settings: &ServeSettings, shutdown: Duration) -> Limits {
    Limits {
        connections_max: settings.connections_max,
        connections_per_address: settings.connections_per_address,
        head_timeout: Duration::from_millis(settings.head_timeout_ms.min(settings.client_timeout_ms)),
        client_timeout: Duration::from_millis(settings.client_timeout_ms),
        half_closed: Duration::from_millis(settings.half_closed_ms),
        // The rest of the time is for the last traces and for closing the store.
        shutdown: shutdown.saturating_sub(shutdown / 10),
    }
}

/// What callers must present; none if there is no authentication.
fn bearers(has_keys: bool, settings: &ServeSettings) -> Option<String> {
    match (has_keys, &settings.oidc) {
        (true, None) => Some("a key".to_owned()),
        (true, Some(oidc)) => Some(format!("a key or a token of {}", oidc.issuer)),
        (false, Some(oidc)) => Some(format!("a token of {}", oidc.issuer)),
        (false, None) => None,
    }
}

/// The engine behind authentication, with the limits of the settings.
pub(super) fn service(
    app: &App,
    settings: &ServeSettings,
    ask_service: AskService,
    access_control: AccessControl,
) -> Result<Service, PortError> {
    let ask_service = Arc::new(ask_service);
    Ok(Service {
        readiness: Readiness::new(&access_control, &ask_service, Arc::new(app.disk_probe())),
        ask_service,
        access_control,
        sign_in: None,
        admin_service: app.admin_service(),
        job_service: app.job_service()?,
        certificate: Arc::new(certificate_file::of_folder(app.folder())),
        evaluations: kept_reports::of_folder(app.folder()),
        examples: settings.examples.as_slice().into(),
        admission: Admission::new(
            settings.running_max,
            settings.waiting_max,
            settings.body_bytes_max,
            settings.file_bytes_max,
        ),
        timeout: Duration::from_millis(settings.timeout_ms),
        body_bytes_max: settings.body_bytes_max,
        file_bytes_max: settings.file_bytes_max,
        body_timeout: Duration::from_millis(settings.client_timeout_ms),
    })
}
