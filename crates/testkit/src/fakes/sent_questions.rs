//! Questions that were sent to somebody, in memory.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{PortError, SentQuestion, WrittenAnswer, ports::SentQuestions};

/// By tenant and id.
type Kept = BTreeMap<(String, String), SentQuestion>;

/// Questions that are forgotten when it is dropped.
#[derive(Debug, Default)]
pub struct FakeSentQuestions {
    kept: Mutex<Kept>,
}

impl FakeSentQuestions {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(tenant: &str, id: &str) -> (String, String) {
    (tenant.to_owned(), id.to_owned())
}

#[async_trait]
impl SentQuestions for FakeSentQuestions {
    async fn send(&self, question: SentQuestion) -> Result<(), PortError> {
        self.kept().insert(place(&question.tenant, &question.id), question);
        Ok(())
    }

    async fn sent(&self, tenant: &str, owner: Option<&str>, limit: usize) -> Result<Vec<SentQuestion>, PortError> {
        let is_asked_for = |one: &&SentQuestion| one.tenant == tenant && owner.is_none_or(|owner| one.owner == owner);
        let mut found: Vec<SentQuestion> = self.kept().values().filter(is_asked_for).cloned().collect();
        found.sort_by_key(|one| (one.answer.is_some(), Reverse(one.sent_ms)));
        found.truncate(limit);
        Ok(found)
    }

    async fn question(&self, tenant: &str, id: &str) -> Result<Option<SentQuestion>, PortError> {
        Ok(self.kept().get(&place(tenant, id)).cloned())
    }

    async fn answered(&self, tenant: &str, id: &str, answer: WrittenAnswer) -> Result<bool, PortError> {
        Ok(self.kept().get_mut(&place(tenant, id)).map(|question| question.answer = Some(answer)).is_some())
    }

    async fn withdraw(&self, tenant: &str, id: &str) -> Result<bool, PortError> {
        Ok(self.kept().remove(&place(tenant, id)).is_some())
    }
}
