-- The source that a version of a document was read from: one that has not changed is not read again.
CREATE TABLE readings (
    document INTEGER PRIMARY KEY,
    version  INTEGER NOT NULL,
    digest   BLOB NOT NULL
) STRICT;

-- Whether anything stands on a shelf is asked after every change.
CREATE INDEX versions_by_shelf ON versions (audience, collection);
