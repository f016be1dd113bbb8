//! A transaction that works on the rows of one tenant, or of all.

use deadpool_postgres::{Object, Transaction};
use vouch_domain::PortError;

use super::fault::fault;

/// All tenants at once, for what is told apart by something else.
pub(crate) const ALL: &str = "*";

/// Begins a transaction; rows of other tenants are not there for it.
pub(crate) async fn begin<'c>(client: &'c mut Object, tenant: &str) -> Result<Transaction<'c>, PortError> {
    let transaction = client.transaction().await.map_err(fault)?;
    transaction.execute("SELECT set_config('vouch.tenant', $1, true)", &[&tenant]).await.map_err(fault)?;
    Ok(transaction)
}

/// A number as the database keeps it.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as it was kept.
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
