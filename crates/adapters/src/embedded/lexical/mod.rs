//! Tantivy behind the `LexicalIndex` port: BM25 over title, heading and text of every living passage.
//!
//! Invariant: the last commit's payload names the store and the generation it was brought to. An index that is missing,
//! damaged, of another store, or fails while it is brought up to the catalogue is rebuilt from it, and that is logged.

mod analysis;
mod dictionary;
mod fault;
mod opened;
mod rebuild;
mod schema;
mod seal;
mod standing;
mod statistics;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use rusqlite::Transaction;
use tantivy::{
    DocAddress, DocId, IndexWriter, Score, SegmentReader, TantivyDocument, TantivyError, Term,
    collector::{Collector, TopDocs},
    columnar::Column,
    query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery, TermSetQuery},
    schema::IndexRecordOption,
};
use vouch_domain::{
    Fault, PassageKey, PortError, Reader,
    language::{key_terms, key_words, spelling::marked_sounds},
    ports::{Generation, LaneHit, LexicalIndex, Spelling},
};

use super::{
    blocking::blocking,
    database::Database,
    facts::generation,
    files::cannot_use,
    generations::ahead_of_catalogue,
    shelves::{ShelfNumbers, VisibleShelves},
};
use dictionary::Dictionary;
use fault::{PORT, fault};
use opened::OpenIndex;
use rebuild::guarded;
use schema::Fields;
use schema::RECIPE;
use standing::Standing;
use statistics::{Totals, VisibleStatistics};

const WRITER_BYTES: usize = 64 << 20;
/// How many terms of a question are searched at most.
const TERMS_MAX: usize = 64;

/// Search by words.
pub struct EmbeddedLexical {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    database: Arc<Database>,
    opened: RwLock<OpenIndex>,
    /// What is known of it beside that lock, which whoever writes the index keeps for as long as that takes.
    standing: Standing,
}

impl EmbeddedLexical {
    pub(super) fn open(folder: &Path, database: Arc<Database>) -> Result<Self, PortError> {
        let opened = rebuild::open_or_create(folder, &database)?;
        Ok(Self {
            inner: Arc::new(Inner {
                folder: folder.to_owned(),
                database,
                opened: RwLock::new(opened),
                standing: Standing::default(),
            }),
        })
    }

    pub(super) fn catch_up(&self) -> Result<Generation, PortError> {
        self.inner.catch_up()
    }

    /// What is wrong with a folder's index, without mending it.
    pub(super) fn find_damage(folder: &Path, database: &Database) -> Option<String> {
        rebuild::find_damage(folder, database)
    }

    /// Every living passage in the index, sorted.
    pub(super) fn keys(&self) -> Result<Vec<u64>, PortError> {
        let opened = self.inner.opened.read().unwrap_or_else(PoisonError::into_inner);
        guarded(|| opened.keys())
    }
}

#[async_trait]
impl LexicalIndex for EmbeddedLexical {
    async fn refresh(&self) -> Result<Generation, PortError> {
        let inner = Arc::clone(&self.inner);
        blocking(PORT, move || inner.catch_up()).await
    }

    async fn generation(&self) -> Result<Generation, PortError> {
        Ok(self.inner.standing.shown().unwrap_or_default())
    }

    async fn matching(&self, reader: &Reader, text: &str, limit: usize) -> Result<Vec<LaneHit>, PortError> {
        let (inner, reader, text) = (Arc::clone(&self.inner), reader.clone(), text.to_owned());
        blocking(PORT, move || inner.reading(|opened| inner.matching(opened, &reader, &text, limit))).await
    }

    async fn rare(&self, reader: &Reader, text: &str, holders_max: usize) -> Result<Vec<PassageKey>, PortError> {
        let (inner, reader, mut words) = (Arc::clone(&self.inner), reader.clone(), key_words(text));
        words.truncate(TERMS_MAX);
        blocking(PORT, move || inner.look_up(&reader, |words_of| words_of.rare(&words, holders_max as u64))).await
    }

    async fn spellings(&self, reader: &Reader, text: &str) -> Result<Vec<Spelling>, PortError> {
        let (inner, reader, mut words) = (Arc::clone(&self.inner), reader.clone(), key_words(text));
        words.truncate(TERMS_MAX);
        blocking(PORT, move || inner.look_up(&reader, |words_of| words_of.spellings(&words))).await
    }
}

impl Inner {
    fn catch_up(&self) -> Result<Generation, PortError> {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.bring_to_catalogue(&mut opened);
        // Whoever searches once the lock is let go sees just this.
        self.standing.show(opened.shown);
        outcome
    }

