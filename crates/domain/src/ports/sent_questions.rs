//! The questions that wait for an answer by the owner of their topic.

use async_trait::async_trait;

use crate::{
    error::PortError,
    sent_question::{SentQuestion, WrittenAnswer},
};

/// Keeps questions that were sent to somebody. No tenant sees another's.
#[async_trait]
pub trait SentQuestions: Send + Sync {
    /// Keeps a question in the place of the tenant's question of the same id.
    async fn send(&self, question: SentQuestion) -> Result<(), PortError>;

    /// Questions of a tenant, those of one owner where one is named: the open ones first, then the newest, up to a limit.
    async fn sent(&self, tenant: &str, owner: Option<&str>, limit: usize) -> Result<Vec<SentQuestion>, PortError>;

    /// One question.
    async fn question(&self, tenant: &str, id: &str) -> Result<Option<SentQuestion>, PortError>;

    /// Notes an answer; answers whether the question was there.
    async fn answered(&self, tenant: &str, id: &str, answer: WrittenAnswer) -> Result<bool, PortError>;

    /// Takes a question back; answers whether it was there.
    async fn withdraw(&self, tenant: &str, id: &str) -> Result<bool, PortError>;
}
