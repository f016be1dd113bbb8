//! `vouch metrics`: what the running server has counted, or where none runs what the trail of the data folder holds.

use std::process::ExitCode;

use vouch_adapters::{embedded::announced, running_server};
use vouch_domain::{Fault, PortError};
use vouch_service::metrics::TrailFigures;

use super::{load, print, print_json, tell};
use crate::{
    cli::{Common, MetricsArgs},
    wiring,
};

/// The environment variable with the key for the server.
const KEY: &str = "VOUCH_KEY";

pub(super) async fn run(common: &Common, args: &MetricsArgs) -> anyhow::Result<ExitCode> {
    let url = match &args.url {
        Some(url) => url.clone(),
        // A server on this folder may listen elsewhere than the settings say.
        None => match announced(&common.data) {
            Some(url) => here(url.trim_start_matches("http://")),
            None => here(&load(common)?.settings.serve.listen),
        },
    };
    let path = if common.json { "metrics.json" } else { "metrics" };
    let key = std::env::var(KEY).unwrap_or_default();
    match running_server::fetch(&url, path, &key).await {
        Ok(figures) => {
            tell("Metrics of the running server since it started.");
            print(&format!("{}\n", figures.trim_end()))?;
            Ok(ExitCode::SUCCESS)
        }
        // The local trail says nothing about another server.
        Err(error) if error.fault == Fault::Unavailable && args.url.is_none() => of_folder(common, &error).await,
        Err(error) if error.fault == Fault::Held => {
            let sentence = format!("{}: set {KEY} to it", error.sentence);
            Err(PortError::new(error.port, Fault::Unavailable, sentence).into())
        }
        Err(error) => Err(error.into()),
    }
}

async fn of_folder(common: &Common, absent: &PortError) -> anyhow::Result<ExitCode> {
    let mut figures = TrailFigures::default();
    let worse = |sentence: &str| format!("{}, and {sentence}", absent.sentence);
    let Some(trail) = wiring::trail_to_read(&load(common)?, &common.data)? else {
        let sentence = worse(&format!("{} has no audit trail", common.data.display()));
        return Err(PortError::new(absent.port, Fault::Unavailable, sentence).into());
    };
    let read = trail.each(&mut |audited| figures.add(&audited)).await;
    read.map_err(|error| PortError::new(error.port, error.fault, worse(&error.sentence)))?;
    tell(&format!(
        "{}; these figures are counted from the audit trail in {}. Use --url to ask another server.",
        absent.sentence,
        common.data.display()
    ));
    let figures = figures.snapshot();
    if common.json {
        print_json(&figures.json())?
    } else {
        print(&figures.text())?
    }
    Ok(ExitCode::SUCCESS)
}

/// Where a server that listens there is asked from the same machine.
fn here(listen: &str) -> String {
    let listen = match listen.parse::<std::net::SocketAddr>() {
        Ok(address) if address.ip().is_unspecified() && address.is_ipv4() => format!("127.0.0.1:{}", address.port()),
        Ok(address) if address.ip().is_unspecified() => format!("[::1]:{}", address.port()),
        Ok(_) | Err(_) => listen.to_owned(),
    };
    format!("http://{listen}")
}