    fn bring_to_catalogue(&self, opened: &mut OpenIndex) -> Result<Generation, PortError> {
        let wanted = self.database.generation()?;
        let reached = rebuild::reached(&opened.index, &self.database);
        if let Some(reached) = reached.filter(|reached| *reached > wanted) {
            return Err(ahead_of_catalogue(PORT, reached, wanted));
        }
        // Of what died before that, nothing is left to follow.
        let is_too_old = reached < Some(self.database.kept_from()?);
        let is_suspect = is_too_old || self.standing.is_suspect();
        if reached == Some(wanted) && !is_suspect {
            guarded(|| opened.show(wanted))?;
            return Ok(wanted);
        }
        if reached.is_some() && !is_suspect {
            match guarded(|| self.bring_up(opened, reached.unwrap_or_default())) {
                // Rebuilding would need at least as much room, and the catalogue would be no better.
                Err(error) if error.fault != Fault::Full && error.port == PORT => {
                    tracing::warn!(%error, "the word index failed and is rebuilt from the catalogue");
                }
                outcome => return outcome,
            }
        }
        // Of what it told nothing can be searched any more, and it stays suspect where it cannot be made again.
        self.standing.suspect();
        *opened = rebuild::create(&self.folder)?;
        let generation = guarded(|| self.bring_up(opened, Generation::default()))?;
        self.standing.rebuilt();
        Ok(generation)
    }

    /// Writes what has changed since a generation.
    fn bring_up(&self, opened: &mut OpenIndex, from: Generation) -> Result<Generation, PortError> {
        let mut writer: IndexWriter = opened.index.writer_with_num_threads(1, WRITER_BYTES).map_err(fault)?;
        let fields = opened.fields;
        let reached = self.database.read(|transaction| {
            let outcome = write_changes(transaction, &mut writer, fields, from);
            outcome.and_then(|outcome| Ok((outcome, generation(transaction)?)))
        })?;
        let (outcome, generation) = reached;
        outcome.map_err(|error| fault(own_error(&mut writer, error)))?;
        seal::mark(&self.folder).map_err(|error| cannot_use(&self.folder, error))?;
        let mut commit = writer.prepare_commit().map_err(fault)?;
        commit.set_payload(&format!("{RECIPE} {} {}", self.database.store_id(), generation.0));
        commit.commit().map_err(fault)?;
        if let Err(error) = writer.wait_merging_threads() {
            tracing::warn!(%error, "the segments of the word index could not be merged");
        }
        rebuild::seal(&self.folder, &opened.index, &self.database, generation)?;
        opened.show(generation)?;
        Ok(generation)
    }

    /// Reads the index; where that shows it to be damaged, it is rebuilt and read once more.
    fn reading<T>(&self, work: impl Fn(&OpenIndex) -> Result<T, PortError>) -> Result<T, PortError> {
        let read = || {
            let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
            if opened.shown.is_none() && self.database.generation()? > Generation::default() {
                // It was started over and could not be filled: finding nothing in it would mean nothing.
                return Err(PortError::new(PORT, Fault::Unavailable, "the word index is not built"));
            }
            guarded(|| work(&opened))
        };
        match read() {
            Err(error) if error.port == PORT && error.fault == Fault::Corrupt => {
                tracing::warn!(%error, "the word index is damaged and is rebuilt from the catalogue");
                self.standing.suspect();
                self.catch_up()?;
                read()
            }
            outcome => outcome,
        }
    }

