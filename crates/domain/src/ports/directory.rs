//! The people of each tenant, and which of them answers for which tag.

use async_trait::async_trait;

use crate::{
    error::PortError,
    person::{Person, Topic},
};

/// Keeps people and topics.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Keeps people, each in the place of the tenant's person of the same id; all of them or none.
    async fn upsert_people(&self, people: Vec<Person>) -> Result<(), PortError>;

    /// Keeps topics, each in the place of the tenant's topic of the same tag; all of them or none.
    async fn upsert_topics(&self, topics: Vec<Topic>) -> Result<(), PortError>;

    /// Removes a person; answers whether they were there. Their topics stay, without an owner to be found.
    async fn remove_person(&self, tenant: &str, id: &str) -> Result<bool, PortError>;

    /// Removes a topic; answers whether it was there.
    async fn remove_topic(&self, tenant: &str, tag: &str) -> Result<bool, PortError>;

    /// One person.
    async fn person(&self, tenant: &str, id: &str) -> Result<Option<Person>, PortError>;

    /// One topic.
    async fn topic(&self, tenant: &str, tag: &str) -> Result<Option<Topic>, PortError>;

    /// Everybody in a tenant, by id.
    async fn people(&self, tenant: &str) -> Result<Vec<Person>, PortError>;

    /// Every topic of a tenant, by tag.
    async fn topics(&self, tenant: &str) -> Result<Vec<Topic>, PortError>;
}
