//! Which paths mean the same to the process that runs a command as to the one that named them.

use std::path::Path;

/// Where a system keeps what is another thing for every process.
const OF_A_PROCESS: [&str; 2] = ["/dev", "/proc"];

/// Why another process must not open a path; nothing where it may. What is not there yet may be made.
pub(super) fn fault(path: &Path) -> Option<String> {
    let is_plain = std::fs::metadata(path).map_or(true, |there| there.is_file() || there.is_dir());
    let is_of_a_process = OF_A_PROCESS.iter().any(|folder| path.starts_with(folder));
    (!is_plain || is_of_a_process).then(|| {
        format!(
            "{} is neither a file nor a folder, and the server on this data folder would read its own; name a file",
            path.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::fault;
    use std::path::Path;

    #[test]
    fn what_is_another_thing_for_every_process_is_no_plain_path() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["/dev/stdin", "/dev/fd/63", "/proc/self/fd/0", "/dev/null"] {
            assert!(fault(Path::new(path)).is_some(), "{path}");
        }
        let file = folder.path().join("questions.jsonl");
        assert_eq!((fault(&file), fault(folder.path())), (None, None));
        std::fs::write(&file, "").expect("our own file");
        assert_eq!(fault(&file), None);
    }
}
