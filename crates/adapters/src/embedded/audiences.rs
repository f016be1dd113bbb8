//! Reader → the audiences open to them, as a row of yes and no by audience number.

use std::collections::BTreeSet;

use rusqlite::Transaction;
use vouch_domain::Reader;

/// Which audiences a reader belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VisibleAudiences {
    open: Vec<bool>,
}

impl VisibleAudiences {
    pub(super) fn load(transaction: &Transaction<'_>, reader: &Reader) -> rusqlite::Result<Self> {
        let mut statement = transaction.prepare_cached(
            "SELECT a.id, a.tags FROM checked_audiences a JOIN checked_tenants t ON t.id = a.tenant_id WHERE t.name = ?1",
        )?;
        let rows =
            statement.query_map([&reader.tenant], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))?;
        let mut open = Vec::new();
        for row in rows {
            let (id, tags) = row?;
            // Tags that cannot be read close the audience: an unreadable set would otherwise look like an empty one.
            let is_open = serde_json::from_str::<BTreeSet<String>>(&tags)
                .is_ok_and(|tags| reader.may_read(&reader.tenant, &tags));
            if is_open {
                let index = id as usize;
                if open.len() <= index {
                    open.resize(index + 1, false);
                }
                if let Some(flag) = open.get_mut(index) {
                    *flag = true;
                }
            }
        }
        Ok(Self { open })
    }

    /// One audience and no other.
    pub(super) fn only(audience: u32) -> Self {
        let mut open = vec![false; audience as usize];
        open.push(true);
        Self { open }
    }

    pub(super) fn includes(&self, audience: u32) -> bool {
        self.open.get(audience as usize).copied().unwrap_or(false)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.open).filter(|(_, is_open)| **is_open).map(|(id, _)| id)
    }
}
