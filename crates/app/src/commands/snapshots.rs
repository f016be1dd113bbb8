//! Snapshots that a server writes by itself, for nodes that are started later.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::task::JoinHandle;
use vouch_adapters::embedded::{SnapshotFolder, write_snapshot};

use crate::wiring::App;

/// How often it is looked whether one is due.
const LOOKED_EVERY: Duration = Duration::from_secs(10 * 60);
const HOUR_MS: u64 = 3_600_000;

/// Writes snapshots until it is dropped.
pub(super) struct Snapshots {
    task: JoinHandle<()>,
}

impl Snapshots {
    /// Begins, where the settings ask for it.
    pub(super) fn start(app: &App) -> Option<Self> {
        app.database()?;
        let settings = app.loaded.settings.store.snapshots.as_ref()?;
        let every_ms = u64::from(settings.every_hours?) * HOUR_MS;
        let (folder, place) = (app.folder().to_owned(), settings.for_adapter());
        let task = tokio::spawn(async move {
            loop {
                let (folder, place) = (folder.clone(), place.clone());
                let written = tokio::task::spawn_blocking(move || match is_due(&folder, &place, every_ms) {
                    true => write_snapshot(&folder, &place).map(Some),
                    false => Ok(None),
                });
                match written.await {
                    Ok(Ok(Some(report))) if report.was_there => {
                        tracing::info!(
                            change = report.change,
                            "nothing has changed, and the last snapshot is still the newest"
                        );
                    }
                    Ok(Ok(Some(report))) => {
                        tracing::info!(change = report.change, bytes = report.bytes, "a snapshot was written");
                    }
                    Ok(Ok(None)) => {}
                    Ok(Err(error)) => tracing::warn!(%error, component = "snapshots", "no snapshot could be written"),
                    // The runtime is ending.
                    Err(_) => return,
                }
                tokio::time::sleep(LOOKED_EVERY).await;
            }
        });
        Some(Self { task })
    }
}

/// Whether the newest of the store, whichever node wrote it, is old enough. A folder that cannot be read is tried, and the failure
/// told.
fn is_due(data: &Path, place: &SnapshotFolder, every_ms: u64) -> bool {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let now_ms = u64::try_from(now_ms).unwrap_or(u64::MAX);
    place.newest_ms(data, now_ms).ok().flatten().is_none_or(|newest_ms| now_ms.saturating_sub(newest_ms) >= every_ms)
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.task.abort();
    }
}