    fn look_up<T>(
        &self,
        reader: &Reader,
        ask: impl Fn(Dictionary<'_>) -> Result<T, TantivyError>,
    ) -> Result<T, PortError> {
        self.reading(|opened| {
            let visible = self.database.read(|transaction| VisibleShelves::load(transaction, reader))?;
            let searcher = opened.reader.searcher();
            ask(Dictionary::new(&searcher, opened.fields, &opened.totals, &visible)).map_err(fault)
        })
    }

    fn matching(
        &self,
        opened: &OpenIndex,
        reader: &Reader,
        text: &str,
        limit: usize,
    ) -> Result<Vec<LaneHit>, PortError> {
        let visible = self.database.read(|transaction| VisibleShelves::load(transaction, reader))?;
        let searcher = opened.reader.searcher();
        let terms: Vec<Term> = key_terms(text)
            .into_iter()
            .take(TERMS_MAX)
            .map(|term| Term::from_field_text(opened.fields.words, &term))
            .collect();
        let statistics =
            VisibleStatistics::read(&searcher, opened.fields, &opened.totals, &visible, &terms).map_err(fault)?;
        if limit == 0 || !statistics.has_match() {
            return Ok(Vec::new());
        }
        let query = query(terms, opened.fields, &visible, &opened.totals);
        // Hits of equal score beyond the limit would be cut by their place in the index, so the cut is widened
        // until it falls between two scores; then passages of equal score go by key.
        let mut fetch = limit.saturating_add(16);
        loop {
            let found =
                searcher.search_with_statistics_provider(&query, &unpruned(fetch), &statistics).map_err(fault)?;
            let is_cut_in_tie = found.len() == fetch
                && found.last().map(|(score, _)| rounded(*score))
                    == found.get(limit - 1).map(|(score, _)| rounded(*score));
            if !is_cut_in_tie {
                let mut hits = Vec::with_capacity(found.len());
                // Opening a column reads all of its blocks, so each is opened once and not for every hit.
                let mut columns: BTreeMap<u32, Column<u64>> = BTreeMap::new();
                for (score, address) in found {
                    let column = match columns.entry(address.segment_ord) {
                        Entry::Occupied(opened) => opened.into_mut(),
                        Entry::Vacant(unopened) => {
                            let segment = searcher.segment_reader(address.segment_ord);
                            unopened.insert(segment.fast_fields().u64(schema::KEY).map_err(fault)?)
                        }
                    };
                    let key = column.first(address.doc_id);
                    hits.extend(key.map(|key| LaneHit { key: PassageKey(key), lane_score: rounded(score) }));
                }
                hits.sort_by(|a, b| b.lane_score.total_cmp(&a.lane_score).then(a.key.cmp(&b.key)));
                hits.truncate(limit);
                return Ok(hits);
            }
            fetch = fetch.saturating_mul(4);
        }
    }
}

/// The best by score with every match scored. Tantivy's own pruning bounds blocks by the whole index's average length;
/// under a reader's own figures those bounds do not hold, and what is found would depend on how segments lie.
fn unpruned(limit: usize) -> impl Collector<Fruit = Vec<(Score, DocAddress)>> {
    TopDocs::with_limit(limit).tweak_score(|_: &SegmentReader| |_: DocId, score: Score| score)
}

/// Drops the last digits, which depend on the order in which segments add up their terms.
fn rounded(score: f32) -> f32 {
    (score * 1_024.0).round() / 1_024.0
}

fn query(terms: Vec<Term>, fields: Fields, visible: &VisibleShelves, totals: &Totals) -> BooleanQuery {
    let any_term: Vec<(Occur, Box<dyn Query>)> = terms
        .into_iter()
        .map(|term| {
            let one: Box<dyn Query> = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Should, one)
        })
        .collect();
    let any_term = BooleanQuery::new(any_term);
    if totals.shelves().all(|shelf| visible.includes(shelf)) {
        return any_term;
    }
    let shelves = visible.ids().map(|id| Term::from_field_u64(fields.shelf, u64::from(id)));
    let filter = BoostQuery::new(Box::new(TermSetQuery::new(shelves)), 0.0);
    BooleanQuery::new(vec![(Occur::Must, Box::new(filter)), (Occur::Must, Box::new(any_term))])
}

type WriteOutcome = Result<(), TantivyError>;

/// Deaths and births since a generation; the outer result is the database's, the inner one the index's.
fn write_changes(
    transaction: &Transaction<'_>,
    writer: &mut IndexWriter,
    fields: Fields,
    from: Generation,
) -> rusqlite::Result<WriteOutcome> {
    let from = i64::try_from(from.0).unwrap_or(i64::MAX);
    let mut deaths = transaction.prepare("SELECT key FROM checked_passages WHERE died > ?1 AND born <= ?1")?;
    let mut rows = deaths.query([from])?;
    while let Some(row) = rows.next()? {
        writer.delete_term(Term::from_field_u64(fields.key, row.get(0)?));
    }
    let shelves = ShelfNumbers::load(transaction)?;
    let mut births = transaction.prepare(
        "SELECT p.key, p.audience, v.title, p.section, p.text, v.collection FROM checked_passages p
         JOIN checked_versions v ON v.document = p.document AND v.number = p.version
         WHERE p.born > ?1 AND p.died IS NULL ORDER BY p.key",
    )?;
    let mut rows = births.query([from])?;
    while let Some(row) = rows.next()? {
        let (title, section, text): (String, String, String) = (row.get(2)?, row.get(3)?, row.get(4)?);
        let headings: Vec<String> = serde_json::from_str(&section).unwrap_or_default();
        let words = [title, headings.join(" "), text].join("\n");
        let tokens = vouch_domain::language::terms(&words).len() as u64;
        let mut document = TantivyDocument::new();
        document.add_u64(fields.key, row.get(0)?);
        document.add_u64(fields.shelf, u64::from(shelves.of(row.get(1)?, row.get_ref(5)?.as_str()?)?));
        document.add_u64(fields.tokens, tokens);
        for sound in marked_sounds(&words) {
            document.add_text(fields.sounds, sound);
        }
        document.add_text(fields.words, words);
        if let Err(error) = writer.add_document(document) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// Why a thread of the writer died, if an error only says that it did.
fn own_error(writer: &mut IndexWriter, error: TantivyError) -> TantivyError {
    if !matches!(error, TantivyError::ErrorInThread(_)) {
        return error;
    }
    writer.prepare_commit().err().unwrap_or(error)
}
