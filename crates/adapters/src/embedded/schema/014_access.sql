-- Who could see documents that were removed or have moved, by their ids, by their sources and by the sums of their texts: what
-- comes back is not open because it was away. Removing versions for their age leaves it.
CREATE TABLE past_access (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    kind      TEXT NOT NULL, -- id, source or text
    name      TEXT NOT NULL,
    tags      TEXT NOT NULL, -- a JSON array, sorted
    PRIMARY KEY (tenant_id, kind, name)
) STRICT, WITHOUT ROWID;

-- What people have set of documents, with what their sources said then. An edit holds until the source says something else.
CREATE TABLE edits (
    document   INTEGER NOT NULL REFERENCES documents (key),
    field      TEXT NOT NULL,
    value      TEXT, -- NULL where it was taken away
    stated     TEXT, -- NULL where the source said nothing
    set_by     TEXT NOT NULL,
    set_ms     INTEGER NOT NULL,
    generation INTEGER NOT NULL, -- the one it came with
    PRIMARY KEY (document, field)
) STRICT, WITHOUT ROWID;
