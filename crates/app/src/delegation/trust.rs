//! Who may have commands run, and who may run them: users who could open the data folder without any socket.

use std::{os::unix::fs::MetadataExt, path::Path};

const ROOT: u32 = 0;

/// Whether a user may have this process run commands.
pub(super) fn may_ask(client: u32) -> bool {
    is_trusted(client, own_user())
}

/// Whether a user that listens beside a data folder may be told a command, and be believed.
pub(super) fn may_run(listener: u32, folder: &Path) -> bool {
    let owner = std::fs::metadata(folder).ok().map(|there| there.uid());
    is_holder(listener, own_user(), owner)
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn is_trusted(user: u32, own: u32) -> bool {
    user == ROOT || user == own
}

/// Root may be asked to look after a server of another user: what root would open by itself is that user's as well.
fn is_holder(listener: u32, own: u32, owner: Option<u32>) -> bool {
    is_trusted(listener, own) || (own == ROOT && owner == Some(listener))
}

#[cfg(test)]
mod tests {
    use super::{ROOT, is_holder, is_trusted};

    #[test]
    fn a_command_is_taken_from_oneself_and_from_root_alone() {
        assert!(is_trusted(1000, 1000) && is_trusted(ROOT, 1000));
        assert!(!is_trusted(1001, 1000) && !is_trusted(1000, ROOT));
    }

    #[test]
    fn a_command_is_told_to_oneself_and_to_root_and_by_root_to_the_owner_of_the_folder() {
        assert!(is_holder(1000, 1000, Some(1000)) && is_holder(ROOT, 1000, Some(1000)));
        assert!(!is_holder(1001, 1000, Some(1000)) && !is_holder(1001, 1000, Some(1001)));
        assert!(is_holder(998, ROOT, Some(998)));
        assert!(!is_holder(999, ROOT, Some(998)) && !is_holder(999, ROOT, None));
    }
}
