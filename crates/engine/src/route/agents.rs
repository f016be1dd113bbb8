//! The agents of a profile, with the router that is fitted on their examples.

use std::sync::Arc;

use super::router::Router;
use crate::policy::AgentsPolicy;

/// The agents of a profile, and who tells whose question it is.
#[derive(Clone)]
pub struct Agents {
    /// Who they are.
    pub policy: Arc<AgentsPolicy>,
    /// Tells whose question it is.
    pub router: Router,
}

impl Agents {
    /// Agents whose router is fitted when the first question comes.
    #[must_use]
    pub fn new(policy: AgentsPolicy) -> Self {
        let policy = Arc::new(policy);
        Self { router: Router::new(Arc::clone(&policy)), policy }
    }
}
