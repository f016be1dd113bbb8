//! Who may see the documents of a folder now → what a backup that takes their place must keep to.
//!
//! Invariant: a restored store shows nobody what they could not see in the store it takes the place of, unless that was asked
//! for, and remembers of the documents it lacks who could see them. Where the store that is there cannot be read, nothing is
//! known of it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Transaction, params_from_iter};
use vouch_domain::PortError;

use super::{backup::invalid, database::connect, sqlite_fault::fault};

/// How many documents are named.
const NAMED_MAX: usize = 3;
const HAS_PAST: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'past_access')";
/// Of documents that are there: by id, by source and by text, only what is closed.
const LIVING: &str = "
    SELECT t.name, 'id', d.id, a.tags FROM documents d JOIN tenants t ON t.id = d.tenant_id
        JOIN versions v ON v.document = d.key AND v.number = d.version JOIN audiences a ON a.id = v.audience
        WHERE a.tags <> '[]'
    UNION ALL SELECT t.name, 'source', d.source, a.tags FROM documents d JOIN tenants t ON t.id = d.tenant_id
        JOIN versions v ON v.document = d.key AND v.number = d.version JOIN audiences a ON a.id = v.audience
        WHERE a.tags <> '[]'
    UNION ALL SELECT t.name, 'text', hex(v.text_sum), a.tags FROM documents d JOIN tenants t ON t.id = d.tenant_id
        JOIN versions v ON v.document = d.key AND v.number = d.version JOIN audiences a ON a.id = v.audience
        WHERE a.tags <> '[]'";
const PAST: &str = "SELECT t.name, p.kind, p.name, p.tags FROM past_access p JOIN tenants t ON t.id = p.tenant_id
    WHERE p.tags <> '[]'";

/// Who may see the documents of a store: tenant, kind, name and tags.
pub(super) struct AccessNow(Vec<[String; 4]>);

impl AccessNow {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads who may see the documents of the catalogue that is about to be replaced; nothing where it cannot be read.
pub(super) fn access_now(catalogue: &Path) -> AccessNow {
    let read = || -> Result<Vec<[String; 4]>, PortError> {
        if !catalogue.exists() {
            return Ok(Vec::new());
        }
        let connection = connect(catalogue, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        rows(&connection).map_err(fault)
    };
    let rows = read().unwrap_or_else(|error| {
        tracing::warn!(%error, "who may see the documents that are replaced cannot be read");
        Vec::new()
    });
    AccessNow(rows)
}

fn rows(connection: &Connection) -> rusqlite::Result<Vec<[String; 4]>> {
    let has_past: bool = connection.query_row(HAS_PAST, [], |row| row.get(0))?;
    let mut found = Vec::new();
    for sql in [Some(LIVING), has_past.then_some(PAST)].into_iter().flatten() {
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
        found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(found)
}

/// Has a restored catalogue keep to it. Where it would show documents to more people it is refused, unless it is to open them.
pub(super) fn keep_to(transaction: &Transaction<'_>, now: &AccessNow, opens: bool) -> Result<(), PortError> {
    note(transaction, now).map_err(fault)?;
    let wider = wider(transaction).map_err(fault)?;
    if !wider.is_empty() && !opens {
        let named = wider.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if wider.len() > NAMED_MAX { " and others" } else { "" };
        return Err(invalid(format!(
            "the backup would show {} to more people than can see them now ({named}{more}); add --open to allow that",
            match wider.len() {
                1 => "1 document".to_owned(),
                many => format!("{many} documents"),
            }
        )));
    }
    // Of what is there, the document itself says who may see it.
    transaction
        .execute_batch(
            "INSERT OR IGNORE INTO tenants (name) SELECT DISTINCT tenant FROM access_now;
             INSERT INTO past_access (tenant_id, kind, name, tags)
                 SELECT t.id, n.kind, n.name, n.tags FROM access_now n JOIN tenants t ON t.name = n.tenant
                 WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.tenant_id = t.id AND d.version IS NOT NULL
                     AND ((n.kind = 'id' AND d.id = n.name) OR (n.kind = 'source' AND d.source = n.name)))
                   AND NOT EXISTS (SELECT 1 FROM versions v JOIN documents d ON d.key = v.document AND d.version = v.number
                     WHERE n.kind = 'text' AND d.tenant_id = t.id AND v.text_sum = unhex(n.name))
                 ON CONFLICT (tenant_id, kind, name) DO UPDATE SET tags = excluded.tags;
             DROP TABLE access_now;",
        )
        .map_err(fault)
}

fn note(transaction: &Transaction<'_>, now: &AccessNow) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "CREATE TEMP TABLE access_now (tenant TEXT, kind TEXT, name TEXT, tags TEXT);
         CREATE INDEX access_now_by_name ON access_now (tenant, kind, name);",
    )?;
    let mut insert = transaction.prepare("INSERT INTO access_now VALUES (?1, ?2, ?3, ?4)")?;
    now.0.iter().try_for_each(|row| insert.execute(params_from_iter(row)).map(|_| ()))
}

/// Documents that more people would see, by their ids.
fn wider(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT DISTINCT d.id FROM access_now n JOIN tenants t ON t.name = n.tenant
        JOIN documents d ON d.tenant_id = t.id AND d.id = n.name AND n.kind = 'id'
        JOIN versions v ON v.document = d.key AND v.number = d.version JOIN audiences a ON a.id = v.audience
        WHERE a.tags = '[]' OR EXISTS (SELECT 1 FROM json_each(a.tags) own
            WHERE own.value NOT IN (SELECT value FROM json_each(n.tags))) ORDER BY d.id";
    transaction.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}
