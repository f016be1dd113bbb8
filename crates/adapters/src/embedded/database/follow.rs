//! A database file that is a copy of a truth elsewhere: how it joins that, comes up to it and changes it.

use std::{path::Path, sync::Arc};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use vouch_domain::{Fault, PortError};

use super::{Database, Following, PORT, filling, filling::BEGIN_ANEW, lock, mark_changed, meta, revision, set_meta};
use crate::embedded::{
    following::{
        FOLLOWED, FollowProgress, FollowState, Head, LINEAGE, Origin, Recorder, TableShape, Truth, Turn, Visit, apply,
    },
    schema,
    sqlite_fault::fault,
    watermark::Watermark,
};

impl Database {
    /// Opens a file as a copy of the truth, and brings it up to it. One that has followed before is opened as it is where the
    /// truth cannot be reached or is late.
    pub(in crate::embedded) fn open_following(
        path: &Path,
        migrations: &[schema::Migration],
        truth: Arc<dyn Truth>,
    ) -> Result<Self, PortError> {
        let mut database = Self::open(path, migrations)?;
        let recorder = Recorder::new(&lock(&database.writer)).map_err(fault)?;
        let following = Following { truth, recorder, progress: FollowProgress::default() };
        let is_filling = database.read(|transaction| filling::is_filling(transaction))?;
        let before = if is_filling { None } else { database.read(|transaction| followed(transaction))? };
        database.fill_if_empty(&following)?;
        database.store_id = database.read(|transaction| meta(transaction, "store_id"))?.unwrap_or_default();
        database.join(&following, before)?;
        database.store_id = database.read(|transaction| meta(transaction, "store_id"))?.unwrap_or_default();
        database.following = Some(following);
        Ok(database)
    }

