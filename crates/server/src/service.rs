//! The engine behind HTTP: authentication, routing, and one format for problems.

use std::{sync::Arc, time::Duration};
use vouch_service::{
    desk::Desk,
    keeper::{KeepError, Keeper},
    turns::Turn,
};

use crate::{
    admission::Admission,
    door::Door,
    problem::{Code, Problem},
    readiness::Readiness,
};

/// What one server works with.
#[derive(Clone)]
pub struct Service {
    /// Where questions are asked.
    pub desk: Arc<Desk>,
    /// Who calls.
    pub door: Door,
    /// What admins keep.
    pub keeper: Keeper,
    /// Whether questions can be answered.
    pub readiness: Readiness,
    /// How many may come in.
    pub admission: Admission,
    /// How long a request may take.
    pub timeout: Duration,
    /// The largest body.
    pub body_bytes_max: usize,
    /// How long a client may take to send a body.
    pub body_timeout: Duration,
}

impl Service {
    /// Does work once a permit is free, within the request's deadline.
    pub(crate) async fn admitted<T>(
        &self,
        id: &str,
        work: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        let full = || Problem::of(Code::Overloaded, "Too many requests are being handled; try again shortly.", id);
        let late = |_| Problem::of(Code::Overloaded, "The request timed out; try again.", id);
        let admitted = async {
            let _place = self.admission.enter().await.ok_or_else(full)?;
            work.await
        };
        tokio::time::timeout(self.timeout, admitted).await.map_err(late)?
    }

    /// The turn of a tenant's change. It is waited for before a permit of `admitted` is taken, so that one tenant's
    /// changes never keep everybody's questions waiting.
    pub(crate) async fn turn(
        &self,
        turn: impl Future<Output = Result<Turn, KeepError>>,
        id: &str,
    ) -> Result<Turn, Problem> {
        let late = |_| {
            Problem::of(Code::Overloaded, "Other changes to this tenant took too long; send the request again.", id)
        };
        let turn = tokio::time::timeout(self.timeout, turn).await.map_err(late)?;
        turn.map_err(|error| Problem::of_keeping(&error, id))
    }
}
