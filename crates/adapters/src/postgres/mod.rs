//! PostgreSQL as the truth: what a store keeps, for any number of nodes.
//!
//! A node answers from its own copy of the catalogue (`embedded::following`), and everything it changes goes through here. What
//! must be the same for all nodes at once, jobs, conversations, keys and the trail, is asked for here every time.

mod breaker_reports;
mod changes;
mod copying;
mod database;
pub(crate) mod fault;
mod jobs;
mod keys;
mod listener;
mod migrations;
pub(crate) mod place;
mod rates;
pub(crate) mod server;
mod sessions;
mod settings;
pub(crate) mod tenant;
mod trail;
mod truth;
mod values;

pub use breaker_reports::{BreakerReport, BreakerReports};
pub use database::PostgresDatabase;
pub use jobs::PostgresJobs;
pub use keys::PostgresKeys;
pub use listener::ChangeListener;
pub use rates::PostgresRates;
pub use sessions::PostgresSessions;
pub use settings::PostgresSettings;
pub use trail::PostgresTrail;
