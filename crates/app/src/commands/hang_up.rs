//! `SIGHUP`: a running server reads its settings again.

/// Has this done whenever the process is told to; a failure is logged, and the process goes on as it was.
#[cfg(unix)]
pub(super) fn watch<F: Future<Output = Result<(), String>> + Send>(reload: impl Fn() -> F + Send + 'static) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hang_ups) = signal(SignalKind::hangup()) else { return };
    tokio::spawn(async move {
        while hang_ups.recv().await.is_some() {
            if let Err(sentence) = reload().await {
                tracing::warn!(event = "reload_failed", sentence, "nothing was changed");
            }
        }
    });
}

/// Other systems have no such signal; there is `POST /v1/reload`.
#[cfg(not(unix))]
pub(super) fn watch<F: Future<Output = Result<(), String>> + Send>(_: impl Fn() -> F + Send + 'static) {}
