//! `--tenant` and `--tags` → who reads.

use vouch_domain::{Reader, Scope};

use crate::cli::ReaderArgs;

pub(super) fn of(args: &ReaderArgs) -> Reader {
    let scope = match &args.tags {
        None => Scope::WholeTenant,
        Some(tags) => Scope::Tags(tags.iter().map(|tag| tag.trim().to_owned()).collect()),
    };
    Reader { tenant: args.tenant.clone(), scope }
}
