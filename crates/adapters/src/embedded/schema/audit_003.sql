-- The trail as a chain: a link for everything that happened to an entry, each with the hash of the one before it.
-- The migrating program adds a link for every entry there is.
CREATE TABLE links (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    place     INTEGER NOT NULL,
    entry_sum BLOB, -- the entry's checksum from then on; NULL once it was taken out
    chain     BLOB NOT NULL
) STRICT;
CREATE INDEX links_by_place ON links (place);
