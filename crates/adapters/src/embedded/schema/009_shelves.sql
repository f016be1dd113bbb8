-- An audience and a collection. The indexes carry its number beside every passage, so that a search filters by tenant, tags
-- and collection with one comparison. It follows from the versions and is kept because its numbers must not change.
CREATE TABLE shelves (
    id         INTEGER PRIMARY KEY,
    audience   INTEGER NOT NULL REFERENCES audiences (id),
    collection TEXT NOT NULL,
    UNIQUE (audience, collection)
) STRICT;
