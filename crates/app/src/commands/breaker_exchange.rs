//! Breakers that open here told to the other servers of a database, and theirs heard of.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;
use vouch_adapters::postgres::BreakerReports;
use vouch_domain::PortError;

use crate::wiring::{App, BreakerBoard};

/// How often.
const EVERY: Duration = Duration::from_secs(2);
/// Older reports are not asked for; how long one counts is for each breaker's own settings.
const OLDEST: Duration = Duration::from_secs(3_600);

/// Tells and hears until it is dropped.
pub(super) struct BreakerExchange {
    task: JoinHandle<()>,
}

impl BreakerExchange {
    /// Begins, where the folder is a copy of a database that other servers share.
    pub(super) fn start(app: &App) -> Result<Option<Self>, PortError> {
        let Some(database) = app.database() else { return Ok(None) };
        let task = tokio::spawn(exchange(database.breaker_reports()?, app.breakers()));
        Ok(Some(Self { task }))
    }
}

async fn exchange(reports: BreakerReports, board: BreakerBoard) {
    let mut told: BTreeMap<String, u64> = BTreeMap::new();
    loop {
        tokio::time::sleep(EVERY).await;
        let trips = board.trips();
        let is_new = |(service, trips): &(&String, &u64)| told.get(*service).copied().unwrap_or(0) < **trips;
        let opened: Vec<String> = trips.iter().filter(is_new).map(|(service, _)| service.clone()).collect();
        let asked = Instant::now();
        // Without the database each server goes by its own failures.
        let Ok(heard) = reports.exchange(opened, OLDEST).await else { continue };
        told = trips;
        let took = asked.elapsed();
        heard.iter().for_each(|one| board.warn(&one.service, one.opened_ago + took));
    }
}

impl Drop for BreakerExchange {
    fn drop(&mut self) {
        self.task.abort();
    }
}
