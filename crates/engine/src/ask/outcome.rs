//! What is known on the way: who asks what of whom, and where a walk has come to.

use vouch_domain::Question;

use super::{listener::Listener, material::Material};
use crate::trace::WriterReport;
use crate::{decide::Decision, model_registry::JobModel};

/// The outcome of a walk.
pub(super) struct Outcome {
    pub(super) decision: Decision,
    pub(super) material: Material,
    pub(super) writer: Option<WriterReport>,
}

/// The request, the same on every path.
#[derive(Clone, Copy)]
pub(super) struct AskContext<'a> {
    pub(super) question: &'a Question,
    /// The model that writes, if one does.
    pub(super) writer: Option<&'a JobModel>,
    pub(super) listener: Option<&'a dyn Listener>,
    /// Whether it is a look-up rather than a question: then it is never routed to a person.
    pub(super) is_look_up: bool,
}
