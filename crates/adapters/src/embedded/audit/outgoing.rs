//! Entries of a folder's trail that are still to be sent to the trail of all nodes.
//!
//! Everything that happens to an entry adds a link to the chain, so that the links after the last one that was sent say what is to be
//! sent: no list of its own is kept, and what a kill leaves unsent is sent at the next start.
//!
//! Invariant: a damaged entry is passed over and holds no other back.

use std::{collections::BTreeSet, ops::RangeInclusive};

use rusqlite::{OptionalExtension, Transaction, params};
use vouch_domain::{AuditEntry, PortError};

use super::{COLUMNS, EmbeddedTrail, placed};
use crate::embedded::{
    facts::{meta, set_meta},
    sqlite_fault::names_damage,
};

/// The last link that was sent, in the file's facts.
pub(super) const SENT: &str = "sent_link";
/// What a trail is called that has another file than it began with.
pub(super) const NAME: &str = "trail_id";
/// Links that are looked at in one batch, and bytes of records that end it.
const LINKS_MAX: u32 = 256;
const BYTES_MAX: usize = 4 << 20;
/// Entries that were sent and are named at a time.
const SENT_MAX: usize = 256;

/// Entries to be sent.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// In the order they were written.
    pub(crate) entries: Vec<OutgoingEntry>,
    /// The link after which they were to be sent.
    pub(crate) after: u64,
    /// The link up to which nothing is left to be sent once these are.
    pub(crate) up_to: u64,
}

/// An entry as it is now.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingEntry {
    pub(crate) place: u64,
    /// The last link that is about it.
    pub(crate) link: u64,
    pub(crate) entry: AuditEntry,
}

/// What an entry that was sent is known by.
#[derive(Debug, Clone)]
pub(crate) struct SentEntry {
    pub(crate) place: u64,
    /// The last link that is about it.
    pub(crate) link: u64,
    pub(crate) id: String,
    pub(crate) tenant: String,
    pub(crate) asker: String,
    pub(crate) at_ms: u64,
}

impl EmbeddedTrail {
    /// What no other folder's trail is called, unless one is a copy of the other.
    pub(crate) fn identity(&self) -> &str {
        &self.name
    }

    /// The next entries to be sent; none where all are.
    pub(crate) fn outgoing(&self) -> Result<Option<Outgoing>, PortError> {
        self.database.read(|transaction| {
            let after = sent(transaction)?;
            let mut outgoing = Outgoing { after, up_to: after, ..Outgoing::default() };
            let (mut seen, mut bytes) = (BTreeSet::new(), 0);
            for (number, place) in links_after(transaction, after)? {
                if bytes >= BYTES_MAX {
                    break;
                }
                outgoing.up_to = number;
                if seen.insert(place)
                    && let Some(entry) = unless_damaged(place, as_it_is(transaction, place))?
                {
                    bytes += entry.entry.record.len();
                    outgoing.entries.push(entry);
                }
            }
            outgoing.entries.sort_by_key(|one| one.place);
            Ok((outgoing.up_to > after).then_some(outgoing))
        })
    }

    /// Notes that nothing up to a link is left to be sent, where what came before these entries was sent as well.
    pub(crate) fn set_sent(&self, (after, up_to): (u64, u64)) -> Result<(), PortError> {
        self.database.write(|transaction| {
            // Another process of the same folder may have sent more, or have found that less of it is there.
            let noted = sent(transaction)?;
            if (after..up_to).contains(&noted) { set_meta(transaction, SENT, &up_to.to_string()) } else { Ok(()) }
        })
    }

    /// Notes that everything from a link on is to be sent again.
    pub(crate) fn set_unsent(&self, link: u64) -> Result<(), PortError> {
        self.database.write(|transaction| {
            let before = link.saturating_sub(1);
            if sent(transaction)? > before { set_meta(transaction, SENT, &before.to_string()) } else { Ok(()) }
        })
    }

