//! Which paths another process can open for the one that named them.

use std::path::{Path, PathBuf};

/// Where a system keeps what is another thing for every process. On Linux `/dev/fd` is a link to the first.
const OF_A_PROCESS: [&str; 2] = ["/proc", "/dev/fd"];
/// A chain of links that is longer is a circle.
const LINKS_MAX: usize = 40;

/// Why another process must not open a path that is seen from a folder; nothing where it may. What is not there yet may be made.
pub(super) fn fault(folder: &Path, path: &Path) -> Option<String> {
    let full = folder.join(path);
    let is_plain = std::fs::metadata(&full).map_or(true, |there| there.is_file() || there.is_dir());
    let is_of_a_process = places(&full).iter().any(|place| OF_A_PROCESS.iter().any(|folder| place.starts_with(folder)));
    (!is_plain || is_of_a_process).then(|| {
        format!(
            "{} is neither a file nor a folder, and the server on this data folder would read its own; name a file",
            path.display()
        )
    })
}

/// Where a path leads: the real place of what it names and, where that is a link, of what this leads to, and so on to the last
/// one, which need not be there. None where even the folder is not there.
pub(super) fn places(path: &Path) -> Vec<PathBuf> {
    // Only the last name is followed by hand: `/dev/stdin` is a link into `/proc`, and may end at any file.
    let (mut places, mut path) = (Vec::new(), path.to_owned());
    while places.len() < LINKS_MAX {
        let Some(place) = real_place(&path) else { break };
        let next = std::fs::read_link(&place).ok();
        if let (Some(target), Some(folder)) = (&next, place.parent()) {
            path = folder.join(target);
        }
        places.push(place);
        if next.is_none() {
            break;
        }
    }
    places
}

/// A path without links and dots, except that its last name may be a link, or nothing.
fn real_place(path: &Path) -> Option<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Some(std::fs::canonicalize(folder).ok()?.join(name)),
        // It ends in dots, or is the root.
        (Some(_) | None, Some(_) | None) => std::fs::canonicalize(path).ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::fs::symlink, path::Path};

    use super::{fault, places};

    #[test]
    fn what_is_another_thing_for_every_process_is_no_plain_path() {
        let root = Path::new("/");
        for path in ["/dev/stdin", "/dev/fd/63", "/dev/null", "dev/stdin", "/dev/../dev/null"] {
            assert!(fault(root, Path::new(path)).is_some(), "{path}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_lies_in_proc_is_no_plain_path_however_it_is_reached() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("environ.txt");
        symlink("/proc/self/environ", &link).expect("our own link");
        for path in ["/proc/self/fd/0", "/usr/../proc/self/environ", "environ.txt", "./../proc/self/../self/status"] {
            let seen_from = if path.starts_with('.') { Path::new("/usr") } else { folder.path() };
            assert!(fault(seen_from, Path::new(path)).is_some(), "{path}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_plain_file_in_shared_memory_is_a_plain_path() {
        let Ok(file) = tempfile::NamedTempFile::new_in("/dev/shm") else { return };
        assert_eq!(fault(Path::new("/"), file.path()), None);
    }

    #[test]
    fn files_folders_and_what_is_not_there_yet_are_plain_paths() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = Path::new("questions.jsonl");
        assert_eq!((fault(folder.path(), path), fault(folder.path(), Path::new("."))), (None, None));
        std::fs::write(folder.path().join(path), "").expect("our own file");
        assert_eq!(fault(folder.path(), path), None);
    }

    #[test]
    fn a_link_leads_on_to_what_is_not_there_yet_and_a_circle_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().canonicalize().expect("our own folder");
        symlink("second", real.join("first")).expect("our own link");
        symlink("third", real.join("second")).expect("our own link");
        assert_eq!(places(&real.join("first")), ["first", "second", "third"].map(|name| real.join(name)));
        symlink("circle", real.join("circle")).expect("our own link");
        assert!(places(&real.join("circle")).len() < 100);
        assert_eq!(places(&real.join("nowhere/file")), Vec::<std::path::PathBuf>::new());
    }
}
