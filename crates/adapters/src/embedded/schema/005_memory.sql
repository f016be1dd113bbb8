-- What editors prepare. An entry's texts carry the vectors it is found by.
CREATE TABLE memory (
    key       INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    id        TEXT NOT NULL,
    tags      TEXT NOT NULL, -- a JSON array, sorted
    entry     TEXT NOT NULL, -- JSON
    UNIQUE (tenant_id, id)
) STRICT;

CREATE TABLE memory_texts (
    entry    INTEGER NOT NULL REFERENCES memory (key) ON DELETE CASCADE,
    ordinal  INTEGER NOT NULL,
    text     TEXT NOT NULL,
    language TEXT,
    vector   BLOB NOT NULL, -- little-endian f32
    PRIMARY KEY (entry, ordinal)
) STRICT, WITHOUT ROWID;
