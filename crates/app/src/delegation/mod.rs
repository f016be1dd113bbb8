//! Delegated commands: the process that holds a data folder runs them for another one, as if that had opened the folder itself.
//!
//! A server listens at a socket beside its data. A command that finds it there hands over its words and its folder, and prints
//! what comes back. Whoever may use the socket could as well stop the server and open the folder: it takes the same user. What
//! the command calls a file must be that file for the server, too; `path_identity` says how that is known.

pub(crate) mod protocol;
#[cfg(unix)]
pub(crate) mod listener;
#[cfg(not(unix))]
#[path = "no_listener.rs"]
pub(crate) mod listener;
pub(crate) mod borrowed_app;
#[cfg(unix)]
pub(crate) mod client;
#[cfg(unix)]
mod parse_request;
#[cfg(unix)]
mod path_identity;
#[cfg(unix)]
mod plain_paths;
pub(crate) mod remote_output;
#[cfg(unix)]
mod room;
pub(crate) mod runner;
#[cfg(unix)]
mod socket;
#[cfg(unix)]
mod settings_digest;
#[cfg(unix)]
mod trust;
pub(crate) mod working_folder;