    /// Opens a file that is a store of its own.
    pub(in crate::embedded) fn open_own(path: &Path, migrations: &[schema::Migration]) -> Result<Self, PortError> {
        let database = Self::open(path, migrations)?;
        if database.read(|transaction| filling::is_filling(transaction))? {
            let sentence = "the data folder is an unfinished copy of a database; run the command that was filling it \
                            again";
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        if database.read(|transaction| followed(transaction))?.is_some() {
            let sentence = "the data folder is a copy of a database, and the settings name no database: without \
                            store.postgres, changes made here would be lost";
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        Ok(database)
    }

    /// Copies everything where nothing was copied yet. Nobody has to wait meanwhile.
    fn fill_if_empty(&self, following: &Following) -> Result<(), PortError> {
        let mut connection = lock(&self.writer);
        if followed(&connection).map_err(fault)?.is_some() {
            return Ok(());
        }
        let is_filling = filling::is_filling(&connection).map_err(fault)?;
        if !is_filling && !is_fresh(&connection).map_err(fault)? {
            let sentence = "the data folder holds a store of its own; `vouch store copy` moves it to the database, and a \
                            node that follows the database needs a folder of its own";
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        if is_filling || following.truth.head()?.change > 0 {
            self.fill_from(&mut connection, following)?;
        }
        Ok(())
    }

    /// Brings the file up to the truth for the first time since it was opened. `before` is the change that it had come to by then,
    /// where it had.
    fn join(&self, following: &Following, before: Option<u64>) -> Result<(), PortError> {
        let mut connection = lock(&self.writer);
        following.recorder.install(&connection).map_err(fault)?;
        if followed(&connection).map_err(fault)?.is_none() && self.begin(&mut connection, following)? {
            return Ok(());
        }
        // Nobody has to wait for a node that comes back, however much it has missed.
        let outcome = self.come_up(&mut connection, following, &mut Seen(following.truth.as_ref()));
        match (outcome, before) {
            // What was filled only now is of several moments until it has come up, and cannot be used as it is.
            (Err(error), Some(before)) if is_away_or_late(&error) => {
                tracing::warn!(%error, "the database cannot be reached; what this node has of it is used");
                following.progress.stale(before);
                Ok(())
            }
            (outcome, _) => outcome,
        }
    }

    /// Gives a new database its identity where this node is its first; answers whether it was.
    fn begin(&self, connection: &mut Connection, following: &Following) -> Result<bool, PortError> {
        let turn = following.truth.turn()?;
        // Another node may have been first while the turn was waited for.
        let is_first = turn.head().change == 0;
        if is_first {
            self.fill(connection, following, turn)?;
        }
        Ok(is_first)
    }

    /// Makes everything there is here the first of the truth.
    fn fill(
        &self,
        connection: &mut Connection,
        following: &Following,
        mut turn: Box<dyn Turn + '_>,
    ) -> Result<(), PortError> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        following.recorder.everything(&transaction, |changed| turn.write(changed))?;
        let change = turn.commit()?;
        filling::set_followed(&transaction, change).map_err(fault)?;
        self.commit(transaction)?;
        following.progress.reached(change);
        Ok(())
    }

    /// Brings the copy up to the truth; answers whether anything had changed.
    ///
    /// # Errors
    /// Fails if the truth cannot be reached or read; the copy is then as it was.
    pub(in crate::embedded) fn follow(&self) -> Result<bool, PortError> {
        let Some(following) = &self.following else { return Ok(false) };
        let mut connection = lock(&self.writer);
        let before = followed(&connection).map_err(fault)?;
        let outcome = self.come_up(&mut connection, following, &mut Seen(following.truth.as_ref()));
        if outcome.is_err() {
            following.progress.missed();
        }
        outcome?;
        Ok(followed(&connection).map_err(fault)? != before)
    }

    /// Which store the file holds, and in which form.
    pub(in crate::embedded) fn origin(&self) -> Result<Origin, PortError> {
        let revision = self.read(|transaction| revision(transaction))?;
        Ok(Origin { store_id: self.store_id.clone(), revision })
    }

    /// Makes the copy a store of its own.
    pub(in crate::embedded) fn follow_no_more(&self) -> Result<(), PortError> {
        let mut connection = lock(&self.writer);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        transaction.execute("DELETE FROM meta WHERE key = ?1", [FOLLOWED]).map_err(fault)?;
        mark_changed(&transaction, LINEAGE).map_err(fault)?;
        self.commit(transaction)
    }

    /// How far the copy has come; nothing where the file follows none.
    pub(in crate::embedded) fn follow_state(&self) -> Option<FollowState> {
        self.following.as_ref().map(|following| following.progress.state())
    }

    /// Notes that the truth has come to a change.
    pub(in crate::embedded) fn hear_of(&self, change: u64) {
        if let Some(following) = &self.following {
            following.progress.heard(change);
        }
    }

    fn come_up(
        &self,
        connection: &mut Connection,
        following: &Following,
        source: &mut dyn Changes,
    ) -> Result<(), PortError> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        transaction.execute_batch("PRAGMA defer_foreign_keys = ON").map_err(fault)?;
        let after = followed(&transaction).map_err(fault)?;
        let tables = following.recorder.tables();
        let mut is_changed = filling::is_filling(&transaction).map_err(fault)?;
        let head = source.changes(&tables, after.unwrap_or(0), &mut |changed| {
            is_changed = true;
            apply(&transaction, &changed)
        })?;
        if let Some(after) = after {
            self.check_kinship(after, &head)?;
        }
        let lineage = head.lineage();
        let is_named = meta(&transaction, LINEAGE).map_err(fault)?.unwrap_or_default() == lineage;
        if is_changed || !is_named || after != Some(head.change) {
            following.recorder.clear(&transaction).map_err(fault)?;
            filling::set_followed(&transaction, head.change).map_err(fault)?;
            filling::end(&transaction).map_err(fault)?;
            set_meta(&transaction, LINEAGE, &lineage).map_err(fault)?;
            if meta(&transaction, "store_id").map_err(fault)?.as_ref() != Some(&self.store_id) {
                // The file becomes another store's copy, and a mark of what it was before would say that it is lost.
                Watermark::forget(&self.path);
                transaction.commit().map_err(fault)?;
            } else {
                self.commit(transaction)?;
            }
        }
        following.progress.reached(head.change);
        Ok(())
    }

    /// Refuses a truth that is not the one that was followed, or that has lost some of what was.
    fn check_kinship(&self, after: u64, head: &Head) -> Result<(), PortError> {
        // An empty database has no identity yet.
        if head.change > 0 && head.store_id.as_ref() != Some(&self.store_id) {
            let sentence = "the data folder contains a copy of another database; give this node a folder of its own";
            return Err(PortError::new(PORT, Fault::Invalid, sentence));
        }
        if after > head.change {
            return Err(behind(after, head.change));
        }
        if after < head.first { Err(another_copy(after, head.first)) } else { Ok(()) }
    }

    pub(super) fn write_through<T>(
        &self,
        connection: &mut Connection,
        following: &Following,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, PortError>,
    ) -> Result<T, PortError> {
        let turn = following.truth.turn();
        let mut turn = turn.inspect_err(|_| following.progress.missed())?;
        self.come_up(connection, following, &mut Locked(&mut *turn))?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        following.recorder.clear(&transaction).map_err(fault)?;
        let sequences = Recorder::sequences(&transaction).map_err(fault)?;
        let before = transaction.total_changes();
        let outcome = work(&transaction)?;
        if transaction.total_changes() == before {
            transaction.commit().map_err(fault)?;
            return Ok(outcome);
        }
        let changed = following.recorder.changed(&transaction, &sequences).map_err(fault)?;
        if changed.is_empty() {
            // Only what nobody else needs.
            self.commit(transaction)?;
            return Ok(outcome);
        }
        changed.into_iter().try_for_each(|changed| turn.write(changed))?;
        let change = turn.commit()?;
        filling::set_followed(&transaction, change).map_err(fault)?;
        match self.commit(transaction) {
            Ok(()) => following.progress.reached(change),
            // The truth has it, so it is kept; the copy comes up to it later.
            Err(error) => tracing::warn!(%error, "a change is in the database and not yet in this node's copy"),
        }
        Ok(outcome)
    }
}

/// Where changes are read from.
trait Changes {
    fn changes(&mut self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError>;
}

/// The truth while nobody else can change it.
struct Locked<'a, 't>(&'a mut (dyn Turn + 't));

impl Changes for Locked<'_, '_> {
    fn changes(&mut self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError> {
        let head = self.0.head().clone();
        if head.change > after {
            self.0.changes(tables, after, visit)?;
        }
        Ok(head)
    }
}

/// The truth as of one moment.
struct Seen<'a>(&'a dyn Truth);

impl Changes for Seen<'_> {
    fn changes(&mut self, tables: &[TableShape], after: u64, visit: Visit<'_>) -> Result<Head, PortError> {
        self.0.changes(tables, after, visit)
    }
}

fn followed(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    Ok(meta(connection, FOLLOWED)?.and_then(|text| text.parse().ok()))
}

/// Whether nothing was ever kept in a file.
fn is_fresh(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM tenants) AND NOT EXISTS (SELECT 1 FROM documents)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Whether the truth may be there again later, or let go by then of what it was waited for.
fn is_away_or_late(error: &PortError) -> bool {
    matches!(error.fault, Fault::Unavailable | Fault::Timeout | Fault::Held)
}

fn behind(own: u64, head: u64) -> PortError {
    let sentence = format!(
        "the database has lost changes: it is at change {head}, and this node has seen {own}. Where an older state of it was \
         restored on purpose, {BEGIN_ANEW}"
    );
    PortError::new(PORT, Fault::Corrupt, sentence)
}

fn another_copy(own: u64, first: u64) -> PortError {
    let sentence = format!(
        "the store was copied into the database anew, where it begins with change {first}, and this node has followed an earlier \
         copy of it to change {own}: {BEGIN_ANEW}"
    );
    PortError::new(PORT, Fault::Invalid, sentence)
}
