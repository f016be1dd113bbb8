//! What is known on the way: who asks what of whom, and where a walk has come to.

use vouch_domain::{Question, WriterReport};

use super::{listener::Listener, material::Material};
use crate::{decide::Decision, ladder::Rung};

/// Where a walk has come to.
pub(super) struct Outcome {
    pub(super) decision: Decision,
    pub(super) material: Material,
    pub(super) writer: Option<WriterReport>,
}

/// Who asks what of whom, the same on every way.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) question: &'a Question,
    /// The model that writes, where one does.
    pub(super) writer: Option<&'a Rung>,
    pub(super) listener: Option<&'a dyn Listener>,
    /// Whether it is looked up rather than asked: then no person is asked instead.
    pub(super) is_look_up: bool,
}
