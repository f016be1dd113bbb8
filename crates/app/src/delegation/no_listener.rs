//! No listener, on a system without sockets in folders: other commands find the data folder in use.

use super::runner::{CurrentService, Runner};
use crate::wiring::App;

pub(crate) fn open(_: &App, _: CurrentService, _: Runner) -> Option<()> {
    None
}
