//! A source that one reader reads at a time: what it brings from elsewhere lies in one folder.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use vouch_domain::{
    Fault, PortError,
    ports::{DocumentSource, IsWanted, OpenSource},
};

/// The sources of a process that are being read, by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns {
    sources: Arc<Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>>,
}

impl Turns {
    /// The same source, for one reader at a time.
    pub(super) fn one_reader(&self, name: &str, inner: Arc<dyn DocumentSource>) -> Arc<dyn DocumentSource> {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = Arc::clone(sources.entry(name.to_owned()).or_default());
        Arc::new(OneReader { name: name.to_owned(), inner, turn })
    }
}

struct OneReader {
    name: String,
    inner: Arc<dyn DocumentSource>,
    turn: Arc<tokio::sync::Mutex<()>>,
}

#[async_trait]
impl DocumentSource for OneReader {
    async fn open(&self, is_wanted: IsWanted<'_>) -> Result<OpenSource, PortError> {
        let busy = |_| {
            let sentence = format!("the source '{}' is already being read; try again later", self.name);
            PortError::new("source", Fault::Held, sentence)
        };
        let turn = Arc::clone(&self.turn).try_lock_owned().map_err(busy)?;
        let OpenSource { roots, total, documents, exists } = self.inner.open(is_wanted).await?;
        // Whether documents are still there is asked to the end.
        let exists = Box::new(move |source: &str| {
            let _turn = &turn;
            exists(source)
        });
        Ok(OpenSource { roots, total, documents, exists })
    }

    async fn signature(&self) -> Option<u64> {
        self.inner.signature().await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_trait::async_trait;
    use vouch_domain::{
        Fault, PortError,
        ports::{DocumentSource, IsWanted, OpenSource},
    };

    use super::Turns;

    struct Empty;

    #[async_trait]
    impl DocumentSource for Empty {
        async fn open(&self, _: IsWanted<'_>) -> Result<OpenSource, PortError> {
            let (documents, exists) = (Box::new(std::iter::empty()), Box::new(|_: &str| true));
            Ok(OpenSource { roots: Vec::new(), total: None, documents, exists })
        }
    }

    #[tokio::test]
    async fn a_source_is_read_by_one_at_a_time_and_others_are_told() {
        let turns = Turns::default();
        let [one, same] = [(); 2].map(|()| turns.one_reader("wiki", Arc::new(Empty)));
        let other = turns.one_reader("site", Arc::new(Empty));
        let opened = one.open(&|| true).await.expect("nobody reads it");
        let refused = same.open(&|| true).await.err().expect("it is being read");
        assert!(
            refused.fault == Fault::Held && refused.sentence.contains("'wiki' is already being read"),
            "{refused:?}"
        );
        assert!(other.open(&|| true).await.is_ok());
        drop(opened);
        assert!(same.open(&|| true).await.is_ok());
    }
}
