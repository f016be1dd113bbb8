//! The profiles that travel in the binary: settings and a sample corpus each.

/// A profile's settings and documents.
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    pub(crate) settings: &'static str,
    /// A question its corpus answers, and one it does not.
    pub(crate) examples: (&'static str, &'static str),
    /// File name and text.
    pub(crate) corpus: &'static [(&'static str, &'static str)],
}

macro_rules! corpus {
    ($profile:literal, $($file:literal),+ $(,)?) => {
        &[$(($file, include_str!(concat!("../../../profiles/", $profile, "/corpus/", $file)))),+]
    };
}

const BOOK: Profile = Profile {
    name: "book",
    settings: include_str!("../../../profiles/book/vouch.yaml"),
    examples: ("How tall is the mast?", "What does a ceilometer cost?"),
    corpus: corpus!(
        "book",
        "01-what-a-small-network-is-for.md",
        "02-a-history-of-the-network.md",
        "03-choosing-the-ground.md",
        "04-mast-screen-and-sensors.md",
        "05-power.md",
        "06-connecting-the-stations.md",
        "07-calibration.md",
        "08-quality-control.md",
        "09-the-archive.md",
        "10-maintenance-and-safety.md",
    ),
};

const ALL: &[Profile] = &[BOOK];

/// The profile of a name.
pub(crate) fn named(name: &str) -> Result<&'static Profile, crate::exit::Usage> {
    ALL.iter().find(|profile| profile.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|profile| profile.name).collect();
        crate::exit::Usage(format!("no profile is called '{name}'; there is: {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_file_of_a_corpus_is_in_the_binary() {
        for profile in ALL {
            let folder = format!("{}/../../profiles/{}/corpus", env!("CARGO_MANIFEST_DIR"), profile.name);
            let mut on_disk: Vec<String> = std::fs::read_dir(folder)
                .expect("the corpus is there")
                .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
                .collect();
            on_disk.sort();
            let embedded: Vec<String> = profile.corpus.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(on_disk, embedded);
        }
    }
}
