//! `--tenant` with `--tags` or `--user` → who reads.

use vouch_domain::{Reader, Scope, ports::Directory};

use crate::{cli::ReaderArgs, exit::Usage};

pub(super) async fn from_args(args: &ReaderArgs, directory: &dyn Directory) -> anyhow::Result<Reader> {
    let ReaderArgs { tags, user, tenant } = args;
    let scope = match (user, tags) {
        (Some(id), _) => match directory.person(tenant, id).await? {
            Some(person) => Scope::Tags(person.tags),
            None => {
                let sentence =
                    format!("there is no user '{id}' in tenant '{tenant}'; `vouch user list` shows its users");
                return Err(Usage(sentence).into());
            }
        },
        (None, Some(tags)) => Scope::Tags(tags.iter().map(|tag| tag.trim().to_owned()).collect()),
        (None, None) => Scope::WholeTenant,
    };
    Ok(Reader::of_scope(tenant, scope))
}
