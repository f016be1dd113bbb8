//! How much room processes take in memory and folders on disk.

use std::path::Path;

/// The memory of a process and of all it has started, each page that some share counted once.
pub(super) fn memory_of_tree_mb(root: u32) -> f64 {
    let parents = parents();
    let mut tree = vec![root];
    let mut at = 0;
    while let Some(process) = tree.get(at).copied() {
        tree.extend(parents.iter().filter(|(_, parent)| *parent == process).map(|(child, _)| *child));
        at += 1;
    }
    tree.into_iter().map(proportional_mb).sum()
}

/// Every process with the one that started it.
fn parents() -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    processes.filter_map(|process| Some((process, field(process, "status", "PPid:")?))).collect()
}

fn proportional_mb(process: u32) -> f64 {
    f64::from(field(process, "smaps_rollup", "Pss:").unwrap_or(0)) / 1_024.0
}

fn field(process: u32, file: &str, name: &str) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/{file}")).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// What a folder holds, in megabytes.
pub(super) fn disk_mb(folder: &Path) -> f64 {
    let (mut bytes, mut open) = (0u64, vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => open.push(entry.path()),
                Ok(found) => bytes += found.len(),
                Err(_) => {}
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let megabytes = bytes as f64 / 1_048_576.0;
    megabytes
}
