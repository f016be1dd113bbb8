-- Questions that wait for an answer by the owner of their topic, and which document answered them.
CREATE TABLE sent_questions (
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    id          TEXT NOT NULL,
    query       TEXT NOT NULL,
    topic       TEXT,
    owner       TEXT NOT NULL,
    sent_by     TEXT NOT NULL,
    sent_ms     INTEGER NOT NULL,
    tags        TEXT NOT NULL, -- a JSON array, sorted: who may see the answer
    document    TEXT, -- NULL while it is open
    answered_ms INTEGER,
    PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;
