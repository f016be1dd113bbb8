//! Every living passage's vector computed again by another embedder, and exchanged for the old ones at once.

use std::sync::Arc;

use rusqlite::params;
use vouch_domain::{DocumentCard, EmbedderIdentity, Fault, Passage, PortError, ports::Embedder};

use super::{
    EmbeddedStore, blocking::blocking, catalogue::living_passages_after, database::new_vectors, facts::set_meta,
};

const SLICE: usize = 64;

impl EmbeddedStore {
    /// Computes every vector again; the old ones stay until the last one is made. Returns how many were made.
    ///
    /// # Errors
    /// Fails if the embedder or the store does. Up to the exchange the store is then as it was; after it, the next
    /// start brings the indexes up to it.
    pub async fn reembed(
        &self,
        embedder: &Arc<dyn Embedder>,
        text_of: fn(&DocumentCard, &Passage) -> String,
        mut done: impl FnMut(usize),
    ) -> Result<usize, PortError> {
        self.write(|transaction| {
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS embeddings_next (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
                 DELETE FROM embeddings_next;",
            )
        })
        .await?;
        let (mut after, mut made) = (0, 0);
        loop {
            let database = Arc::clone(&self.database);
            let slice =
                blocking("catalogue", move || database.read(|t| living_passages_after(t, after, SLICE))).await?;
            let Some((last, _, _)) = slice.last() else { break };
            after = *last;
            let texts = slice.iter().map(|(_, card, passage)| text_of(card, passage)).collect();
            let vectors = embedder.identity().accept(embedder.embed(texts).await?, slice.len())?;
            let rows: Vec<(u64, Vec<u8>)> = slice
                .iter()
                .zip(vectors)
                .map(|((key, _, _), vector)| (*key, vector.values().iter().flat_map(|v| v.to_le_bytes()).collect()))
                .collect();
            made += rows.len();
            done(rows.len());
            self.write(move |transaction| {
                let mut insert = transaction.prepare_cached("INSERT INTO embeddings_next VALUES (?1, ?2)")?;
                rows.iter().try_for_each(|(key, vector)| insert.execute(params![key, vector]).map(|_| ()))
            })
            .await?;
        }
        let remembered = self.remembered(embedder).await?;
        let is_whole = self.exchange(embedder.identity().clone(), remembered).await?;
        if !is_whole {
            let sentence = "the embedder returned no vector for some passages; the store was not changed";
            return Err(PortError::new("embedder", Fault::Internal, sentence));
        }
        self.lexical.catch_up()?;
        self.dense.catch_up()?;
        Ok(made)
    }

    /// Puts the new vectors in the place of the old ones, all at once; answers whether none was missing.
    async fn exchange(
        &self,
        identity: EmbedderIdentity,
        remembered: Vec<(i64, i64, Vec<u8>)>,
    ) -> Result<bool, PortError> {
        self.write(move |transaction| {
            // A passage without a new vector would be lost to every search, so the old ones stay.
            let missing: u64 = transaction.query_row(
                "SELECT count(*) FROM passages p WHERE p.died IS NULL
                 AND NOT EXISTS (SELECT 1 FROM embeddings_next n WHERE n.passage = p.key)",
                [],
                |row| row.get(0),
            )?;
            if missing > 0 {
                return Ok(false);
            }
            transaction.execute_batch(
                "DELETE FROM embeddings;
                 INSERT INTO embeddings (passage, vector) SELECT passage, vector FROM embeddings_next;
                 DROP TABLE embeddings_next;",
            )?;
            let mut texts =
                transaction.prepare_cached("UPDATE memory_texts SET vector = ?3 WHERE entry = ?1 AND ordinal = ?2")?;
            for (entry, ordinal, vector) in &remembered {
                texts.execute(params![entry, ordinal, vector])?;
            }
            set_meta(transaction, "memory", &identity.digest)?;
            set_meta(transaction, "embedder", &identity.digest)?;
            set_meta(transaction, "embedder_name", &identity.name)?;
            new_vectors(transaction)?;
            Ok(true)
        })
        .await
    }

    /// New vectors for every text of the curated memory, by entry and ordinal.
    async fn remembered(&self, embedder: &Arc<dyn Embedder>) -> Result<Vec<(i64, i64, Vec<u8>)>, PortError> {
        let database = Arc::clone(&self.database);
        let texts: Vec<(i64, i64, String)> = blocking("memory", move || {
            database.read(|transaction| {
                let mut statement = transaction.prepare("SELECT entry, ordinal, text FROM checked_memory_texts")?;
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
            })
        })
        .await?;
        let mut made = Vec::with_capacity(texts.len());
        for slice in texts.chunks(SLICE) {
            let vectors = embedder.embed(slice.iter().map(|(_, _, text)| text.clone()).collect()).await?;
            let vectors = embedder.identity().accept(vectors, slice.len())?;
            for ((entry, ordinal, _), vector) in slice.iter().zip(vectors) {
                made.push((*entry, *ordinal, vector.values().iter().flat_map(|v| v.to_le_bytes()).collect()));
            }
        }
        Ok(made)
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, PortError> {
        let database = Arc::clone(&self.database);
        blocking("catalogue", move || database.write(work)).await
    }
}
