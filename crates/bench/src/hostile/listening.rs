//! How long the engine listened to a scribe that never ends, or never begins.

use std::time::Duration;

/// What the rest of a question may take, on a slow machine.
const BESIDE: Duration = Duration::from_secs(5);

/// What went wrong where it was listened to for too long.
pub(super) fn misheard(took: Duration, timeout: Duration) -> Option<String> {
    (took > timeout + BESIDE).then(|| format!("listened to for {} ms", took.as_millis()))
}
