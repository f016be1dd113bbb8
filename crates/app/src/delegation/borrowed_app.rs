//! The open data folder that a delegated command runs with, in place of one that it would open itself.

use crate::wiring::App;

tokio::task_local! {
    static BORROWED: App;
}

/// What the process that runs a delegated command has open; `None` where a command runs in its own process.
pub(crate) fn current() -> Option<App> {
    BORROWED.try_with(App::clone).ok()
}

/// Runs a command with what is open already.
pub(crate) async fn scope<T>(app: App, command: impl Future<Output = T>) -> T {
    BORROWED.scope(app, command).await
}
