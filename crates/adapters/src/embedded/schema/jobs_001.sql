-- Background jobs. What they take in and how far they have come are JSON; what decides who works on them when has columns.
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    target TEXT NOT NULL,
    state TEXT NOT NULL,
    is_cancelled INTEGER NOT NULL DEFAULT 0,
    progress TEXT NOT NULL,
    failures TEXT NOT NULL,
    error TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_ms INTEGER NOT NULL,
    worker TEXT,
    until_ms INTEGER NOT NULL DEFAULT 0,
    asked_by TEXT NOT NULL,
    asked_ms INTEGER NOT NULL,
    started_ms INTEGER,
    ended_ms INTEGER
) STRICT;
-- One job per target at a time, whoever asks for it.
CREATE UNIQUE INDEX jobs_not_over ON jobs (tenant, target) WHERE ended_ms IS NULL;
CREATE INDEX jobs_by_target ON jobs (tenant, target, number);
CREATE INDEX jobs_by_due ON jobs (due_ms) WHERE ended_ms IS NULL;
