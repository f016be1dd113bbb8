//! A trail whose sound entries were copied into a new file goes on as the trail it was.
//!
//! Invariant: it keeps its name among the trails of all nodes, and its links have numbers that none had before. So everything in it is
//! sent to the trail of all nodes once more, and changes nothing where it is there already.

use rusqlite::Transaction;

use super::{
    chain::{self, Head},
    outgoing::{NAME, SENT},
};
use crate::embedded::facts::set_meta;

/// Chains the copied entries. `fact` gives what the damaged file says of itself, as far as that is sound.
pub(in crate::embedded) fn renew(
    transaction: &Transaction<'_>,
    fact: impl Fn(&str) -> Option<String>,
) -> rusqlite::Result<()> {
    if let Some(name) = fact(NAME).or_else(|| fact("store_id")) {
        set_meta(transaction, NAME, &name)?;
    }
    let sent: u64 = fact(SENT).and_then(|link| link.parse().ok()).unwrap_or(0);
    // What was sent when the file was last used may not have been noted any more, so the last link counts as well.
    let last = fact(chain::HEAD).and_then(|words| Head::parse(&words)).unwrap_or_default();
    chain::begin_after(transaction, sent.max(last.number))?;
    chain::install(transaction)
}
