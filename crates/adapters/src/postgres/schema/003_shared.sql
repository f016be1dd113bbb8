-- What must be the same for all nodes at once.

-- Conversations between two turns. The token of a call that waits for a yes stands beside the state, so that one statement can take
-- it away.
CREATE TABLE sessions (
    tenant     text NOT NULL,
    asker      text NOT NULL,
    id         text NOT NULL,
    state      text NOT NULL,
    token      text,
    touched_ms bigint NOT NULL,
    number     bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (tenant, asker, id)
);
CREATE INDEX sessions_by_age ON sessions (touched_ms);

-- Background jobs, as in a data folder.
CREATE TABLE jobs (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text NOT NULL UNIQUE,
    tenant       text NOT NULL,
    target       text NOT NULL,
    state        text NOT NULL,
    is_cancelled boolean NOT NULL DEFAULT false,
    progress     text NOT NULL,
    failures     text NOT NULL,
    error        text,
    attempts     bigint NOT NULL DEFAULT 0,
    due_ms       bigint NOT NULL,
    worker       text,
    until_ms     bigint NOT NULL DEFAULT 0,
    asked_by     text NOT NULL,
    asked_ms     bigint NOT NULL,
    started_ms   bigint,
    ended_ms     bigint
);
-- One job per target at a time, whoever asks for it. A target is too long for an index of its own words.
CREATE UNIQUE INDEX jobs_not_over ON jobs (tenant, md5(target)) WHERE ended_ms IS NULL;
CREATE INDEX jobs_by_target ON jobs (tenant, md5(target), number);
CREATE INDEX jobs_by_due ON jobs (due_ms) WHERE ended_ms IS NULL;

-- Keys. A secret is kept as its hash alone. The one row beside them says whether there ever was one: from then on a key is
-- required, also where all of them are gone.
CREATE TABLE keys (
    id         text PRIMARY KEY,
    hash       bytea NOT NULL,
    name       text NOT NULL,
    tenant     text NOT NULL,
    role       text NOT NULL,
    person     text,
    tags       text, -- a JSON array, sorted; NULL for the whole tenant
    per_minute bigint,
    made_ms    bigint NOT NULL,
    expires_ms bigint,
    revoked_ms bigint
);
CREATE TABLE key_ring (
    is_only     boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    is_required boolean NOT NULL DEFAULT false,
    changed     bigint NOT NULL DEFAULT 0 -- counts changes, so that whoever knows the keys need not read them again
);
INSERT INTO key_ring DEFAULT VALUES;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['sessions', 'jobs', 'keys'] LOOP
        EXECUTE format('ALTER TABLE vouch.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE vouch.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_a_tenant ON vouch.%I '
                       'USING (current_setting(''vouch.tenant'', true) IN (''*'', tenant))', name);
    END LOOP;
END $$;
