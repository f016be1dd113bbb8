//! A file of text → its text, if it is not larger than whoever reads it bears: a server reads the files of others into its memory.

use std::{fs::File, io::Read, path::Path};

use anyhow::Context;

use crate::exit::Usage;

/// Reads a file of text of at most so many bytes.
pub fn read_text(path: &Path, bytes_max: u64) -> anyhow::Result<String> {
    let shown = path.display();
    let cannot = || format!("cannot read {shown}");
    let mut bytes = Vec::new();
    // What a file says of its size need not be so: it may grow, or be no ordinary file.
    File::open(path).and_then(|file| file.take(bytes_max + 1).read_to_end(&mut bytes)).with_context(cannot)?;
    if bytes.len() as u64 > bytes_max {
        return Err(Usage(format!("{shown} has more than {bytes_max} bytes")).into());
    }
    String::from_utf8(bytes).with_context(cannot)
}

#[cfg(test)]
mod tests {
    use super::read_text;

    #[test]
    fn a_file_at_the_limit_is_read_and_one_byte_more_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("turns.json");
        std::fs::write(&path, "[1,2]").expect("our own file");
        assert_eq!(read_text(&path, 5).expect("a text"), "[1,2]");
        let told = read_text(&path, 4).expect_err("too large").to_string();
        assert!(told.contains("turns.json has more than 4 bytes"), "{told}");
        std::fs::write(&path, b"caf\xe9").expect("our own file");
        assert!(read_text(&path, 5).expect_err("no text").to_string().starts_with("cannot read "));
        assert!(read_text(folder.path(), 5).is_err() && read_text(&folder.path().join("nowhere"), 5).is_err());
    }
}
