//! Sources for remote callers: files by name, without the folders they are in.

use std::path::Path;

use serde_json::Value;

use super::{Reply, server_address::without_addresses};

impl Reply {
    /// The same without paths of the machine it was made on, and without addresses of servers that failed.
    #[must_use]
    pub(crate) fn without_paths(mut self) -> Self {
        for source in &mut self.sources {
            source.file = name(&source.file);
        }
        let lanes = self.trace.iter_mut().flat_map(|trace| &mut trace.lanes).map(|lane| &mut lane.failure);
        for failure in lanes.chain([&mut self.refusal_reason]).flatten() {
            *failure = without_addresses(failure);
        }
        self
    }
}

/// An entry of the trail without paths of the machine it was made on. What was asked at that machine itself has them.
#[must_use]
pub fn entry_without_paths(mut entry: Value) -> Value {
    let sources = entry.pointer_mut("/response/sources").and_then(Value::as_array_mut);
    for file in sources.into_iter().flatten().filter_map(|source| source.get_mut("file")) {
        if let Some(path) = file.as_str() {
            *file = name(path).into();
        }
    }
    entry
}

/// A file's name; what is no path of a machine stays as it is.
pub(super) fn name(file: &str) -> String {
    let path = Path::new(file);
    match path.is_absolute() {
        true => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        false => file.to_owned(),
    }
}
