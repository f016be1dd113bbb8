-- What a document is compared with others by. A row is of the version it names; documents without a row for their present
-- version, or with one that is not compared yet, are waiting.
CREATE TABLE sketches (
    document    INTEGER PRIMARY KEY REFERENCES documents (key),
    version     INTEGER NOT NULL,
    is_compared INTEGER NOT NULL,
    signature   BLOB NOT NULL, -- little-endian u32
    bands       BLOB NOT NULL  -- little-endian u64
) STRICT;

-- Sentences that give a figure, a date or a name for something.
CREATE TABLE claims (
    id         INTEGER PRIMARY KEY,
    document   INTEGER NOT NULL REFERENCES documents (key),
    version    INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char   INTEGER NOT NULL,
    sentence   TEXT NOT NULL,
    context    TEXT NOT NULL,
    terms      BLOB NOT NULL -- little-endian u64
) STRICT;
CREATE INDEX claims_by_document ON claims (document);

-- Where to look for similar documents and claims. What is found there is read and compared, so a wrong row costs a
-- comparison or hides one, and these two tables have no checksums.
CREATE TABLE sketch_bands (
    tenant_id INTEGER NOT NULL,
    band      INTEGER NOT NULL,
    document  INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, band, document)
) STRICT, WITHOUT ROWID;
CREATE TABLE claim_terms (
    tenant_id INTEGER NOT NULL,
    term      INTEGER NOT NULL,
    claim     INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, term, claim)
) STRICT, WITHOUT ROWID;

-- Two documents that should be looked at together. A finding holds while both documents are of the versions it names.
CREATE TABLE findings (
    tenant_id      INTEGER NOT NULL REFERENCES tenants (id),
    id             TEXT NOT NULL,
    kind           TEXT NOT NULL,
    left_document  INTEGER NOT NULL,
    left_version   INTEGER NOT NULL,
    left_start     INTEGER NOT NULL,
    left_end       INTEGER NOT NULL,
    left_sentence  TEXT NOT NULL,
    right_document INTEGER NOT NULL,
    right_version  INTEGER NOT NULL,
    right_start    INTEGER NOT NULL,
    right_end      INTEGER NOT NULL,
    right_sentence TEXT NOT NULL,
    likeness       INTEGER NOT NULL,
    found_ms       INTEGER NOT NULL,
    dismissed_by   TEXT, -- NULL while it is open
    dismissed_ms   INTEGER,
    PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX findings_by_left ON findings (left_document);
CREATE INDEX findings_by_right ON findings (right_document);
