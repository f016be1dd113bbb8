//! A directory in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, Person, PortError, Topic,
    person::{PEOPLE_MAX, TOPICS_MAX},
    ports::Directory,
};

/// By tenant, and there by id or tag.
type Names<T> = BTreeMap<(String, String), T>;

#[derive(Debug, Default)]
struct Kept {
    people: Names<Person>,
    topics: Names<Topic>,
}

/// People and topics that are forgotten when it is dropped.
#[derive(Debug, Default)]
pub struct FakeDirectory {
    kept: Mutex<Kept>,
    is_down: bool,
}

impl FakeDirectory {
    /// One that cannot be asked.
    #[must_use]
    pub fn down() -> Self {
        Self { is_down: true, ..Self::default() }
    }

    fn kept(&self) -> Result<MutexGuard<'_, Kept>, PortError> {
        if self.is_down {
            return Err(PortError::new("directory", Fault::Unavailable, "the directory is down"));
        }
        Ok(self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Directory for FakeDirectory {
    async fn upsert_people(&self, people: Vec<Person>) -> Result<(), PortError> {
        let mut kept = self.kept()?;
        fit(people.iter().find_map(Person::fault))?;
        let new = people.into_iter().map(|person| ((person.tenant.clone(), person.id.clone()), person)).collect();
        keep(&mut kept.people, new, PEOPLE_MAX)
    }

    async fn upsert_topics(&self, topics: Vec<Topic>) -> Result<(), PortError> {
        let mut kept = self.kept()?;
        fit(topics.iter().find_map(Topic::fault))?;
        let new = topics.into_iter().map(|topic| ((topic.tenant.clone(), topic.tag.clone()), topic)).collect();
        keep(&mut kept.topics, new, TOPICS_MAX)
    }

    async fn remove_person(&self, tenant: &str, id: &str) -> Result<bool, PortError> {
        Ok(self.kept()?.people.remove(&(tenant.to_owned(), id.to_owned())).is_some())
    }

    async fn remove_topic(&self, tenant: &str, tag: &str) -> Result<bool, PortError> {
        Ok(self.kept()?.topics.remove(&(tenant.to_owned(), tag.to_owned())).is_some())
    }

    async fn person(&self, tenant: &str, id: &str) -> Result<Option<Person>, PortError> {
        Ok(self.kept()?.people.get(&(tenant.to_owned(), id.to_owned())).cloned())
    }

    async fn topic(&self, tenant: &str, tag: &str) -> Result<Option<Topic>, PortError> {
        Ok(self.kept()?.topics.get(&(tenant.to_owned(), tag.to_owned())).cloned())
    }

    async fn people(&self, tenant: &str) -> Result<Vec<Person>, PortError> {
        Ok(self.kept()?.people.values().filter(|person| person.tenant == tenant).cloned().collect())
    }

    async fn topics(&self, tenant: &str) -> Result<Vec<Topic>, PortError> {
        Ok(self.kept()?.topics.values().filter(|topic| topic.tenant == tenant).cloned().collect())
    }
}

fn fit(fault: Option<String>) -> Result<(), PortError> {
    fault.map_or(Ok(()), |fault| Err(PortError::new("directory", Fault::Invalid, fault)))
}

fn keep<T>(kept: &mut Names<T>, new: Names<T>, limit: usize) -> Result<(), PortError> {
    let tenants: BTreeSet<&str> = new.keys().map(|(tenant, _)| tenant.as_str()).collect();
    for tenant in tenants {
        let there = kept.keys().filter(|(own, _)| own == tenant).count();
        let added = new.keys().filter(|place| place.0 == tenant && !kept.contains_key(*place)).count();
        fit((there + added > limit).then(|| format!("the limit of tenant '{tenant}' is {limit}")))?;
    }
    kept.extend(new);
    Ok(())
}
