//! The line that a client sends → the command that it wants run, as this process understands it, or why it is not run.
//!
//! Invariant: every path of a command that is run leads to the same for this process as for the one that named it.

use std::path::Path;

use clap::Parser;

use super::{path_identity::path_identity, plain_paths, protocol::Request};
use crate::{cli::Cli, version};

const UNREADABLE: &str = "the command could not be read";

/// Reads a request for the process that holds a data folder.
pub(super) fn parse_request(line: &[u8], data: &Path) -> Result<(Cli, Request), String> {
    let request: Request = serde_json::from_slice(line).map_err(|_| UNREADABLE.to_owned())?;
    if request.version != version::text() {
        let own = version::text();
        return Err(format!(
            "the server on this data folder is vouch {own}, this command is vouch {}",
            request.version
        ));
    }
    let mut cli = Cli::try_parse_from(&request.words).map_err(|error| error.to_string())?;
    cli.common.data = data.to_owned();
    let paths = cli.command.delegated_paths().ok_or("a server does not run this command on behalf of others")?;
    if paths.len() != request.identities.len() {
        return Err(UNREADABLE.to_owned());
    }
    for (path, identity) in paths.into_iter().zip(&request.identities) {
        plain_paths::fault(&request.folder, path).map_or(Ok(()), Err)?;
        let full = request.folder.join(&*path);
        if path_identity(&full) != *identity {
            return Err(format!(
                "the server on this data folder does not find the same files at {} as this command, so nothing was \
                 read or written: it may run in a container or may not read that folder; name a path that both can see",
                path.display()
            ));
        }
        *path = full;
    }
    Ok((cli, request))
}
