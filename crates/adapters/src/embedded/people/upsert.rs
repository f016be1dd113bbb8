//! People and topics → rows, within their limits.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};
use vouch_domain::{
    Fault, Person, PortError, Topic,
    person::{PEOPLE_MAX, TOPICS_MAX},
};

use super::PORT;
use crate::embedded::{
    database::{mark_changed, tags_to_json},
    sqlite_fault::fault,
};

/// How many of those kept were there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UpsertCounts {
    /// New people.
    pub people_added: usize,
    /// People who replaced one with the same id.
    pub people_changed: usize,
    /// New topics.
    pub topics_added: usize,
    /// Topics that replaced one with the same tag.
    pub topics_changed: usize,
}

/// Writes all of them; the transaction is to be given up where this fails.
pub(super) fn upsert(
    transaction: &Transaction<'_>,
    people: &[Person],
    topics: &[Topic],
) -> Result<UpsertCounts, PortError> {
    if let Some(fault) = people.iter().find_map(Person::fault).or_else(|| topics.iter().find_map(Topic::fault)) {
        return Err(PortError::new(PORT, Fault::Invalid, fault));
    }
    let mut tenants: BTreeMap<&str, i64> = BTreeMap::new();
    for name in people.iter().map(|one| one.tenant.as_str()).chain(topics.iter().map(|one| one.tenant.as_str())) {
        if !tenants.contains_key(name) {
            tenants.insert(name, tenant_id(transaction, name).map_err(fault)?);
        }
    }
    let mut counts = UpsertCounts::default();
    let id_of = |tenant: &str| tenants.get(tenant).copied();
    for person in people {
        let is_new = keep_person(transaction, id_of(&person.tenant), person).map_err(fault)?;
        counts.people_added += usize::from(is_new);
        counts.people_changed += usize::from(!is_new);
    }
    for topic in topics {
        let is_new = keep_topic(transaction, id_of(&topic.tenant), topic).map_err(fault)?;
        counts.topics_added += usize::from(is_new);
        counts.topics_changed += usize::from(!is_new);
    }
    for (name, id) in tenants {
        let count_people = "SELECT count(*) FROM people WHERE tenant_id = ?1";
        let count_topics = "SELECT count(*) FROM topics WHERE tenant_id = ?1";
        for (what, sql, limit) in [("people", count_people, PEOPLE_MAX), ("topics", count_topics, TOPICS_MAX)] {
            let count: usize = transaction.query_row(sql, [id], |row| row.get(0)).map_err(fault)?;
            if count > limit {
                let sentence = format!("tenant '{name}' would have {count} {what}, the limit is {limit}");
                return Err(PortError::new(PORT, Fault::Invalid, sentence));
            }
        }
    }
    mark_changed(transaction, "people").map_err(fault)?;
    Ok(counts)
}

fn tenant_id(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<i64> {
    transaction.prepare_cached("INSERT OR IGNORE INTO tenants (name) VALUES (?1)")?.execute([name])?;
    transaction.prepare_cached("SELECT id FROM tenants WHERE name = ?1")?.query_row([name], |row| row.get(0))
}

/// Whether they are new.
fn keep_person(transaction: &Transaction<'_>, tenant: Option<i64>, person: &Person) -> rusqlite::Result<bool> {
    let values = params![tenant, person.id, person.email, tags_to_json(&person.tags)];
    let changed = transaction
        .prepare_cached("UPDATE people SET email = ?3, tags = ?4 WHERE tenant_id = ?1 AND id = ?2")?
        .execute(values)?;
    if changed == 0 {
        transaction
            .prepare_cached("INSERT INTO people (tenant_id, id, email, tags) VALUES (?1, ?2, ?3, ?4)")?
            .execute(values)?;
    }
    Ok(changed == 0)
}

/// Whether it is new.
fn keep_topic(transaction: &Transaction<'_>, tenant: Option<i64>, topic: &Topic) -> rusqlite::Result<bool> {
    let values = params![tenant, topic.tag, topic.owner];
    let changed = transaction
        .prepare_cached("UPDATE topics SET owner = ?3 WHERE tenant_id = ?1 AND tag = ?2")?
        .execute(values)?;
    if changed == 0 {
        transaction
            .prepare_cached("INSERT INTO topics (tenant_id, tag, owner) VALUES (?1, ?2, ?3)")?
            .execute(values)?;
    }
    Ok(changed == 0)
}
