-- The trail of all nodes. A node writes an entry in its own folder first and sends it here; an entry that arrives twice is one.
CREATE TABLE trail (
    number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node        text NOT NULL, -- the trail of the folder it was written in
    place       bigint NOT NULL, -- its place in that one
    id          text NOT NULL,
    tenant      text NOT NULL,
    asker       text NOT NULL,
    at_ms       bigint NOT NULL,
    outcome     text NOT NULL,
    reason      text,
    generation  bigint NOT NULL,
    elapsed_ms  double precision NOT NULL,
    record      text NOT NULL, -- JSON
    link        bigint NOT NULL, -- the last link of the node's chain that is about it
    sum         bytea NOT NULL, -- over all of the above but its number
    received_at timestamptz NOT NULL DEFAULT now(),
    -- Folders may be copied and clients choose ids, so that neither a place nor an id is one entry's alone.
    UNIQUE (node, place, id, at_ms, tenant, asker)
);
CREATE INDEX trail_by_id ON trail (tenant, id, number);
CREATE INDEX trail_by_tenant ON trail (tenant, number);
CREATE INDEX trail_by_asker ON trail (tenant, asker, number);
CREATE INDEX trail_by_age ON trail (received_at);

CREATE TABLE trail_feedback (
    number     bigint NOT NULL REFERENCES trail (number) ON DELETE CASCADE,
    tenant     text NOT NULL,
    asker      text NOT NULL,
    at_ms      bigint NOT NULL,
    is_helpful boolean,
    rating     smallint, -- 1 to 5
    comment    text,
    PRIMARY KEY (number, asker)
);

-- How many requests of a caller may come at once, over all nodes; callers are kept as hashes. Not logged ahead, so that counting
-- waits for no disk: after a crash of the server every bucket is full.
CREATE UNLOGGED TABLE rate_buckets (
    bucket    bytea PRIMARY KEY,
    left_over double precision NOT NULL,
    filled_at timestamptz NOT NULL
);

-- Which node has found a service to fail so often that it asks it no more.
CREATE TABLE open_breakers (
    service   text NOT NULL,
    node      text NOT NULL,
    opened_at timestamptz NOT NULL,
    PRIMARY KEY (service, node)
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['trail', 'trail_feedback'] LOOP
        EXECUTE format('ALTER TABLE vouch.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE vouch.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_a_tenant ON vouch.%I '
                       'USING (current_setting(''vouch.tenant'', true) IN (''*'', tenant))', name);
    END LOOP;
END $$;
