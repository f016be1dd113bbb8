-- Conversations between two turns. The token of a call that waits for a yes stands beside the state, so that one statement
-- can take it away.
CREATE TABLE sessions (
    tenant TEXT NOT NULL,
    asker TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    token TEXT,
    touched_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, asker, id)
) STRICT;
CREATE INDEX sessions_by_age ON sessions (touched_ms);
CREATE INDEX sessions_by_owner_and_age ON sessions (tenant, asker, touched_ms);
