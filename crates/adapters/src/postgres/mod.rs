//! PostgreSQL as the truth: what a store keeps, for any number of nodes.
//!
//! A node answers from its own copy of the catalogue (`embedded::following`), and everything it changes goes through here. What
//! must be the same for all nodes at once, jobs, conversations, keys and the trail, is asked for here every time.

mod changes;
mod database;
mod fault;
mod jobs;
mod keys;
mod listener;
mod migrations;
pub(crate) mod place;
mod server;
mod sessions;
mod settings;
mod tenant;
mod truth;
mod values;

pub use database::PostgresDatabase;
pub use jobs::PostgresJobs;
pub use keys::PostgresKeys;
pub use listener::ChangeListener;
pub use sessions::PostgresSessions;
pub use settings::PostgresSettings;
