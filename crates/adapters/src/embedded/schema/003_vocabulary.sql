-- Vocabularies as their files held them; a file taken in again replaces what it held before.
CREATE TABLE vocabularies (
    key       INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    source    TEXT NOT NULL,
    UNIQUE (tenant_id, source)
) STRICT;

CREATE TABLE concepts (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    vocabulary INTEGER NOT NULL REFERENCES vocabularies (key) ON DELETE CASCADE,
    uri        TEXT NOT NULL,
    concept    TEXT NOT NULL, -- JSON
    UNIQUE (vocabulary, uri)
) STRICT;

CREATE INDEX concepts_by_uri ON concepts (uri);

-- What a concept is found by: every label, normalised, and its address.
CREATE TABLE labels (
    term    TEXT NOT NULL,
    concept INTEGER NOT NULL REFERENCES concepts (key) ON DELETE CASCADE,
    shown   TEXT, -- the label as written; NULL where it is never shown
    PRIMARY KEY (term, concept)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_by_concept ON labels (concept);
