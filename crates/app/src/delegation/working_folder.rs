//! The folder that the paths of a command are seen from: that of whoever gave it, which may be another process.

use std::path::PathBuf;

tokio::task_local! {
    static OF_CALLER: PathBuf;
}

/// The folder that the command of this task was given in; `None` where that is this process's own and is gone.
pub(crate) fn current() -> Option<PathBuf> {
    OF_CALLER.try_with(PathBuf::clone).ok().or_else(|| std::env::current_dir().ok())
}

/// Runs a command that was given in another process's folder.
pub(crate) async fn scope<T>(folder: PathBuf, command: impl Future<Output = T>) -> T {
    OF_CALLER.scope(folder, command).await
}
