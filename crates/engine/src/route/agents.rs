//! The agents of a profile, with the router that is fitted on their examples.

use std::sync::Arc;

use vouch_domain::ports::KeptVectors;

use super::router::Router;
use crate::policy::AgentsPolicy;

/// The agents of a profile, and who tells whose question it is.
#[derive(Clone)]
pub struct Agents {
    /// Who they are.
    pub policy: Arc<AgentsPolicy>,
    /// Tells whose question it is.
    pub router: Router,
    kept: Option<Arc<dyn KeptVectors>>,
}

impl Agents {
    /// Agents whose router is fitted when the first question comes.
    #[must_use]
    pub fn new(policy: AgentsPolicy) -> Self {
        Self::over(policy, None)
    }

    /// The same agents, with the vectors of their examples kept here, so that the next process need not make them again.
    #[must_use]
    pub fn keeping(self, kept: Arc<dyn KeptVectors>) -> Self {
        Self::over(AgentsPolicy::clone(&self.policy), Some(kept))
    }

    /// The same agents deciding by other figures.
    #[must_use]
    pub(crate) fn deciding_by(&self, policy: AgentsPolicy) -> Self {
        Self::over(policy, self.kept.clone())
    }

    fn over(policy: AgentsPolicy, kept: Option<Arc<dyn KeptVectors>>) -> Self {
        let policy = Arc::new(policy);
        Self { router: Router::new(Arc::clone(&policy), kept.clone()), policy, kept }
    }
}
