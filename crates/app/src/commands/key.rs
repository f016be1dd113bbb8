//! `vouch key`: who may call a server, and for what.
//!
//! Invariant: the data folder is not held, so that keys are made and revoked while a server runs; a secret is printed once,
//! when it is made.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::bail;
use serde::Serialize;
use vouch_adapters::{
    embedded::{KeyStore, NewKey},
    system_clock::SystemClock,
};
use vouch_domain::{KeyCard, Role, ports::Clock};
use vouch_service::wire::timestamp;

use super::{load, print, print_json, tell};
use crate::{
    cli::{Common, KeyArgs, KeyCommand, RoleArg},
    exit::Usage,
    wiring,
};

const DAY_MS: u64 = 86_400_000;

#[derive(Serialize)]
struct Made {
    id: String,
    secret: String,
}

#[derive(Serialize)]
struct Revoked<'a> {
    revoked: usize,
    unknown: &'a [&'a str],
}

#[derive(Serialize)]
struct Reset {
    set_aside: Vec<String>,
}

#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    name: &'a str,
    tenant: &'a str,
    role: &'static str,
    user: Option<&'a str>,
    /// None where the key is a user's, or opens the whole tenant.
    tags: Option<&'a BTreeSet<String>>,
    per_minute: Option<u32>,
    made: String,
    expires: Option<String>,
    state: &'static str,
}

pub(super) async fn run(common: &Common, command: KeyCommand) -> anyhow::Result<ExitCode> {
    let now_ms = SystemClock::start().now_ms();
    match command {
        KeyCommand::Add(args) => add(common, args, now_ms).await,
        KeyCommand::List => {
            let cards = wiring::keys_alone(&load(common)?, &common.data)?.cards().await?;
            let shown: Vec<Shown<'_>> = cards.iter().map(|card| shown(card, now_ms)).collect();
            if common.json {
                print_json(&shown)?;
            } else {
                print(&listed(&shown))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        KeyCommand::Revoke { ids } => {
            let ids: Vec<&str> = ids.iter().map(|given| id_of(given)).collect();
            revoke(common, wiring::keys_alone(&load(common)?, &common.data)?.as_ref(), &ids, now_ms).await
        }
        KeyCommand::Reset { yes: _ } => reset(common).await,
    }
}

async fn reset(common: &Common) -> anyhow::Result<ExitCode> {
    if load(common)?.settings.store.postgres.is_some() {
        let sentence = "the keys are in the database of store.postgres, where no file of them can be lost; revoke keys with \
                        `vouch key revoke`";
        return Err(Usage(sentence.to_owned()).into());
    }
    let set_aside = wiring::reset_keys(&common.data).await?;
    if common.json {
        print_json(&Reset { set_aside })?;
    } else if set_aside.is_empty() {
        print("There were no keys to move aside.\n")?;
    } else {
        print(&format!("The old key store is kept as {}.\n", set_aside.join(", ")))?;
    }
    tell("No old key works any more, and every request still needs one: make keys with `vouch key add`.");
    Ok(ExitCode::SUCCESS)
}

async fn add(common: &Common, args: KeyArgs, now_ms: u64) -> anyhow::Result<ExitCode> {
    let KeyArgs { name, tenant, user, tags, role, expires_days, per_minute } = args;
    let key = NewKey {
        name,
        tenant,
        role: match role {
            RoleArg::Reader => Role::Reader,
            RoleArg::Admin => Role::Admin,
            RoleArg::Monitor => Role::Monitor,
        },
        person: user,
        tags: tags.map(|tags| tags.iter().map(|tag| tag.trim().to_owned()).collect()),
        per_minute,
        made_ms: now_ms,
        expires_ms: expires_days.map(|days| now_ms.saturating_add(u64::from(days).saturating_mul(DAY_MS))),
    };
    if let Some(fault) = key.fault() {
        return Err(Usage(fault).into());
    }
    let keys = wiring::keys_alone(&load(common)?, &common.data)?;
    let is_first = keys.cards().await?.is_empty();
    let whose = key.person.clone().map(|person| (person, key.tenant.clone()));
    let (id, secret) = keys.make(key).await?;
    if common.json {
        print_json(&Made { id, secret })?;
    } else {
        print(&format!("{secret}\n"))?;
    }
    tell("Keep this secret: it cannot be shown again. Callers send it as `Authorization: Bearer SECRET`.");
    if let Some((person, tenant)) = whose {
        tell(&format!(
            "The key gives access to what the tags of '{person}' allow, and to nothing while tenant '{tenant}' has no user '{person}'."
        ));
    }
    if is_first {
        tell("This is the first key: from now on every request to a server on this data folder needs one.");
    }
    Ok(ExitCode::SUCCESS)
}

async fn revoke(common: &Common, keys: &dyn KeyStore, ids: &[&str], now_ms: u64) -> anyhow::Result<ExitCode> {
    let there: BTreeSet<String> = keys.cards().await?.into_iter().map(|card| card.id).collect();
    let mut revoked = 0;
    for id in ids {
        revoked += usize::from(keys.revoke(id, now_ms).await?);
    }
    let unknown: Vec<&str> = ids.iter().copied().filter(|id| !there.contains(*id)).collect();
    if common.json {
        print_json(&Revoked { revoked, unknown: &unknown })?;
    } else {
        print(&format!("revoked {revoked}\n"))?;
    }
    if !unknown.is_empty() {
        bail!("there is no key {}; `vouch key list` shows them", unknown.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

/// The id, also where a whole secret was given: whoever finds one that leaked has only that, and it is not repeated.
fn id_of(given: &str) -> &str {
    given.strip_prefix("vouch_").map_or(given, |rest| rest.split('_').next().unwrap_or_default())
}

fn shown(card: &KeyCard, now_ms: u64) -> Shown<'_> {
    Shown {
        id: &card.id,
        name: &card.name,
        tenant: &card.tenant,
        role: card.role.as_str(),
        user: card.person.as_deref(),
        tags: card.tags.as_ref(),
        per_minute: card.per_minute,
        made: timestamp(card.made_ms),
        expires: card.expires_ms.map(timestamp),
        state: card.state(now_ms),
    }
}

fn listed(keys: &[Shown<'_>]) -> String {
    let mut text = String::new();
    for key in keys {
        let Shown { id, name, tenant, role, state, .. } = key;
        let opens = match (key.user, key.tags) {
            (Some(user), _) => format!("what user {user} may see"),
            (None, Some(tags)) if tags.is_empty() => "documents without tags".to_owned(),
            (None, Some(tags)) => format!("tags {}", tags.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            (None, None) if *role == Role::Monitor.as_str() => "figures only".to_owned(),
            (None, None) => "the whole tenant".to_owned(),
        };
        let ends = key.expires.as_ref().map_or("never expires".to_owned(), |end| format!("expires {end}"));
        let often = key.per_minute.map_or(String::new(), |often| format!("; {often} a minute"));
        text.push_str(&format!("{id}  {state}  {name}: {role} of tenant {tenant}, {opens}; {ends}{often}\n"));
    }
    if keys.is_empty() { "There are no keys.\n".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::id_of;

    #[test]
    fn of_a_secret_only_its_id_is_taken() {
        for (given, id) in [("0f3a", "0f3a"), ("vouch_0f3a_5ec7e7", "0f3a"), ("vouch_", ""), ("vouch_0f3a", "0f3a")] {
            assert_eq!(id_of(given), id);
        }
    }
}