    /// Entries of which nothing is left to be sent and that were written within these times, in the order in which they were sent,
    /// the last first: those before a link, or the last of all.
    pub(crate) fn sent_before(
        &self,
        link: Option<u64>,
        written_ms: &RangeInclusive<u64>,
    ) -> Result<Vec<SentEntry>, PortError> {
        self.database.read(|transaction| {
            let unsent = sent(transaction)?.saturating_add(1);
            let end = link.map_or(unsent, |link| link.min(unsent));
            // A cross join keeps its order, so that the links are read from the last one on and no further than is needed.
            let sql = "SELECT l.number, l.place FROM links l CROSS JOIN entries e ON e.place = l.place
                       WHERE l.number < ?1 AND e.at_ms BETWEEN ?2 AND ?3
                           AND NOT EXISTS (SELECT 1 FROM links later WHERE later.place = l.place AND later.number > l.number)
                       ORDER BY l.number DESC";
            let mut statement = transaction.prepare_cached(sql)?;
            let mut links = statement.query(params![end, written_ms.start(), written_ms.end()])?;
            let sql = "SELECT id, tenant, asker, at_ms FROM checked_entries WHERE place = ?1";
            let mut entries = transaction.prepare_cached(sql)?;
            let mut found = Vec::new();
            while found.len() < SENT_MAX
                && let Some(row) = links.next()?
            {
                let (link, place): (u64, u64) = (row.get(0)?, row.get(1)?);
                let entry = entries.query_row([place], |row| {
                    let (id, tenant, asker) = (row.get(0)?, row.get(1)?, row.get(2)?);
                    Ok(SentEntry { place, link, id, tenant, asker, at_ms: row.get(3)? })
                });
                found.extend(unless_damaged(place, entry.optional())?);
            }
            Ok(found)
        })
    }

    /// Finds out whether the file can be locked and written to. That there is no room for an entry shows only where one is kept:
    /// SQLite writes a page when a change is committed, and not for what is rolled back.
    pub(crate) fn check_writable(&self) -> Result<(), PortError> {
        // It begins to write and finds nothing to write to, so that looking often costs no write.
        self.database.write(|transaction| transaction.execute("DELETE FROM entries WHERE place < 0", []).map(drop))
    }
}

/// What a trail is called that has another file than it began with; any other is called by its file's identity.
pub(super) fn name(transaction: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    meta(transaction, NAME)
}

/// The numbers of the next links and the places that they are about.
fn links_after(transaction: &Transaction<'_>, after: u64) -> rusqlite::Result<Vec<(u64, u64)>> {
    let sql = "SELECT number, place, row_is_damaged(sum, 'links', number, place, entry_sum, chain) FROM links
               WHERE number > ?1 ORDER BY number LIMIT ?2";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query(params![after, LINKS_MAX])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        let (number, place): (u64, u64) = (row.get(0)?, row.get(1)?);
        if row.get::<_, bool>(2)? {
            // It may still say which entry it was about, and an entry that is sent once more changes nothing.
            tracing::error!(number, component = "audit", "a link of the audit trail's chain is damaged");
        }
        links.push((number, place));
    }
    Ok(links)
}

/// What was read of an entry; nothing where it is damaged, which is said in the log.
fn unless_damaged<T>(place: u64, read: rusqlite::Result<Option<T>>) -> rusqlite::Result<Option<T>> {
    match read {
        Err(error) if names_damage(&error) => {
            tracing::error!(place, %error, component = "audit", "a damaged audit entry is not sent to the database");
            Ok(None)
        }
        read => read,
    }
}

/// An entry with the last link about it; none where it was removed.
fn as_it_is(transaction: &Transaction<'_>, place: u64) -> rusqlite::Result<Option<OutgoingEntry>> {
    let sql = format!("SELECT {COLUMNS} FROM checked_entries WHERE place = ?1");
    let Some((place, entry)) = transaction.prepare_cached(&sql)?.query_row([place], placed).optional()? else {
        return Ok(None);
    };
    let sql = "SELECT max(number) FROM links WHERE place = ?1";
    let link = transaction.prepare_cached(sql)?.query_row([place], |row| row.get(0))?;
    Ok(Some(OutgoingEntry { place, link, entry }))
}

fn sent(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    Ok(meta(transaction, SENT)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}
