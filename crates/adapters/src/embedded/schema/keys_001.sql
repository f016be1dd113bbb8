-- Keys, in a file of its own, so that one can be revoked while a server runs. A secret is kept as its hash alone.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE keys (
    id          TEXT PRIMARY KEY,
    hash        BLOB NOT NULL,
    name        TEXT NOT NULL,
    tenant      TEXT NOT NULL,
    role        TEXT NOT NULL,
    person      TEXT, -- whose tags count, where it is somebody's
    tags        TEXT, -- a JSON array, sorted; NULL for the whole tenant
    per_minute  INTEGER,
    made_ms     INTEGER NOT NULL,
    expires_ms  INTEGER,
    revoked_ms  INTEGER
) STRICT, WITHOUT ROWID;
