//! The trail's entries chained by hashes, so that one that was edited, taken out or put in by hand shows.
//!
//! Everything that happens to an entry (written, finished, taken out by retention) adds a link: the entry's place, its
//! checksum from then on, and a hash over both and the link before. An entry is as it was written where its last link has
//! its checksum and the chain holds from the first link to the head. Whoever can write the file can of course compute a
//! whole new chain; keep the head that `vouch doctor` shows elsewhere to notice that too.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::embedded::{
    facts::{meta, set_meta},
    row_sums,
};

/// The number and hash of the last link, in the file's facts.
pub(super) const HEAD: &str = "chain_head";
/// The number and hash of the last link that retention has cut off.
const ANCHOR: &str = "chain_anchor";

/// The last link: how many there have been, and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    pub(super) number: u64,
    pub(super) chain: String,
}

impl Head {
    fn read(transaction: &Transaction<'_>, key: &str) -> rusqlite::Result<Self> {
        let words = meta(transaction, key)?;
        Ok(words.as_deref().and_then(Self::parse).unwrap_or_default())
    }

    /// A head as it is kept among the facts.
    pub(super) fn parse(words: &str) -> Option<Self> {
        let (number, chain) = words.split_once(' ')?;
        Some(Self { number: number.parse().ok()?, chain: chain.to_owned() })
    }

    fn write(&self, transaction: &Transaction<'_>, key: &str) -> rusqlite::Result<()> {
        set_meta(transaction, key, &format!("{} {}", self.number, self.chain))
    }

    fn next(&self, place: u64, entry_sum: Option<&[u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.chain.as_bytes()).update(&place.to_le_bytes()).update(entry_sum.unwrap_or_default());
        Self { number: self.number + 1, chain: hasher.finalize().to_hex().to_string() }
    }
}

/// Chains every entry of a trail that had no chain.
pub(in crate::embedded) fn install(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    row_sums::install(transaction)?;
    let mut statement = transaction.prepare("SELECT place FROM entries ORDER BY place")?;
    let places = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<u64>>>()?;
    places.into_iter().try_for_each(|place| add(transaction, place))
}

/// Begins the chain of a trail without links after a number, so that no link has a number that one had before.
pub(super) fn begin_after(transaction: &Transaction<'_>, number: u64) -> rusqlite::Result<()> {
    let before = Head { number, chain: String::new() };
    before.write(transaction, HEAD)?;
    before.write(transaction, ANCHOR)
}

/// Adds a link for an entry as it is now; one that is gone is linked as removed.
pub(super) fn add(transaction: &Transaction<'_>, place: u64) -> rusqlite::Result<()> {
    let sum: Option<Vec<u8>> = transaction
        .prepare_cached("SELECT sum FROM checked_entries WHERE place = ?1")?
        .query_row([place], |row| row.get(0))
        .optional()?;
    let head = Head::read(transaction, HEAD)?.next(place, sum.as_deref());
    transaction
        .prepare_cached("INSERT INTO links (number, place, entry_sum, chain) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![head.number, place, sum, head.chain.as_bytes()])?;
    head.write(transaction, HEAD)
}

/// Cuts off the links before the first that is about an entry that is still there.
pub(super) fn prune(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "SELECT number, chain FROM checked_links WHERE number <
                   (SELECT min(l.number) FROM links l JOIN entries e ON e.place = l.place)
               ORDER BY number DESC LIMIT 1";
    let last =
        transaction.query_row(sql, [], |row| Ok((row.get::<_, u64>(0)?, row.get::<_, Vec<u8>>(1)?))).optional()?;
    let Some((number, chain)) = last else { return Ok(()) };
    Head { number, chain: String::from_utf8_lossy(&chain).into_owned() }.write(transaction, ANCHOR)?;
    transaction.execute("DELETE FROM links WHERE number <= ?1", [number]).map(|_| ())
}

/// Whether an entry's last link has its checksum.
pub(super) fn holds(transaction: &Transaction<'_>, place: u64) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached(
            "SELECT l.entry_sum IS e.sum FROM checked_links l JOIN checked_entries e ON e.place = l.place
             WHERE l.place = ?1 ORDER BY l.number DESC LIMIT 1",
        )?
        .query_row([place], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// The head of the chain.
pub(super) fn head(transaction: &Transaction<'_>) -> rusqlite::Result<Head> {
    Head::read(transaction, HEAD)
}

/// Everything that is wrong with the chain, in words, the first few; nothing if it holds.
pub(in crate::embedded) fn find_breaks(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    const BREAKS_MAX: usize = 5;
    let mut breaks = Vec::new();
    let mut at = Head::read(transaction, ANCHOR)?;
    let mut last: BTreeMap<u64, Option<Vec<u8>>> = BTreeMap::new();
    let mut statement = transaction.prepare("SELECT number, place, entry_sum, chain FROM links ORDER BY number")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (number, place): (u64, u64) = (row.get(0)?, row.get(1)?);
        let (sum, chain): (Option<Vec<u8>>, Vec<u8>) = (row.get(2)?, row.get(3)?);
        let next = at.next(place, sum.as_deref());
        if next.number != number || next.chain.as_bytes() != chain {
            breaks.push(format!("the chain of the audit trail breaks at link {number}"));
        }
        at = Head { number, chain: String::from_utf8_lossy(&chain).into_owned() };
        last.insert(place, sum);
    }
    if at != Head::read(transaction, HEAD)? {
        breaks.push("the last links of the audit trail's chain are missing".to_owned());
    }
    let mut statement = transaction.prepare("SELECT place, id, sum FROM entries ORDER BY place")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (place, id, sum): (u64, String, Option<Vec<u8>>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        match last.remove(&place) {
            Some(linked) if linked == sum => {}
            Some(_) => breaks.push(format!("entry {id} of the audit trail was changed after it was written")),
            None => breaks.push(format!("entry {id} of the audit trail has no link: it was not written by vouch")),
        }
    }
    breaks.extend(
        last.into_iter()
            .filter(|(_, sum)| sum.is_some())
            .map(|(place, _)| format!("entry number {place} of the audit trail was removed by hand")),
    );
    breaks.truncate(BREAKS_MAX);
    Ok(breaks)
}
