//! The end of a server: asked for by a signal, and come by its time whatever still runs.
//!
//! A thread of its own listens and counts. Where every other thread is busy with work that does not stop, nothing else could
//! notice the signal, let alone the time.

use std::{io, process, time::Duration};

use tokio::{
    runtime::Builder,
    sync::oneshot::{self, Sender},
};

/// Returns when the process is asked to stop; the process is ended this long afterwards in any case.
pub(super) fn watch(limit: Duration) -> io::Result<impl Future<Output = ()>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (stop, stopped) = oneshot::channel();
    std::thread::Builder::new().name("stop".to_owned()).spawn(move || runtime.block_on(wait(stop, limit)))?;
    Ok(async {
        if stopped.await.is_err() {
            // No signal handler is left, so no signal comes.
            std::future::pending::<()>().await;
        }
    })
}

async fn wait(stop: Sender<()>, limit: Duration) {
    signalled().await;
    // Where the server has ended already there is nobody to tell.
    let _ = stop.send(());
    tokio::time::sleep(limit).await;
    tracing::warn!("work that did not stop in time was cut off");
    process::exit(0);
}

async fn signalled() {
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
