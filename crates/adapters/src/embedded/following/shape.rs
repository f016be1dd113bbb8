//! Tables as they are copied: their columns in order, and those that tell rows apart.

use rusqlite::{Connection, types::Value};

/// The table of the highest numbers that were ever given, which SQLite keeps itself.
pub(crate) const SEQUENCES: &str = "sqlite_sequence";
/// Tables that follow from others, or that nobody else needs.
const NOT_COPIED: [&str; 3] = ["embeddings_next", "sketch_bands", "claim_terms"];

/// Tables that others refer to, in this order before all the rest, so that rows can be written table by table.
const REFERRED_TO: [&str; 5] = ["tenants", "audiences", "shelves", "documents", "vocabularies"];
/// Tables that others follow from; they come last, when the documents are there.
pub(super) const LEADING: [&str; 2] = ["claims", "sketches"];

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableShape {
    /// Its name.
    pub(crate) name: String,
    /// Its columns, in order.
    pub(crate) columns: Vec<(String, ColumnKind)>,
    /// Which of the columns tell rows apart, in the order of the key.
    pub(crate) keys: Vec<usize>,
}

impl TableShape {
    /// Every table of a catalogue that is copied.
    pub(in crate::embedded) fn all(connection: &Connection) -> rusqlite::Result<Vec<Self>> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut names =
            connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        names.sort_by_key(|name| {
            let referred_to = REFERRED_TO.iter().position(|table| table == name);
            (LEADING.contains(&name.as_str()), referred_to.unwrap_or(REFERRED_TO.len()))
        });
        let copied = names.into_iter().filter(|name| !NOT_COPIED.contains(&name.as_str()));
        copied.map(|name| Self::read(connection, name)).collect()
    }

    /// The table of sequences.
    pub(in crate::embedded) fn sequences() -> Self {
        let columns = vec![("name".to_owned(), ColumnKind::Text), ("seq".to_owned(), ColumnKind::Integer)];
        Self { name: SEQUENCES.to_owned(), columns, keys: vec![0] }
    }

    fn read(connection: &Connection, name: String) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?;
        let columns = statement
            .query_map([&name], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<Vec<(String, String, usize)>>>()?;
        let mut keys: Vec<(usize, usize)> = columns
            .iter()
            .enumerate()
            .filter(|(_, (_, _, key))| *key > 0)
            .map(|(at, (_, _, key))| (*key, at))
            .collect();
        keys.sort_unstable();
        let columns = columns.into_iter().map(|(name, kind, _)| {
            let kind = match kind.as_str() {
                "INTEGER" => ColumnKind::Integer,
                "BLOB" => ColumnKind::Bytes,
                _ => ColumnKind::Text,
            };
            (name, kind)
        });
        Ok(Self { name, columns: columns.collect(), keys: keys.into_iter().map(|(_, at)| at).collect() })
    }

    pub(crate) fn column_names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn key_names(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().filter_map(|at| self.columns.get(*at)).map(|(name, _)| name.as_str())
    }

    /// The key of a row.
    pub(crate) fn key_of(&self, row: &[Value]) -> Vec<Value> {
        self.keys.iter().filter_map(|at| row.get(*at).cloned()).collect()
    }
}
