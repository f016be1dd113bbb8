//! `vouch user`: who may see what.

use std::{collections::BTreeSet, path::Path, process::ExitCode};

use serde::Serialize;
use vouch_adapters::embedded::UpsertCounts;
use vouch_domain::{Person, ports::Directory};

use super::change_counts::{ChangeCounts, print_counts, print_removed};
use super::{open, print, print_json, tag};
use crate::{
    cli::{Common, UserCommand},
    exit::Usage,
    limited_file,
    people_file::{self, PeopleFile},
};

const FILE_BYTES_MAX: u64 = 32 << 20;

#[derive(Serialize)]
struct Imported {
    people: ChangeCounts,
    topics: ChangeCounts,
}

#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    email: &'a str,
    tags: &'a BTreeSet<String>,
}

pub(super) async fn run(common: &Common, command: UserCommand) -> anyhow::Result<ExitCode> {
    match command {
        UserCommand::Add { id, email, tags, tenant } => {
            let tags = tags.iter().map(|tag| tag.trim().to_owned()).collect();
            let person = Person { id, tenant, email, tags };
            if let Some(fault) = person.fault() {
                return Err(Usage(fault).into());
            }
            let UpsertCounts { people_added, people_changed, .. } =
                open(common)?.store.directory.upsert(vec![person], Vec::new()).await?;
            print_counts(common, &ChangeCounts { added: people_added, changed: people_changed })
        }
        UserCommand::Import { file } => import(common, &file).await,
        UserCommand::Remove { ids, tenant } => {
            let store = open(common)?.store;
            let mut removed = 0;
            for id in &ids {
                removed += usize::from(store.directory.remove_person(&tenant, id).await?);
            }
            print_removed(common, removed)
        }
        UserCommand::List { tenant } => {
            let people = open(common)?.store.directory.people(&tenant).await?;
            if common.json {
                let shown = people.iter().map(|one| Shown { id: &one.id, email: &one.email, tags: &one.tags });
                print_json(&shown.collect::<Vec<_>>())?;
            } else {
                print(&listed(&people, &tenant))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn import(common: &Common, file: &Path) -> anyhow::Result<ExitCode> {
    let shown = file.display();
    let wrong = |fault: String| Usage(format!("nothing was imported: {shown}: {fault}"));
    let text = limited_file::read_text(file, FILE_BYTES_MAX)?;
    let PeopleFile { people, topics } = people_file::parse(&text).map_err(|error| wrong(error.to_string()))?;
    let store = open(common)?.store;
    let directory = store.directory.as_ref();
    let here: BTreeSet<(&str, &str)> = people.iter().map(|one| (one.tenant.as_str(), one.id.as_str())).collect();
    for (line, topic) in &topics {
        let is_here = topic.owner.as_deref().is_some_and(|owner| here.contains(&(topic.tenant.as_str(), owner)));
        if !is_here && let Some(fault) = tag::owner_fault(topic, directory).await? {
            return Err(wrong(format!("line {line}: {fault}")).into());
        }
    }
    let topics = topics.into_iter().map(|(_, topic)| topic).collect();
    let UpsertCounts { people_added, people_changed, topics_added, topics_changed } =
        directory.upsert(people, topics).await?;
    if common.json {
        print_json(&Imported {
            people: ChangeCounts { added: people_added, changed: people_changed },
            topics: ChangeCounts { added: topics_added, changed: topics_changed },
        })?;
    } else {
        print(&format!(
            "people: added {people_added}, changed {people_changed}\n\
             topics: added {topics_added}, changed {topics_changed}\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn listed(people: &[Person], tenant: &str) -> String {
    let mut text = String::new();
    for Person { id, email, tags, .. } in people {
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let tags = if tags.is_empty() { "no tags".to_owned() } else { tags.join(", ") };
        text.push_str(&format!("{id} <{email}>: {tags}\n"));
    }
    if people.is_empty() { format!("There are no users in tenant '{tenant}'.\n") } else { text }
}
