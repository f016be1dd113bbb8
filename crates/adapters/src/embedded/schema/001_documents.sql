-- One row of facts about the store itself: its identity, its generation, the embedder that filled it.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE tenants (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- A tenant and a set of tags. Passages carry its number, so that a search filters by one comparison.
CREATE TABLE audiences (
    id        INTEGER PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    tags      TEXT NOT NULL, -- a JSON array, sorted
    UNIQUE (tenant_id, tags)
) STRICT;

CREATE TABLE documents (
    key       INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    id        TEXT NOT NULL,
    source    TEXT NOT NULL,
    version   INTEGER, -- NULL once removed
    UNIQUE (tenant_id, id)
) STRICT;
CREATE INDEX documents_by_source ON documents (tenant_id, source);

-- Every form a document has had; the newest is the one its row names.
CREATE TABLE versions (
    document    INTEGER NOT NULL REFERENCES documents (key),
    number      INTEGER NOT NULL,
    hash        BLOB NOT NULL,
    audience    INTEGER NOT NULL REFERENCES audiences (id),
    title       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    collection  TEXT NOT NULL,
    status      TEXT,
    date        TEXT,
    label       TEXT,
    owner       TEXT,
    address     TEXT,
    url         TEXT,
    taken_in_ms INTEGER NOT NULL,
    text        TEXT NOT NULL,
    PRIMARY KEY (document, number)
) STRICT;

CREATE TABLE tags (
    document INTEGER NOT NULL REFERENCES documents (key),
    tag      TEXT NOT NULL,
    PRIMARY KEY (document, tag)
) STRICT, WITHOUT ROWID;

-- Keys are never reused. A passage lives from one generation to another; the indexes follow births and deaths.
CREATE TABLE passages (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    document   INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    audience   INTEGER NOT NULL REFERENCES audiences (id),
    born       INTEGER NOT NULL,
    died       INTEGER,
    start_char INTEGER NOT NULL,
    end_char   INTEGER NOT NULL,
    section    TEXT NOT NULL, -- a JSON array, outermost heading first
    address    TEXT,
    text       TEXT NOT NULL,
    FOREIGN KEY (document, version) REFERENCES versions (document, number),
    UNIQUE (document, version, ordinal)
) STRICT;
CREATE INDEX passages_by_birth ON passages (born);
CREATE INDEX passages_by_death ON passages (died) WHERE died IS NOT NULL;

CREATE TABLE embeddings (
    passage INTEGER PRIMARY KEY REFERENCES passages (key),
    vector  BLOB NOT NULL -- little-endian f32
) STRICT;
