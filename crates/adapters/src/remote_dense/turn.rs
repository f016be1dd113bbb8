//! One bringing up of an index at a time, and what is known of it between two of them.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::timeout,
};
use vouch_domain::PortError;

use super::held;
use crate::embedded::IndexIdentity;

/// How long a question waits for somebody who has the turn and is not known to need it for long.
const QUESTION_PATIENCE: Duration = Duration::from_secs(1);
/// How long others wait, whoever has it.
const PATIENCE: Duration = Duration::from_secs(15);

/// How much is done to bring an index up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// The changes of the catalogue are written, as far as they are few. Nothing is made, compared or made faster.
    Quick,
    /// Whatever it takes.
    Thorough,
}

/// Who brings an index up.
#[derive(Default)]
pub(super) struct Turns {
    progress: Arc<Mutex<Progress>>,
    /// Whoever has the turn may have it for hours.
    is_long: Arc<AtomicBool>,
}

/// The right to bring an index up, until it is dropped.
pub(super) struct Turn {
    pub(super) progress: OwnedMutexGuard<Progress>,
    is_long: Arc<AtomicBool>,
}

/// What this process knows of an index besides how far it has come.
#[derive(Default)]
pub(super) struct Progress {
    /// The index by its name and incarnation.
    of: Option<(String, i64)>,
    /// It was found to hold what the catalogue holds.
    pub(super) is_compared: bool,
    /// The shelves whose searches may have to be made faster; none where that may be any.
    pub(super) unsettled: Option<BTreeSet<u32>>,
    /// How many rows were written to them.
    pub(super) unsettled_rows: usize,
}

impl Turns {
    /// Takes the turn. Where somebody else has it for long, a question is told so at once.
    pub(super) async fn take(&self, care: Care) -> Result<Turn, PortError> {
        let busy = || held("the vector index is already being brought up to date");
        let patience = match care {
            Care::Quick => QUESTION_PATIENCE,
            Care::Thorough => PATIENCE,
        };
        let progress = match Arc::clone(&self.progress).try_lock_owned() {
            Ok(progress) => progress,
            Err(_) if care == Care::Quick && self.is_long.load(Ordering::SeqCst) => return Err(busy()),
            Err(_) => timeout(patience, Arc::clone(&self.progress).lock_owned()).await.map_err(|_| busy())?,
        };
        Ok(Turn { progress, is_long: Arc::clone(&self.is_long) })
    }
}

impl Turn {
    /// Says that others had better not wait.
    pub(super) fn takes_long(&self) {
        self.is_long.store(true, Ordering::SeqCst);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.is_long.store(false, Ordering::SeqCst);
    }
}

impl Progress {
    /// Forgets what was known of another index.
    pub(super) fn turn_to(&mut self, identity: &IndexIdentity, incarnation: i64) {
        let is_of_it = self.of.as_ref().is_some_and(|(name, of)| *name == identity.name && *of == incarnation);
        if !is_of_it {
            *self = Self { of: Some((identity.name.clone(), incarnation)), ..Self::default() };
        }
    }
}
