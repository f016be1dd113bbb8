-- Who may ask, and who answers for a topic. An owner is an id as it was given: the person need not be there.
CREATE TABLE people (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    id        TEXT NOT NULL,
    email     TEXT NOT NULL,
    tags      TEXT NOT NULL, -- a JSON array, sorted
    PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE topics (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    tag       TEXT NOT NULL,
    owner     TEXT, -- NULL where nobody answers for it
    PRIMARY KEY (tenant_id, tag)
) STRICT, WITHOUT ROWID;
