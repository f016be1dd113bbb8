//! A trail in memory that can be told to fail.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use vouch_domain::{
    AuditEntry, AuditScope, AuditedEntry, Fault, Feedback, FeedbackOutcome, PortError,
    ports::{AuditPlace, AuditTrail},
};

/// Entries that are forgotten when it is dropped.
#[derive(Debug)]
pub struct FakeTrail {
    kept: Mutex<Vec<AuditedEntry>>,
    writes_left: AtomicUsize,
}

impl Default for FakeTrail {
    fn default() -> Self {
        Self::full_after(usize::MAX)
    }
}

impl FakeTrail {
    /// One that has room for so many writes, rewrites counted, and fails from then on.
    #[must_use]
    pub fn full_after(writes: usize) -> Self {
        Self { kept: Mutex::default(), writes_left: AtomicUsize::new(writes) }
    }

    /// Everything that was written, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<AuditEntry> {
        self.kept().iter().map(|audited| audited.entry.clone()).collect()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<AuditedEntry>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_room(&self) -> Result<(), PortError> {
        let taken = self.writes_left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        taken.map(|_| ()).map_err(|_| PortError::new("audit", Fault::Full, "no room left on the disk"))
    }
}

#[async_trait]
impl AuditTrail for FakeTrail {
    async fn write(&self, entry: AuditEntry) -> Result<AuditPlace, PortError> {
        self.take_room()?;
        let mut kept = self.kept();
        kept.push(AuditedEntry { entry, feedback: Vec::new() });
        Ok(AuditPlace(kept.len() as u64))
    }

    async fn rewrite(&self, place: AuditPlace, entry: AuditEntry) -> Result<(), PortError> {
        self.take_room()?;
        let mut kept = self.kept();
        let index = usize::try_from(place.0).unwrap_or(usize::MAX).checked_sub(1);
        match index.and_then(|index| kept.get_mut(index)) {
            Some(audited) => {
                audited.entry = entry;
                Ok(())
            }
            None => Err(PortError::new("audit", Fault::Internal, "the audit entry to be finished no longer exists")),
        }
    }

    async fn entry(&self, scope: &AuditScope, id: &str) -> Result<Option<AuditedEntry>, PortError> {
        let is_meant = |audited: &&AuditedEntry| audited.entry.id == id && scope.includes(&audited.entry);
        Ok(self.kept().iter().rev().find(is_meant).cloned())
    }

    async fn before(
        &self,
        scope: &AuditScope,
        place: Option<AuditPlace>,
        limit: usize,
    ) -> Result<Vec<(AuditPlace, AuditEntry)>, PortError> {
        let kept = self.kept();
        let placed = (1..).map(AuditPlace).zip(kept.iter().map(|audited| &audited.entry)).collect::<Vec<_>>();
        let is_wanted =
            |(own, entry): &(AuditPlace, &AuditEntry)| scope.includes(entry) && place.is_none_or(|place| *own < place);
        let wanted = placed.into_iter().rev().filter(is_wanted).take(limit);
        Ok(wanted.map(|(place, entry)| (place, entry.clone())).collect())
    }

    async fn commented(&self, scope: &AuditScope, limit: usize) -> Result<Vec<AuditedEntry>, PortError> {
        let kept = self.kept();
        let is_meant = |audited: &&AuditedEntry| !audited.feedback.is_empty() && scope.includes(&audited.entry);
        Ok(kept.iter().rev().filter(is_meant).take(limit).cloned().collect())
    }

    async fn each(&self, visit: &mut (dyn FnMut(AuditedEntry) + Send)) -> Result<(), PortError> {
        let kept = self.kept().clone();
        kept.into_iter().for_each(visit);
        Ok(())
    }

    async fn check(&self) -> Result<(), PortError> {
        match self.writes_left.load(Ordering::Acquire) {
            0 => Err(PortError::new("audit", Fault::Full, "no room left on the disk")),
            _ => Ok(()),
        }
    }

    async fn comment(&self, scope: &AuditScope, id: &str, feedback: Feedback) -> Result<FeedbackOutcome, PortError> {
        if let Some(fault) = feedback.fault() {
            return Err(PortError::new("audit", Fault::Invalid, fault));
        }
        let mut kept = self.kept();
        let is_meant = |audited: &&mut AuditedEntry| audited.entry.id == id && scope.includes(&audited.entry);
        let Some(audited) = kept.iter_mut().rev().find(is_meant) else { return Ok(FeedbackOutcome::NoEntry) };
        let others = audited.feedback.iter().filter(|own| own.asker != feedback.asker).count();
        if others >= Feedback::PER_ENTRY_MAX {
            return Err(PortError::new("audit", Fault::Invalid, "too many have spoken on this answer"));
        }
        let before = audited.feedback.iter().find(|own| own.asker == feedback.asker).map(|own| own.opinion);
        audited.feedback.retain(|own| own.asker != feedback.asker);
        audited.feedback.push(feedback);
        audited.feedback.sort_by(|a, b| a.at_ms.cmp(&b.at_ms).then_with(|| a.asker.cmp(&b.asker)));
        Ok(before.map_or(FeedbackOutcome::New, |before| FeedbackOutcome::Replaced { before }))
    }
}
