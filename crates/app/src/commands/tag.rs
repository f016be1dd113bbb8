//! `vouch tag`: who answers for which topic.

use std::{collections::BTreeMap, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::UpsertCounts;
use vouch_domain::{Topic, ports::Directory};

use super::{
    change_counts::{ChangeCounts, print_counts, print_removed},
    open, print, print_json,
};
use crate::{
    cli::{Common, TagCommand},
    exit::Usage,
};

#[derive(Serialize)]
struct Shown<'a> {
    tag: &'a str,
    owner: Option<&'a str>,
    /// None also if the owner is no longer a user.
    owner_email: Option<&'a str>,
}

pub(super) async fn run(common: &Common, command: TagCommand) -> anyhow::Result<ExitCode> {
    match command {
        TagCommand::Add { tag, owner, tenant } => {
            let topic = Topic { tag, tenant, owner };
            if let Some(fault) = topic.fault() {
                return Err(Usage(fault).into());
            }
            let store = open(common)?.store;
            if let Some(fault) = owner_fault(&topic, store.directory.as_ref()).await? {
                return Err(Usage(fault).into());
            }
            let UpsertCounts { topics_added, topics_changed, .. } =
                store.directory.upsert(Vec::new(), vec![topic]).await?;
            print_counts(common, &ChangeCounts { added: topics_added, changed: topics_changed })
        }
        TagCommand::Remove { tags, tenant } => {
            let store = open(common)?.store;
            let mut removed = 0;
            for tag in &tags {
                removed += usize::from(store.directory.remove_topic(&tenant, tag).await?);
            }
            print_removed(common, removed)
        }
        TagCommand::List { tenant } => {
            let store = open(common)?.store;
            let (topics, people) = (store.directory.topics(&tenant).await?, store.directory.people(&tenant).await?);
            let emails: BTreeMap<&str, &str> =
                people.iter().map(|person| (person.id.as_str(), person.email.as_str())).collect();
            let shown: Vec<Shown<'_>> = topics.iter().map(|topic| shown(topic, &emails)).collect();
            if common.json {
                print_json(&shown)?;
            } else {
                print(&listed(&shown, &tenant))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// What is wrong with a topic's owner; nothing if they are known or none is named.
pub(super) async fn owner_fault(topic: &Topic, directory: &dyn Directory) -> anyhow::Result<Option<String>> {
    let Topic { tag, tenant, owner: Some(owner) } = topic else { return Ok(None) };
    let is_known = directory.person(tenant, owner).await?.is_some();
    let fault = || {
        format!(
            "topic '{tag}': its owner '{owner}' is not a user of tenant '{tenant}'; add them first with `vouch user add`"
        )
    };
    Ok((!is_known).then(fault))
}

fn shown<'a>(topic: &'a Topic, emails: &BTreeMap<&'a str, &'a str>) -> Shown<'a> {
    let owner = topic.owner.as_deref();
    Shown { tag: &topic.tag, owner, owner_email: owner.and_then(|owner| emails.get(owner).copied()) }
}

fn listed(topics: &[Shown<'_>], tenant: &str) -> String {
    let mut text = String::new();
    for Shown { tag, owner, owner_email } in topics {
        let owned = match (owner, owner_email) {
            (None, _) => "no owner".to_owned(),
            (Some(owner), Some(email)) => format!("{owner} <{email}>"),
            (Some(owner), None) => format!("{owner}, who is not a user of this tenant"),
        };
        text.push_str(&format!("{tag}: {owned}\n"));
    }
    if topics.is_empty() { format!("There are no topics in tenant '{tenant}'.\n") } else { text }
}
