//! How a server's copy of a database stands: how far it has come, how far the database has gone on since, and what a reader is told
//! where that is not known.

use std::time::Duration;

/// A copy that was not known to be whole for so long is told to be behind.
const SILENT_AFTER: Duration = Duration::from_secs(15);

/// How a copy stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyState {
    /// The change of the database that it has come to.
    pub change: u64,
    /// How many changes of the database it has heard of and not yet made.
    pub changes_behind: u64,
    /// Whether the database could be reached when it was last asked.
    pub is_reached: bool,
    /// How long ago the copy was last known to be all there is.
    pub heard_ago: Duration,
}

/// Finds out how a copy stands, at once.
pub type CopyProbe = dyn Fn() -> CopyState + Send + Sync;

impl CopyState {
    /// Whether the database may hold what the copy does not and nobody can tell.
    #[must_use]
    pub fn is_away(&self) -> bool {
        !self.is_reached || self.heard_ago >= SILENT_AFTER
    }

    /// What is said of an answer from a copy whose database is away or whose state is not known; none where it is up to date.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        let seconds = self.heard_ago.as_secs();
        self.is_away().then(|| match self.is_reached {
            false => format!(
                "The database cannot be reached, so this is answered from the server's copy of it, which was complete \
                 {seconds} seconds ago."
            ),
            true => format!(
                "This is answered from the server's copy of the database, which was last known to be complete {seconds} seconds ago."
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::CopyState;

    fn state(is_reached: bool, seconds: u64) -> CopyState {
        CopyState { change: 7, changes_behind: 0, is_reached, heard_ago: Duration::from_secs(seconds) }
    }

    #[test]
    fn a_copy_is_marked_where_its_database_is_away_or_silent_and_not_otherwise() {
        assert_eq!(state(true, 2).notice(), None);
        assert!(state(true, 20).notice().is_some_and(|notice| notice.contains("20 seconds ago")));
        assert!(state(false, 1).notice().is_some_and(|notice| notice.contains("cannot be reached")));
    }
}
