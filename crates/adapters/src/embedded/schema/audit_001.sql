-- The trail of requests, in a file of its own: it grows with use and not with the corpus, and can be read while another
-- process writes.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
    place      INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     TEXT NOT NULL,
    id         TEXT NOT NULL,
    asker      TEXT NOT NULL,
    at_ms      INTEGER NOT NULL,
    outcome    TEXT NOT NULL,
    reason     TEXT,
    generation INTEGER NOT NULL,
    elapsed_ms REAL NOT NULL,
    record     TEXT NOT NULL -- JSON
) STRICT;
CREATE INDEX entries_by_id ON entries (tenant, id);
CREATE INDEX entries_by_time ON entries (at_ms);

CREATE TABLE feedback (
    place      INTEGER NOT NULL REFERENCES entries (place) ON DELETE CASCADE,
    asker      TEXT NOT NULL,
    at_ms      INTEGER NOT NULL,
    is_helpful INTEGER NOT NULL,
    comment    TEXT,
    PRIMARY KEY (place, asker)
) STRICT, WITHOUT ROWID;
